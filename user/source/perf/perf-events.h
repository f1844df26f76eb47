/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf-events: the events of a recording and what its records hold
 *
 * The same for a file and for the kernel's rings.
 */
#ifndef MP_PERF_EVENTS_H
#define MP_PERF_EVENTS_H

#include "dumps.h"
#include "format.h"
#include "map.h"

#include <linux/perf_event.h>

#define MP_PERF_NAME_SIZE	128

/* Of the deprecated kind of records that all readers skip, see recovery. */
#define MP_PERF_RECORD_SKIPPED		65
#define MP_PERF_RECORD_FINISHED_ROUND	68
#define MP_PERF_RECORD_COMPRESSED	81

/**
 * struct mp_perf_event - one event
 * @attr: as it was opened
 * @name: "system:name" of tracepoints
 * @format: of tracepoints, where it is known: nr_fields and id
 * @role, @func, @fields: of who decodes
 */
struct mp_perf_event {
	struct perf_event_attr attr;
	char name[MP_PERF_NAME_SIZE];
	struct mp_format format;
	uint32_t role;
	uint32_t func;
	struct mp_field fields[5];
};

/**
 * struct mp_perf_events - all of a recording; all zero is none
 * @by_id: the kernel's ids -> number
 */
struct mp_perf_events {
	struct mp_perf_event *list;
	size_t nr;
	struct mp_map by_id;
};

/**
 * struct mp_perf_sample - what is common to records, and the parts of samples
 * @event: number, or that of the only one where records do not tell
 * @frames: of the call chain: with marks of contexts, see PERF_CONTEXT_MAX
 * @raw: of tracepoints
 * @dump: of the user's registers and stack; empty where there is none, or the
 *	task is a 32-bit one
 */
struct mp_perf_sample {
	uint32_t event;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time_ns;
	uint64_t addr;
	uint64_t period;
	uint32_t cpu;
	uint64_t cgroup;
	const uint64_t *frames;
	uint64_t nr_frames;
	const void *raw;
	uint32_t raw_size;
	struct mp_dump dump;
};

/**
 * mp_perf_sample_parse - take a PERF_RECORD_SAMPLE apart
 * @record: header->size bytes of it can be read
 *
 * Return: whether it is whole, and of one of the events.
 */
bool mp_perf_sample_parse(const struct mp_perf_events *events,
			  const struct perf_event_header *record,
			  struct mp_perf_sample *sample);

/**
 * mp_perf_trailer_parse - the same for what other records end with
 * @size: out, bytes of the record before it
 *
 * Return: whether it is whole; the fields are 0 where records have none.
 */
bool mp_perf_trailer_parse(const struct mp_perf_events *events,
			   const struct perf_event_header *record,
			   struct mp_perf_sample *sample, size_t *size);

/** mp_perf_events_free - free all; none is left afterwards */
void mp_perf_events_free(struct mp_perf_events *events);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf-events: the events of a recording, and the fields that all records have
 *
 * Files and the rings of the running kernel use the same code.
 */
#ifndef MP_PERF_EVENTS_H
#define MP_PERF_EVENTS_H

#include "dumps.h"
#include "format.h"
#include "map.h"

#include <linux/perf_event.h>

#define MP_PERF_NAME_SIZE	128

/* Limit of the kernel's ids of all events in a recording. */
#define MP_PERF_MAX_IDS		(1U << 20)

/* A record type that all readers skip, see perf-recover.c. */
#define MP_PERF_RECORD_SKIPPED		65
#define MP_PERF_RECORD_FINISHED_ROUND	68
#define MP_PERF_RECORD_COMPRESSED	81

/**
 * struct mp_perf_event - one event
 * @attr: the attributes it was opened with
 * @name: "system:name" for tracepoints
 * @format: format of a tracepoint, if known
 * @role, @func, @fields: set by perf-role.c
 */
struct mp_perf_event {
	struct perf_event_attr attr;
	char name[MP_PERF_NAME_SIZE];
	struct mp_format format;
	uint32_t role;
	uint32_t func;
	struct mp_field fields[8];
};

/**
 * struct mp_perf_events - the events of a recording; all zero means no events
 * @by_id: maps the kernel's event id to the index in @list
 */
struct mp_perf_events {
	struct mp_perf_event *list;
	size_t nr;
	struct mp_map by_id;
};

/**
 * struct mp_perf_sample - the used fields of a record
 * @event: index of the event; 0 if records have no id, because there is only
 *	one event
 * @is_borrowed: the record has the id of another tracer's event, see mp_perf_sample_parse()
 * @frames: the call chain with the kernel's context marks, see PERF_CONTEXT_MAX
 * @raw: the raw data of a tracepoint
 * @dump: user registers and stack; empty if not recorded, or if the task is
 *	32-bit
 * @python: the functions of Python that the thread is in; NULL: not known
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
	bool is_borrowed;
	const uint64_t *frames;
	uint64_t nr_frames;
	const void *raw;
	uint32_t raw_size;
	struct mp_dump dump;
	const struct mp_python_stack *python;
};

/**
 * mp_perf_sample_parse - parse a PERF_RECORD_SAMPLE
 * @record: its header->size bytes can be read
 *
 * If several tracers sample one page fault, the kernel (since 6.3) writes the id of the first
 * one's event into the samples of all. So a sample with an unknown id is one of a page fault, if
 * the recording has such an event and the fields fit.
 *
 * Return: true if the sample is complete and belongs to a known event.
 */
bool mp_perf_sample_parse(const struct mp_perf_events *events,
			  const struct perf_event_header *record,
			  struct mp_perf_sample *sample);

/**
 * mp_perf_trailer_parse - parse the end of a record that is not a sample
 * @size: out, bytes of the record before that end
 *
 * Return: true if the end is complete. Fields that the records do not have are
 * 0.
 */
bool mp_perf_trailer_parse(const struct mp_perf_events *events,
			   const struct perf_event_header *record,
			   struct mp_perf_sample *sample, size_t *size);

/** mp_perf_events_free - free all events and set the list to empty */
void mp_perf_events_free(struct mp_perf_events *events);

#endif

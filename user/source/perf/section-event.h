/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * section-event: finds flushed sections in perf records
 */
#ifndef MP_SECTION_EVENT_H
#define MP_SECTION_EVENT_H

#include "perf-events.h"

#include <linux/memprof.h>

/**
 * struct mp_section_event - a section that was flushed
 * @pid, @tid: process and thread that flushed it
 * @time_ns: time of the flush
 */
struct mp_section_event {
	uint32_t pid, tid;
	uint64_t time_ns;
	struct memprof_section record;
};

/**
 * mp_section_event_parse - read a record
 *
 * Accepts the module's memprof:section and the probes made by
 * mp_uprobe_record_make().
 *
 * Return: true if the record is a complete section.
 */
bool mp_section_event_parse(const struct mp_perf_events *events,
			    const struct perf_event_header *header,
			    struct mp_section_event *event);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * section-event: sections among perf's records
 */
#ifndef MP_SECTION_EVENT_H
#define MP_SECTION_EVENT_H

#include "perf-events.h"

#include <linux/memprof.h>

/**
 * struct mp_section_event - a section that was flushed
 * @pid, @tid: whose
 * @time_ns: when it was flushed
 */
struct mp_section_event {
	uint32_t pid, tid;
	uint64_t time_ns;
	struct memprof_section record;
};

/**
 * mp_section_event_parse - read a record
 *
 * Of memprof:section, the module's, and of probes by mp_uprobe_section_make().
 *
 * Return: whether it is a section's, and whole.
 */
bool mp_section_event_parse(const struct mp_perf_events *events,
			    const struct perf_event_header *header,
			    struct mp_section_event *event);

#endif

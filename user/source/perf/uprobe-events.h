/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * uprobe-events: creates uprobes as trace events
 */
#ifndef MP_UPROBE_EVENTS_H
#define MP_UPROBE_EVENTS_H

#include "dynamic-events.h"
#include "scan.h"

#include <linux/memprof.h>

/**
 * struct mp_uprobe - a probe point
 * @path: path of the binary in our mount namespace, without blanks and ':'
 * @func: enum memprof_func
 * @offset: offset in the file
 * @ref_ctr_offset: offset in the file of a static probe's semaphore, or 0
 * @args: arguments of a static probe
 * @nr_args: number of @args
 */
struct mp_uprobe {
	const char *path;
	uint32_t func;
	uint64_t offset;
	uint64_t ref_ctr_offset;
	const struct memprof_probe_arg *args;
	uint32_t nr_args;
};

/**
 * mp_uprobe_event_make - create the event of a probe point
 * @at_return: probe the function's return instead of its entry
 *
 * Return: 0, or a negative errno.
 */
int mp_uprobe_event_make(const struct mp_uprobe *probe, bool at_return,
			 struct mp_trace_event *event);

/**
 * mp_uprobe_record_make - create the event of a static probe whose argument is a record
 * @name: begin of the event's name
 * @path: path of the binary, as in struct mp_uprobe
 * @size: bytes of the record, at most 512
 * @event: its field "record" is a copy of the record
 *
 * Return: 0, or a negative errno.
 */
int mp_uprobe_record_make(const char *name, const char *path,
			  const struct mp_section_point *point, size_t size,
			  struct mp_trace_event *event);

#endif

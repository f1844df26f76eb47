/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * uprobe-events: uprobes as trace events, and their names
 *
 * All are in groups called "memprof_" and our process id. Those of processes that exited are
 * removed; other groups are never touched.
 */
#ifndef MP_UPROBE_EVENTS_H
#define MP_UPROBE_EVENTS_H

#include "format.h"

#include <linux/memprof.h>

#define MP_UPROBE_NAME_SIZE	64

/**
 * struct mp_uprobe - a probe point
 * @path: of the binary, as we see it; no blank and no ':' in it
 * @func: enum memprof_func
 * @offset: in the file
 * @ref_ctr_offset: of a static probe's semaphore in the file, or 0
 * @args: of a static probe
 */
struct mp_uprobe {
	const char *path;
	uint32_t func;
	uint64_t offset;
	uint64_t ref_ctr_offset;
	const struct memprof_probe_arg *args;
};

/**
 * struct mp_uprobe_event - one event of a probe
 * @system: of its name
 * @name: after that
 * @format: of its records
 */
struct mp_uprobe_event {
	char system[MP_UPROBE_NAME_SIZE];
	char name[MP_UPROBE_NAME_SIZE];
	struct mp_format format;
};

/** mp_uprobe_events_sweep - remove the events that exited processes left behind */
size_t mp_uprobe_events_sweep(void);

/**
 * mp_uprobe_event_make - make the event of a probe point
 * @at_return: of the function's return, else of its entry
 *
 * Return: 0, or a negative errno.
 */
int mp_uprobe_event_make(const struct mp_uprobe *probe, bool at_return,
			 struct mp_uprobe_event *event);

/**
 * mp_uprobe_section_make - make the event of a static probe memprof:section
 * @path: of the binary, as of struct mp_uprobe
 * @event: its field "record" is the struct memprof_section
 *
 * Return: 0, or a negative errno.
 */
int mp_uprobe_section_make(const char *path, uint64_t offset,
			   uint64_t ref_ctr_offset,
			   const struct memprof_probe_arg *record,
			   struct mp_uprobe_event *event);

/** mp_uprobe_events_remove - remove our own events, of which none is open any more */
void mp_uprobe_events_remove(void);

/**
 * mp_tracepoint_format - the format of one of the kernel's events
 *
 * Return: 0, or a negative errno: -ENOENT where there is no such event.
 */
int mp_tracepoint_format(const char *system, const char *name,
			 struct mp_format *format);

/** mp_tracing_text - the content of a file in tracefs, to be freed; or NULL */
char *mp_tracing_text(const char *name);

/** mp_tracepoint_text - the same as text, to be freed; NULL where there is none */
char *mp_tracepoint_text(const char *system, const char *name);

#endif

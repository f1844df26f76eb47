/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * uprobe-events: creates uprobes as trace events
 *
 * All events are in groups whose name is "memprof_" and our process id. Events
 * of exited processes are removed; other groups are never changed.
 */
#ifndef MP_UPROBE_EVENTS_H
#define MP_UPROBE_EVENTS_H

#include "format.h"
#include "scan.h"

#include <linux/memprof.h>
#include <sys/types.h>

#define MP_UPROBE_NAME_SIZE	64

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
 * struct mp_uprobe_event - one event of a probe
 * @system: first part of the event's name
 * @name: second part of the name
 * @format: format of its records
 */
struct mp_uprobe_event {
	char system[MP_UPROBE_NAME_SIZE];
	char name[MP_UPROBE_NAME_SIZE];
	struct mp_format format;
};

/** mp_uprobe_events_sweep - remove the events that exited processes left behind */
size_t mp_uprobe_events_sweep(void);

/**
 * mp_uprobe_event_make - create the event of a probe point
 * @at_return: probe the function's return instead of its entry
 *
 * Return: 0, or a negative errno.
 */
int mp_uprobe_event_make(const struct mp_uprobe *probe, bool at_return,
			 struct mp_uprobe_event *event);

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
			  struct mp_uprobe_event *event);

/** mp_uprobe_events_remove - remove the events of a process; all must be closed */
void mp_uprobe_events_remove(pid_t owner);

/**
 * mp_tracepoint_format - get the format of one of the kernel's events
 *
 * Return: 0, or a negative errno: -ENOENT if the event does not exist.
 */
int mp_tracepoint_format(const char *system, const char *name,
			 struct mp_format *format);

/** mp_tracing_text - read a file in tracefs; the text is to be freed; NULL on error */
char *mp_tracing_text(const char *name);

/** mp_tracepoint_text - read an event's format as text, to be freed; NULL on error */
char *mp_tracepoint_text(const char *system, const char *name);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dynamic-events: creates trace events at places in programs and in the kernel
 *
 * All events are in groups whose name is "memprof_" and our process id. Events
 * of exited processes are removed; other groups are never changed.
 */
#ifndef MP_DYNAMIC_EVENTS_H
#define MP_DYNAMIC_EVENTS_H

#include "format.h"

#include <sys/types.h>

#define MP_EVENT_NAME_SIZE	64

/**
 * struct mp_trace_event - a trace event of the kernel
 * @system: first part of its name
 * @name: second part of the name
 * @format: format of its records
 */
struct mp_trace_event {
	char system[MP_EVENT_NAME_SIZE];
	char name[MP_EVENT_NAME_SIZE];
	struct mp_format format;
};

/**
 * mp_dynamic_event_make - create an event
 * @file: the file in tracefs that creates such events
 * @kind: "p" for an entry; "r", which a limit of calls may follow, for a return
 * @name: name of the event in our group
 * @place: where it is, without blanks
 * @args: what it records, each with a blank before it
 * @event: out
 *
 * Return: 0, or a negative errno.
 */
int mp_dynamic_event_make(const char *file, const char *kind, const char *name,
			  const char *place, const char *args, struct mp_trace_event *event);

/** mp_dynamic_events_sweep - remove the events that exited processes left behind */
size_t mp_dynamic_events_sweep(void);

/** mp_dynamic_events_remove - remove the events of a process; all must be closed */
void mp_dynamic_events_remove(pid_t owner);

/**
 * mp_tracepoint_find - get one of the kernel's events
 *
 * Return: 0, or a negative errno: -ENOENT if the event does not exist.
 */
int mp_tracepoint_find(const char *system, const char *name, struct mp_trace_event *event);

/** mp_tracing_text - read a file in tracefs; the text is to be freed; NULL on error */
char *mp_tracing_text(const char *name);

/** mp_tracepoint_text - read an event's format as text, to be freed; NULL on error */
char *mp_tracepoint_text(const char *system, const char *name);

#endif

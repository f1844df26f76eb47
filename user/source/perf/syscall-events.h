/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * syscall-events: the events of single system calls
 */
#ifndef MP_SYSCALL_EVENTS_H
#define MP_SYSCALL_EVENTS_H

#include "dynamic-events.h"

#include <stdbool.h>

/**
 * mp_syscall_event - get the event of a system call's begin or end
 * @call: name of the call
 * @at_return: the event of its end, with the field "ret", in place of that of its begin, of
 *	whose data four arguments, of eight bytes each, begin at byte 16
 * @event: out
 *
 * Return: 0, or a negative errno: -ENOENT if the kernel has no such call.
 */
int mp_syscall_event(const char *call, bool at_return, struct mp_trace_event *event);

/**
 * mp_syscall_events_alone - whether only the calls that have events get slower
 *
 * Without kprobes, while the kernel traces one system call, each call of each process takes
 * a slower way, which costs 75 ns.
 */
bool mp_syscall_events_alone(void);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf-role: what an event of perf reports, by its name and its fields
 */
#ifndef MP_PERF_ROLE_H
#define MP_PERF_ROLE_H

#include "perf-events.h"

enum mp_perf_role {
	MP_ROLE_NONE,
	MP_ROLE_ENTER,
	MP_ROLE_LEAVE,
	MP_ROLE_DEALLOC,
	MP_ROLE_ALLOC,
	MP_ROLE_FREE,
	MP_ROLE_FAULT,
	MP_ROLE_GROWTH,
	MP_ROLE_PAGE_FAULT,
	MP_ROLE_SYSCALL,
	MP_ROLE_SYSRET,
	MP_ROLE_SECTION,
	MP_ROLE_SUM,
	MP_ROLE_PYTHON,
	MP_ROLE_FUNCTION,
	MP_ROLE_COUNTER,
};

/* Indices of fields[] for probes. */
enum { MP_ARG_SIZE, MP_ARG_OLD, MP_ARG_PTR, MP_ARG_RA, MP_ARG_SP, MP_ARG_ENTRY_SP };

/* Indices of fields[] for the module's tracepoints. */
enum {
	MP_FIELD_ADDR, MP_FIELD_SIZE, MP_FIELD_WEIGHT, MP_FIELD_CALLSITE,
	MP_FIELD_CGROUP, MP_FIELD_FRAMES, MP_FIELD_NR_FRAMES, MP_FIELD_IP,
};
enum {
	MP_FIELD_BEFORE = MP_FIELD_ADDR, MP_FIELD_AFTER = MP_FIELD_WEIGHT,
	MP_FIELD_RELEASED = MP_FIELD_IP,
};

/**
 * mp_perf_role_set - find the role of an event, and the fields that it is read by
 * @event: gets @role, @func and @fields; role 0 if nothing is known of such events
 */
void mp_perf_role_set(struct mp_perf_event *event);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * triggers: notices cgroups that come near their limit, and cgroups that grow
 */
#ifndef MP_TRIGGERS_H
#define MP_TRIGGERS_H

#include "memory-watch.h"

/**
 * struct mp_trigger_settings - what is worth a capture; 0: nothing is
 * @limit_percent: part of memory.max or memory.high that a cgroup has
 * @growth_bytes: growth of a cgroup, per hour
 * @growth_window_ms: time over which it grows
 * @exit_bytes: RSS of a process that exits, see large-exits
 */
struct mp_trigger_settings {
	uint64_t limit_percent;
	uint64_t growth_bytes;
	uint64_t growth_window_ms;
	uint64_t exit_bytes;
};

/**
 * mp_triggers_period_ns - time between two looks; 0: none is needed
 * @interval_ms: of the agent
 *
 * At most ten seconds, because a cgroup can fill in less than an interval.
 */
uint64_t mp_triggers_period_ns(const struct mp_trigger_settings *settings,
			       uint64_t interval_ms);

/**
 * mp_triggers_look - look at all cgroups that are watched
 * @now_ns: CLOCK_MONOTONIC
 * @wanted: by enum mp_memory_event, whether it may be reported now. What is not reported
 *	is, in a later look, if it is still so
 * @trouble: out: what a capture is worth: a limit, or else growth. Its cgroup is the one
 *	that is nearest to its limit, or grows fastest; its count is the number of cgroups
 *
 * A cgroup that was reported is not reported again before it was well below the bound:
 * by a tenth of the limit, or to half of the growth.
 *
 * Return: 0, or -ENOMEM: then growth of some cgroups is not noticed.
 */
int mp_triggers_look(const struct mp_trigger_settings *settings, struct mp_memory_watch *watch,
		     uint64_t now_ns, const bool wanted[MP_NR_MEMORY_EVENTS],
		     struct mp_memory_trouble *trouble);

#endif

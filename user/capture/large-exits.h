/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * large-exits: notices processes that exited with much memory
 */
#ifndef MP_LARGE_EXITS_H
#define MP_LARGE_EXITS_H

#include "memory-watch.h"
#include "profile.h"

/* Commands that are remembered; the one that was seen least recently is forgotten. */
#define MP_LARGE_EXITS_MAX	64

/** struct mp_large_exit - a command of a cgroup, and when one of its processes exited */
struct mp_large_exit {
	char comm[MP_COMM_SIZE];
	uint64_t cgroup;
	uint64_t time_ns;
};

/**
 * struct mp_large_exits - what was seen; all zero: nothing
 * @seen_ns: exits until then, CLOCK_MONOTONIC, were looked at
 * @list: commands with processes that exited above the bound; @time_ns 0: no command
 */
struct mp_large_exits {
	uint64_t seen_ns;
	struct mp_large_exit list[MP_LARGE_EXITS_MAX];
};

/**
 * mp_large_exits_look - look for new exits in a profile of the session
 * @bound: bytes of RSS
 * @is_known: whether a process's end is known already; it is left out then
 * @context: for @is_known
 * @trouble: out: the exited process with the most RSS, if that is @bound at least; its count
 *	is the number of such processes
 *
 * A command of a cgroup is not reported again before ten minutes without such an exit: one
 * that is started again and again is one condition. RSS is the last that the session knows:
 * in the perf source up to a second old.
 *
 * Return: true if @trouble is an exit.
 */
bool mp_large_exits_look(struct mp_large_exits *exits, const struct mp_profile *profile,
			 uint64_t bound, bool (*is_known)(void *context, uint32_t pid),
			 void *context, struct mp_memory_trouble *trouble);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cgroup-limits: what a process's cgroup may use
 */
#ifndef MP_CGROUP_LIMITS_H
#define MP_CGROUP_LIMITS_H

#include <stdint.h>
#include <sys/types.h>

/**
 * struct mp_cgroup_limits - the lowest limits of a cgroup and of those above it; 0: none
 * @bytes: memory.max or memory.high, the lower one
 * @cpu: cpu.max, in thousandths of a CPU
 */
struct mp_cgroup_limits {
	uint64_t bytes;
	uint64_t cpu;
};

/** mp_lower_limit - the lower one of two limits, of which 0 is none */
static inline uint64_t mp_lower_limit(uint64_t a, uint64_t b)
{
	return a && (!b || a < b) ? a : b;
}

/**
 * mp_cgroup_limits_of - read what a process's cgroup may use
 *
 * Source: the cgroup v2 mount. No limit is known if there is no such mount, if it lacks the
 * controller, or for what lies above the root of a cgroup namespace.
 */
struct mp_cgroup_limits mp_cgroup_limits_of(pid_t pid);

#endif

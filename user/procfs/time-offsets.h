/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * time-offsets: the clocks of a process in another time namespace
 */
#ifndef MP_TIME_OFFSETS_H
#define MP_TIME_OFFSETS_H

#include <stdint.h>
#include <sys/types.h>

/**
 * struct mp_time_offsets - how far clocks are ahead of ours, in nanoseconds
 * @monotonic: CLOCK_MONOTONIC and its coarse clock
 * @boottime: CLOCK_BOOTTIME, which start times in /proc/PID/stat are in
 */
struct mp_time_offsets {
	int64_t monotonic;
	int64_t boottime;
};

/**
 * mp_time_offsets_read - get the offsets of a process's clocks
 *
 * Source: /proc/PID/timens_offsets, which has the namespace of the process's future
 * children. A process that called unshare() is itself in another one; unshare(1) forks.
 * The offsets are 0 if the file cannot be read, as before Linux 5.6, where all processes
 * have the same clocks.
 */
void mp_time_offsets_read(pid_t pid, struct mp_time_offsets *offsets);

#endif

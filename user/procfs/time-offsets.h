/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * time-offsets: compares the clocks of another time namespace with ours
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
 * Source: /proc/PID/timens_offsets. The file describes the time namespace of
 * the process's future children. This is also the namespace of the process
 * itself, unless it called unshare(): the offsets are wrong for such a process.
 * unshare(1) forks, so the program that it runs is not such a process. If the
 * file cannot be read, the offsets are 0. Before Linux 5.6 there is no such
 * file, and all processes have the same clocks.
 */
void mp_time_offsets_read(pid_t pid, struct mp_time_offsets *offsets);

#endif

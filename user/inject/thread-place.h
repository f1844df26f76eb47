/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * thread-place: where the threads of a process are, without stopping them
 */
#ifndef MP_THREAD_PLACE_H
#define MP_THREAD_PLACE_H

#include "machine.h"

#define MP_THREADS_MAX	4096

/**
 * mp_any_thread_in - whether a thread may run in, or have its stack in, a range
 * @start: first address of the range
 * @end: first address after it
 *
 * Source: /proc/PID/task/TID/syscall.
 *
 * Return: true also if a thread is running, because it may be anywhere.
 */
bool mp_any_thread_in(pid_t pid, uint64_t start, uint64_t end);

/**
 * mp_threads_by_place - list the threads, those that wait in a harmless place first
 * @tids: out: room for MP_THREADS_MAX
 *
 * Return: number of threads; 0 if the process is gone.
 */
size_t mp_threads_by_place(pid_t pid, const struct mp_machine *machine, pid_t *tids);

#endif

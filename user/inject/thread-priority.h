/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * thread-priority: lets a borrowed thread run at once where many wait for a CPU
 */
#ifndef MP_THREAD_PRIORITY_H
#define MP_THREAD_PRIORITY_H

#include "machine.h"

#include <sys/types.h>

/** mp_priority_raise_self - this process gets a CPU before others, if it may */
void mp_priority_raise_self(void);

/**
 * mp_priority_read - what a thread has to get back
 * @tid: the thread
 *
 * Return: its priority. Of a thread that is not to be raised, its size is 0.
 */
struct mp_machine_priority mp_priority_read(pid_t tid);

/**
 * mp_priority_raise - the thread gets a CPU before others, if this process may say so
 * @own: what mp_priority_read() returned
 */
void mp_priority_raise(pid_t tid, const struct mp_machine_priority *own);

/** mp_priority_restore - undo mp_priority_raise() */
void mp_priority_restore(pid_t tid, const struct mp_machine_priority *own);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * zygote: a small process that stays, and forks children for this one (a zygote is the cell
 * from which all others come)
 */
#ifndef MP_ZYGOTE_H
#define MP_ZYGOTE_H

#include "isolate.h"

#include <sys/types.h>

/**
 * mp_zygote_begin - fork the zygote
 * @run: runs in its children, and does not return
 *
 * It ends with this process. If there is one already, nothing happens.
 */
void mp_zygote_begin(void (*run)(const struct mp_isolate_stream *stream, int to));

/**
 * mp_zygote_fork - have a child forked
 * @stream: the work; its context_size is not 0
 * @to: where the result goes; the child has it, and the work's file, by the same numbers
 *
 * The child is a child of this process, as if fork() had been called: waitpid() and kill()
 * are for the caller.
 *
 * Return: its pid, or -1: then there is no child, and the caller forks by itself.
 */
pid_t mp_zygote_fork(const struct mp_isolate_stream *stream, int to);

/** mp_zygote_pid - the zygote of this process, or 0 */
pid_t mp_zygote_pid(void);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * process-hint: tells what explains the memory of the process that is shown first
 */
#ifndef MP_PROCESS_HINT_H
#define MP_PROCESS_HINT_H

#include "writer.h"

/**
 * mp_process_hint_write - write how to see who has memory that no row explains
 * @out: a table of processes, sorted
 * @text: the hint, printable; MP_HINT_SIZE bytes of hint.h
 *
 * Return: whether there is something to tell.
 */
bool mp_process_hint_write(const struct mp_out *out, char *text);

/**
 * mp_process_hint_next - write how to see who allocates in the process that grew most
 * @out: a table of processes or cgroups, of a session that follows no allocations
 * @text: as above
 *
 * Return: whether a process grew so much that this is the next step.
 */
bool mp_process_hint_next(const struct mp_out *out, char *text);

#endif

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
 * mp_faults_hint_write - write how to record fewer faults and calls, or without
 *	traps, if they were very many
 * @profile: has rows of processes, of a session or a recording
 * @text: the hint, printable; MP_HINT_SIZE bytes of hint.h
 *
 * Return: whether there is something to tell.
 */
bool mp_faults_hint_write(const struct mp_profile *profile, char *text);

#endif

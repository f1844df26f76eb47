/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stacks-mark: which mappings are the stacks of threads
 */
#ifndef MP_STACKS_MARK_H
#define MP_STACKS_MARK_H

#include "residence.h"

#include <sys/types.h>

/**
 * mp_stacks_mark - find stacks by their threads' stack pointers
 * @mappings: of the process; anonymous ones that hold a stack pointer become
 *	MP_MAPPING_STACK
 *
 * Source: /proc/PID/task/TID/syscall, which tells of threads that sleep. One
 * that runs at this moment is not found so, nor is any where that file may not
 * be read; a guard below the stack, as most C libraries have it, is what is left
 * then: mp_mappings_parse() looks for it. At most MP_MAX_STACKS threads are asked.
 */
void mp_stacks_mark(pid_t pid, struct mp_mappings *mappings);

#define MP_MAX_STACKS	1024

#endif

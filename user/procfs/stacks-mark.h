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
 *
 * Before Linux 6.7 a stack may be in one mapping with what lies above it. Of a
 * mapping that is larger than the process's limit for stacks, which is what
 * threads get unless they ask for another size, only so much is a stack: its
 * pages are counted in pagemap, and the rest becomes a mapping of its own.
 */
void mp_stacks_mark(pid_t pid, struct mp_mappings *mappings);

#define MP_MAX_STACKS	1024

#endif

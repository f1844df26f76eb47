/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stacks-mark: finds the mappings that are stacks of threads
 */
#ifndef MP_STACKS_MARK_H
#define MP_STACKS_MARK_H

#include "residence.h"

#include <sys/types.h>

/**
 * mp_stacks_mark - find stacks by the stack pointers of threads
 * @mappings: mappings of the process. An anonymous mapping that contains a stack
 *	pointer becomes MP_MAPPING_STACK
 *
 * Source: /proc/PID/task/TID/syscall, which has the stack pointer of a sleeping
 * thread. The stack of a running thread is not found, and no stack is found without
 * permission to read the file. Such a stack is only found by a guard below it, see
 * mp_mappings_parse(). At most MP_MAX_STACKS threads are examined.
 *
 * Before Linux 6.7 the kernel can merge a stack with the mapping above it. The
 * default size of a stack is the process's stack limit. So a mapping larger than
 * this limit is split: its lower part is the stack. pagemap tells how many pages of
 * both parts are resident.
 */
void mp_stacks_mark(pid_t pid, struct mp_mappings *mappings);

#define MP_MAX_STACKS	1024

#endif

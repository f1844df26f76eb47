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
 * @mappings: of the process; anonymous mappings that contain a stack pointer
 *	become MP_MAPPING_STACK
 *
 * Source: /proc/PID/task/TID/syscall, which shows the stack pointer of a
 * sleeping thread. The stack of a running thread is not found in this way, nor
 * any stack if the file must not be read. Such a stack is only found by a guard
 * below it, see mp_mappings_parse(). At most MP_MAX_STACKS threads are
 * examined.
 *
 * Before Linux 6.7 the kernel can merge a stack with the mapping above it. If a
 * mapping is larger than the process's stack limit, which is the default size
 * of stacks, it is split: its lower part of that size is the stack. The present
 * pages of both parts are counted in pagemap.
 */
void mp_stacks_mark(pid_t pid, struct mp_mappings *mappings);

#define MP_MAX_STACKS	1024

#endif

// SPDX-License-Identifier: GPL-2.0-only
/*
 * process-memory: reads memory of a process
 */
#include "process-memory.h"

#include <sys/uio.h>

bool mp_process_read(pid_t pid, uint64_t address, void *to, size_t size)
{
	const struct iovec here = { to, size }, there = { (void *)address, size };

	return process_vm_readv(pid, &here, 1, &there, 1, 0) == (ssize_t)size;
}

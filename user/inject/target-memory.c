// SPDX-License-Identifier: GPL-2.0-only
/*
 * target-memory: reads and writes /proc/PID/mem
 *
 * A call costs 1 us. It also works while no thread of the process is stopped.
 */
#include "inject-target.h"

#include <unistd.h>

bool mp_target_get(const struct mp_inject_target *target, uint64_t address, void *data,
		   size_t size)
{
	return pread(target->memory, data, size, (off_t)address) == (ssize_t)size;
}

bool mp_target_put(const struct mp_inject_target *target, uint64_t address,
		   const void *data, size_t size)
{
	return pwrite(target->memory, data, size, (off_t)address) == (ssize_t)size;
}

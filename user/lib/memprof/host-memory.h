/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * host-memory.h: reads memory of the host that may not be mapped.
 */
#ifndef MEMPROF_HOST_MEMORY_H
#define MEMPROF_HOST_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

void mp_host_begin(void);
bool mp_host_is_readable(uintptr_t at, size_t size);
bool mp_host_is_readable_now(uintptr_t at, size_t size);
bool mp_host_read(uintptr_t at, void *to, size_t size);
bool mp_host_word(uintptr_t at, uintptr_t *word);

#pragma GCC visibility pop

#endif

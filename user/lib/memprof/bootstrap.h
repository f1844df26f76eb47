/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * bootstrap.h: allocates blocks before the host's allocator is found.
 */
#ifndef MEMPROF_BOOTSTRAP_H
#define MEMPROF_BOOTSTRAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void *mp_bootstrap_alloc(size_t alignment, size_t size);
bool mp_bootstrap_owns(const void *p);
size_t mp_bootstrap_size(const void *p);
void mp_bootstrap_each(void (*add)(uintptr_t ptr));

#endif

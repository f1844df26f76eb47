// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * bootstrap.c: allocates blocks for dlsym(), which may need memory before it has
 * found malloc.
 *
 * These blocks are never freed. The Bloom filter contains all of them (see
 * next.c), so only a free that passes the filter has to test for them. If the arena
 * is full, NULL is returned.
 */
#include "bootstrap.h"

#include <string.h>

#define SIZE (64 * 1024)

/* Header before each block. */
struct head {
	size_t size;
	size_t reserved;
};

static char arena[SIZE] __attribute__((aligned(4096)));
static size_t used;

void *mp_bootstrap_alloc(size_t alignment, size_t size)
{
	size_t begin = __atomic_load_n(&used, __ATOMIC_RELAXED), block, end;
	struct head *head;

	if (alignment < sizeof(*head))
		alignment = sizeof(*head);
	do {
		block = (begin + sizeof(*head) + alignment - 1) & ~(alignment - 1);
		if (size > SIZE || alignment > 4096 || block > SIZE - size)
			return NULL;
		end = (block + size + sizeof(*head) - 1) & ~(sizeof(*head) - 1);
	} while (!__atomic_compare_exchange_n(&used, &begin, end, true,
					      __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
	head = (struct head *)(arena + block) - 1;
	head->size = size;
	return arena + block;
}

bool mp_bootstrap_owns(const void *p)
{
	return (uintptr_t)p - (uintptr_t)arena < SIZE;
}

size_t mp_bootstrap_size(const void *p)
{
	return ((const struct head *)p - 1)->size;
}

/* Calls @add with each address at which one of the blocks may begin. */
void mp_bootstrap_each(void (*add)(uintptr_t ptr))
{
	size_t i, end = __atomic_load_n(&used, __ATOMIC_RELAXED);

	for (i = sizeof(struct head); i <= end && end; i += sizeof(struct head))
		add((uintptr_t)arena + i);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * host-memory.c: reads memory of the host that may not be mapped.
 *
 * The kernel tests each page, as in stack-bounds.c. A page that was found readable is
 * remembered for some milliseconds, for all threads: objects that the host uses now are
 * not unmapped now. Cost: 0.1 us for a page that is not remembered, else 2 ns.
 */
#include "host-memory.h"

#include "sample-clock.h"
#include "stack-bounds.h"

#include <string.h>

#define PAGE_BITS	12
#define PAGE		(1UL << PAGE_BITS)
#define NR_PAGES	1024
/* A period of the clock for which a page is remembered: 2^23 ns are 8 ms. */
#define PERIOD_BITS	23
/* A word has the number of the page, of 36 bits, and the low bits of the period. */
#define NUMBER_BITS	(48 - PAGE_BITS)

static uint64_t known[NR_PAGES];
/* The period, in the upper bits. */
static uint64_t period;

/* Reads the clock. Call it at the begin of each sample. */
void mp_host_begin(void)
{
	__atomic_store_n(&period, (mp_clock_coarse_ns() >> PERIOD_BITS) << NUMBER_BITS,
			 __ATOMIC_RELAXED);
}

static bool page_is_readable(uintptr_t page)
{
	uint64_t *slot = &known[(page >> PAGE_BITS) % NR_PAGES];
	const uint64_t word = page >> PAGE_BITS |
			      __atomic_load_n(&period, __ATOMIC_RELAXED);

	if (__atomic_load_n(slot, __ATOMIC_RELAXED) == word)
		return true;
	if (!mp_stack_page_is_readable(page))
		return false;
	__atomic_store_n(slot, word, __ATOMIC_RELAXED);
	return true;
}

static bool are_readable(uintptr_t at, size_t size, bool (*is_readable)(uintptr_t page))
{
	uintptr_t page = at & ~(PAGE - 1), last = at + size - 1;

	if (at < PAGE || last < at || last >> 48)
		return false;
	for (; page <= last; page += PAGE)
		if (!is_readable(page))
			return false;
	return true;
}

/**
 * mp_host_is_readable() - test whether memory that the host uses can be read
 * @at: first address
 * @size: bytes, more than 0
 */
bool mp_host_is_readable(uintptr_t at, size_t size)
{
	return are_readable(at, size, page_is_readable);
}

/* As mp_host_is_readable(), for memory that another thread may unmap. */
bool mp_host_is_readable_now(uintptr_t at, size_t size)
{
	return are_readable(at, size, mp_stack_page_is_readable);
}

/* Copies memory that the host uses. Returns false if it cannot be read. */
bool mp_host_read(uintptr_t at, void *to, size_t size)
{
	if (!mp_host_is_readable(at, size))
		return false;
	memcpy(to, (const void *)at, size);
	return true;
}

/* Reads an aligned word. Returns false if it cannot be read. */
bool mp_host_word(uintptr_t at, uintptr_t *word)
{
	if (at % sizeof(*word) || !mp_host_is_readable(at, sizeof(*word)))
		return false;
	*word = *(const volatile uintptr_t *)at;
	return true;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dumps: registers and pieces of stacks, until somebody has unwound them
 */
#ifndef MP_DUMPS_H
#define MP_DUMPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MP_DUMPS_NONE	UINT32_MAX
#define MP_DUMPS_REGS	64

/* Of all that wait to be unwound: some rings' worth. */
#define MP_DUMPS_MAX_BYTES	(256UL << 20)

/**
 * struct mp_dump - what a sample has of a thread
 * @mask: perf's numbers of the registers that are there
 * @regs: their values, in the order of their numbers
 * @stack: bytes from the stack pointer on
 * @size: of them
 * @caller: where the allocator that was called returns to; 0: not told
 */
struct mp_dump {
	uint64_t mask;
	const uint64_t *regs;
	const uint8_t *stack;
	size_t size;
	uint64_t caller;
};

struct mp_dump_slot {
	struct mp_dump dump;
	uint64_t *copy;			/* of both; NULL: free */
	uint32_t next;
};

/**
 * struct mp_dumps - all of them; all zero is none
 * @nr_refused: beyond MP_DUMPS_MAX_BYTES
 */
struct mp_dumps {
	struct mp_dump_slot *list;
	size_t nr, max;
	uint32_t free;			/* + 1 */
	size_t bytes;
	uint64_t nr_refused;
};

/**
 * mp_dumps_add - keep a copy
 *
 * Return: its number, or MP_DUMPS_NONE: no memory, or too much in use.
 */
uint32_t mp_dumps_add(struct mp_dumps *dumps, const struct mp_dump *dump);

/**
 * mp_dumps_replace - change words of a stack
 * @is_meant: whether a word is one of them
 * @by: what they are to be
 *
 * Many of them are left over from calls before; of calls in each other the inner
 * ones then seem to return to the outermost's caller.
 */
void mp_dumps_replace(struct mp_dumps *dumps, uint32_t number,
		      bool (*is_meant)(uint64_t word), uint64_t by);

/** mp_dumps_at - a dump by its number; NULL: there is none */
const struct mp_dump *mp_dumps_at(const struct mp_dumps *dumps,
				  uint32_t number);

/** mp_dumps_drop - forget it */
void mp_dumps_drop(struct mp_dumps *dumps, uint32_t number);

/** mp_dumps_free - forget all */
void mp_dumps_free(struct mp_dumps *dumps);

#endif

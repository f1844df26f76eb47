/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dumps: holds registers and copies of stack memory until they are unwound
 */
#ifndef MP_DUMPS_H
#define MP_DUMPS_H

#include "python-stack.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MP_DUMPS_NONE	UINT32_MAX
#define MP_DUMPS_REGS	64

/* Default limit of all waiting dumps together, in bytes: the contents of a few rings. */
#define MP_DUMPS_MAX_BYTES	(256UL << 20)

/**
 * struct mp_dump - registers and stack memory of a thread at a sample
 * @mask: the registers in @regs, by perf's numbers
 * @regs: values of the registers, in the order of their numbers
 * @stack: copy of the stack memory from the stack pointer upwards
 * @size: bytes in @stack
 * @caller: return address of the allocator call; 0: not known
 * @python: functions of Python that the thread is in; NULL: none
 */
struct mp_dump {
	uint64_t mask;
	const uint64_t *regs;
	const uint8_t *stack;
	size_t size;
	uint64_t caller;
	const struct mp_python_stack *python;
};

/* perf's number of the instruction pointer */
#if defined(__x86_64__)
#define MP_DUMP_IP	8
#else
#define MP_DUMP_IP	32
#endif

/** mp_dump_ip - get the instruction pointer; 0: not in the dump */
static inline uint64_t mp_dump_ip(const struct mp_dump *dump)
{
	const uint64_t below = dump->mask & ((1ULL << MP_DUMP_IP) - 1);

	return dump->mask >> MP_DUMP_IP & 1 ?
	       dump->regs[__builtin_popcountll(below)] : 0;
}

struct mp_dump_slot {
	struct mp_dump dump;
	uint64_t *copy;			/* copy of registers and stack; NULL: free slot */
	uint32_t next;
};

/**
 * struct mp_dumps - all dumps; all zero means empty
 * @max_bytes: limit of all together; 0: MP_DUMPS_MAX_BYTES
 * @nr_refused: dumps refused because of that limit
 */
struct mp_dumps {
	struct mp_dump_slot *list;
	size_t nr, max;
	uint32_t free;			/* first free slot + 1; 0: none */
	size_t bytes, max_bytes;
	uint64_t nr_refused;
};

/**
 * mp_dumps_add - store a copy of a dump
 *
 * Return: its number, or MP_DUMPS_NONE if memory is short or above the limit.
 */
uint32_t mp_dumps_add(struct mp_dumps *dumps, const struct mp_dump *dump);

/**
 * mp_dumps_replace - replace certain words of a dump's stack by one value
 * @is_meant: returns true for each word to replace
 * @by: the new value
 *
 * All matching words are replaced, also words that are left over from earlier
 * calls. If calls are nested, the inner calls then seem to return to the caller of
 * the outermost call.
 */
void mp_dumps_replace(struct mp_dumps *dumps, uint32_t number,
		      bool (*is_meant)(uint64_t word), uint64_t by);

/** mp_dumps_at - get a dump by its number; NULL if there is no such dump */
const struct mp_dump *mp_dumps_at(const struct mp_dumps *dumps,
				  uint32_t number);

/** mp_dumps_drop - free one dump */
void mp_dumps_drop(struct mp_dumps *dumps, uint32_t number);

/** mp_dumps_free - free all dumps */
void mp_dumps_free(struct mp_dumps *dumps);

#endif

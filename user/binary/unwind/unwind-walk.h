/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * unwind-walk: a sample that is being unwound
 */
#ifndef MP_UNWIND_WALK_H
#define MP_UNWIND_WALK_H

#include "merge.h"

#include <string.h>

/* perf's numbers of registers. x86-64 has no link register, so that number is not used. */
#if defined(__x86_64__)
#define MP_PERF_FP	6
#define MP_PERF_SP	7
#define MP_PERF_PC	8
#define MP_PERF_LR	8
#elif defined(__aarch64__)
#define MP_PERF_FP	29
#define MP_PERF_LR	30
#define MP_PERF_SP	31
#define MP_PERF_PC	32
#else
#error "which of perf's registers are which?"
#endif

/**
 * struct mp_unwind_walk - a sample that is being unwound
 * @dump: its registers, and a copy of its stack
 * @sp: address where the copy begins
 * @frames: out: the frames
 * @nr: number of @frames
 * @has_ended: a word of the current frame is not in the copy
 */
struct mp_unwind_walk {
	const struct mp_dump *dump;
	uint64_t sp;
	uint64_t *frames;
	uint32_t nr;
	bool has_ended;
};

/** mp_unwind_register - get a register by perf's number; 0 if it was not copied */
static inline uint64_t mp_unwind_register(const struct mp_dump *dump, unsigned int number)
{
	uint64_t below = dump->mask & ((1ULL << number) - 1);

	return dump->mask & 1ULL << number ?
	       dump->regs[__builtin_popcountll(below)] : 0;
}

/** mp_unwind_read - read a word of the stack. Return: false if it was not copied */
static inline bool mp_unwind_read(struct mp_unwind_walk *walk, uint64_t address,
				  uint64_t *word)
{
	uint64_t at = address - walk->sp;

	if (address < walk->sp || walk->dump->size < sizeof(*word) ||
	    at > walk->dump->size - sizeof(*word)) {
		walk->has_ended = true;
		return false;
	}
	memcpy(word, walk->dump->stack + at, sizeof(*word));
	return true;
}

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf-stack: who called, from what a sample has of it
 */
#ifndef MP_PERF_STACK_H
#define MP_PERF_STACK_H

#include "perf-decode.h"

/** mp_perf_has_stack - whether a sample tells anything */
static inline bool mp_perf_has_stack(const struct mp_perf_sample *sample)
{
	return sample->nr_frames || sample->dump.size;
}

/**
 * mp_perf_is_trampoline - whether functions whose return is probed return there
 *
 * The kernel puts it in place of their caller: the last page of the address space,
 * on x86 the one before it, unless that was taken. Address spaces have two sizes
 * on both.
 */
bool mp_perf_is_trampoline(uint64_t address);

/**
 * mp_perf_stack_of - the stack of an allocator's call
 * @ra: where the call returns to, with which its stack begins; 0: not known
 * @at_entry: the sample is of the function's first instruction
 *
 * Return: its number, or that of what the engine is to unwind with
 * MP_EVENT_DUMP; MP_STACKS_NONE without memory.
 */
uint32_t mp_perf_stack_of(struct mp_perf_decode *decode,
			  const struct mp_perf_sample *sample, uint64_t ra,
			  bool at_entry);

/**
 * mp_perf_own_stack - the stack of whoever touched memory, or asked for it
 * @at_fault: it begins with the instruction itself, and the kernel's part counts
 *
 * Return: as above.
 */
uint32_t mp_perf_own_stack(struct mp_perf_decode *decode,
			   const struct mp_perf_sample *sample, bool at_fault);

#endif

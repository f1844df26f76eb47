/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf-stack: turns the call chain or dump of a sample into a stack of the
 * engine
 */
#ifndef MP_PERF_STACK_H
#define MP_PERF_STACK_H

#include "perf-decode.h"

/** mp_perf_has_stack - check whether a sample has a call chain or a dump */
static inline bool mp_perf_has_stack(const struct mp_perf_sample *sample)
{
	return sample->nr_frames || sample->dump.size;
}

/**
 * mp_perf_stack_of - get the stack of an allocator call
 * @ra: return address, which becomes the first frame; 0: not known
 * @at_entry: the sample was taken at the function's first instruction
 *
 * Return: a number for mp_event.stack; MP_STACKS_NONE without memory.
 */
uint32_t mp_perf_stack_of(struct mp_perf_decode *decode,
			  const struct mp_perf_sample *sample, uint64_t ra,
			  bool at_entry);

/**
 * mp_perf_stack_told - get a stack that the program found itself
 * @field: field of the event: an array of addresses of 8 bytes, the caller first
 * @nr: number of addresses, with bit 32 if outer callers are missing; see
 *	lib/memprof/probes.h
 *
 * Return: a number for mp_event.stack; MP_STACKS_NONE without memory.
 */
uint32_t mp_perf_stack_told(struct mp_perf_decode *decode,
			    const struct mp_perf_sample *sample,
			    const struct mp_field *field, uint64_t nr);

/**
 * mp_perf_stack_at - get the stack of an instruction that faulted, without its callers
 *
 * Return: as for mp_perf_own_stack().
 */
uint32_t mp_perf_stack_at(struct mp_perf_decode *decode, uint64_t ip);

/**
 * mp_perf_own_stack - get the stack of the code that touched or requested
 * memory
 * @at_fault: the stack begins with the faulting instruction and may have kernel
 *	frames
 *
 * Return: a number for mp_event.stack; MP_STACKS_NONE without memory.
 */
uint32_t mp_perf_own_stack(struct mp_perf_decode *decode,
			   const struct mp_perf_sample *sample, bool at_fault);

#endif

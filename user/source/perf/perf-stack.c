// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf-stack: repairs frame-pointer call chains, and passes dumps to the engine
 */
#include "perf-stack.h"
#include "frames.h"

#include <string.h>

/* Limit of different stacks that are kept in full length. */
#define MAX_STACKS	(1U << 18)

/*
 * In code without frame pointers a call chain contains arbitrary addresses. The
 * chain is cut at an address that cannot be code, because it is in the first
 * page, or is not a user address on any machine.
 */
static bool is_nowhere(uint64_t address)
{
	return address < 4096 || address >= 1ULL << 56;
}

/*
 * Copies the user frames of a chain. If @with_kernel, the chain's kernel frames
 * are copied, too; they come first.
 */
static uint32_t walk_chain(const struct mp_perf_sample *sample,
			   uint64_t frames[MP_STACKS_DEPTH], bool with_kernel)
{
	bool user = true, kernel = false;
	uint32_t nr = 0;
	uint64_t i;

	for (i = 0; i < sample->nr_frames && nr < MP_STACKS_DEPTH; i++)
		if (sample->frames[i] >= PERF_CONTEXT_MAX) {
			user = sample->frames[i] == PERF_CONTEXT_USER;
			kernel = with_kernel &&
				 sample->frames[i] == PERF_CONTEXT_KERNEL;
		} else if (kernel && sample->frames[i] >= MP_KERNEL_START) {
			frames[nr++] = sample->frames[i];
		} else if (user && is_nowhere(sample->frames[i])) {
			break;
		} else if (user) {
			frames[nr++] = sample->frames[i];
		}
	return nr;
}

/*
 * Makes the chain begin at @ra, the return address in the allocator's caller:
 * the frames before @ra are removed. At the first instruction of a function,
 * the frame @ra is the only one that a chain lacks, so @ra replaces the first
 * frame. Elsewhere a chain without @ra is not used: the stack is @ra and a cut.
 */
static uint32_t begin_at(uint64_t ra, uint64_t frames[MP_STACKS_DEPTH],
			 uint32_t nr, bool at_entry)
{
	uint32_t at = 0;

	while (at < nr && frames[at] != ra)
		at++;
	if (at < nr) {
		memmove(frames, frames + at, (nr - at) * sizeof(*frames));
		return nr - at;
	}
	if (!at_entry || !nr) {
		frames[0] = ra;
		frames[1] = MP_STACKS_CUT;
		return nr ? 2 : 1;
	}
	frames[0] = ra;
	return nr;
}

/*
 * Code without frame pointers gives many different chains, so their number is
 * limited. @own: the stack is not that of an allocator call, but of code that
 * touched or requested memory. Such stacks may use only half of the limit, so
 * that allocator calls always have the other half.
 */
static uint32_t keep_chain(struct mp_perf_decode *decode, uint64_t *frames,
			   uint32_t nr, bool own)
{
	size_t nr_stacks = mp_merge_nr_stacks(decode->merge);

	if (nr > 1 && nr_stacks >= (own ? MAX_STACKS / 2 : MAX_STACKS)) {
		decode->nr_cut++;
		nr = 1;
	}
	if (nr && nr_stacks >= 4 * MAX_STACKS)
		nr = 0;
	return mp_merge_stack(decode->merge, frames, nr);
}

static uint32_t chain_of(struct mp_perf_decode *decode,
			 const struct mp_perf_sample *sample, uint64_t ra,
			 bool at_entry)
{
	uint64_t frames[MP_STACKS_DEPTH];
	uint32_t nr = walk_chain(sample, frames, false);

	if (ra)
		nr = begin_at(ra, frames, nr, at_entry);
	else if (!nr && sample->ip)
		frames[nr++] = sample->ip;
	if (sample->python)
		nr = mp_python_stack_merge(sample->python, frames, nr);
	return keep_chain(decode, frames, nr, false);
}

uint32_t mp_perf_stack_of(struct mp_perf_decode *decode,
			  const struct mp_perf_sample *sample, uint64_t ra,
			  bool at_entry)
{
	struct mp_dump dump = sample->dump;
	uint32_t number;

	dump.caller = ra;
	dump.python = sample->python;
	number = mp_merge_dump(decode->merge, &dump, mp_address_is_trampoline);
	return number == MP_EVENT_NO_STACK ?
	       chain_of(decode, sample, ra, at_entry) : number;
}

uint32_t mp_perf_stack_told(struct mp_perf_decode *decode,
			    const struct mp_perf_sample *sample,
			    const struct mp_field *field, uint64_t nr)
{
	const bool cut = nr >> 32;
	uint64_t frames[MP_STACKS_DEPTH];
	uint32_t max = field->size / sizeof(*frames);

	max = max < MP_STACKS_DEPTH ? max : MP_STACKS_DEPTH - 1;
	nr = (uint32_t)nr < max ? (uint32_t)nr : max;
	if (field->offset > sample->raw_size ||
	    sample->raw_size - field->offset < nr * sizeof(*frames))
		nr = 0;
	if (nr)
		memcpy(frames, (const char *)sample->raw + field->offset,
		       nr * sizeof(*frames));
	frames[nr] = cut ? MP_STACKS_CUT : MP_STACKS_BEGIN;
	return keep_chain(decode, frames, (uint32_t)nr + (nr > 0), false);
}

/*
 * The engine looks up the byte before each frame, because frames are return addresses: make
 * that byte the begin of the faulting instruction.
 */
uint32_t mp_perf_stack_at(struct mp_perf_decode *decode, uint64_t ip)
{
	ip++;
	return keep_chain(decode, &ip, 1, true);
}

uint32_t mp_perf_own_stack(struct mp_perf_decode *decode,
			   const struct mp_perf_sample *sample, bool at_fault)
{
	uint64_t frames[MP_STACKS_DEPTH];
	uint32_t nr;

	if (sample->dump.size)
		return mp_perf_stack_of(decode, sample, 0, false);
	nr = walk_chain(sample, frames, at_fault);
	/* see mp_perf_stack_at() */
	if (nr && at_fault)
		frames[0]++;
	if (sample->python)
		nr = mp_python_stack_merge(sample->python, frames, nr);
	return keep_chain(decode, frames, nr, true);
}

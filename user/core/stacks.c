// SPDX-License-Identifier: GPL-2.0-only
/*
 * stacks: as names, but of addresses
 */
#include "stacks.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_same(const struct mp_stacks *stacks, uint32_t number,
		    const uint64_t *frames, uint32_t nr)
{
	uint32_t known_nr;
	const uint64_t *known = mp_stacks_frames(stacks, number, &known_nr);

	return known_nr == nr &&
	       (!nr || !memcmp(known, frames, nr * sizeof(*frames)));
}

static bool reserve(struct mp_stacks *stacks, uint32_t nr)
{
	size_t max = stacks->max ? stacks->max * 2 : 256;
	size_t max_frames = stacks->max_frames ? stacks->max_frames * 2 : 4096;
	void *more;

	if (stacks->nr == stacks->max) {
		more = max < MP_STACKS_NONE ?
		       reallocarray(stacks->list, max, sizeof(*stacks->list)) :
		       NULL;
		if (!more)
			return false;
		stacks->list = more;
		stacks->max = max;
	}
	if (stacks->nr_frames + nr > stacks->max_frames) {
		more = reallocarray(stacks->frames, max_frames,
				    sizeof(*stacks->frames));
		if (!more)
			return false;
		stacks->frames = more;
		stacks->max_frames = max_frames;
	}
	return true;
}

static uint32_t append(struct mp_stacks *stacks, const uint64_t *frames,
		       uint32_t nr)
{
	if (!reserve(stacks, nr))
		return MP_STACKS_NONE;
	stacks->list[stacks->nr] = (struct mp_stack){
		.first = stacks->nr_frames, .nr = nr,
	};
	if (nr)
		memcpy(stacks->frames + stacks->nr_frames, frames,
		       nr * sizeof(*frames));
	stacks->nr_frames += nr;
	return (uint32_t)stacks->nr++;
}

uint32_t mp_stacks_add(struct mp_stacks *stacks, const uint64_t *frames,
		       uint32_t nr)
{
	uint64_t hash, n;
	uint32_t *known, i;

	if (nr > MP_STACKS_DEPTH)
		nr = MP_STACKS_DEPTH;
	hash = nr;
	for (i = 0; i < nr; i++)
		hash = mp_map_hash(hash, frames[i]);
	for (n = 0;; n++) {
		known = mp_map_add(&stacks->by_hash, hash, n);
		if (!known)
			return MP_STACKS_NONE;
		if (*known == MP_MAP_NEW)
			break;
		if (is_same(stacks, *known, frames, nr))
			return *known;
	}
	*known = append(stacks, frames, nr);
	if (*known == MP_STACKS_NONE) {
		mp_map_remove(&stacks->by_hash, hash, n);
		return MP_STACKS_NONE;
	}
	return *known;
}

void mp_stacks_free(struct mp_stacks *stacks)
{
	free(stacks->list);
	free(stacks->frames);
	mp_map_free(&stacks->by_hash);
	*stacks = (struct mp_stacks){ 0 };
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * delta-share: adds up the growth of the stacks of each process
 *
 * The cost is three passes over the rows, and 32 bytes per row.
 */
#include "delta-share.h"
#include "map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Of a process: the sum of what its stacks asked for, and how much of that was reached */
struct share {
	int64_t delta, given;
	uint64_t asked, reached;
};

/* What a stack asked for. A file may have any value: then shares are wrong, and nothing else. */
static uint64_t asked_by(const struct mp_row *row)
{
	const int64_t growth = (int64_t)row->value[MP_GROWTH];

	return growth < 0 ? 0 : (uint64_t)growth < 1ULL << 48 ? (uint64_t)growth : 1ULL << 48;
}

/* A process that has executed another program has a row for each. */
static uint64_t program_of(const struct mp_row *row)
{
	uint64_t words[sizeof(row->comm) / sizeof(uint64_t)], key = row->start_ns;
	size_t i;

	memcpy(words, row->comm, sizeof(words));
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		key = mp_map_hash(key, words[i]);
	return key;
}

static int add_processes(const struct mp_profile *profile, struct mp_map *map,
			 struct share *shares)
{
	const struct mp_row *row;
	uint32_t nr = 0, *known;

	for (row = profile->rows; row < profile->rows + profile->nr_rows; row++) {
		if (row->kind != MP_ROW_PROCESS || !row->pid || row->flags & MP_ROW_EXITED ||
		    (int64_t)row->value[MP_RESIDENT_DELTA] <= 0)
			continue;
		known = mp_map_add(map, row->pid, program_of(row));
		if (!known)
			return -ENOMEM;
		shares[nr].delta = (int64_t)row->value[MP_RESIDENT_DELTA];
		*known = nr++;
	}
	return 0;
}

static struct share *share_of(const struct mp_map *map, struct share *shares,
			      const struct mp_row *row, enum mp_row_kind kind)
{
	const uint32_t *known = row->kind == kind && row->pid ?
				mp_map_find(map, row->pid, program_of(row)) : NULL;

	return known ? &shares[*known] : NULL;
}

/* The parts add up, whatever is lost by rounding. */
static uint64_t next_part(struct share *share, uint64_t asked)
{
	const int64_t before = share->given;

	share->reached += asked;
	share->given = (int64_t)((__int128)share->delta * share->reached / share->asked);
	return (uint64_t)(share->given - before);
}

int mp_delta_share(struct mp_profile *profile)
{
	const enum mp_row_kind kind = mp_profile_finest(profile);
	struct share *shares, *share;
	struct mp_map map = { 0 };
	struct mp_row *row;
	int err;

	if (kind != MP_ROW_SITE && kind != MP_ROW_STACK)
		return 0;
	shares = calloc(profile->nr_rows + 1, sizeof(*shares));
	err = shares ? add_processes(profile, &map, shares) : -ENOMEM;
	for (row = profile->rows; !err && row < profile->rows + profile->nr_rows; row++) {
		share = share_of(&map, shares, row, kind);
		if (share)
			share->asked += asked_by(row);
	}
	for (row = profile->rows; !err && row < profile->rows + profile->nr_rows; row++) {
		share = share_of(&map, shares, row, kind);
		if (share && share->asked)
			row->value[MP_RESIDENT_DELTA] = next_part(share, asked_by(row));
	}
	mp_map_free(&map);
	free(shares);
	return err;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * profile-delta: matches rows of two profiles by a hash of their identity
 *
 * The same binary or stack has different numbers in two profiles, so the hash uses
 * names. Each program that a process executes has rows of its own, and a shell may execute
 * itself: such rows have the same identity until they have ended, and then their times. The cost
 * is a hash map of rows. If memory is short, -ENOMEM is returned.
 */
#include "profile-delta.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hash_bytes(uint64_t hash, const void *from, size_t size)
{
	const char *at = from;
	uint64_t word;

	for (; size; at += sizeof(word)) {
		size_t n = size < sizeof(word) ? size : sizeof(word);

		word = 0;
		memcpy(&word, at, n);
		hash = mp_map_hash(hash, word);
		size -= n;
	}
	return hash;
}

static uint64_t hash_binary(uint64_t hash, const struct mp_profile *profile,
			    uint32_t number)
{
	const struct mp_binary *binary;

	if (!number)
		return hash;
	binary = &profile->binaries[number - 1];
	return binary->build_id_size ?
	       hash_bytes(hash, binary->build_id, binary->build_id_size) :
	       hash_bytes(hash, binary->path, strlen(binary->path));
}

static uint64_t hash_stack(uint64_t hash, const struct mp_profile *profile,
			   uint32_t number)
{
	struct mp_frames_stack stack;
	const struct mp_frame *frame;
	uint32_t i;

	if (!number)
		return hash;
	stack = mp_frames_stack(&profile->frames, number - 1);
	for (i = 0; i < stack.nr; i++) {
		frame = mp_frames_at(&profile->frames, number - 1, i);
		hash = hash_binary(mp_map_hash(hash, frame->offset), profile,
				   frame->binary);
	}
	return hash;
}

static uint64_t hash_location(uint64_t hash, const struct mp_profile *profile,
			      const struct mp_row *row)
{
	const struct mp_location *location = &row->location;

	hash = mp_map_hash(hash, location->offset ^ location->address);
	hash = mp_map_hash(hash, (uint64_t)location->scope << 32 | location->line);
	hash = hash_binary(hash, profile, location->binary);
	return row->kind == MP_ROW_STACK ?
	       hash_stack(hash, profile, location->stack) : hash;
}

static uint32_t *find_row(struct mp_map *map, const struct mp_profile *profile,
			  const struct mp_row *row, bool add)
{
	uint64_t a = mp_map_hash((uint64_t)row->kind << 32 | row->pid,
				 row->cgroup);
	uint64_t b = mp_map_hash(row->start_ns, mp_row_is_sum(row));

	a = hash_bytes(a, row->comm, strlen(row->comm));
	if (mp_row_has_location(row))
		b = hash_location(b, profile, row);
	return add ? mp_map_add(map, a, b) : mp_map_find(map, a, b);
}

/*
 * What counts up. AT-PEAK adds up like a flow, but falls when the peak moves; LIVE-DELTA is the
 * difference already.
 */
static bool is_counted(int metric)
{
	return mp_metrics[metric].nature == MP_FLOW && metric != MP_AT_PEAK &&
	       metric != MP_INUSE_DELTA;
}

static void subtract(const struct mp_row *before, struct mp_row *now)
{
	int i;

	now->value[MP_INUSE_DELTA] -= before->value[MP_INUSE_SPACE];
	for (i = 0; i < MP_NR_METRICS; i++)
		if (is_counted(i) && !mp_metrics[i].is_signed &&
		    now->value[i] < before->value[i])
			return;
	/* DELTA, too, counts from a moment */
	for (i = 0; i < MP_NR_METRICS; i++)
		if (is_counted(i) || i == MP_RESIDENT_DELTA)
			now->value[i] -= before->value[i];
}

/*
 * The sum that an exited process was added to because its row was needed: that of its name
 * and cgroup, or in the module's tables the only one.
 */
static uint32_t *find_sum(struct mp_map *map, const struct mp_profile *before,
			  const struct mp_row *row)
{
	struct mp_row sum = *row;
	uint32_t *known;

	if (row->kind == MP_ROW_CGROUP || mp_row_is_sum(row))
		return NULL;
	sum.pid = 0;
	sum.start_ns = 0;
	sum.flags = MP_ROW_FOLDED;
	known = find_row(map, before, &sum, false);
	if (known)
		return known;
	sum.comm[0] = '\0';
	sum.cgroup = 0;
	return find_row(map, before, &sum, false);
}

static void subtract_live(const struct mp_row *before, struct mp_row *now)
{
	now->value[MP_INUSE_DELTA] -= before->value[MP_INUSE_SPACE];
}

typedef void (*change_fn)(const struct mp_row *before, struct mp_row *now);

/*
 * Rows of two profiles that belong together.
 * @map: number of the first row of @now with an identity, from 1
 * @next: for each row of @now, the next one with the same identity, from 1; 0: none
 * @taken: for each row of @now, whether it has its row of before
 * @done: for each row of before, whether it has its row of @now
 */
struct pairs {
	const struct mp_profile *before;
	struct mp_profile *now;
	struct mp_map map;
	uint32_t *next;
	bool *taken, *done;
	change_fn change;
};

static int index_rows(struct pairs *pairs)
{
	struct mp_profile *now = pairs->now;
	uint32_t *known;
	size_t i;

	/* backwards, so that the first one is found first */
	for (i = now->nr_rows; i-- > 0;) {
		known = find_row(&pairs->map, now, &now->rows[i], true);
		if (!known)
			return -ENOMEM;
		pairs->next[i] = *known == MP_MAP_NEW ? 0 : *known;
		*known = (uint32_t)i + 1;
	}
	return 0;
}

/* @ended: rows that had ended; else those that ran, which are the first ones of what is left */
static void change_pairs(struct pairs *pairs, bool ended)
{
	const struct mp_row *row;
	uint32_t *known, at;
	size_t i;

	for (i = 0; i < pairs->before->nr_rows; i++) {
		row = &pairs->before->rows[i];
		known = pairs->done[i] || !row->exit_ns == ended ? NULL :
			find_row(&pairs->map, pairs->before, row, false);
		for (at = known ? *known : 0; at; at = pairs->next[at - 1])
			if (!pairs->taken[at - 1] &&
			    (!ended || pairs->now->rows[at - 1].exit_ns == row->exit_ns))
				break;
		if (!at)
			continue;
		pairs->taken[at - 1] = pairs->done[i] = true;
		pairs->change(row, &pairs->now->rows[at - 1]);
	}
}

/* The others became a part of a sum. */
static void change_sums(struct pairs *pairs)
{
	const struct mp_row *row;
	uint32_t *known;
	size_t i;

	for (i = 0; i < pairs->before->nr_rows; i++) {
		row = &pairs->before->rows[i];
		known = pairs->done[i] ? NULL : find_sum(&pairs->map, pairs->before, row);
		if (known)
			pairs->change(row, &pairs->now->rows[*known - 1]);
	}
}

static int change_all(const struct mp_profile *before, struct mp_profile *now,
		      change_fn change)
{
	struct pairs pairs = {
		.before = before, .now = now, .change = change,
		.next = calloc(now->nr_rows + 1, sizeof(*pairs.next)),
		.taken = calloc(now->nr_rows + 1, sizeof(*pairs.taken)),
		.done = calloc(before->nr_rows + 1, sizeof(*pairs.done)),
	};
	int err = pairs.next && pairs.taken && pairs.done ? index_rows(&pairs) : -ENOMEM;
	size_t i;

	for (i = 0; !err && i < now->nr_rows; i++)
		now->rows[i].value[MP_INUSE_DELTA] = now->rows[i].value[MP_INUSE_SPACE];
	if (!err) {
		change_pairs(&pairs, true);
		change_pairs(&pairs, false);
		change_sums(&pairs);
	}
	mp_map_free(&pairs.map);
	free(pairs.next);
	free(pairs.taken);
	free(pairs.done);
	return err;
}

int mp_profile_subtract(const struct mp_profile *before, struct mp_profile *now)
{
	return change_all(before, now, subtract);
}

int mp_profile_live_delta(const struct mp_profile *before, struct mp_profile *now)
{
	return change_all(before, now, subtract_live);
}

/* A row of something that ended before the time that is left. */
static bool did_nothing(const struct mp_row *row)
{
	int i;

	if (row->kind == MP_ROW_CGROUP || (row->kind == MP_ROW_PROCESS &&
					   !(row->flags & MP_ROW_EXITED)))
		return false;
	for (i = 0; i < MP_NR_METRICS; i++)
		if (row->value[i] && (is_counted(i) || i == MP_INUSE_DELTA ||
				      (mp_row_has_location(row) &&
				       mp_metrics[i].nature == MP_LEVEL)))
			return false;
	return true;
}

int mp_profile_since(const struct mp_profile *before, struct mp_profile *now)
{
	int err = mp_profile_subtract(before, now);

	mp_profile_drop(now, 0, did_nothing);
	/* rates are of this time */
	now->meta.status.start_ns = before->meta.status.now_ns;
	now->meta.status.reset_ns = before->meta.status.now_ns;
	return err;
}

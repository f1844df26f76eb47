// SPDX-License-Identifier: GPL-2.0-only
/*
 * profile-delta: matches rows of two profiles by a hash of their identity
 *
 * The same binary or stack has different numbers in two profiles, so the hash uses
 * names. The cost is a hash map of rows. If memory is short, -ENOMEM is returned.
 */
#include "profile-delta.h"

#include <errno.h>
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

/* What counts up. AT-PEAK adds up like a flow, but falls when the peak moves. */
static bool is_counted(int metric)
{
	return mp_metrics[metric].nature == MP_FLOW && metric != MP_AT_PEAK;
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

/* @sums: change the rows that became a part of a sum; else the others */
static void change_rows(struct mp_map *map, const struct mp_profile *before,
			struct mp_profile *now, change_fn change, bool sums)
{
	const struct mp_row *row;
	uint32_t *known;
	size_t i;

	for (i = 0; i < before->nr_rows; i++) {
		row = &before->rows[i];
		known = find_row(map, before, row, false);
		if (sums)
			known = known ? NULL : find_sum(map, before, row);
		if (known)
			change(row, &now->rows[*known]);
	}
}

static int change_all(const struct mp_profile *before, struct mp_profile *now,
		      change_fn change)
{
	struct mp_map map = { 0 };
	uint32_t *known;
	size_t i;
	int err = 0;

	for (i = 0; !err && i < now->nr_rows; i++) {
		now->rows[i].value[MP_INUSE_DELTA] = now->rows[i].value[MP_INUSE_SPACE];
		known = find_row(&map, now, &now->rows[i], true);
		if (known)
			*known = (uint32_t)i;
		else
			err = -ENOMEM;
	}
	if (!err) {
		change_rows(&map, before, now, change, false);
		change_rows(&map, before, now, change, true);
	}
	mp_map_free(&map);
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
		if (row->value[i] && (is_counted(i) ||
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

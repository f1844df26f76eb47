// SPDX-License-Identifier: GPL-2.0-only
/*
 * region-rows: tallies and stacks of a region, as rows
 *
 * Numbers of a process that runs are read while they change: each is true of some
 * moment. A callsite is found by the report: there are rows of stacks only.
 */
#include "region.h"
#include "sites.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What is read of one; binaries of the profile by number of the map, from 1. */
struct reading {
	const struct mp_region *region;
	struct mp_profile *profile;
	struct memprof_region_section sections[MEMPROF_REGION_NR_SECTIONS];
	uint32_t *binaries;
	size_t nr_maps;
	struct mp_map frames;		/* address -> frame */
	bool lives;
};

static const void *element(const struct reading *reading, int section,
			   uint64_t index, size_t size)
{
	return memprof_region_element(reading->region->base,
				      reading->region->size,
				      &reading->sections[section], index, size);
}

static int take_map(struct reading *reading, uint64_t i)
{
	const struct memprof_region_map *from =
		element(reading, MEMPROF_REGION_MAPS, i, sizeof(*from));
	struct mp_binary binary = { 0 };
	struct memprof_region_map map;

	if (!from)
		return 0;
	memcpy(&map, from, sizeof(map));
	map.path[sizeof(map.path) - 1] = '\0';
	if (!map.end || map.path[0] != '/')
		return 0;
	snprintf(binary.path, sizeof(binary.path), "%s", map.path);
	binary.pid = reading->lives ? reading->region->header.pid : 0;
	if (map.build_id_size <= sizeof(binary.build_id)) {
		binary.build_id_size = map.build_id_size;
		memcpy(binary.build_id, map.build_id, map.build_id_size);
	}
	return mp_sites_binary(reading->profile, &binary,
			       &reading->binaries[i]);
}

static int take_maps(struct reading *reading)
{
	const struct memprof_region_section *maps =
		&reading->sections[MEMPROF_REGION_MAPS];
	uint64_t nr = maps->used < maps->capacity ? maps->used :
						    maps->capacity, i;
	int err = 0;

	/* what does not fit into the file is not there */
	if (nr > reading->region->size / sizeof(struct memprof_region_map))
		nr = 0;
	reading->binaries = calloc(nr + 1, sizeof(*reading->binaries));
	if (!reading->binaries)
		return -ENOMEM;
	reading->nr_maps = nr;
	for (i = 0; !err && i < nr; i++)
		err = take_map(reading, i);
	return err;
}

/* The latest one over an address; its offset in the file. */
static uint32_t seek_map(const struct reading *reading, uint64_t address,
			 uint64_t *offset)
{
	const struct memprof_region_map *map;
	uint32_t found = 0;
	uint64_t start, i;

	*offset = address;
	for (i = 0; i < reading->nr_maps; i++) {
		map = element(reading, MEMPROF_REGION_MAPS, i, sizeof(*map));
		if (!map || !reading->binaries[i])
			continue;
		start = map->start;
		if (address - 1 < start || address > map->end)
			continue;
		found = reading->binaries[i];
		*offset = address - start + map->offset;
	}
	return found;
}

static int frame_of(struct reading *reading, uint64_t address, uint64_t *frame)
{
	uint32_t *known = mp_map_add(&reading->frames, address, 0), binary;
	uint64_t offset;

	if (!known)
		return -ENOMEM;
	if (*known == MP_MAP_NEW) {
		binary = seek_map(reading, address, &offset);
		*known = mp_frames_add(&reading->profile->frames, binary,
				       reading->region->header.pid, offset);
	}
	*frame = (uint64_t)*known + MP_FRAMES_FIRST;
	return *known == MP_FRAMES_NONE ? -ENOMEM : 0;
}

/* From 1; 0: there is none. */
static int take_stack(struct reading *reading, uint64_t i, uint32_t *number)
{
	const struct memprof_region_stack *from =
		element(reading, MEMPROF_REGION_STACKS, i, sizeof(*from));
	uint64_t frames[MEMPROF_REGION_DEPTH + 1];
	struct memprof_region_stack stack;
	uint32_t nr, known;
	int err = 0;

	*number = 0;
	if (!from)
		return 0;
	memcpy(&stack, from, sizeof(stack));
	if (!stack.hash || stack.depth > MEMPROF_REGION_DEPTH)
		return 0;
	for (nr = 0; !err && nr < stack.depth; nr++)
		err = frame_of(reading, stack.frames[nr], &frames[nr]);
	if (err)
		return err;
	frames[nr++] = stack.flags & MEMPROF_REGION_STACK_TRUNCATED ?
		       MP_STACKS_CUT : MP_STACKS_BEGIN;
	known = mp_stacks_add(&reading->profile->frames.stacks, frames, nr);
	*number = known + 1;
	return known == MP_STACKS_NONE ? -ENOMEM : 0;
}

static uint64_t whole(uint64_t objects)
{
	return (objects + (1 << 15)) >> 16;
}

/* A free may be counted before its allocation: then nothing lives. */
static uint64_t difference(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static void take_tally(struct mp_row *row,
		       const struct memprof_region_tally *tally)
{
	row->value[MP_ALLOC_OBJECTS] = whole(tally->alloc_objects);
	row->value[MP_ALLOC_SPACE] = tally->alloc_bytes;
	row->value[MP_FREE_OBJECTS] = whole(tally->free_objects);
	row->value[MP_INUSE_OBJECTS] = whole(difference(tally->alloc_objects,
							tally->free_objects));
	row->value[MP_INUSE_SPACE] = difference(tally->alloc_bytes,
						tally->free_bytes);
	row->value[MP_PEAK_SPACE] = tally->peak_bytes;
	row->value[MP_ALLOC_SAMPLES] = tally->allocs;
}

static void name_row(const struct reading *reading, struct mp_row *row)
{
	const struct memprof_region_header *header = &reading->region->header;

	row->pid = header->pid;
	row->start_ns = header->start_ns;
	snprintf(row->comm, sizeof(row->comm), "%.*s",
		 (int)sizeof(header->comm) - 1, header->comm);
}

static int add_process(struct reading *reading)
{
	const struct memprof_region_header *header = &reading->region->header;
	struct mp_row row = { .kind = MP_ROW_PROCESS };

	name_row(reading, &row);
	if (!reading->lives) {
		row.flags = MP_ROW_EXITED;
		row.exit_ns = header->end_ns ? header->end_ns : 1;
	}
	take_tally(&row, &header->total);
	return mp_profile_add(reading->profile, &row);
}

static int add_row(struct reading *reading, uint64_t i,
		   const struct memprof_region_tally *tally)
{
	struct mp_row row = {
		.kind = MP_ROW_STACK, .place.func = MEMPROF_FUNC_MALLOC,
	};
	int err;

	if (!tally->allocs)
		return 0;
	name_row(reading, &row);
	take_tally(&row, tally);
	err = take_stack(reading, i, &row.place.stack);
	/* half-written, as its process was killed: what it counts stays */
	if (!err && !row.place.stack) {
		row.kind = MP_ROW_SITE;
		row.flags |= MP_ROW_OVERFLOW;
	}
	return err ?: mp_profile_add(reading->profile, &row);
}

static int add_stack(struct reading *reading, uint64_t i)
{
	const struct memprof_region_tally *tally =
		element(reading, MEMPROF_REGION_TALLIES, i, sizeof(*tally));
	struct memprof_region_tally copy;

	if (!tally)
		return 0;
	memcpy(&copy, tally, sizeof(copy));
	return add_row(reading, i, &copy);
}

/* What lives and is younger than the mark, by stack. */
struct young {
	struct memprof_region_tally *list;
	uint64_t nr;
};

static void take_block(const struct reading *reading, uint64_t i,
		       uint64_t mark_ns, struct young *young)
{
	const struct memprof_region_entry *from =
		element(reading, MEMPROF_REGION_ENTRIES, i, sizeof(*from));
	const struct memprof_region_block *its =
		element(reading, MEMPROF_REGION_BLOCKS, i, sizeof(*its));
	struct memprof_region_entry entry;
	struct memprof_region_block block;
	struct memprof_region_tally *to;
	double objects;

	if (!from || !its)
		return;
	memcpy(&entry, from, sizeof(entry));
	memcpy(&block, its, sizeof(block));
	if (entry.ptr == MEMPROF_REGION_EMPTY ||
	    entry.ptr == MEMPROF_REGION_RESERVED ||
	    entry.ptr == MEMPROF_REGION_TOMBSTONE ||
	    entry.birth_ns < mark_ns || entry.birth_seq != block.birth_seq ||
	    block.stack >= young->nr)
		return;
	to = &young->list[block.stack];
	objects = block.size ? 65536.0 * (double)block.weight_bytes /
			       (double)block.size : 65536.0;
	to->allocs++;
	to->alloc_bytes += block.weight_bytes;
	to->peak_bytes = to->alloc_bytes;
	/* a region may say anything */
	to->alloc_objects += objects < 0x1p63 ? (uint64_t)objects : 1ULL << 63;
}

static int add_young(struct reading *reading, uint64_t mark_ns)
{
	const struct memprof_region_section *entries =
		&reading->sections[MEMPROF_REGION_ENTRIES];
	struct young young = {
		.nr = reading->sections[MEMPROF_REGION_STACKS].used,
	};
	uint64_t i, nr = entries->used;
	int err = 0;

	if (young.nr > reading->region->size / sizeof(struct memprof_region_stack))
		young.nr = 0;
	if (nr > reading->region->size / sizeof(struct memprof_region_entry))
		nr = 0;
	young.list = calloc(young.nr + 1, sizeof(*young.list));
	if (!young.list)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		take_block(reading, i, mark_ns, &young);
	for (i = 0; !err && i < young.nr; i++)
		err = add_row(reading, i, &young.list[i]);
	free(young.list);
	return err;
}

static int add_dropped(struct reading *reading)
{
	const struct memprof_region_tally *dropped =
		&reading->region->header.dropped;
	struct mp_row row = {
		.kind = MP_ROW_SITE, .flags = MP_ROW_OVERFLOW,
	};

	if (!dropped->allocs)
		return 0;
	take_tally(&row, dropped);
	return mp_profile_add(reading->profile, &row);
}

static int add_counters(struct reading *reading)
{
	const struct memprof_region_counter *counter;
	struct memprof_region_counter copy;
	uint64_t i;
	int err = 0;

	for (i = 0; !err && i < 1024; i++) {
		counter = element(reading, MEMPROF_REGION_COUNTERS, i,
				  sizeof(*counter));
		if (!counter)
			break;
		memcpy(&copy, counter, sizeof(copy));
		copy.name[sizeof(copy.name) - 1] = '\0';
		if (copy.name[0] && copy.value)
			err = mp_profile_add_counter(reading->profile,
						     copy.name, copy.value);
	}
	return err;
}

static void take_meta(struct reading *reading)
{
	const struct memprof_region_header *header = &reading->region->header;
	struct mp_meta *meta = &reading->profile->meta;
	struct memprof_status *status = &meta->status;
	struct timespec now;
	uint64_t end_ns;

	meta->source = MP_SOURCE_PRELOAD;
	meta->page_size = header->page_size;
	meta->alloc.rate = header->rate;
	status->streams = MEMPROF_START_ALLOC;
	status->state = MEMPROF_STATE_STOPPED;
	if (!status->start_ns || header->start_ns < status->start_ns)
		status->start_ns = status->reset_ns = header->start_ns;
	clock_gettime(CLOCK_MONOTONIC, &now);
	end_ns = reading->lives ? now.tv_sec * 1000000000ULL + now.tv_nsec :
				  header->end_ns;
	if (end_ns > status->now_ns)
		status->now_ns = status->stop_ns = end_ns;
}

int mp_region_profile(const struct mp_region *region, bool since_mark,
		      struct mp_profile *profile)
{
	struct reading reading = {
		.region = region, .profile = profile,
		.lives = mp_region_lives(region),
	};
	uint64_t mark_ns = since_mark ? region->header.control.mark_ns : 0;
	uint64_t i, nr;
	int err;

	memcpy(reading.sections, region->header.sections,
	       sizeof(reading.sections));
	nr = reading.sections[MEMPROF_REGION_TALLIES].used;
	take_meta(&reading);
	err = take_maps(&reading) ?: add_process(&reading);
	if (!err && mark_ns)
		err = add_young(&reading, mark_ns);
	for (i = 0; !mark_ns && !err && i < nr &&
	     i < region->size / sizeof(struct memprof_region_tally); i++)
		err = add_stack(&reading, i);
	if (!err)
		err = add_dropped(&reading) ?: add_counters(&reading);
	free(reading.binaries);
	mp_map_free(&reading.frames);
	return err;
}

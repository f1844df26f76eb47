// SPDX-License-Identifier: GPL-2.0-only
/*
 * region-rows: turns tallies and stacks of a region into rows
 *
 * A running process changes the numbers while they are read, so they are not a
 * consistent snapshot. Rows of callsites are not made: the report makes them
 * from the rows of stacks. Functions return -ENOMEM without memory.
 */
#include "region.h"
#include "region-blocks.h"
#include "region-functions.h"
#include "region-maps.h"
#include "region-window.h"
#include "array.h"
#include "scan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/*
 * Blocks that were allocated in a span of time and are live, summed up by stack.
 * The last element is for blocks without a stack.
 */
struct born {
	struct mp_region_span span;
	struct mp_region_blocks blocks;
	struct memprof_region_tally *list;
	struct memprof_region_tally sum;
	uint64_t nr;
};

/* Numbers of blocks, in units of 2^-16 */
struct object_sums {
	uint64_t freed, living;
};

/* State of reading one region. */
struct reading {
	const struct mp_region *region;
	struct mp_profile *profile;
	struct mp_region_rows *rows;
	struct mp_region_window stacks;
	struct mp_region_maps maps;
	struct mp_region_functions functions;
	struct mp_map frames;		/* (address, number of maps) -> frame */
	uint64_t failed;
	uint64_t at_peak;
	struct object_sums sums;	/* of the rows of stacks so far */
	const struct born *old;		/* the first half of the time; NULL: not known */
	bool is_running;
};

static int frame_of(struct reading *reading, uint64_t address,
		    uint64_t nr_known, uint64_t *frame)
{
	uint32_t *known = mp_map_add(&reading->frames, address, nr_known);
	const struct mp_region_function *function;
	const struct mp_region_code *code;

	if (!known)
		return -ENOMEM;
	function = *known == MP_MAP_NEW ?
		   mp_region_functions_find(&reading->functions, address) : NULL;
	if (function) {
		*known = mp_frames_add(&reading->profile->frames, function->binary, 0,
				       function->line + 1ULL);
	} else if (*known == MP_MAP_NEW) {
		code = mp_region_maps_find(&reading->maps, address, nr_known);
		*known = mp_frames_add(&reading->profile->frames,
				       code ? code->binary : 0,
				       (uint32_t)mp_region_pid(reading->region),
				       code ? address - code->start +
				       code->offset : address);
	}
	*frame = (uint64_t)*known + MP_FRAMES_FIRST;
	return *known == MP_FRAMES_NONE ? -ENOMEM : 0;
}

/* Gets the frame that marks a stack as the stack of a mapping. */
static int mark_of(struct reading *reading, uint64_t *frame)
{
	uint32_t number = mp_frames_add(&reading->profile->frames, 0, 0,
					MP_STACKS_MAPPING);

	*frame = (uint64_t)number + MP_FRAMES_FIRST;
	return number == MP_FRAMES_NONE ? -ENOMEM : 0;
}

/*
 * Copies a stack to the profile.
 * @number: out, number of the stack, from 1; 0: the stack cannot be read
 * @is_mapped: out, the stack is that of a mapping; false if it cannot be read
 */
static int read_stack(struct reading *reading, uint64_t i, uint64_t nr_known,
		      uint32_t *number, bool *is_mapped)
{
	const struct memprof_region_stack *stack =
		mp_region_window_at(&reading->stacks, i);
	uint64_t frames[MEMPROF_REGION_DEPTH + 2];
	uint32_t nr = 0, at, known;
	int err = 0;

	*number = 0;
	*is_mapped = false;
	if (!stack || !stack->hash || stack->depth > MEMPROF_REGION_DEPTH)
		return 0;
	*is_mapped = stack->flags & MEMPROF_REGION_STACK_MMAP;
	if (*is_mapped)
		err = mark_of(reading, &frames[nr++]);
	for (at = 0; !err && at < stack->depth; at++)
		err = frame_of(reading, stack->frames[at], nr_known,
			       &frames[nr++]);
	if (err)
		return err;
	frames[nr++] = stack->flags & MEMPROF_REGION_STACK_TRUNCATED ?
		       MP_STACKS_CUT : MP_STACKS_BEGIN;
	known = mp_stacks_add(&reading->profile->frames.stacks, frames, nr);
	*number = known + 1;
	return known == MP_STACKS_NONE ? -ENOMEM : 0;
}

static uint64_t round_objects(uint64_t objects)
{
	return (objects + (1 << 15)) >> 16;
}

/* A free can be counted before its allocation; then the result is 0. */
static uint64_t difference(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static void copy_tally(struct mp_row *row,
		       const struct memprof_region_tally *tally)
{
	row->value[MP_ALLOC_SPACE] = tally->alloc_bytes;
	row->value[MP_INUSE_SPACE] = difference(tally->alloc_bytes,
						tally->free_bytes);
	row->value[MP_PEAK_SPACE] = tally->peak_bytes;
	row->value[MP_ALLOC_SAMPLES] = tally->allocs;
}

/* What @part adds to the rounded sum of all that were rounded so */
static uint64_t round_part(uint64_t *sum, uint64_t part)
{
	const uint64_t before = round_objects(*sum);

	*sum += part;
	return round_objects(*sum) - before;
}

/* Numbers of blocks that are whole, and add up: of a row, and with @sums of one row to the next */
static void copy_objects(struct mp_row *row, const struct memprof_region_tally *tally,
			 struct object_sums *sums)
{
	const uint64_t living = difference(tally->alloc_objects, tally->free_objects);

	row->value[MP_FREE_OBJECTS] = round_part(&sums->freed, tally->free_objects);
	row->value[MP_INUSE_OBJECTS] = round_part(&sums->living, living);
	row->value[MP_ALLOC_OBJECTS] = row->value[MP_FREE_OBJECTS] + row->value[MP_INUSE_OBJECTS];
}

/* Peaks may have been at different times, so their sum is an upper bound. */
static void add_tally(struct memprof_region_tally *to,
		      const struct memprof_region_tally *from)
{
	to->allocs += from->allocs;
	to->alloc_objects += from->alloc_objects;
	to->alloc_bytes += from->alloc_bytes;
	to->frees += from->frees;
	to->free_objects += from->free_objects;
	to->free_bytes += from->free_bytes;
	to->peak_bytes += from->peak_bytes;
}

static void name_row(const struct reading *reading, struct mp_row *row)
{
	const struct memprof_region_header *header = &reading->region->header;

	row->pid = (uint32_t)mp_region_pid(reading->region);
	row->start_ns = header->start_ns;
	snprintf(row->comm, sizeof(row->comm), "%.*s",
		 (int)sizeof(header->comm) - 1, header->comm);
}

/*
 * Live bytes of a stack at the peak of the process, and at its end. @peak is NULL if
 * they are not known.
 */
static void copy_peak(struct reading *reading, struct mp_row *row,
		      const struct memprof_region_peak *peak)
{
	if (peak)
		row->value[MP_AT_PEAK] =
			peak->number == reading->region->header.peak_number ?
			peak->bytes : row->value[MP_INUSE_SPACE];
	if (!reading->is_running)
		row->value[MP_AT_EXIT] = row->value[MP_INUSE_SPACE];
	reading->at_peak += row->value[MP_AT_PEAK];
}

/* A block may have been freed after the tally was read. */
static void set_old(struct mp_row *row, uint64_t old)
{
	row->value[MP_OLD_SPACE] = old < row->value[MP_INUSE_SPACE] ?
				   old : row->value[MP_INUSE_SPACE];
}

static int add_process(struct reading *reading,
		       const struct memprof_region_tally *sum)
{
	const struct memprof_region_header *header = &reading->region->header;
	struct mp_row row = { .kind = MP_ROW_PROCESS };

	if (reading->rows)
		reading->rows->process = reading->profile->nr_rows;
	name_row(reading, &row);
	/* a child by fork has blocks of its parent */
	if (header->flags & MEMPROF_REGION_ATTACHED || header->parent_pid)
		row.flags |= MP_ROW_ATTACHED;
	if (!reading->is_running) {
		row.flags |= MP_ROW_EXITED;
		row.exit_ns = header->end_ns ? header->end_ns : 1;
	}
	copy_tally(&row, sum);
	copy_objects(&row, sum, &(struct object_sums){ 0 });
	row.value[MP_FAILED_ALLOCS] = reading->failed;
	if (reading->old)
		set_old(&row, reading->old->sum.alloc_bytes);
	copy_peak(reading, &row, NULL);
	return mp_profile_add(reading->profile, &row);
}

/* Notes that the next row is that of a stack. */
static int note_row(struct reading *reading, uint64_t i)
{
	struct mp_region_rows *rows = reading->rows;

	while (rows->nr <= i) {
		if (rows->nr == rows->max &&
		    !mp_array_grow(&rows->of_stack, &rows->max, sizeof(*rows->of_stack)))
			return -ENOMEM;
		rows->of_stack[rows->nr++] = MP_REGION_NO_ROW;
	}
	rows->of_stack[i] = (uint32_t)reading->profile->nr_rows;
	return 0;
}

static int add_row(struct reading *reading, uint64_t i,
		   const struct memprof_region_tally *tally,
		   const struct memprof_region_peak *peak)
{
	struct mp_row row = { .kind = MP_ROW_STACK };
	bool is_mapped;
	int err;

	if (!tally->allocs)
		return 0;
	name_row(reading, &row);
	copy_tally(&row, tally);
	copy_objects(&row, tally, &reading->sums);
	copy_peak(reading, &row, peak);
	if (reading->old && i < reading->old->nr)
		set_old(&row, reading->old->list[i].alloc_bytes);
	err = read_stack(reading, i, tally->nr_maps, &row.location.stack,
			 &is_mapped);
	row.location.func = is_mapped ? MP_FUNC_MMAP : MEMPROF_FUNC_MALLOC;
	row.location.level = is_mapped;
	/*
	 * the process was killed before the stack was complete: keep the
	 * numbers of the stack in a row without a stack
	 */
	if (!err && !row.location.stack) {
		row.kind = MP_ROW_SITE;
		row.flags |= MP_ROW_OVERFLOW;
	}
	if (!err && reading->rows)
		err = note_row(reading, i);
	return err ?: mp_profile_add(reading->profile, &row);
}

static int add_dropped(struct reading *reading,
		       const struct memprof_region_tally *dropped,
		       const struct memprof_region_peak *peak)
{
	struct mp_row row = {
		.kind = MP_ROW_SITE, .flags = MP_ROW_OVERFLOW,
	};

	if (!dropped->allocs)
		return 0;
	copy_tally(&row, dropped);
	copy_objects(&row, dropped, &reading->sums);
	copy_peak(reading, &row, peak);
	return mp_profile_add(reading->profile, &row);
}

static void add_block(struct born *born,
		      const struct memprof_region_block *block)
{
	double objects = block->size ? 65536.0 * (double)block->weight_bytes /
				       (double)block->size : 65536.0;
	struct memprof_region_tally tally = {
		.allocs = 1, .alloc_bytes = block->weight_bytes,
		.peak_bytes = block->weight_bytes,
		/* a region may contain any value */
		.alloc_objects = objects < 0x1p63 ? (uint64_t)objects :
						    1ULL << 63,
	};

	add_tally(&born->list[block->stack < born->nr ? block->stack :
			       born->nr], &tally);
	add_tally(&born->sum, &tally);
}

static int read_all_born(struct reading *reading, struct born *born)
{
	struct memprof_region_block block;
	uint64_t i, ptr;
	int err;

	born->nr = reading->stacks.nr;
	born->list = calloc(born->nr + 1, sizeof(*born->list));
	if (!born->list)
		return -ENOMEM;
	err = mp_region_blocks_open(&born->blocks, reading->region);
	for (i = 0; !err && i < born->blocks.entries.nr; i++)
		if (mp_region_blocks_read(&born->blocks, i, &born->span, &ptr, &block))
			add_block(born, &block);
	return err;
}

static void free_born(struct born *born)
{
	mp_region_blocks_close(&born->blocks);
	free(born->list);
}

/*
 * The process has allocated while its stacks were read: its sums are made those of the
 * stacks.
 */
static void add_up(struct mp_profile *profile, size_t process)
{
	static const enum mp_metric sums[] = {
		MP_ALLOC_OBJECTS, MP_ALLOC_SPACE, MP_FREE_OBJECTS, MP_INUSE_OBJECTS,
		MP_INUSE_SPACE, MP_ALLOC_SAMPLES,
	};
	struct mp_row *row = &profile->rows[process];
	size_t i, at;

	for (i = 0; i < sizeof(sums) / sizeof(sums[0]); i++) {
		row->value[sums[i]] = 0;
		for (at = process + 1; at < profile->nr_rows; at++)
			row->value[sums[i]] += profile->rows[at].value[sums[i]];
	}
	mp_row_raise_peak(row);
}

static int add_stacks(struct reading *reading)
{
	const struct memprof_region_header *header = &reading->region->header;
	const struct memprof_region_tally *tally;
	struct memprof_region_tally sum = header->total;
	struct mp_region_window tallies, peaks;
	uint64_t i;
	int err = mp_region_window_open(&tallies, reading->region,
					MEMPROF_REGION_TALLIES),
	    none = mp_region_window_open(&peaks, reading->region, MEMPROF_REGION_PEAKS);
	const size_t process = reading->profile->nr_rows;

	err = err ?: none;
	add_tally(&sum, &header->mapped);
	if (!err)
		err = add_process(reading, &sum);
	for (i = 0; !err && i < reading->stacks.nr &&
	     (tally = mp_region_window_at(&tallies, i)); i++)
		err = add_row(reading, i, tally, mp_region_window_at(&peaks, i));
	err = err ?: add_dropped(reading, &header->dropped,
				 peaks.nr ? &header->dropped_peak : NULL);
	mp_region_window_close(&tallies);
	mp_region_window_close(&peaks);
	if (err)
		return err;
	reading->profile->rows[process].value[MP_AT_PEAK] = reading->at_peak;
	if (reading->is_running)
		add_up(reading->profile, process);
	return 0;
}

static int read_known(struct reading *reading, struct born *born)
{
	const struct memprof_region_tally *tally;
	struct mp_region_window tallies;
	uint64_t i;
	int err = mp_region_window_open(&tallies, reading->region,
					MEMPROF_REGION_TALLIES);

	for (i = 0; !err && i < born->nr &&
	     (tally = mp_region_window_at(&tallies, i)); i++)
		born->list[i].nr_maps = tally->nr_maps;
	mp_region_window_close(&tallies);
	return err;
}

static int add_young(struct reading *reading, uint64_t mark_ns)
{
	struct born born = { .span = { mark_ns, UINT64_MAX } };
	uint64_t i;
	int err = read_all_born(reading, &born) ?:
		  read_known(reading, &born);

	/*
	 * the times of failed allocations are not known, so they cannot be
	 * counted here
	 */
	reading->failed = 0;
	if (!err)
		err = add_process(reading, &born.sum);
	for (i = 0; !err && i < born.nr; i++)
		err = add_row(reading, i, &born.list[i], NULL);
	if (!err)
		err = add_dropped(reading, &born.list[born.nr], NULL);
	free_born(&born);
	return err;
}

/* When what is known ends; of a process that was killed, its youngest living block says it. */
static uint64_t end_of(const struct reading *reading)
{
	return reading->is_running ? mp_region_now_ns(reading->region) :
	       reading->region->header.end_ns ?:
	       mp_region_blocks_youngest_ns(reading->region);
}

/* All blocks, with those of the first half of the time */
static int add_all(struct reading *reading)
{
	const struct memprof_region_header *header = &reading->region->header;
	const uint64_t end_ns = end_of(reading);
	struct born old = { .span.until_ns = header->start_ns };
	int err;

	if (end_ns > header->start_ns)
		old.span.until_ns += (end_ns - header->start_ns) / 2;
	err = read_all_born(reading, &old);
	reading->old = &old;
	err = err ?: add_stacks(reading);
	reading->old = NULL;
	free_born(&old);
	return err;
}

static int add_counter(struct reading *reading,
		       const struct memprof_region_counter *counter)
{
	char name[sizeof(counter->name)];

	snprintf(name, sizeof(name), "%.*s", (int)sizeof(name) - 1,
		 counter->name);
	if (!strcmp(name, "failed_allocs"))
		reading->failed = counter->value;
	return name[0] && counter->value ?
	       mp_profile_add_counter(reading->profile, name,
				      counter->value) : 0;
}

uint64_t mp_region_counter(const struct mp_region *region, const char *name)
{
	const struct memprof_region_counter *counter;
	struct mp_region_window window;
	uint64_t i, value = 0;
	int err = mp_region_window_open(&window, region,
					MEMPROF_REGION_COUNTERS);

	for (i = 0; !err && (counter = mp_region_window_at(&window, i)); i++)
		if (!strncmp(counter->name, name, sizeof(counter->name)))
			value += counter->value;
	mp_region_window_close(&window);
	return value;
}

static int add_counters(struct reading *reading)
{
	const struct memprof_region_counter *counter;
	struct mp_region_window window;
	uint64_t i;
	int err = mp_region_window_open(&window, reading->region,
					MEMPROF_REGION_COUNTERS);

	for (i = 0; !err && (counter = mp_region_window_at(&window, i)); i++)
		err = add_counter(reading, counter);
	mp_region_window_close(&window);
	return err;
}

static void set_meta(struct reading *reading)
{
	const struct memprof_region_header *header = &reading->region->header;
	struct mp_meta *meta = &reading->profile->meta;
	struct memprof_status *status = &meta->status;
	uint64_t end_ns;

	meta->source = MP_SOURCE_PRELOAD;
	meta->page_size = header->page_size;
	meta->alloc.rate = header->rate;
	status->streams = MEMPROF_START_ALLOC;
	status->state = MEMPROF_STATE_STOPPED;
	if (!status->start_ns || header->start_ns < status->start_ns)
		status->start_ns = status->reset_ns = header->start_ns;
	end_ns = end_of(reading);
	if (end_ns > status->now_ns)
		status->now_ns = status->stop_ns = end_ns;
}

int mp_region_profile(const struct mp_region *region, bool since_mark,
		      struct mp_profile *profile, struct mp_region_rows *rows)
{
	struct reading reading = {
		.region = region, .profile = profile, .rows = rows,
		.is_running = mp_region_lives(region),
	};
	uint64_t mark_ns = since_mark ? region->header.control.mark_ns : 0;
	int err;

	set_meta(&reading);
	err = mp_region_window_open(&reading.stacks, region,
				    MEMPROF_REGION_STACKS) ?:
	      mp_region_maps_read(&reading.maps, region, reading.is_running ?
				  mp_region_pid(region) : 0, profile) ?:
	      mp_region_functions_read(&reading.functions, region, profile) ?:
	      add_counters(&reading);
	if (!err)
		err = mark_ns ? add_young(&reading, mark_ns) :
				add_all(&reading);
	mp_region_window_close(&reading.stacks);
	mp_region_maps_free(&reading.maps);
	mp_region_functions_free(&reading.functions);
	mp_map_free(&reading.frames);
	return err;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * merge-rows: turns the sums of the engine into a profile
 *
 * It makes a row per process, per cgroup, per callsite and, if requested, per
 * stack. Of the
 * engine's state, only the number of a site's row changes. Functions fail with -ENOMEM only.
 */
#include "merge.h"
#include "code-location.h"
#include "sites.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * A profile under construction. @binaries: for each file the number of its
 * binary.
 */
struct making {
	struct mp_merge *merge;
	struct mp_profile *profile;
	uint32_t *binaries;
};

static uint64_t round_objects(uint64_t objects)
{
	return (objects + MP_HEAP_ONE / 2) >> 16;
}

static uint64_t most_of(uint64_t a, uint64_t b, uint64_t c)
{
	if (a < b)
		a = b;
	return a < c ? c : a;
}

static void copy_tally(const struct mp_heap *heap, struct mp_row *row,
		       const struct mp_tally *tally, uint32_t page_size)
{
	uint64_t *value = row->value;

	value[MP_MINOR_FAULTS] = tally->minor_faults;
	value[MP_MAJOR_FAULTS] = tally->major_faults;
	value[MP_MINOR_SAMPLES] = tally->minor_samples;
	value[MP_MAJOR_SAMPLES] = tally->major_samples;
	value[MP_GROWTH_CALLS] = tally->growth_calls;
	value[MP_BRK_UP] = tally->brk_up;
	value[MP_BRK_DOWN] = tally->brk_down;
	value[MP_MMAP_UP] = tally->mmap_up;
	value[MP_MMAP_DOWN] = tally->mmap_down;
	value[MP_GROWTH_PEAK] = tally->growth_peak;
	value[MP_ADVISED] = tally->advised;
	value[MP_ALLOC_OBJECTS] = round_objects(tally->alloc_objects);
	value[MP_ALLOC_SPACE] = tally->alloc_space;
	value[MP_FREE_OBJECTS] = round_objects(tally->free_objects);
	value[MP_INUSE_OBJECTS] = round_objects(tally->inuse_objects);
	value[MP_INUSE_SPACE] = tally->inuse_space;
	value[MP_OLD_SPACE] = tally->old_space;
	value[MP_AT_PEAK] = mp_heap_at_peak(heap, tally);
	/* of estimates, the one that is a little lower would contradict the others */
	value[MP_PEAK_SPACE] = most_of(mp_tally_highest(tally), tally->inuse_space,
				       value[MP_AT_PEAK]);
	value[MP_AT_EXIT] = tally->at_exit;
	value[MP_FAILED_ALLOCS] = round_objects(tally->failed);
	value[MP_TEMPORARY_OBJECTS] = round_objects(tally->temporary);
	value[MP_UNKNOWN_FREES] = tally->unknown_frees;
	value[MP_INHERITED_OBJECTS] = tally->inherited_objects;
	value[MP_INHERITED_SPACE] = tally->inherited_space;
	value[MP_INHERITED_FREES] = tally->inherited_frees;
	value[MP_ALLOC_SAMPLES] = tally->samples;
	mp_row_derive(row, page_size);
}

static bool is_zero(const struct mp_tally *tally)
{
	static const struct mp_tally none;
	struct mp_tally sums = *tally;

	sums.peak.peak[0] = sums.peak.peak[1] = 0;
	return !memcmp(&sums, &none, sizeof(none));
}

static uint64_t cgroup_of(const struct mp_heap *heap,
			  const struct mp_heap_process *process)
{
	return heap->nr_cgroups ? heap->cgroups[process->cgroup].id : 0;
}

/* Sets the process, cgroup and command name of a row. */
static void name_row(const struct mp_heap *heap,
		     const struct mp_heap_process *process, struct mp_row *row)
{
	row->pid = process->pid;
	row->start_ns = process->start_ns;
	row->cgroup = cgroup_of(heap, process);
	row->nr_processes = process->nr_folded;
	if (process->nr_folded)
		row->flags |= MP_ROW_FOLDED;
	snprintf(row->comm, sizeof(row->comm), "%.*s", MP_HEAP_COMM_SIZE - 1,
		 process->comm);
}

/* Whether a process has a row: it did something, or it is known and runs. */
static bool has_row(const struct mp_heap_process *process)
{
	return !is_zero(&process->tally) || (process->comm[0] && !process->exit_ns);
}

static int add_process(struct making *making, size_t i)
{
	const struct mp_heap *heap = &making->merge->heap;
	const struct mp_heap_process *process = &heap->processes[i];
	struct mp_row row = { .kind = MP_ROW_PROCESS };

	if (!has_row(process))
		return 0;
	name_row(heap, process, &row);
	row.exit_ns = process->exit_ns;
	if (i == heap->overflow)
		row.flags = MP_ROW_OVERFLOW;
	else if (process->exit_ns)
		row.flags |= MP_ROW_EXITED;
	if (process->executed)
		row.flags |= MP_ROW_EXECUTED;
	copy_tally(heap, &row, &process->tally, making->profile->meta.page_size);
	return mp_profile_add(making->profile, &row);
}

static uint32_t nr_living(const struct mp_heap *heap, uint32_t cgroup)
{
	uint32_t nr = 0;
	size_t i;

	for (i = 0; i < heap->nr_processes; i++)
		nr += heap->processes[i].cgroup == cgroup &&
		      !heap->processes[i].exit_ns && has_row(&heap->processes[i]);
	return nr;
}

static int add_cgroup(struct mp_merge *merge, struct mp_profile *profile,
		      size_t i)
{
	const struct mp_heap_cgroup *cgroup = &merge->heap.cgroups[i];
	const char *path = mp_id_names_find(&merge->cgroups, cgroup->id);
	struct mp_row row = {
		.kind = MP_ROW_CGROUP,
		.cgroup = cgroup->id,
		.nr_processes = nr_living(&merge->heap, i),
	};
	int err = path ? mp_id_names_add(&profile->names, cgroup->id, path) :
			 0;

	if (err || !cgroup->id || is_zero(&cgroup->tally))
		return err;
	copy_tally(&merge->heap, &row, &cgroup->tally, profile->meta.page_size);
	return mp_profile_add(profile, &row);
}

void mp_merge_binary(const struct mp_merge *merge, uint32_t number,
		     uint32_t process, struct mp_binary *binary)
{
	const struct mp_merge_file *file = &merge->files[number];
	const struct mp_heap *heap = &merge->heap;

	*binary = (struct mp_binary){
		.inode = file->inode, .dev = file->dev,
		.build_id_size = file->build_id_size,
	};
	if (process < heap->nr_processes && !heap->processes[process].exit_ns)
		binary->pid = heap->processes[process].pid;
	memcpy(binary->build_id, file->build_id, sizeof(binary->build_id));
	snprintf(binary->path, sizeof(binary->path), "%s",
		 merge->names.list[file->path]);
}

/* Finds or adds the binary of a file. @binary: out: its number from 1; 0: none. */
static int binary_of(struct making *making, uint32_t number, uint32_t *binary)
{
	struct mp_binary b;
	int err;

	*binary = 0;
	if (number >= making->merge->nr_files)
		return 0;
	*binary = making->binaries[number];
	if (*binary)
		return 0;
	/* add_pid() sets the process id */
	mp_merge_binary(making->merge, number, MP_HEAP_NONE, &b);
	err = mp_sites_binary(making->profile, &b, binary);
	making->binaries[number] = *binary;
	return err;
}

/*
 * Sets the process id of a binary, if the process runs. The binary is later
 * opened in the mount namespace of that process.
 */
static void add_pid(struct mp_profile *profile, uint32_t binary,
		    const struct mp_heap_process *process)
{
	if (binary && !process->exit_ns)
		profile->binaries[binary - 1].pid = process->pid;
}

static int frame_of(struct making *making,
		    const struct mp_heap_process *process, uint64_t location,
		    uint64_t *frame)
{
	uint32_t binary, number;
	int err = binary_of(making, mp_code_file(location), &binary);

	if (err)
		return err;
	add_pid(making->profile, binary, process);
	number = mp_frames_add(&making->profile->frames, binary,
			       mp_code_offset(location) == MP_STACKS_GAP ||
			       mp_code_file(location) == MP_CODE_KERNEL ?
			       0 : process->pid, mp_code_offset(location));
	*frame = (uint64_t)number + MP_FRAMES_FIRST;
	return number == MP_FRAMES_NONE ? -ENOMEM : 0;
}

/*
 * Converts a stack of code locations to frames of the profile. @number: out: number
 * of the profile's stack, from 1.
 */
static int stack_of(struct making *making,
		    const struct mp_heap_process *process, uint32_t locations,
		    uint32_t *number)
{
	uint64_t frames[MP_STACKS_DEPTH];
	const uint64_t *from;
	uint32_t nr, i;
	int err = 0;

	from = mp_stacks_frames(&making->merge->locations, locations, &nr);
	/*
	 * Only the last word of a stack can be a mark. In other places the same
	 * value is a location: an offset in file 0.
	 */
	for (i = 0; !err && i < nr; i++) {
		frames[i] = from[i];
		if (i + 1 < nr || from[i] > MP_STACKS_CUT)
			err = frame_of(making, process, from[i], &frames[i]);
	}
	if (err)
		return err;
	i = mp_stacks_add(&making->profile->frames.stacks, frames, nr);
	*number = i + 1;
	return i == MP_STACKS_NONE ? -ENOMEM : 0;
}

static int location_of(struct making *making, const struct mp_heap_site *site,
		       const struct mp_heap_process *process, bool stacks,
		       struct mp_location *location)
{
	uint64_t at = site->location.callsite;
	int err = binary_of(making, mp_code_file(at), &location->binary);

	location->func = site->func;
	location->level = site->location.level;
	add_pid(making->profile, location->binary, process);
	if (location->binary)
		location->offset = mp_code_offset(at);
	else
		location->address = mp_code_offset(at);
	return err || !stacks ? err :
	       stack_of(making, process, site->location.stack, &location->stack);
}

static int bins_of(struct making *making, const struct mp_heap_site *site,
		   struct mp_location *location)
{
	struct mp_histogram bins;

	if (!site->bins)
		return 0;
	memcpy(bins.sizes, site->bins->sizes, sizeof(bins.sizes));
	memcpy(bins.lifetimes, site->bins->lifetimes, sizeof(bins.lifetimes));
	return mp_sites_histogram(making->profile, &bins, &location->histogram);
}

static int add_site(struct making *making, size_t i, bool stacks)
{
	const struct mp_heap *heap = &making->merge->heap;
	struct mp_heap_site *site = &heap->sites[i];
	const struct mp_heap_process *process = &heap->processes[site->process];
	struct mp_row row = { .kind = MP_ROW_SITE };
	int err = 0;

	site->row = MP_HEAP_NONE;
	if (site->callsite == MP_HEAP_NONE || (site->callsite != i && !stacks))
		return 0;
	if (site->callsite != i)
		row.kind = MP_ROW_STACK;
	if (i == heap->dropped) {
		row.flags |= MP_ROW_OVERFLOW;
	} else {
		name_row(heap, process, &row);
		row.nr_processes = site->nr_folded;
		err = location_of(making, site, process, stacks,
				  &row.location) ?:
		      bins_of(making, site, &row.location);
	}
	if (err)
		return err;
	copy_tally(heap, &row, &site->tally, making->profile->meta.page_size);
	row.value[MP_GROWTH] = (uint64_t)site->tally.growth;
	row.value[MP_INSIDE_FAULTS] = site->tally.inside_faults;
	row.value[MP_BLOCK_FAULTS] = site->tally.block_faults;
	row.value[MP_OTHER_FAULTS] = site->tally.other_faults;
	mp_row_derive(&row, making->profile->meta.page_size);
	site->row = (uint32_t)making->profile->nr_rows;
	return mp_profile_add(making->profile, &row);
}

static int add_counters(const struct mp_merge *merge,
			struct mp_profile *profile)
{
	const struct mp_heap_counts *counts = &merge->heap.counts;
	const struct {
		const char *name;
		uint64_t value;
	} all[] = {
		{ "alloc_nested", counts->nested },
		{ "alloc_abandoned", counts->abandoned },
		{ "alloc_unmatched", counts->unmatched_exits },
		{ "alloc_free_null", counts->free_null },
		{ "uprobe_nested_limit", counts->too_deep },
		{ "live_table_full", counts->dropped_blocks },
		{ "alloc_not_followed", counts->not_followed },
		{ "freed_forgotten", counts->freed_forgotten },
		{ "process_table_full", counts->full_processes },
		{ "site_table_full", counts->full_sites },
		{ "cgroup_table_full", counts->full_cgroups },
		{ "thread_table_full", counts->full_threads },
		{ "stack_dropped", merge->dumps.nr_refused },
		{ "file_table_full", merge->nr_refused },
		{ "event_late", merge->order.nr_late },
		{ "order_full", merge->order.nr_forced },
		{ "map_dropped", merge->spaces.nr_dropped },
		{ "growth_of_sampler", merge->nr_of_sampler },
		{ "growth_without_call", merge->other_growth },
		{ "growth_end_missed", merge->syscalls.nr_endless },
		{ "area_dropped", merge->syscalls.areas.nr_dropped },
	};
	size_t i;
	int err = 0;

	for (i = 0; !err && i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i].value)
			err = mp_profile_add_counter(profile, all[i].name,
						     all[i].value);
	return err;
}

/*
 * Gives the callsites of the timeline one of their stacks, which has a name: of what is left of
 * a callsite, the one that had most.
 */
static int name_timeline(struct making *making)
{
	const struct mp_heap *heap = &making->merge->heap;
	const struct mp_timeline *timeline = &making->profile->timeline;
	uint64_t *most = calloc(timeline->nr_owners + 1, sizeof(*most));
	struct mp_timeline_owner *owners[2];
	const struct mp_heap_site *site;
	size_t i, at;
	int err = most ? 0 : -ENOMEM;

	for (i = 0; !err && i < heap->nr_sites; i++) {
		site = &heap->sites[i];
		if (site->callsite == MP_HEAP_NONE || site->callsite == i)
			continue;
		owners[0] = mp_timeline_find(timeline, &(struct mp_timeline_owner){
			.frames = site->location.stack + 1 });
		owners[1] = mp_timeline_find(timeline, &(struct mp_timeline_owner){
			.callsite = site->location.callsite });
		for (at = 0; !err && at < 2; at++) {
			if (!owners[at] || (owners[at]->stack &&
			    site->tally.alloc_space <= most[owners[at] - timeline->owners]))
				continue;
			most[owners[at] - timeline->owners] = site->tally.alloc_space;
			err = stack_of(making, &heap->processes[site->process],
				       site->location.stack, &owners[at]->stack);
		}
	}
	free(most);
	return err;
}

int mp_merge_profile(struct mp_merge *merge, struct mp_profile *profile,
		     bool stacks)
{
	struct making making = { .merge = merge, .profile = profile };
	const struct memprof_status *status = &profile->meta.status;
	size_t i;
	int err = 0;

	memcpy(profile->series, merge->series, sizeof(profile->series));
	mp_heap_find_old(&merge->heap,
			 status->reset_ns + (status->now_ns - status->reset_ns) / 2);
	making.binaries = calloc(merge->nr_files + 1, sizeof(uint32_t));
	if (!making.binaries)
		return -ENOMEM;
	for (i = 0; !err && i < merge->heap.nr_processes; i++)
		err = add_process(&making, i);
	for (i = 0; !err && i < merge->heap.nr_cgroups; i++)
		err = add_cgroup(merge, profile, i);
	for (i = 0; !err && i < merge->heap.nr_sites; i++)
		err = add_site(&making, i, stacks);
	profile->timeline = merge->timeline;
	merge->timeline = (struct mp_timeline){ 0 };
	if (!err && stacks)
		err = name_timeline(&making);
	/* processes that did nothing are in cgroups, too */
	for (i = 0; !err && i < merge->cgroups.nr; i++)
		err = mp_id_names_add(&profile->names, merge->cgroups.ids[i],
					  merge->cgroups.texts[i]);
	free(making.binaries);
	return err ? err : add_counters(merge, profile);
}

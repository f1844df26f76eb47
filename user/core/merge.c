// SPDX-License-Identifier: GPL-2.0-only
/*
 * merge: order, engine, names
 *
 * The file behind a callsite is looked up once, at its first event, when the
 * mappings are those of that moment.
 */
#include "merge.h"
#include "sites.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int take(void *context, const struct mp_event *event);

void mp_merge_init(struct mp_merge *merge)
{
	*merge = (struct mp_merge){ 0 };
	mp_heap_init(&merge->heap);
	merge->order.take = take;
	merge->order.context = merge;
}

void mp_merge_free(struct mp_merge *merge)
{
	mp_heap_free(&merge->heap);
	mp_order_free(&merge->order);
	mp_stacks_free(&merge->stacks);
	mp_names_free(&merge->names);
	mp_spaces_free(&merge->spaces);
	mp_cgroup_names_free(&merge->cgroups);
	mp_syscalls_free(&merge->syscalls);
	mp_map_free(&merge->by_file);
	free(merge->files);
	free(merge->processes);
	free(merge->sites);
}

static bool is_same(const struct mp_merge_file *a,
		    const struct mp_merge_file *b)
{
	return a->path == b->path && a->dev == b->dev &&
	       a->inode == b->inode && a->build_id_size == b->build_id_size &&
	       !memcmp(a->build_id, b->build_id, a->build_id_size);
}

static uint32_t append_file(struct mp_merge *merge,
			    const struct mp_merge_file *file)
{
	size_t max = merge->max_files ? merge->max_files * 2 : 64;
	struct mp_merge_file *files;

	if (merge->nr_files == merge->max_files) {
		files = reallocarray(merge->files, max, sizeof(*files));
		if (!files)
			return MP_NAMES_NONE;
		merge->files = files;
		merge->max_files = max;
	}
	merge->files[merge->nr_files] = *file;
	return (uint32_t)merge->nr_files++;
}

int mp_merge_file(struct mp_merge *merge, const char *path,
		  const struct mp_merge_file *file, uint32_t *number)
{
	struct mp_merge_file named = *file;
	uint32_t *known;
	uint64_t n;

	*number = MP_NAMES_NONE;
	if (merge->nr_files == MP_MERGE_FILES) {
		merge->nr_refused++;
		return 0;
	}
	named.path = mp_names_add(&merge->names, path);
	if (named.path == MP_NAMES_NONE)
		return -ENOMEM;
	/* of one path: replaced files, each after the other */
	for (n = 0;; n++) {
		known = mp_map_add(&merge->by_file, named.path, n);
		if (!known)
			return -ENOMEM;
		if (*known == MP_MAP_NEW)
			break;
		if (!is_same(&merge->files[*known], &named))
			continue;
		*number = *known;
		return 0;
	}
	*number = append_file(merge, &named);
	if (*number == MP_NAMES_NONE) {
		mp_map_remove(&merge->by_file, named.path, n);
		return -ENOMEM;
	}
	*known = *number;
	return 0;
}

/* Names for processes that the engine has met since. */
static int name_processes(struct mp_merge *merge)
{
	size_t nr = merge->heap.max_processes;
	struct mp_merge_process *processes;

	if (merge->nr_processes >= merge->heap.nr_processes)
		return 0;
	processes = reallocarray(merge->processes, nr, sizeof(*processes));
	if (!processes)
		return -ENOMEM;
	merge->processes = processes;
	for (; merge->nr_processes < nr; merge->nr_processes++)
		processes[merge->nr_processes] =
			(struct mp_merge_process){ { 0 }, 0 };
	return 0;
}

static void locate(struct mp_merge *merge, const struct mp_heap_site *from,
		   struct mp_merge_site *site)
{
	const struct mp_range *range;
	const uint64_t *frames;
	uint32_t nr;

	*site = (struct mp_merge_site){ .file = MP_NAMES_NONE };
	frames = mp_stacks_frames(&merge->stacks, from->stack, &nr);
	if (!nr)
		return;
	site->address = frames[0];
	range = mp_spaces_find(&merge->spaces, from->process, frames[0]);
	if (!range)
		return;
	site->file = range->file;
	site->offset = frames[0] - range->start + range->offset;
}

static int locate_sites(struct mp_merge *merge)
{
	struct mp_merge_site *sites;

	if (merge->max_sites < merge->heap.max_sites) {
		sites = reallocarray(merge->sites, merge->heap.max_sites,
				     sizeof(*sites));
		if (!sites)
			return -ENOMEM;
		merge->sites = sites;
		merge->max_sites = merge->heap.max_sites;
	}
	for (; merge->nr_sites < merge->heap.nr_sites; merge->nr_sites++)
		locate(merge, &merge->heap.sites[merge->nr_sites],
		       &merge->sites[merge->nr_sites]);
	return 0;
}

static int take_map(struct mp_merge *merge, const struct mp_who *who,
		    const struct mp_event *event)
{
	struct mp_range range = {
		.start = event->ptr, .end = event->ptr + event->size,
		.offset = event->old, .file = event->stack,
	};
	uint32_t process;
	int err = mp_heap_process(&merge->heap, who, &process);

	/* the overflow row is many address spaces */
	return err || process == merge->heap.overflow ? err :
	       mp_spaces_map(&merge->spaces, process, &range);
}

static int take_exec(struct mp_merge *merge, const struct mp_who *who,
		     uint32_t *process)
{
	int err;

	mp_spaces_clear(&merge->spaces, *process);
	mp_syscalls_exec(&merge->syscalls, who->pid);
	err = mp_heap_exec(&merge->heap, who);
	return err ? err : mp_heap_process(&merge->heap, who, process);
}

static int take_comm(struct mp_merge *merge, const struct mp_who *who,
		     const struct mp_event *event)
{
	uint32_t process;
	int err = mp_heap_process(&merge->heap, who, &process);

	/* a thread's name is not its process's */
	if (err || who->pid != who->tid)
		return err;
	if (event->func)
		err = take_exec(merge, who, &process);
	if (!err)
		err = name_processes(merge);
	if (!err)
		memcpy(merge->processes[process].comm, &event->ptr,
		       MP_EVENT_COMM_SIZE);
	return err;
}

static int take_thread(struct mp_merge *merge, const struct mp_who *who)
{
	uint32_t process;
	int err = mp_heap_process(&merge->heap, who, &process);

	if (!err)
		err = name_processes(merge);
	if (!err && who->tid != who->pid)
		merge->processes[process].nr_threads++;
	return err;
}

static int take_fork(struct mp_merge *merge, const struct mp_who *who,
		     const struct mp_event *event)
{
	struct mp_who parent = { .pid = (uint32_t)event->old };
	uint32_t from, to;
	int err;

	if (event->old == who->pid)
		return take_thread(merge, who);
	err = mp_heap_process(&merge->heap, &parent, &from);
	if (!err)
		err = mp_heap_fork(&merge->heap, who, parent.pid);
	if (!err)
		err = mp_heap_process(&merge->heap, who, &to);
	if (!err && from != merge->heap.overflow && to != merge->heap.overflow)
		err = mp_spaces_copy(&merge->spaces, from, to);
	mp_syscalls_fork(&merge->syscalls, parent.pid, who->pid);
	if (!err)
		err = name_processes(merge);
	if (!err)
		memcpy(merge->processes[to].comm, merge->processes[from].comm,
		       MP_EVENT_COMM_SIZE);
	return err;
}

/* The first thread may end before the others. */
static int take_exit(struct mp_merge *merge, const struct mp_who *who)
{
	uint32_t *known = mp_map_find(&merge->heap.by_pid, who->pid, 0);
	bool last = true;

	if (known && *known < merge->nr_processes)
		last = merge->processes[*known].nr_threads-- <= 0;
	if (known && last)
		mp_spaces_clear(&merge->spaces, *known);
	return mp_heap_exit(&merge->heap, who, last);
}

/* Who called. */
static struct mp_call call_of(const struct mp_merge *merge,
			      const struct mp_event *event, uint32_t func)
{
	struct mp_call call = { .func = func, .stack = event->stack };
	uint32_t nr;
	const uint64_t *frames = mp_stacks_frames(&merge->stacks, event->stack,
						  &nr);

	call.callsite = nr ? frames[0] : 0;
	return call;
}

static int take_call(struct mp_merge *merge, const struct mp_who *who,
		     const struct mp_event *event)
{
	struct mp_call call = call_of(merge, event, event->func);

	call.size = event->size;
	if (event->kind == MP_EVENT_ALLOC)
		return mp_heap_alloc(&merge->heap, who, &call, event->ptr,
				     event->objects, event->space);
	call.old = event->old;
	call.sp = event->sp;
	return mp_heap_enter(&merge->heap, who, &call);
}

static int take_leave(struct mp_merge *merge, const struct mp_who *who,
		      const struct mp_event *event)
{
	struct mp_call at = call_of(merge, event, event->func);

	return mp_heap_leave(&merge->heap, who, event->func,
			     at.callsite ? &at : NULL, event->ptr, event->sp);
}

/* Faults and growth, where the source has joined them, or has not. */
static int take_joined(struct mp_merge *merge, const struct mp_who *who,
		       const struct mp_event *event)
{
	struct mp_call call, *at = NULL;

	if (event->stack != MP_EVENT_NO_STACK) {
		call = call_of(merge, event, MEMPROF_FUNC_MALLOC);
		at = &call;
	}
	if (event->kind == MP_EVENT_FAULT)
		return mp_heap_fault(&merge->heap, who, at, event->ptr,
				     (uint32_t)event->objects, event->func);
	return mp_heap_grow(&merge->heap, who, at, event->func,
			    (int64_t)event->size);
}

static int take_sysret(struct mp_merge *merge, const struct mp_who *who,
		       const struct mp_event *event)
{
	int64_t delta;
	bool brk;

	if (!mp_syscalls_leave(&merge->syscalls, event, &brk, &delta))
		return 0;
	return mp_heap_grow(&merge->heap, who, NULL, brk, delta);
}

static int dispatch(struct mp_merge *merge, const struct mp_event *event)
{
	struct mp_who who = {
		.pid = event->pid, .tid = event->tid, .cgroup = event->cgroup,
		.time_ns = event->time_ns,
	};

	switch (event->kind) {
	case MP_EVENT_ALLOC:
	case MP_EVENT_ENTER:
		return take_call(merge, &who, event);
	case MP_EVENT_DEALLOC:
		return mp_heap_dealloc(&merge->heap, &who, event->ptr,
				       event->sp);
	case MP_EVENT_LEAVE:
		return take_leave(merge, &who, event);
	case MP_EVENT_FAULT:
	case MP_EVENT_GROW:
		return take_joined(merge, &who, event);
	case MP_EVENT_SYSCALL:
		return mp_syscalls_enter(&merge->syscalls, event);
	case MP_EVENT_SYSRET:
		return take_sysret(merge, &who, event);
	case MP_EVENT_MAP:
		return take_map(merge, &who, event);
	case MP_EVENT_COMM:
		return take_comm(merge, &who, event);
	case MP_EVENT_FORK:
		return take_fork(merge, &who, event);
	case MP_EVENT_BREAK:
		mp_syscalls_break(&merge->syscalls, event->pid, event->ptr);
		return 0;
	case MP_EVENT_EXIT:
		return take_exit(merge, &who);
	}
	return 0;
}

static int take(void *context, const struct mp_event *event)
{
	struct mp_merge *merge = context;
	int err = dispatch(merge, event);

	if (!err)
		err = name_processes(merge);
	return err || merge->nr_sites == merge->heap.nr_sites ?
	       err : locate_sites(merge);
}

static uint64_t whole(uint64_t objects)
{
	return (objects + MP_HEAP_ONE / 2) >> 16;
}

static void take_tally(struct mp_row *row, const struct mp_tally *tally,
		       uint32_t page_size)
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
	value[MP_ALLOC_OBJECTS] = whole(tally->alloc_objects);
	value[MP_ALLOC_SPACE] = tally->alloc_space;
	value[MP_FREE_OBJECTS] = whole(tally->free_objects);
	value[MP_INUSE_OBJECTS] = whole(tally->inuse_objects);
	value[MP_INUSE_SPACE] = tally->inuse_space;
	value[MP_PEAK_SPACE] = tally->peak_space;
	value[MP_FAILED_ALLOCS] = whole(tally->failed);
	value[MP_TEMPORARY_OBJECTS] = whole(tally->temporary);
	value[MP_UNKNOWN_FREES] = tally->unknown_frees;
	value[MP_INHERITED_OBJECTS] = tally->inherited_objects;
	value[MP_INHERITED_SPACE] = tally->inherited_space;
	value[MP_INHERITED_FREES] = tally->inherited_frees;
	value[MP_ALLOC_SAMPLES] = tally->samples;
	mp_row_derive(row, page_size);
}

static bool is_silent(const struct mp_tally *tally)
{
	static const struct mp_tally none;

	return !memcmp(tally, &none, sizeof(none));
}

static int add_process(struct mp_merge *merge, struct mp_profile *profile,
		       size_t i)
{
	const struct mp_heap_process *process = &merge->heap.processes[i];
	struct mp_row row = {
		.kind = MP_ROW_PROCESS,
		.flags = process->exit_ns ? MP_ROW_EXITED : 0,
		.pid = process->pid,
		.start_ns = process->start_ns,
		.exit_ns = process->exit_ns,
	};

	if (is_silent(&process->tally))
		return 0;
	if (merge->heap.nr_cgroups)
		row.cgroup = merge->heap.cgroups[process->cgroup].id;
	if (i == merge->heap.overflow)
		row.flags = MP_ROW_OVERFLOW;
	snprintf(row.comm, sizeof(row.comm), "%.*s", MP_EVENT_COMM_SIZE - 1,
		 merge->processes[i].comm);
	take_tally(&row, &process->tally, profile->meta.page_size);
	return mp_profile_add(profile, &row);
}

static uint32_t nr_living(const struct mp_heap *heap, uint32_t cgroup)
{
	uint32_t nr = 0;
	size_t i;

	for (i = 0; i < heap->nr_processes; i++)
		nr += heap->processes[i].cgroup == cgroup &&
		      !heap->processes[i].exit_ns &&
		      !is_silent(&heap->processes[i].tally);
	return nr;
}

static int add_cgroup(struct mp_merge *merge, struct mp_profile *profile,
		      size_t i)
{
	const struct mp_heap_cgroup *cgroup = &merge->heap.cgroups[i];
	const char *path = mp_cgroup_names_find(&merge->cgroups, cgroup->id);
	struct mp_row row = {
		.kind = MP_ROW_CGROUP,
		.cgroup = cgroup->id,
		.nr_processes = nr_living(&merge->heap, i),
	};
	int err = path ? mp_cgroup_names_add(&profile->names, cgroup->id, path) :
			 0;

	if (err || !cgroup->id || is_silent(&cgroup->tally))
		return err;
	take_tally(&row, &cgroup->tally, profile->meta.page_size);
	return mp_profile_add(profile, &row);
}

static int add_binary(struct mp_merge *merge, struct mp_profile *profile,
		      uint32_t number, uint32_t pid, uint32_t *binary)
{
	const struct mp_merge_file *file = &merge->files[number];
	struct mp_binary b = {
		.inode = file->inode, .dev = file->dev, .pid = pid,
		.build_id_size = file->build_id_size,
	};

	memcpy(b.build_id, file->build_id, sizeof(b.build_id));
	snprintf(b.path, sizeof(b.path), "%s", merge->names.list[file->path]);
	return mp_sites_binary(profile, &b, binary);
}

static int add_site(struct mp_merge *merge, struct mp_profile *profile,
		    size_t i)
{
	const struct mp_heap_site *site = &merge->heap.sites[i];
	const struct mp_merge_site *at = &merge->sites[i];
	const struct mp_heap_process *process =
		&merge->heap.processes[site->process];
	struct mp_row row = {
		.kind = MP_ROW_SITE,
		.pid = process->pid,
		.start_ns = process->start_ns,
		.place = { .func = site->func, .address = at->address,
			   .offset = at->offset },
	};
	struct mp_histogram bins;
	int err = 0;

	if (i == merge->heap.dropped)
		row.flags |= MP_ROW_OVERFLOW;
	if (at->file != MP_NAMES_NONE)
		err = add_binary(merge, profile, at->file, process->exit_ns ?
				 0 : process->pid, &row.place.binary);
	if (!err && site->bins) {
		memcpy(bins.sizes, site->bins->sizes, sizeof(bins.sizes));
		memcpy(bins.lifetimes, site->bins->lifetimes,
		       sizeof(bins.lifetimes));
		err = mp_sites_histogram(profile, &bins,
					 &row.place.histogram);
	}
	if (err)
		return err;
	take_tally(&row, &site->tally, profile->meta.page_size);
	row.value[MP_GROWTH] = (uint64_t)site->tally.growth;
	row.value[MP_INSIDE_FAULTS] = site->tally.inside_faults;
	row.value[MP_BLOCK_FAULTS] = site->tally.block_faults;
	row.value[MP_FAULTS] = site->tally.inside_faults +
			       site->tally.block_faults;
	return mp_profile_add(profile, &row);
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
		{ "process_table_full", counts->full_processes },
		{ "site_table_full", counts->full_sites },
		{ "cgroup_table_full", counts->full_cgroups },
		{ "file_table_full", merge->nr_refused },
		{ "event_late", merge->order.nr_late },
		{ "order_full", merge->order.nr_forced },
		{ "map_dropped", merge->spaces.nr_dropped },
	};
	size_t i;
	int err = 0;

	for (i = 0; !err && i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i].value)
			err = mp_profile_add_counter(profile, all[i].name,
						     all[i].value);
	return err;
}

int mp_merge_profile(struct mp_merge *merge, struct mp_profile *profile)
{
	size_t i;
	int err = name_processes(merge);

	for (i = 0; !err && i < merge->heap.nr_processes; i++)
		err = add_process(merge, profile, i);
	for (i = 0; !err && i < merge->heap.nr_cgroups; i++)
		err = add_cgroup(merge, profile, i);
	for (i = 0; !err && i < merge->nr_sites; i++)
		if (merge->heap.sites[i].callsite == i)
			err = add_site(merge, profile, i);
	return err ? err : add_counters(merge, profile);
}

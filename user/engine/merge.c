// SPDX-License-Identifier: GPL-2.0-only
/*
 * merge: passes events from the queue to the engine, with names and stacks
 *
 * Once per round, stacks that are not in use are freed. Each function returns
 * -ENOMEM if memory is short.
 */
#include "merge.h"
#include "array.h"
#include "code-location.h"
#include "interpreted.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int merge_event(void *context, const struct mp_event *event);

void mp_merge_init(struct mp_merge *merge,
		   const struct mp_merge_options *options)
{
	*merge = (struct mp_merge){ 0 };
	mp_heap_init(&merge->heap);
	if (options) {
		merge->ops = options->ops;
		merge->heap.with_bins = options->bins;
		merge->has_timeline = options->timeline;
		if (options->max_exited)
			merge->heap.limit_exited = options->max_exited;
	}
	merge->heap.location = mp_merge_location;
	merge->heap.sum_location = mp_merge_sum_location;
	merge->heap.context = merge;
	merge->order.take = merge_event;
	merge->order.context = merge;
	merge->series[MP_SERIES_LIVE].highest = true;
}

void mp_merge_free(struct mp_merge *merge)
{
	mp_timeline_free(&merge->timeline);
	mp_heap_free(&merge->heap);
	mp_order_free(&merge->order);
	mp_stacks_free(&merge->stacks);
	mp_stacks_free(&merge->locations);
	mp_dumps_free(&merge->dumps);
	mp_names_free(&merge->names);
	mp_spaces_free(&merge->spaces);
	mp_id_names_free(&merge->cgroups);
	mp_syscalls_free(&merge->syscalls);
	mp_map_free(&merge->by_file);
	free(merge->files);
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
	if (merge->nr_files == merge->max_files &&
	    !mp_array_grow(&merge->files, &merge->max_files, sizeof(*merge->files)))
		return MP_NAMES_NONE;
	merge->files[merge->nr_files] = *file;
	return (uint32_t)merge->nr_files++;
}

static uint64_t hash_file(const struct mp_merge_file *file)
{
	uint64_t hash = mp_map_hash(file->dev, file->inode), word;
	size_t i;

	for (i = 0; i + sizeof(word) <= sizeof(file->build_id);
	     i += sizeof(word)) {
		memcpy(&word, file->build_id + i, sizeof(word));
		hash = mp_map_hash(hash, word);
	}
	return hash;
}

/*
 * Different files can have the same path at different times, so the key has a hash
 * of the identity. If two hashes are equal, the next number is tried.
 */
static uint32_t find_file(const struct mp_merge *merge, const char *path,
			  const struct mp_merge_file *file)
{
	struct mp_merge_file named = *file;
	uint64_t identity = hash_file(file);
	const uint32_t *known;

	named.path = mp_names_find(&merge->names, path);
	if (named.path == MP_NAMES_NONE)
		return MP_NAMES_NONE;
	for (;; identity++) {
		known = mp_map_find(&merge->by_file, named.path, identity);
		if (!known)
			return MP_NAMES_NONE;
		if (is_same(&merge->files[*known], &named))
			return *known;
	}
}

/* Adds a file that find_file() does not find. */
static int add_file(struct mp_merge *merge, const char *path,
		    const struct mp_merge_file *file, uint32_t *number)
{
	struct mp_merge_file named = *file;
	uint64_t identity = hash_file(file);
	uint32_t *known;

	named.path = mp_names_add(&merge->names, path);
	if (named.path == MP_NAMES_NONE)
		return -ENOMEM;
	for (;; identity++) {
		known = mp_map_add(&merge->by_file, named.path, identity);
		if (!known)
			return -ENOMEM;
		if (*known == MP_MAP_NEW)
			break;
	}
	*number = append_file(merge, &named);
	if (*number == MP_NAMES_NONE) {
		mp_map_remove(&merge->by_file, named.path, identity);
		return -ENOMEM;
	}
	*known = *number;
	return 0;
}

int mp_merge_file(struct mp_merge *merge, const char *path,
		  const struct mp_merge_file *file, uint32_t *number)
{
	*number = find_file(merge, path, file);
	if (*number != MP_NAMES_NONE)
		return 0;
	/* functions of Python, of which a program can have any number, are half of all at most */
	if (merge->nr_files < MP_MERGE_FILES / (mp_interpreted_is(path) ? 2 : 1))
		return add_file(merge, path, file, number);
	merge->nr_refused++;
	return 0;
}

static int handle_map(struct mp_merge *merge, const struct mp_who *who,
		      const struct mp_event *event)
{
	struct mp_range range = {
		.start = event->map.start,
		.end = event->map.start + event->map.size,
		.offset = event->map.offset, .file = event->map.file,
	};
	uint32_t process;
	int err = mp_heap_process(&merge->heap, who, &process);

	/* the overflow row has many address spaces, so mappings are not stored */
	if (err || process == merge->heap.overflow)
		return err;
	if (event->map.file == MP_NAMES_NONE)
		err = mp_spaces_other_code(&merge->spaces, process);
	/* for anonymous code only the fact is stored, not the address */
	return err || event->map.other ? err :
	       mp_spaces_map(&merge->spaces, process, &range);
}

/* Frees the data of an address space, before the process's number is used again. */
static void end_space(struct mp_merge *merge, uint32_t process)
{
	mp_spaces_clear(&merge->spaces, process);
	mp_areas_clear(&merge->syscalls.areas, process);
	if (merge->ops.end)
		merge->ops.end(merge->ops.context, process);
}

static int handle_exec(struct mp_merge *merge, const struct mp_who *who,
		       uint32_t *process)
{
	int err;

	end_space(merge, *process);
	err = mp_heap_exec(&merge->heap, who) ?:
	      mp_heap_process(&merge->heap, who, process);
	if (!err)
		mp_syscalls_exec(&merge->syscalls, *process == merge->heap.overflow ?
				 MP_SYSCALLS_MANY : *process, who->pid);
	return err;
}

static int handle_comm(struct mp_merge *merge, const struct mp_who *who,
		       const struct mp_event *event)
{
	uint32_t process;
	int err = mp_heap_process(&merge->heap, who, &process);

	/* only the main thread's name is the name of the process */
	if (err || who->pid != who->tid)
		return err;
	if (event->comm.exec)
		err = handle_exec(merge, who, &process);
	if (!err && process != merge->heap.overflow)
		memcpy(merge->heap.processes[process].comm, event->comm.name,
		       MP_EVENT_COMM_SIZE);
	return err;
}

static int handle_thread(struct mp_merge *merge, const struct mp_who *who)
{
	uint32_t process;
	int err = mp_heap_process(&merge->heap, who, &process);

	if (!err && who->tid != who->pid)
		merge->heap.processes[process].nr_threads++;
	return err;
}

/* Ends the address space of an older process whose id a new process got: it exited. */
static void end_stale_space(struct mp_merge *merge, uint32_t pid)
{
	uint32_t *known = mp_map_find(&merge->heap.by_pid, pid, 0);

	if (known)
		end_space(merge, *known);
}

static int handle_fork(struct mp_merge *merge, const struct mp_who *who,
		       const struct mp_event *event)
{
	struct mp_who parent = { .pid = event->fork.parent };
	struct mp_heap_process *processes;
	uint32_t from, to;
	int err;

	if (parent.pid == who->pid)
		return handle_thread(merge, who);
	end_stale_space(merge, who->pid);
	err = mp_heap_process(&merge->heap, &parent, &from);
	if (!err)
		err = mp_heap_fork(&merge->heap, who, parent.pid);
	if (!err)
		err = mp_heap_process(&merge->heap, who, &to);
	mp_syscalls_fork(&merge->syscalls, parent.pid, who->pid);
	if (err || from == merge->heap.overflow || to == merge->heap.overflow)
		return err;
	processes = merge->heap.processes;
	memcpy(processes[to].comm, processes[from].comm, MP_EVENT_COMM_SIZE);
	mp_areas_copy(&merge->syscalls.areas, from, to);
	return mp_spaces_copy(&merge->spaces, from, to);
}

/*
 * Counts a thread that exited. Returns whether it was the last one: the main thread may
 * exit earlier. Where events are lost, more threads may exit than were seen to begin; a
 * process whose main thread goes on has not exited.
 */
static bool is_last_exit(struct mp_heap_process *process, const struct mp_who *who)
{
	if (who->tid == who->pid)
		process->main_exited = true;
	else if (process->nr_threads)
		process->nr_threads--;
	return process->main_exited && !process->nr_threads;
}

/* Thread 0 stands for all threads: the recorder found that the process had ended. */
static int handle_exit(struct mp_merge *merge, const struct mp_who *who)
{
	uint32_t *known = mp_map_find(&merge->heap.by_pid, who->pid, 0);
	bool last = true;

	if (known && *known != merge->heap.overflow && who->tid)
		last = is_last_exit(&merge->heap.processes[*known], who);
	if (known && last)
		end_space(merge, *known);
	mp_syscalls_exit(&merge->syscalls, who->pid, who->tid, last);
	return mp_heap_exit(&merge->heap, who, last);
}

int mp_merge_gone(struct mp_merge *merge, uint32_t pid, uint64_t time_ns)
{
	const struct mp_who who = { .pid = pid, .time_ns = time_ns };
	const uint32_t *known = mp_map_find(&merge->heap.by_pid, pid, 0);

	if (!known || *known == merge->heap.overflow ||
	    merge->heap.processes[*known].start_ns > time_ns)
		return 0;
	return handle_exit(merge, &who);
}

/*
 * Unwinds the dump of an event. The stack begins at the return address that the
 * probe reported. If the unwinder does not find this address, the stack has only
 * this address, and a mark that it is cut.
 */
static int unwind(struct mp_merge *merge, const struct mp_who *who,
		  uint32_t number, uint32_t *stack)
{
	const struct mp_dump *dump = mp_dumps_at(&merge->dumps, number);
	uint64_t frames[2 * MP_STACKS_DEPTH + 1], caller = dump ? dump->caller : 0;
	uint32_t process, nr = 0, from = 0;
	int err = mp_heap_process(&merge->heap, who, &process);

	if (err)
		return err;
	if (dump && merge->ops.unwind)
		nr = merge->ops.unwind(merge->ops.context, merge, process, dump,
				       frames + 1);
	/*
	 * At a return probe the thread is already at the return address. The
	 * unwinder then reports the address plus 1.
	 */
	if (caller && nr && frames[1] == caller + 1)
		frames[1] = caller;
	while (caller && from < nr && frames[1 + from] != caller)
		from++;
	if (nr > from && dump && dump->python)
		nr = from + mp_python_stack_merge(dump->python, frames + 1 + from, nr - from);
	mp_dumps_drop(&merge->dumps, number);
	if (caller && from == nr) {
		frames[0] = caller;
		frames[1] = MP_STACKS_CUT;
		*stack = mp_stacks_add(&merge->stacks, frames, 2);
	} else {
		*stack = mp_stacks_add(&merge->stacks, frames + 1 + from,
				       nr - from);
	}
	return *stack == MP_STACKS_NONE ? -ENOMEM : 0;
}

static int resolve_stack(struct mp_merge *merge, const struct mp_who *who,
			 const struct mp_event *event, uint32_t *stack)
{
	*stack = event->stack;
	if (event->stack == MP_EVENT_NO_STACK || !(event->stack & MP_EVENT_DUMP))
		return 0;
	return unwind(merge, who, event->stack & ~MP_EVENT_DUMP, stack);
}

static int handle_alloc(struct mp_merge *merge, const struct mp_who *who,
			const struct mp_event *event)
{
	struct mp_call call = {
		.func = event->func, .size = event->alloc.size,
	};
	int err = resolve_stack(merge, who, event, &call.stack);

	/* the source samples blocks, so a free of an unknown block is normal */
	merge->heap.is_exact = false;
	merge->heap.is_sampled |= event->alloc.objects != MP_HEAP_ONE;
	return err ? err :
	       mp_heap_alloc(&merge->heap, who, &call, event->alloc.ptr,
			     event->alloc.objects, event->alloc.space);
}

static int handle_enter(struct mp_merge *merge, const struct mp_who *who,
			const struct mp_event *event)
{
	struct mp_call call = {
		.func = event->func, .size = event->enter.size,
		.old = event->enter.old, .sp = event->enter.sp,
		.jumped = event->enter.jumped,
	};
	int err = resolve_stack(merge, who, event, &call.stack);

	return err ? err : mp_heap_enter(&merge->heap, who, &call);
}

static int handle_leave(struct mp_merge *merge, const struct mp_who *who,
			const struct mp_event *event)
{
	struct mp_call at = { .func = event->func };
	int err = resolve_stack(merge, who, event, &at.stack);

	return err ? err :
	       mp_heap_leave(&merge->heap, who, event->func,
			     at.stack == MP_EVENT_NO_STACK ? NULL : &at,
			     event->leave.result, event->leave.sp);
}

/*
 * Makes the call that a fault or growth is charged to, if the source knows the
 * stack: the event's own stack, or the stack of the surrounding allocator call.
 */
static int find_call(struct mp_merge *merge, const struct mp_who *who,
		     const struct mp_event *event, bool own,
		     struct mp_call *call)
{
	*call = (struct mp_call){
		.own = own, .func = own ? 0 : MEMPROF_FUNC_MALLOC,
	};
	return resolve_stack(merge, who, event, &call->stack);
}

static int handle_fault(struct mp_merge *merge, const struct mp_who *who,
			const struct mp_event *event)
{
	struct mp_call call;
	int err = find_call(merge, who, event, event->fault.own, &call);

	return err ? err :
	       mp_heap_fault(&merge->heap, who,
			     call.stack == MP_EVENT_NO_STACK ? NULL : &call,
			     event->fault.addr, (uint32_t)event->fault.weight,
			     event->fault.major);
}

/* The sampler's tables are large, mostly untouched, and no growth of the program. */
static bool is_of_sampler(struct mp_merge *merge, uint32_t process, uint32_t stack)
{
	const bool is_own = mp_merge_is_sampler(merge, process, stack);

	merge->nr_of_sampler += is_own;
	return is_own;
}

static int handle_growth(struct mp_merge *merge, const struct mp_who *who,
			 const struct mp_event *event)
{
	const struct mp_call *at;
	struct mp_call call;
	uint32_t process;
	int err = find_call(merge, who, event, event->grow.own, &call) ?:
		  mp_heap_process(&merge->heap, who, &process);

	if (err)
		return err;
	if (is_of_sampler(merge, process, call.stack))
		return 0;
	at = call.stack == MP_EVENT_NO_STACK ? NULL : &call;
	return event->grow.advised ?
	       mp_heap_advised(&merge->heap, who, at, event->grow.advised) :
	       mp_heap_grow(&merge->heap, who, at, event->grow.brk, event->grow.delta);
}

/* Finds the number of a process's address space, for syscalls. */
static int find_space(struct mp_merge *merge, const struct mp_who *who,
		      uint32_t *process, uint32_t *space)
{
	int err = mp_heap_process(&merge->heap, who, process);

	*space = *process == merge->heap.overflow ? MP_SYSCALLS_MANY : *process;
	return err;
}

static int handle_syscall(struct mp_merge *merge, const struct mp_who *who,
			  const struct mp_event *event)
{
	uint32_t stack, process, space;
	int err = resolve_stack(merge, who, event, &stack) ?:
		  find_space(merge, who, &process, &space);

	return err ? err : mp_syscalls_enter(&merge->syscalls, space, event, stack);
}

static int handle_sysret(struct mp_merge *merge, const struct mp_who *who,
			 const struct mp_event *event)
{
	struct mp_syscall_change change;
	struct mp_call call = { .own = true };
	const struct mp_call *at;
	uint32_t process, space;
	int err = find_space(merge, who, &process, &space);

	if (err || !mp_syscalls_leave(&merge->syscalls, space, event, &change))
		return err;
	if (change.sampler)
		merge->nr_of_sampler++;
	if (change.sampler || is_of_sampler(merge, process, change.stack))
		return 0;
	call.stack = change.stack;
	at = call.stack == MP_EVENT_NO_STACK ? NULL : &call;
	return change.advised ? mp_heap_advised(&merge->heap, who, at, change.advised) :
	       mp_heap_grow(&merge->heap, who, at, change.brk, change.delta);
}

static int handle_area(struct mp_merge *merge, const struct mp_who *who,
		       const struct mp_event *event)
{
	uint32_t process, space;
	int64_t grown;
	int err = find_space(merge, who, &process, &space);

	if (err || space == MP_SYSCALLS_MANY)
		return err;
	grown = mp_syscalls_area(&merge->syscalls, process, event);
	if (!grown)
		return 0;
	merge->other_growth += grown > 0 ? (uint64_t)grown : 0;
	return mp_heap_grow(&merge->heap, who, NULL, false, grown);
}

static int dispatch_event(struct mp_merge *merge, const struct mp_event *event)
{
	struct mp_who who = {
		.pid = event->pid, .tid = event->tid, .cgroup = event->cgroup,
		.time_ns = event->time_ns,
	};

	switch (event->kind) {
	case MP_EVENT_ALLOC:
		return handle_alloc(merge, &who, event);
	case MP_EVENT_ENTER:
		return handle_enter(merge, &who, event);
	case MP_EVENT_DEALLOC:
		return mp_heap_dealloc(&merge->heap, &who,
				       event->dealloc.ptr, event->dealloc.sp,
				       event->dealloc.ra);
	case MP_EVENT_LEAVE:
		return handle_leave(merge, &who, event);
	case MP_EVENT_FAULT:
		return handle_fault(merge, &who, event);
	case MP_EVENT_GROW:
		return handle_growth(merge, &who, event);
	case MP_EVENT_SYSCALL:
		return handle_syscall(merge, &who, event);
	case MP_EVENT_SYSRET:
		return handle_sysret(merge, &who, event);
	case MP_EVENT_MAP:
		return handle_map(merge, &who, event);
	case MP_EVENT_COMM:
		return handle_comm(merge, &who, event);
	case MP_EVENT_FORK:
		return handle_fork(merge, &who, event);
	case MP_EVENT_BREAK:
		mp_syscalls_break(&merge->syscalls, event->pid,
				  event->program_break.end);
		return 0;
	case MP_EVENT_AREA:
		return handle_area(merge, &who, event);
	case MP_EVENT_EXIT:
		return handle_exit(merge, &who);
	}
	return 0;
}

static int merge_event(void *context, const struct mp_event *event)
{
	struct mp_merge *merge = context;
	const struct mp_tally *total = &merge->heap.total;
	const uint64_t peak = merge->heap.peak[0];
	int err = mp_merge_timeline_live(merge, event->time_ns) ?:
		  dispatch_event(merge, event);

	/* an event from before the recording has no time, so it is not in the series */
	if (!event->time_ns)
		return err;
	merge->event_ns = event->time_ns;
	if (merge->heap.peak[0] != peak)
		merge->peak_ns = event->time_ns;
	mp_series_put(&merge->series[MP_SERIES_LIVE], event->time_ns,
		      (int64_t)mp_merge_timeline_bytes(merge));
	mp_series_put(&merge->series[MP_SERIES_GROWTH], event->time_ns,
		      total->growth);
	return err;
}

uint32_t mp_merge_stack(struct mp_merge *merge, const uint64_t *frames,
			uint32_t nr)
{
	return mp_stacks_add(&merge->stacks, frames, nr);
}

size_t mp_merge_nr_stacks(const struct mp_merge *merge)
{
	return merge->stacks.nr - merge->stacks.nr_free;
}

uint32_t mp_merge_dump(struct mp_merge *merge, const struct mp_dump *dump,
		       bool (*is_trampoline)(uint64_t address))
{
	uint32_t number = dump->mask && dump->size && merge->ops.unwind ?
			  mp_dumps_add(&merge->dumps, dump) : MP_DUMPS_NONE;

	if (number == MP_DUMPS_NONE)
		return MP_EVENT_NO_STACK;
	if (dump->caller)
		mp_dumps_replace(&merge->dumps, number, is_trampoline,
				 dump->caller);
	return number | MP_EVENT_DUMP;
}

int mp_merge_cgroup(struct mp_merge *merge, uint64_t id, const char *path)
{
	return mp_id_names_add(&merge->cgroups, id, path);
}

void mp_merge_resident(struct mp_merge *merge, uint64_t time_ns, uint64_t bytes)
{
	mp_series_put(&merge->series[MP_SERIES_RESIDENT], time_ns,
		      (int64_t)bytes);
}

int mp_merge_flush(struct mp_merge *merge)
{
	return mp_order_flush(&merge->order);
}

int mp_merge_round(struct mp_merge *merge)
{
	return mp_order_round(&merge->order) ?: mp_merge_sweep(merge);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * heap: the merge engine: allocator calls, faults and growth in; sums out
 *
 * Every source and every file ends here. Events come in the order of time, see
 * order.h; processes, threads, cgroups and callsites are numbers here, and what
 * they are called is their owners' business.
 */
#ifndef MP_HEAP_H
#define MP_HEAP_H

#include "blocks.h"

#include <linux/memprof.h>

/* An object that stands for itself. */
#define MP_HEAP_ONE	(1ULL << 16)

/* No callsite, no process. */
#define MP_HEAP_NONE	UINT32_MAX

#define MP_HEAP_COMM_SIZE	16

/**
 * struct mp_tally - sums of a process, a cgroup, a callsite or everything
 *
 * Objects are in units of 2^-16, the rest in bytes or calls; see metric.h.
 */
struct mp_tally {
	uint64_t alloc_objects, alloc_space;
	uint64_t free_objects;
	uint64_t inuse_objects, inuse_space, peak_space;
	uint64_t failed, temporary;
	uint64_t samples;
	uint64_t unknown_frees;
	uint64_t inherited_objects, inherited_space, inherited_frees;
	uint64_t minor_faults, major_faults, minor_samples, major_samples;
	uint64_t inside_faults, block_faults, other_faults;
	uint64_t brk_up, brk_down, mmap_up, mmap_down, growth_calls;
	int64_t growth, growth_peak;
};

/* Allocations and freed blocks by powers of two, as in struct memprof_site. */
struct mp_bins {
	uint64_t sizes[MEMPROF_HISTOGRAM];
	uint64_t lifetimes[MEMPROF_HISTOGRAM];
};

/**
 * struct mp_heap_process - an address space and its user
 * @pid: process id; 0 of a sum
 * @start_ns: when it was first heard of
 * @exit_ns: when it ended; 0 while it lives
 * @cgroup: of its latest event
 * @comm: its name, for the owner to tell; processes of one name may become a sum
 * @nr_threads: besides the first, that the owner has heard of
 * @nr_folded: exited processes that this row is the sum of; 0: it is one
 * @sites: its first, or MP_HEAP_NONE
 * @next: who exited after it, or the next free row
 */
struct mp_heap_process {
	struct mp_tally tally;
	uint32_t pid;
	uint32_t cgroup;
	uint64_t start_ns, exit_ns;
	char comm[MP_HEAP_COMM_SIZE];
	int nr_threads;
	uint32_t nr_folded;
	uint32_t sites;
	uint32_t next;
};

/**
 * struct mp_heap_location - where a stack is, whatever the process has mapped where
 * @callsite: the frame that stands for the stack: any number
 * @stack: all of it: any number
 * @level: of @callsite: frames inside of it
 *
 * Equal in all processes that run the same code the same way.
 */
struct mp_heap_location {
	uint64_t callsite;
	uint32_t stack;
	uint32_t level;
};

/**
 * struct mp_heap_site - a callsite in a process, or one of the stacks above it
 * @bins: of a callsite, where they are kept
 * @process: number
 * @stack: of the first call; nothing of a sum
 * @func: enum memprof_func of its first call
 * @callsite: of a stack: the number of its callsite; of a callsite: its own; of
 *	a free row MP_HEAP_NONE
 * @location: of the first call
 * @nr_folded: of a sum's: exited processes that had it
 * @next: of its process, or the next free row
 *
 * What a stack does counts for its callsite, too: peaks do not add up.
 */
struct mp_heap_site {
	struct mp_tally tally;
	struct mp_bins *bins;
	uint32_t process;
	uint32_t stack;
	uint32_t func;
	uint32_t callsite;
	struct mp_heap_location location;
	uint32_t nr_folded;
	uint32_t next;
};

struct mp_heap_cgroup {
	struct mp_tally tally;
	uint64_t id;
};

/* What was not counted, or counted less exactly, and why. */
struct mp_heap_counts {
	uint64_t nested;
	uint64_t abandoned;
	uint64_t unmatched_exits;
	uint64_t failed_allocs, failed_reallocs;
	uint64_t free_null;
	uint64_t unknown_frees;
	uint64_t too_deep;
	uint64_t dropped_blocks;	/* beyond max_blocks */
	uint64_t full_processes, full_sites, full_cgroups;	/* found no row */
	uint64_t full_threads;		/* whose calls were not paired */
	uint64_t not_followed;		/* their address is not known */
};

struct mp_call;

/**
 * struct mp_heap - the engine; set up by mp_heap_init()
 * @total: of everything
 * @processes: every address space that was heard of, by number
 * @sites: every callsite and every stack, by number
 * @cgroups: every cgroup, by number
 * @max_blocks: that are followed at once
 * @limit_processes, @limit_sites: rows of these; what comes after is in the rows
 *	@overflow and @dropped, which are MP_HEAP_NONE before. Of sites half is
 *	for allocators: code that only touches memory has no more than the rest
 * @limit_threads: that are in a call, or remembered, at once
 * @limit_exited: processes that ended and have rows of their own; of older ones
 *	those of one name and cgroup become one row, their callsites too
 * @location: says where a call's stack is, when it is met first in a process: 0, or
 *	-ENOMEM. NULL: where @callsite and @stack of the call say
 * @sum_location: makes it one that means the same in the sum of several; or NULL
 * @context: for both
 * @with_bins: keep histograms
 */
struct mp_heap {
	struct mp_tally total;
	struct mp_heap_process *processes;
	size_t nr_processes, max_processes;
	struct mp_heap_site *sites;
	size_t nr_sites, max_sites;
	struct mp_heap_cgroup *cgroups;
	size_t nr_cgroups, max_cgroups;
	struct mp_blocks blocks;
	struct mp_heap_counts counts;
	size_t max_blocks;
	size_t limit_processes, limit_sites, limit_exited, limit_threads;
	uint32_t overflow, dropped;
	int (*location)(void *context, uint32_t process,
		     const struct mp_call *call, struct mp_heap_location *location);
	int (*sum_location)(void *context, struct mp_heap_location *location);
	void *context;
	struct mp_tally nobody;		/* in place of @dropped's callsite */
	bool with_bins;
	bool is_exact;			/* else unknown frees tell nothing */
	struct mp_map by_pid;		/* pid -> living process */
	struct mp_map by_stack;		/* process, stack -> site */
	struct mp_map by_callsite;	/* process, place's callsite -> site */
	struct mp_map by_cgroup;	/* id -> cgroup */
	struct mp_map by_sum;		/* name and cgroup -> sum of exited */
	struct mp_map by_tid;		/* tid -> thread */
	struct mp_heap_thread *threads;
	size_t nr_threads, max_threads;
	uint32_t free_thread;
	uint32_t free_process, free_site;
	size_t nr_free_processes, nr_free_sites;
	uint32_t oldest, newest;	/* of those who exited */
	size_t nr_exited;
};

/**
 * struct mp_who - whose event it is
 * @pid: process
 * @tid: thread
 * @cgroup: id, 0 where it is not known
 * @time_ns: of the event
 */
struct mp_who {
	uint32_t pid;
	uint32_t tid;
	uint64_t cgroup;
	uint64_t time_ns;
};

/**
 * struct mp_call - an allocator's call, where it begins
 * @func: enum memprof_func
 * @stack: of the caller, any number
 * @callsite: where that is, any number; one stack has one. Not used where
 *	mp_heap.place tells
 * @size: bytes that are asked for
 * @old: block that a realloc is about, or 0
 * @sp: stack pointer at the entry; 0 where it is not known
 * @jumped: reached by a jump from the call that the thread is inside of
 * @own: no call: code that touched memory or asked the kernel for it, charged
 *	where no allocator is behind it
 */
struct mp_call {
	uint32_t func;
	uint32_t stack;
	uint64_t callsite;
	uint64_t size;
	uint64_t old;
	uint64_t sp;
	bool jumped;
	bool own;
};

void mp_heap_init(struct mp_heap *heap);
void mp_heap_free(struct mp_heap *heap);

/*
 * All of these return 0 or -ENOMEM; what an event tells that cannot be, such as
 * the free of an unknown block, is counted.
 */

/**
 * mp_heap_alloc - a block was allocated, as one event tells it
 * @call: what for
 * @ptr: the block; 0: it failed
 * @objects: that the block stands for, in units of 2^-16
 * @space: bytes that it stands for
 */
int mp_heap_alloc(struct mp_heap *heap, const struct mp_who *who,
		  const struct mp_call *call, uint64_t ptr, uint64_t objects,
		  uint64_t space);

/**
 * mp_heap_realloc - a block was reallocated, as one event tells it
 * @call: with the old block and the new size
 * @ptr: the new block; 0 with a size: it failed; 0 without: it was freed
 */
int mp_heap_realloc(struct mp_heap *heap, const struct mp_who *who,
		    const struct mp_call *call, uint64_t ptr);

/**
 * mp_heap_dealloc - a block is freed
 * @ptr: the block
 * @sp: stack pointer at the entry of the function; 0 where it is not known
 */
int mp_heap_dealloc(struct mp_heap *heap, const struct mp_who *who,
		    uint64_t ptr, uint64_t sp);

/**
 * mp_heap_enter - a call begins
 *
 * Until its end it is what the thread is inside of. Calls that begin before are
 * parts of it and do not count.
 */
int mp_heap_enter(struct mp_heap *heap, const struct mp_who *who,
		  const struct mp_call *call);

/**
 * mp_heap_leave - a call ends
 * @func: enum memprof_func
 * @at: stack and callsite, where they are known better now; or NULL
 * @ptr: what it returns; of MEMPROF_FUNC_POSIX_MEMALIGN the error, 0 for none:
 *	where the block is it does not tell, so it is counted and not followed
 * @sp: stack pointer as it was at the entry; 0 where it is not known
 */
int mp_heap_leave(struct mp_heap *heap, const struct mp_who *who, uint32_t func,
		  const struct mp_call *at, uint64_t ptr, uint64_t sp);

/**
 * mp_heap_fault - a page was touched first
 * @at: stack and callsite that the source charges; NULL: the call that the
 *	thread is inside of, or the block at @addr; of its @own: where there is
 *	neither
 * @addr: where
 * @weight: faults that it stands for
 * @major: it had to be read
 */
int mp_heap_fault(struct mp_heap *heap, const struct mp_who *who,
		  const struct mp_call *at, uint64_t addr, uint32_t weight, bool major);

/**
 * mp_heap_grow - an address space changed its size
 * @at: stack and callsite that the source charges; NULL: the call that the
 *	thread is inside of; of its @own: where there is none
 * @brk: by brk(), else by mapping
 * @delta: bytes
 */
int mp_heap_grow(struct mp_heap *heap, const struct mp_who *who,
		 const struct mp_call *at, bool brk, int64_t delta);

/** mp_heap_fork - a process begins as a copy of another, @parent by its pid */
int mp_heap_fork(struct mp_heap *heap, const struct mp_who *child,
		 uint32_t parent);

/** mp_heap_exec - a process begins another program, and another row */
int mp_heap_exec(struct mp_heap *heap, const struct mp_who *who);

/** mp_heap_exit - a thread ended, the last one with its process */
int mp_heap_exit(struct mp_heap *heap, const struct mp_who *who, bool last);

/** mp_heap_reset - sums begin anew; what lives goes on, and is the new peak */
void mp_heap_reset(struct mp_heap *heap);

/**
 * mp_heap_process - the number of a living process, new if it is not known
 *
 * Return: 0, or -ENOMEM.
 */
int mp_heap_process(struct mp_heap *heap, const struct mp_who *who,
		    uint32_t *number);

#endif

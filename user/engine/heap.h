/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * heap: the merge engine turns allocator calls, faults and growth into sums
 *
 * The events of all sources and recordings go through this engine. They must come
 * in the order of time, see order.h. Processes, threads, cgroups and callsites are
 * numbers here; the callers store the names.
 */
#ifndef MP_HEAP_H
#define MP_HEAP_H

#include "blocks.h"

#include <linux/memprof.h>

/* The number 1, in units of 2^-16 objects. */
#define MP_HEAP_ONE	(1ULL << 16)

/* Number of a process, a cgroup or a site that does not exist. */
#define MP_HEAP_NONE	UINT32_MAX

#define MP_HEAP_COMM_SIZE	16

/**
 * struct mp_tally_peak - living bytes that count for peaks, and the highest ones
 * @exact: of blocks that stand for little more than themselves
 * @half: of samples, which are in one of two halves
 * @settled: of @half, the samples that can make a moment the highest
 * @squares: the sum of the squares of what these stand for, in KiB
 * @most: the highest that @exact and twice @settled[i] were together, less the error
 * @then: what is told of that moment: of i = 0, @exact and @half[1]; of i = 1, @half[0]
 * @at_peak: the same of the moment at which @most[i] of mp_heap.total rose last. It is right
 *	only if @peak[i] equals that of mp_heap: else nothing has changed since
 *
 * See heap-peak.h. Functions that read it: mp_tally_settled(), mp_tally_highest(),
 * mp_heap_at_peak().
 */
struct mp_tally_peak {
	uint64_t exact, half[2], settled[2], squares[2];
	uint64_t most[2], then[2];
	uint64_t at_peak[2], peak[2];
};

/**
 * struct mp_tally - sums of a process, a cgroup, a callsite or everything
 *
 * Numbers of objects are in units of 2^-16. All other values are bytes or counts,
 * see metric.h.
 *
 * @old_space: of @inuse_space, what mp_heap_find_old() found
 */
struct mp_tally {
	uint64_t alloc_objects, alloc_space;
	uint64_t free_objects;
	uint64_t inuse_objects, inuse_space, old_space;
	struct mp_tally_peak peak;
	uint64_t at_exit;
	uint64_t failed, temporary;
	uint64_t samples;
	uint64_t unknown_frees;
	uint64_t inherited_objects, inherited_space, inherited_frees;
	uint64_t minor_faults, major_faults, minor_samples, major_samples;
	uint64_t inside_faults, block_faults, other_faults;
	uint64_t brk_up, brk_down, mmap_up, mmap_down, growth_calls, advised;
	int64_t growth, growth_peak;
};

/*
 * Histograms of block sizes and lifetimes by powers of two, see struct
 * memprof_site.
 */
struct mp_bins {
	uint64_t sizes[MEMPROF_HISTOGRAM];
	uint64_t lifetimes[MEMPROF_HISTOGRAM];
};

/* Limit of the fresh blocks of a process: there are few of them at a time, on average. */
#define MP_HEAP_FRESH	16

/**
 * struct mp_heap_fresh - a living block that does not count for peaks yet
 * @ptr: its address
 * @space: bytes that it stands for
 * @left: bytes that its process must still allocate
 * @is_counted: whether it lived at the next sample, see mp_tally_peak.half
 */
struct mp_heap_fresh {
	uint64_t ptr;
	uint64_t space;
	uint64_t left;
	bool is_counted;
};

/**
 * struct mp_heap_process - a process in one address space, or a sum of exited
 * processes
 * @pid: process id; 0 for a sum
 * @start_ns: time of the first event
 * @exit_ns: time of the exit; 0 while the process runs
 * @cgroup: number of the cgroup of the latest event
 * @comm: command name, set by the caller; a sum has one name and one cgroup
 * @nr_threads: threads besides the main one, counted by the caller
 * @main_exited: set by the caller when the main thread exited
 * @executed: its program began while the process was followed
 * @nr_folded: number of exited processes in this sum; 0: the row is one process
 * @sites: first site of the process's list, or MP_HEAP_NONE
 * @fresh: its fresh blocks, the oldest one first
 * @next: for an exited process the one that exited next; for a free row the next
 *	free row
 */
struct mp_heap_process {
	struct mp_tally tally;
	uint32_t pid;
	uint32_t cgroup;
	uint64_t start_ns, exit_ns;
	char comm[MP_HEAP_COMM_SIZE];
	int nr_threads;
	bool main_exited, executed;
	uint32_t nr_folded;
	uint32_t sites;
	uint32_t next;
	uint32_t nr_fresh;
	struct mp_heap_fresh fresh[MP_HEAP_FRESH];
};

/**
 * struct mp_heap_location - the code location of a stack, independent of the
 * process
 * @callsite: number of the callsite's code location; chosen by the callback
 * @stack: number of the stack of code locations; chosen by the callback
 * @level: number of frames from the innermost one to the callsite
 *
 * The location is equal in all processes in which the same code makes the call.
 */
struct mp_heap_location {
	uint64_t callsite;
	uint32_t stack;
	uint32_t level;
};

/**
 * struct mp_heap_site - a callsite of a process, or one stack that leads to it
 * @bins: histograms of a callsite, if the engine keeps them
 * @process: number of the process
 * @stack: stack of the first call; not used in a sum
 * @func: enum memprof_func of the first call
 * @callsite: for a stack the number of its callsite, for a callsite its own
 *	number, for a free row MP_HEAP_NONE
 * @location: of the first call
 * @nr_folded: in a sum: exited processes that had this site
 * @next: next site of the same process, or the next free row
 * @row: its row in the profile that mp_merge_profile() made last, or MP_HEAP_NONE
 * @carry: of a stack: the part of an object that rounding has left out so far, in units of
 *	2^-16; below 0 if it has added one
 *
 * Each event of a stack is also counted in the tally of its callsite, because the
 * callsite's peak cannot be computed from the peaks of its stacks.
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
	uint32_t row;
	int32_t carry;
};

struct mp_heap_cgroup {
	struct mp_tally tally;
	uint64_t id;
};

/* Numbers of events that were not counted, or counted less exactly. */
struct mp_heap_counts {
	uint64_t nested;
	uint64_t abandoned;
	uint64_t unmatched_exits;
	uint64_t failed_allocs, failed_reallocs;
	uint64_t free_null;
	uint64_t unknown_frees;
	uint64_t too_deep;
	uint64_t dropped_blocks;	/* blocks beyond max_blocks */
	uint64_t full_processes, full_sites, full_cgroups;	/* table was full */
	uint64_t full_threads;		/* threads beyond limit_threads: calls not paired */
	uint64_t not_followed;		/* blocks of unknown address */
	uint64_t freed_forgotten;	/* freed blocks beyond max_freed */
};

struct mp_call;

/**
 * struct mp_heap - the engine; initialised by mp_heap_init()
 * @total: tally of everything
 * @peak: number of times that the highest moment of @total changed, by half
 * @processes: all address spaces, by number
 * @sites: all callsites and stacks, by number
 * @cgroups: all cgroups, by number
 * @freed: freed blocks of running processes whose addresses were not allocated again; born_ns
 *	is the time of the free. Empty if blocks are samples
 * @max_blocks: limit of live blocks
 * @max_freed: limit of freed blocks; an older one makes room for a new one
 * @limit_processes, @limit_sites: limits of rows. Further processes are counted in
 *	the row @overflow, further sites in the row @dropped. Both are MP_HEAP_NONE
 *	until they are needed. Half of the sites is reserved for allocator calls:
 *	code that only causes faults or growth cannot use it
 * @limit_threads: limit of threads in the table
 * @limit_exited: limit of exited processes that have their own rows. Processes that
 *	exited earlier are summed up by command name and cgroup, see heap-fold.h
 * @location: finds the code location of a call's stack when a process has the
 *	stack for the first time. Returns 0 or -ENOMEM. NULL: @callsite and
 *	@stack of the call are used
 * @sum_location: changes a code location so that it is valid for a sum of several
 *	processes; or NULL
 * @context: passed to both callbacks
 * @closing: a process ends or executes another program, and has its living blocks for the
 *	last time; or NULL. @closing_context is passed to it
 * @with_bins: keep histograms
 */
struct mp_heap {
	struct mp_tally total;
	uint64_t peak[2];
	struct mp_heap_process *processes;
	size_t nr_processes, max_processes;
	struct mp_heap_site *sites;
	size_t nr_sites, max_sites;
	struct mp_heap_cgroup *cgroups;
	size_t nr_cgroups, max_cgroups;
	struct mp_blocks blocks, freed;
	struct mp_heap_counts counts;
	size_t max_blocks, max_freed;
	size_t limit_processes, limit_sites, limit_exited, limit_threads;
	uint32_t overflow, dropped;
	int (*location)(void *context, uint32_t process,
		     const struct mp_call *call, struct mp_heap_location *location);
	int (*sum_location)(void *context, struct mp_heap_location *location);
	void *context;
	void (*closing)(void *context, uint32_t process, uint64_t exit_ns);
	void *closing_context;
	struct mp_tally nobody;		/* callsite of @dropped; never read */
	bool with_bins;
	bool is_exact;			/* false: frees of unknown blocks are normal */
	bool is_sampled;		/* a block stands for several: not each call is seen */
	struct mp_map by_pid;		/* pid -> running process */
	struct mp_map by_stack;		/* process, stack -> site */
	struct mp_map by_callsite;	/* process, location.callsite -> site */
	struct mp_map by_cgroup;	/* id -> cgroup */
	struct mp_map by_sum;		/* name and cgroup -> sum of exited processes */
	struct mp_map by_tid;		/* tid -> thread */
	struct mp_heap_thread *threads;
	size_t nr_threads, max_threads;
	uint32_t free_thread;
	uint32_t free_process, free_site;
	size_t nr_free_processes, nr_free_sites;
	uint32_t oldest, newest;	/* first and last of the list of exited processes */
	size_t next_forgotten;		/* slot of the freed block that makes room next */
	size_t nr_exited;
};

/**
 * struct mp_who - process, thread, cgroup and time of an event
 * @pid: process id
 * @tid: thread id
 * @cgroup: id; 0: not known
 * @time_ns: time of the event
 */
struct mp_who {
	uint32_t pid;
	uint32_t tid;
	uint64_t cgroup;
	uint64_t time_ns;
};

/**
 * struct mp_call - the begin of an allocator call
 * @func: enum memprof_func
 * @stack: number of the caller's stack
 * @callsite: number of the callsite; each stack has one. Not used if
 *	mp_heap.location is set
 * @size: requested bytes
 * @old: the block passed to a realloc, or 0
 * @sp: stack pointer at the entry; 0: not known
 * @jumped: the function was entered by a jump from another allocator function
 * @own: the struct describes no allocator call, but the code that caused a fault or
 *	growth. That code is charged if no allocator call can be charged
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
 * The following functions return 0 or -ENOMEM. An event that cannot be correct,
 * such as the free of an unknown block, is counted in struct mp_heap_counts.
 */

/**
 * mp_heap_alloc - a block was allocated, reported by one event
 * @call: the allocator call
 * @ptr: the block; 0: the call failed
 * @objects: blocks that the event stands for, in units of 2^-16; they are rounded to whole
 *	blocks, up or down, so that the sum of each stack is right
 * @space: bytes that the event stands for
 */
int mp_heap_alloc(struct mp_heap *heap, const struct mp_who *who,
		  const struct mp_call *call, uint64_t ptr, uint64_t objects,
		  uint64_t space);

/**
 * mp_heap_realloc - a block was reallocated, reported by one event
 * @call: the call, with the old block and the new size
 * @ptr: the new block. If it is 0: a size above 0 means that the call failed, a
 *	size of 0 means that the old block was freed
 */
int mp_heap_realloc(struct mp_heap *heap, const struct mp_who *who,
		    const struct mp_call *call, uint64_t ptr);

/**
 * mp_heap_dealloc - a block is freed
 * @ptr: the block
 * @sp: stack pointer at the function's entry; 0: not known
 * @ra: return address; 0: not known
 *
 * A function that frees may call or jump to another one, with the same block: that
 * is one call.
 */
int mp_heap_dealloc(struct mp_heap *heap, const struct mp_who *who,
		    uint64_t ptr, uint64_t sp, uint64_t ra);

/**
 * mp_heap_enter - an allocator call begins
 *
 * The thread is inside of this call until the call returns. Allocator calls that
 * the thread makes until then are part of this call and are not counted.
 */
int mp_heap_enter(struct mp_heap *heap, const struct mp_who *who,
		  const struct mp_call *call);

/**
 * mp_heap_leave - an allocator call returns
 * @func: enum memprof_func
 * @at: stack and callsite, if the source knows them better now than at the entry;
 *	or NULL
 * @ptr: return value. MEMPROF_FUNC_POSIX_MEMALIGN returns an error or 0 and not
 *	the address, so its block is counted but not tracked
 * @sp: stack pointer at the entry; 0: not known
 */
int mp_heap_leave(struct mp_heap *heap, const struct mp_who *who, uint32_t func,
		  const struct mp_call *at, uint64_t ptr, uint64_t sp);

/**
 * mp_heap_fault - a page fault
 * @at: stack and callsite that the source charges. NULL: charge the call that
 *	the thread is inside of, or the block at @addr. If @at->own is set: charge
 *	@at if there is neither such a call nor such a block
 * @addr: the address
 * @weight: faults that the event stands for
 * @major: the page was read from disk
 */
int mp_heap_fault(struct mp_heap *heap, const struct mp_who *who,
		  const struct mp_call *at, uint64_t addr, uint32_t weight, bool major);

/**
 * mp_heap_advised - pages of a range were given back, and the range stays
 * @at: as for mp_heap_grow()
 * @bytes: of the range
 */
int mp_heap_advised(struct mp_heap *heap, const struct mp_who *who,
		    const struct mp_call *at, uint64_t bytes);

/**
 * mp_heap_grow - an address space changed its size
 * @at: stack and callsite that the source charges. NULL: charge the call that
 *	the thread is inside of. If @at->own is set: charge @at if there is no such
 *	call
 * @brk: by brk(), else by a mapping
 * @delta: bytes
 */
int mp_heap_grow(struct mp_heap *heap, const struct mp_who *who,
		 const struct mp_call *at, bool brk, int64_t delta);

/** mp_heap_fork - a process was forked; @parent is the parent's process id */
int mp_heap_fork(struct mp_heap *heap, const struct mp_who *child,
		 uint32_t parent);

/** mp_heap_exec - a process executes another program and gets a new row */
int mp_heap_exec(struct mp_heap *heap, const struct mp_who *who);

/** mp_heap_exit - a thread exited; @last: its process exited, too */
int mp_heap_exit(struct mp_heap *heap, const struct mp_who *who, bool last);

/** mp_tally_settled - get the living bytes that count for peaks */
uint64_t mp_tally_settled(const struct mp_tally *tally);

/** mp_tally_highest - get the most living bytes that a tally had, an estimate without bias */
uint64_t mp_tally_highest(const struct mp_tally *tally);

/** mp_heap_is_peak - whether the living bytes are higher now than they have been */
bool mp_heap_is_peak(const struct mp_heap *heap);

/** mp_heap_at_peak - get a tally's live bytes when those of the total were highest */
uint64_t mp_heap_at_peak(const struct mp_heap *heap, const struct mp_tally *tally);

/**
 * mp_heap_find_old - add up the blocks that were born until a time
 * @until_ns: the time
 *
 * Sets old_space of all tallies but the total. Cost: a pass over all living blocks.
 */
void mp_heap_find_old(struct mp_heap *heap, uint64_t until_ns);

/** mp_heap_reset - set sums to 0. Live blocks stay; their bytes are the new peak */
void mp_heap_reset(struct mp_heap *heap);

/**
 * mp_heap_process - find or add the row of a running process
 * @number: out: number of the row
 *
 * Return: 0, or -ENOMEM.
 */
int mp_heap_process(struct mp_heap *heap, const struct mp_who *who,
		    uint32_t *number);

#endif

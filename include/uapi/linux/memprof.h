/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * memprof: defines the interface between memprof.ko and user space
 *
 * A session belongs to one open file of /dev/memprof:
 *
 *	open -> idle -- START --> running -- STOP --> stopped -- close
 *
 * Targets are added while the session is idle. SNAPSHOT copies all tallies of a
 * running or stopped session, and READ reads that copy in pieces. Closing the
 * last descriptor of the file, also by the exit of its holder, ends the session
 * and frees all its memory.
 *
 * Every ioctl takes a pointer to a struct. The first field of the struct is its
 * size, as the caller knows it. If the kernel's struct is longer, the kernel takes
 * the missing fields at the end as zero. If the kernel's struct is shorter, the
 * kernel accepts the caller's struct only if the additional fields are zero. Released
 * fields never change their offset or their meaning; new fields are appended.
 *
 * Sections (MEMPROF_IOC_SECTION_*) need no session. They measure named parts of
 * the calling thread's own run. The sections of a thread belong to the open file.
 * They end when the file is closed, when the thread exits, and at exec.
 *
 * Errors that any ioctl may return:
 *
 *	ENOTTY	the ioctl is unknown to this kernel
 *	EINVAL	size is smaller than the first released struct; a flag or kind
 *		is unknown; a reserved field is not zero; a value is out of its
 *		documented range
 *	E2BIG	size is larger than the struct that this kernel knows, and the
 *		tail is not zero; or size is larger than a page
 *	EFAULT	the struct, or a buffer that it points to, is not accessible
 *	EPERM	the caller has neither CAP_PERFMON nor CAP_SYS_ADMIN in the
 *		initial user namespace (every ioctl except MEMPROF_IOC_INFO and
 *		the ioctls of sections)
 *	EBUSY	the session is in the wrong state for this ioctl
 *	EINTR	a signal came while this ioctl waited for another one on the
 *		same file
 *
 * Unless a field says otherwise, sizes are in bytes, times are in nanoseconds of
 * CLOCK_MONOTONIC, and process ids are those of the initial PID namespace.
 */
#ifndef _UAPI_LINUX_MEMPROF_H
#define _UAPI_LINUX_MEMPROF_H

#include <linux/ioctl.h>
#include <linux/types.h>
#include "memprof_section.h"

#define MEMPROF_DEVICE		"/dev/memprof"
#define MEMPROF_VERSION		1

#define MEMPROF_IOC_TYPE	0xE7

/* Limits. START sets max_processes and max_cgroups of a session. */
#define MEMPROF_MAX_SESSIONS	8	/* running at the same time, on the machine */
#define MEMPROF_MAX_TARGETS	64	/* per session, all kinds together */
#define MEMPROF_MAX_PROCESSES	(1U << 20)
#define MEMPROF_MAX_CGROUPS	(1U << 16)
#define MEMPROF_MAX_PERIOD	(1U << 24)
#define MEMPROF_MAX_ENTRY_SIZE	4096

#define MEMPROF_DEFAULT_MINOR_PERIOD	100
#define MEMPROF_DEFAULT_MAJOR_PERIOD	1
#define MEMPROF_DEFAULT_PROCESSES	16384
#define MEMPROF_DEFAULT_CGROUPS		4096

/* Limits for allocations, see struct memprof_probe and struct memprof_start. */
#define MEMPROF_MAX_PROBES	512	/* per session */
#define MEMPROF_MAX_LIVE	(1U << 26)
#define MEMPROF_MAX_SITES	(1U << 20)
#define MEMPROF_MAX_RATE	(1ULL << 40)
#define MEMPROF_DEFAULT_RATE	(512ULL << 10)
#define MEMPROF_DEFAULT_SITES	16384
#define MEMPROF_HISTOGRAM	48	/* bins, one per power of two */

#define MEMPROF_COMM_LEN	16
#define MEMPROF_PATH_LEN	512
#define MEMPROF_NAME_LEN	32

/**
 * struct memprof_info - MEMPROF_IOC_INFO: what the module can do
 * @size: sizeof(struct memprof_info)
 * @version: out, MEMPROF_VERSION of the module
 * @features: out, enum memprof_feature bits
 * @max_sessions: out, number of sessions that may run at the same time
 * @max_targets: out, number of targets that a session may have
 * @nr_sessions: out, number of sessions that run now
 * @page_size: out, size of a page in bytes; a fault counts for one page
 * @__reserved: zero
 * @section_tasks: out, number of threads on the machine that have sections now
 * @__reserved2: zero
 *
 * The ioctl needs no privilege beyond the open file, and works in every state of a
 * session.
 */
struct memprof_info {
	__u32 size;
	__u32 version;
	__aligned_u64 features;
	__u32 max_sessions;
	__u32 max_targets;
	__u32 nr_sessions;
	__u32 page_size;
	__aligned_u64 __reserved;
	__u32 section_tasks;
	__u32 __reserved2;
};

/**
 * enum memprof_feature - features that the module has on this kernel
 * @MEMPROF_FEATURE_FAULTS: sampled page faults
 * @MEMPROF_FEATURE_GROWTH: calls that change an address space
 * @MEMPROF_FEATURE_ALLOC: calls of the allocators that MEMPROF_IOC_PROBE names
 * @MEMPROF_FEATURE_SKIP_RETURN: if an allocation is not sampled, it does not have the
 *	cost of the return probe
 * @MEMPROF_FEATURE_SECTIONS: MEMPROF_IOC_SECTION_*
 * @MEMPROF_FEATURE_BLOCKS: MEMPROF_SNAPSHOT_BLOCKS and MEMPROF_READ_BLOCKS
 * @MEMPROF_FEATURE_PYTHON: MEMPROF_IOC_PYTHON
 */
enum memprof_feature {
	MEMPROF_FEATURE_FAULTS	= 1 << 0,
	MEMPROF_FEATURE_GROWTH	= 1 << 1,
	MEMPROF_FEATURE_ALLOC	= 1 << 2,
	MEMPROF_FEATURE_SKIP_RETURN = 1 << 3,
	MEMPROF_FEATURE_SECTIONS = 1 << 4,
	MEMPROF_FEATURE_BLOCKS	= 1 << 5,
	MEMPROF_FEATURE_PYTHON	= 1 << 6,
};

/**
 * enum memprof_target_kind - what a target names
 * @MEMPROF_TARGET_ALL: every process
 * @MEMPROF_TARGET_PROCESS: the process @id
 * @MEMPROF_TARGET_CGROUP: tasks that are in the cgroup v2 @id, or below it, at
 *	the time of the event. If the cgroup is removed and created again at the
 *	same path, as at the restart of a service, the new cgroup is the target.
 * @MEMPROF_TARGET_COMM: processes whose main thread has the name @comm at the
 *	time of the event
 */
enum memprof_target_kind {
	MEMPROF_TARGET_ALL	= 0,
	MEMPROF_TARGET_PROCESS	= 1,
	MEMPROF_TARGET_CGROUP	= 2,
	MEMPROF_TARGET_COMM	= 3,
};

/**
 * enum memprof_target_flag - options of a target
 * @MEMPROF_TARGET_CHILDREN: the descendants of the process are targets, too:
 *	those that live at START, and those that are forked later, even if their
 *	parents have exited. Only with MEMPROF_TARGET_PROCESS.
 */
enum memprof_target_flag {
	MEMPROF_TARGET_CHILDREN	= 1 << 0,
};

/**
 * struct memprof_target - MEMPROF_IOC_TARGET: add a target to an idle session
 * @size: sizeof(struct memprof_target)
 * @kind: enum memprof_target_kind
 * @flags: enum memprof_target_flag bits
 * @__reserved: zero
 * @id: process id in the caller's PID namespace, or id of the cgroup (the inode
 *	number of its directory); zero for the other kinds
 * @comm: name, NUL-terminated; zero for the other kinds
 *
 * A task that matches any of the targets is observed. A session without targets
 * cannot start.
 *
 * Errors: EBUSY the session is not idle; ENOSPC the session has
 * MEMPROF_MAX_TARGETS targets; EEXIST the session has this target already; ESRCH
 * no such process; ENOENT no such cgroup.
 */
struct memprof_target {
	__u32 size;
	__u32 kind;
	__u32 flags;
	__u32 __reserved;
	__aligned_u64 id;
	char comm[MEMPROF_COMM_LEN];
};

/**
 * enum memprof_start_flag - the event streams of a session
 * @MEMPROF_START_FAULTS: sample page faults
 * @MEMPROF_START_GROWTH: follow brk, mmap, munmap, mremap, mprotect, shmat, shmdt,
 *	and stacks that grow
 * @MEMPROF_START_ALLOC: follow the allocators that MEMPROF_IOC_PROBE names
 */
enum memprof_start_flag {
	MEMPROF_START_FAULTS	= 1 << 0,
	MEMPROF_START_GROWTH	= 1 << 1,
	MEMPROF_START_ALLOC	= 1 << 2,
};

/**
 * struct memprof_start - MEMPROF_IOC_START: idle -> running
 * @size: sizeof(struct memprof_start)
 * @flags: enum memprof_start_flag bits. 0 is allowed: the session then only reports
 *	resident sizes
 * @minor_period: number of minor faults per sample, counted on each CPU; 0 means
 *	MEMPROF_DEFAULT_MINOR_PERIOD; at most MEMPROF_MAX_PERIOD
 * @major_period: number of major faults per sample, counted on each CPU; 0 means
 *	MEMPROF_DEFAULT_MAJOR_PERIOD; at most MEMPROF_MAX_PERIOD
 * @max_processes: number of rows for processes, living and exited; 0 means
 *	MEMPROF_DEFAULT_PROCESSES; at most MEMPROF_MAX_PROCESSES
 * @max_cgroups: number of rows for cgroups; 0 means MEMPROF_DEFAULT_CGROUPS; at
 *	most MEMPROF_MAX_CGROUPS
 *
 * @alloc_rate: with MEMPROF_START_ALLOC, mean number of bytes between two
 *	samples; 1 follows every allocation; 0 means MEMPROF_DEFAULT_RATE; at
 *	most MEMPROF_MAX_RATE
 * @max_live: number of blocks that can be followed at the same time; 0 means the
 *	module parameter max_live (1M by default); at most MEMPROF_MAX_LIVE
 * @max_sites: number of rows for callsites; 0 means MEMPROF_DEFAULT_SITES; at
 *	most MEMPROF_MAX_SITES
 *
 * START allocates all tables once and charges them to the caller's cgroup.
 *
 * Errors: EBUSY the session is not idle; EDESTADDRREQ the session has no target;
 * ENOMEM; EUSERS MEMPROF_MAX_SESSIONS sessions run; ESRCH a target process has
 * exited; EOPNOTSUPP this kernel does not support a flag (see MEMPROF_IOC_INFO).
 */
struct memprof_start {
	__u32 size;
	__u32 flags;
	__u32 minor_period;
	__u32 major_period;
	__u32 max_processes;
	__u32 max_cgroups;
	__aligned_u64 alloc_rate;
	__u32 max_live;
	__u32 max_sites;
};

/**
 * enum memprof_func - the function at a probe point, with its C signature
 * @MEMPROF_FUNC_MALLOC: pointer f(size, ...); also Rust's alloc, alloc_zeroed
 * @MEMPROF_FUNC_CALLOC: pointer f(number, size)
 * @MEMPROF_FUNC_REALLOC: pointer f(pointer, size)
 * @MEMPROF_FUNC_REALLOCARRAY: pointer f(pointer, number, size)
 * @MEMPROF_FUNC_MEMALIGN: pointer f(alignment, size); also aligned_alloc
 * @MEMPROF_FUNC_POSIX_MEMALIGN: 0 f(&pointer, alignment, size)
 * @MEMPROF_FUNC_FREE: f(pointer, ...); also free_sized, Rust's dealloc
 * @MEMPROF_FUNC_RUST_REALLOC: pointer f(pointer, old size, alignment, size)
 * @MEMPROF_FUNC_USDT_ALLOC: a static probe (pointer, size, weighted bytes, return
 *	address in the allocator's caller). The program itself samples the
 *	allocations. @args of struct memprof_probe are the locations of the values.
 *	If the return address is 0, the probe itself is the callsite.
 * @MEMPROF_FUNC_USDT_FREE: a static probe (pointer)
 */
enum memprof_func {
	MEMPROF_FUNC_MALLOC		= 1,
	MEMPROF_FUNC_CALLOC		= 2,
	MEMPROF_FUNC_REALLOC		= 3,
	MEMPROF_FUNC_REALLOCARRAY	= 4,
	MEMPROF_FUNC_MEMALIGN		= 5,
	MEMPROF_FUNC_POSIX_MEMALIGN	= 6,
	MEMPROF_FUNC_FREE		= 7,
	MEMPROF_FUNC_RUST_REALLOC	= 8,
	MEMPROF_FUNC_USDT_ALLOC		= 9,
	MEMPROF_FUNC_USDT_FREE		= 10,
};

/**
 * struct memprof_probe_arg - location of an argument of a static probe
 * @kind: 0: the constant @value; 1: the register @reg; 2: the 8 bytes of memory
 *	at register @reg + @value
 * @reg: number of the register, in the order of perf's sample_regs_user
 *	(x86: AX BX CX DX SI DI BP SP IP FLAGS CS SS DS ES FS GS R8..R15)
 * @value: constant, or displacement in bytes
 */
struct memprof_probe_arg {
	__u32 kind;
	__u32 reg;
	__aligned_s64 value;
};

/**
 * struct memprof_probe - MEMPROF_IOC_PROBE: follow a function of a binary
 * @size: sizeof(struct memprof_probe)
 * @func: enum memprof_func
 * @fd: the binary, open for reading
 * @__reserved: zero
 * @offset: offset of the probe point in the file. It must be the start of an
 *	instruction at the function's entry, or shortly after it, where the
 *	arguments are still in their registers and the return address is still
 *	on top of the stack. The kernel does not check this: a wrong offset
 *	corrupts the programs that run the binary.
 * @ref_ctr_offset: offset of a static probe's semaphore in the file; 0: none
 * @args: locations of a static probe's arguments; zero for other probes. The first
 *	release had three of them
 *
 * Processes that are not targets are not slowed down. Processes that map the
 * binary later are probed, too. An idle session installs its probes at START, a
 * running session installs the probe at once.
 *
 * Errors: EBUSY the session is stopped, or runs without MEMPROF_START_ALLOC;
 * EBADF @fd is not a regular file that is open for reading; EEXIST the session
 * already has a probe at this offset; ENOSPC the session has MEMPROF_MAX_PROBES
 * probes; EOPNOTSUPP this kernel cannot follow allocators; an errno of the kernel's
 * uprobes (EIO the file cannot be mapped, EINVAL the offset is past the end of the
 * file).
 */
struct memprof_probe {
	__u32 size;
	__u32 func;
	__s32 fd;
	__u32 __reserved;
	__aligned_u64 offset;
	__aligned_u64 ref_ctr_offset;
	struct memprof_probe_arg args[4];
};

/**
 * struct memprof_stop - MEMPROF_IOC_STOP: running -> stopped
 * @size: sizeof(struct memprof_stop)
 * @__reserved: zero
 *
 * When STOP returns, no probe of this session runs any more. The tallies stay.
 *
 * Errors: EBUSY the session is not running.
 */
struct memprof_stop {
	__u32 size;
	__u32 __reserved;
};

/**
 * enum memprof_state - state of a session
 * @MEMPROF_STATE_IDLE: the file is open, the session was not started
 * @MEMPROF_STATE_RUNNING: the probes are installed
 * @MEMPROF_STATE_STOPPED: the probes are removed, the tallies can be read
 */
enum memprof_state {
	MEMPROF_STATE_IDLE	= 0,
	MEMPROF_STATE_RUNNING	= 1,
	MEMPROF_STATE_STOPPED	= 2,
};

/**
 * enum memprof_status_flag - flags of a session
 * @MEMPROF_STATUS_FAILED: the module found an internal inconsistency, and wrote
 *	a line to the kernel log. The session has observed nothing since then.
 */
enum memprof_status_flag {
	MEMPROF_STATUS_FAILED	= 1 << 0,
};

/**
 * struct memprof_status - MEMPROF_IOC_STATUS: the state of the session
 * @size: sizeof(struct memprof_status)
 * @state: out, enum memprof_state
 * @flags: out, enum memprof_status_flag bits
 * @session: out, number of the session, the field "session" of its trace events;
 *	0 before START
 * @streams: out, enum memprof_start_flag bits given to START
 * @minor_period: out, period in use; 0 before START
 * @major_period: out, period in use; 0 before START
 * @nr_targets: out, number of targets
 * @start_ns: out, time of START; 0 before START
 * @stop_ns: out, time of STOP; 0 before STOP
 * @reset_ns: out, time of the last reset of the tallies; start_ns if there was none
 * @now_ns: out, time of this call
 * @max_processes: out, number of rows for processes
 * @nr_processes: out, number of these rows in use
 * @max_cgroups: out, number of rows for cgroups
 * @nr_cgroups: out, number of these rows in use
 * @max_live: out, number of blocks that can be followed at the same time. Without
 *	MEMPROF_START_ALLOC this and the next three fields are 0
 * @nr_live: out, number of blocks that are followed now
 * @max_sites: out, number of rows for callsites
 * @nr_sites: out, number of these rows in use
 *
 * The ioctl works in every state of a session.
 */
struct memprof_status {
	__u32 size;
	__u32 state;
	__u32 flags;
	__u32 session;
	__u32 streams;
	__u32 minor_period;
	__u32 major_period;
	__u32 nr_targets;
	__aligned_u64 start_ns;
	__aligned_u64 stop_ns;
	__aligned_u64 reset_ns;
	__aligned_u64 now_ns;
	__u32 max_processes;
	__u32 nr_processes;
	__u32 max_cgroups;
	__u32 nr_cgroups;
	__u32 max_live;
	__u32 nr_live;
	__u32 max_sites;
	__u32 nr_sites;
};

/**
 * enum memprof_snapshot_flag - options of SNAPSHOT
 * @MEMPROF_SNAPSHOT_RESET: copy each tally and set it to zero in one step. So the
 *	sum of consecutive snapshots is exact: each event is counted once.
 * @MEMPROF_SNAPSHOT_BLOCKS: also copy the living blocks that are followed, for
 *	MEMPROF_READ_BLOCKS. The copy takes 48 bytes per block, until the next
 *	snapshot. Modules without MEMPROF_FEATURE_BLOCKS return EINVAL.
 */
enum memprof_snapshot_flag {
	MEMPROF_SNAPSHOT_RESET	= 1 << 0,
	MEMPROF_SNAPSHOT_BLOCKS	= 1 << 1,
};

/**
 * struct memprof_snapshot - MEMPROF_IOC_SNAPSHOT: copy the tallies for READ
 * @size: sizeof(struct memprof_snapshot)
 * @flags: enum memprof_snapshot_flag bits
 * @nr_processes: out, number of rows of MEMPROF_READ_PROCESSES
 * @nr_cgroups: out, number of rows of MEMPROF_READ_CGROUPS
 * @nr_counters: out, number of rows of MEMPROF_READ_COUNTERS
 * @__reserved: zero
 * @time_ns: out, time of the copy
 * @nr_sites: out, number of rows of MEMPROF_READ_SITES
 * @nr_binaries: out, number of rows of MEMPROF_READ_BINARIES
 * @nr_blocks: out, number of rows of MEMPROF_READ_BLOCKS; 0 without
 *	MEMPROF_SNAPSHOT_BLOCKS
 * @nr_left_blocks: out, number of blocks that found no room in the copy, because very
 *	many were allocated meanwhile
 *
 * The copy replaces the earlier copy of the session. Probes run during the copy. So
 * each value is exact, but it is possible that only one of two values of a row
 * includes the latest event.
 *
 * Errors: EBUSY the session is idle; ENOMEM.
 */
struct memprof_snapshot {
	__u32 size;
	__u32 flags;
	__u32 nr_processes;
	__u32 nr_cgroups;
	__u32 nr_counters;
	__u32 __reserved;
	__aligned_u64 time_ns;
	__u32 nr_sites;
	__u32 nr_binaries;
	__u32 nr_blocks;
	__u32 nr_left_blocks;
};

/**
 * struct memprof_reset - MEMPROF_IOC_RESET: set the tallies to zero
 * @size: sizeof(struct memprof_reset)
 * @__reserved: zero
 *
 * Rows of exited processes are removed. The last snapshot stays readable.
 *
 * Errors: EBUSY the session is not running; ENOMEM memory is short, and nothing was
 * reset.
 */
struct memprof_reset {
	__u32 size;
	__u32 __reserved;
};

/**
 * enum memprof_read_table - the tables of a snapshot
 * @MEMPROF_READ_PROCESSES: struct memprof_process
 * @MEMPROF_READ_CGROUPS: struct memprof_cgroup
 * @MEMPROF_READ_COUNTERS: struct memprof_counter
 * @MEMPROF_READ_SITES: struct memprof_site
 * @MEMPROF_READ_BINARIES: struct memprof_binary
 * @MEMPROF_READ_BLOCKS: struct memprof_living_block, in no order. Modules without
 *	MEMPROF_FEATURE_BLOCKS return EINVAL
 */
enum memprof_read_table {
	MEMPROF_READ_PROCESSES	= 0,
	MEMPROF_READ_CGROUPS	= 1,
	MEMPROF_READ_COUNTERS	= 2,
	MEMPROF_READ_SITES	= 3,
	MEMPROF_READ_BINARIES	= 4,
	MEMPROF_READ_BLOCKS	= 5,
};

/**
 * struct memprof_read - MEMPROF_IOC_READ: read some rows of the last snapshot
 * @size: sizeof(struct memprof_read)
 * @table: enum memprof_read_table
 * @first: index of the first row to read
 * @nr: in, number of rows that fit into the buffer; out, number of rows written;
 *	0 if @first is past the end of the table
 * @entry_size: size of the row's struct as the caller knows it, a multiple of 8.
 *	Each row in the buffer takes this many bytes. Fields that the kernel
 *	does not know are written as zero. Fields that the caller does not know
 *	are left out.
 * @__reserved: zero
 * @entries: address of the buffer
 *
 * Errors: ENODATA the session has no snapshot; EINVAL entry_size is 0, larger
 * than MEMPROF_MAX_ENTRY_SIZE or not a multiple of 8.
 */
struct memprof_read {
	__u32 size;
	__u32 table;
	__u32 first;
	__u32 nr;
	__u32 entry_size;
	__u32 __reserved;
	__aligned_u64 entries;
};

/**
 * struct memprof_tally - sums of faults and growth of a process or a cgroup
 * @minor_faults: estimate: minor_samples x period
 * @major_faults: estimate: major_samples x period
 * @minor_samples: number of minor faults that were sampled
 * @major_samples: number of major faults that were sampled
 * @nr_growth: number of times that an address space grew or shrank
 * @brk_up_bytes: bytes by which brk raised the break
 * @brk_down_bytes: bytes by which brk lowered the break
 * @mmap_up_bytes: bytes by which the other calls, and stacks that grow, enlarged
 *	what can be accessed
 * @mmap_down_bytes: bytes by which the other calls shrank it. In the row of a cgroup: when a process exits or moves
 *	to another cgroup, the bytes by which it grew in this cgroup are added to
 *	this and to @brk_down_bytes.
 * @growth_peak_bytes: highest value, since START or the last reset, of brk_up -
 *	brk_down + mmap_up - mmap_down; never below 0
 *
 * The size of an address space is the number of bytes that can be accessed: what is
 * reserved with PROT_NONE is not in it. Growth is exact, with one exception. The counter
 * growth_overlapped counts calls whose range could not be read, because another thread
 * changed the same address space, or because it has too many mappings. For a call that
 * removes, the length in its arguments is added, and for one that replaces nothing.
 */
struct memprof_tally {
	__aligned_u64 minor_faults;
	__aligned_u64 major_faults;
	__aligned_u64 minor_samples;
	__aligned_u64 major_samples;
	__aligned_u64 nr_growth;
	__aligned_u64 brk_up_bytes;
	__aligned_u64 brk_down_bytes;
	__aligned_u64 mmap_up_bytes;
	__aligned_u64 mmap_down_bytes;
	__aligned_u64 growth_peak_bytes;
};

/**
 * struct memprof_resident - resident memory, by the kernel's own counters
 * @anon_bytes: private anonymous pages
 * @file_bytes: pages of mapped files
 * @shmem_bytes: pages of shared memory and tmpfs
 * @swap_bytes: anonymous pages in swap; not part of RSS
 *
 * RSS = anon + file + shmem, as in /proc/PID/status.
 */
struct memprof_resident {
	__aligned_u64 anon_bytes;
	__aligned_u64 file_bytes;
	__aligned_u64 shmem_bytes;
	__aligned_u64 swap_bytes;
};

/**
 * struct memprof_alloc - sums of the calls of allocators
 * @alloc_objects: number of successful allocations
 * @alloc_space: bytes that these allocations requested
 * @free_objects: number of these blocks that were freed
 * @inuse_objects: number of these blocks that are in use now
 * @inuse_space: bytes of the blocks in use
 * @peak_space: highest value of @inuse_space since START or the last reset. Exact
 *	when every allocation is followed.
 * @failed: number of allocations that returned NULL
 * @temporary_objects: number of blocks that a thread freed before it allocated
 *	another block
 * @unknown_frees: number of frees of blocks that are not followed: blocks older
 *	than the session, and double frees. It is 0 when allocations are sampled,
 *	because then most freed blocks were not sampled.
 * @inherited_objects: number of blocks that were in use in the parent at fork, and
 *	so are in use in the child's copy; not part of @inuse_objects
 * @inherited_space: bytes of the inherited blocks
 * @inherited_frees: number of inherited blocks that the child freed
 * @samples: number of allocations that were followed
 *
 * When allocations are sampled, all values except @samples are unbiased estimates: a
 * sample of n bytes counts as 1 / (1 - exp(-n / rate)) allocations.
 */
struct memprof_alloc {
	__aligned_u64 alloc_objects;
	__aligned_u64 alloc_space;
	__aligned_u64 free_objects;
	__aligned_u64 inuse_objects;
	__aligned_u64 inuse_space;
	__aligned_u64 peak_space;
	__aligned_u64 failed;
	__aligned_u64 temporary_objects;
	__aligned_u64 unknown_frees;
	__aligned_u64 inherited_objects;
	__aligned_u64 inherited_space;
	__aligned_u64 inherited_frees;
	__aligned_u64 samples;
};

/**
 * enum memprof_process_flag - flags of a row
 * @MEMPROF_PROCESS_EXITED: the address space has ended: the process exited, or
 *	exec replaced its program. resident has the last sizes.
 * @MEMPROF_PROCESS_FOLDED: the row is not a process, but the sum of exited
 *	processes whose rows were reused. pid and resident are zero.
 * @MEMPROF_PROCESS_OVERFLOW: the row is not a process, but the sum of events of
 *	processes that got no row, because the table was full of living processes.
 *	pid and resident are zero.
 * @MEMPROF_PROCESS_LEFT: the process is living, but is no longer a target: it moved
 *	to another cgroup or has another name. Only its frees of followed blocks are
 *	still counted. Its sizes are in no cgroup's row.
 */
enum memprof_process_flag {
	MEMPROF_PROCESS_EXITED	 = 1 << 0,
	MEMPROF_PROCESS_FOLDED	 = 1 << 1,
	MEMPROF_PROCESS_OVERFLOW = 1 << 2,
	MEMPROF_PROCESS_LEFT	 = 1 << 3,
};

/**
 * struct memprof_process - a row of MEMPROF_READ_PROCESSES: one address space
 * @pid: process that owns the address space
 * @flags: enum memprof_process_flag bits; 0 for a process that was living at the
 *	snapshot or, in a stopped session, at STOP
 * @comm: name of the process's main thread; after exit, the last name
 * @cgroup: id of the process's cgroup v2; after exit, id of the last cgroup
 * @start_ns: start time of the process, CLOCK_BOOTTIME. @pid and @start_ns
 *	together identify a process. A process that called exec has a row for
 *	each program that it ran.
 * @exit_ns: time when the address space ended; 0 while it is living
 * @tally: faults and growth since START or the last reset
 * @resident: sizes at the snapshot, or at STOP, or at exit
 * @peak: highest value of each field of @resident at any probe or snapshot since the
 *	row was made. A short peak between two probes is not noticed.
 * @peak_rss_bytes: the kernel's own high-water mark of RSS (VmHWM), over the
 *	whole life of the address space
 * @alloc: allocations of the process; nothing is in use after exit
 * @at_exit_space: bytes of its blocks that its exit or exec ended
 * @advised_bytes: bytes of ranges that madvise gave back since START or the last reset:
 *	MADV_DONTNEED, MADV_DONTNEED_LOCKED, MADV_FREE, MADV_REMOVE. Pages that were not
 *	present count, too
 */
struct memprof_process {
	__u32 pid;
	__u32 flags;
	char comm[MEMPROF_COMM_LEN];
	__aligned_u64 cgroup;
	__aligned_u64 start_ns;
	__aligned_u64 exit_ns;
	struct memprof_tally tally;
	struct memprof_resident resident;
	struct memprof_resident peak;
	__aligned_u64 peak_rss_bytes;
	struct memprof_alloc alloc;
	__aligned_u64 at_exit_space;
	__aligned_u64 advised_bytes;
};

/**
 * enum memprof_cgroup_flag - flags of a row
 * @MEMPROF_CGROUP_OVERFLOW: the row is not a cgroup. It is the sum of events in
 *	cgroups that got no row because the table was full, and of removed cgroups
 *	whose rows were reused. id is 0.
 */
enum memprof_cgroup_flag {
	MEMPROF_CGROUP_OVERFLOW	= 1 << 0,
};

/**
 * struct memprof_cgroup - a row of MEMPROF_READ_CGROUPS: one cgroup v2
 * @id: inode number of the cgroup's directory
 * @flags: enum memprof_cgroup_flag bits
 * @nr_processes: number of living target processes in the cgroup, without the
 *	cgroups below it
 * @tally: faults and growth of tasks while they were in the cgroup, without the
 *	cgroups below it
 * @resident: sum over these living processes. A page that several of them map counts
 *	once per process.
 * @peak_rss_bytes: highest sum of RSS at any snapshot
 * @path: path from the root of the hierarchy, "/" for the root; empty if it does not
 *	fit
 * @alloc: blocks that tasks allocated while they were in the cgroup. The free of such
 *	a block counts here, too, even if the task is in another cgroup then
 * @at_exit_space: bytes of these blocks that an exit or an exec ended
 * @advised_bytes: as in struct memprof_process, of tasks while they were in the cgroup
 */
struct memprof_cgroup {
	__aligned_u64 id;
	__u32 flags;
	__u32 nr_processes;
	struct memprof_tally tally;
	struct memprof_resident resident;
	__aligned_u64 peak_rss_bytes;
	char path[MEMPROF_PATH_LEN];
	struct memprof_alloc alloc;
	__aligned_u64 at_exit_space;
	__aligned_u64 advised_bytes;
};

/**
 * enum memprof_site_flag - flags of a row
 * @MEMPROF_SITE_DROPPED: the row is not a callsite. It is the sum of allocations that
 *	found the table of callsites full, and of callsites of exited processes whose
 *	rows other callsites needed. address is 0.
 */
enum memprof_site_flag {
	MEMPROF_SITE_DROPPED	= 1 << 0,
};

/**
 * struct memprof_site - a row of MEMPROF_READ_SITES: a caller of allocators
 * @address: return address of the allocator calls, in the process
 * @binary: number of the row of MEMPROF_READ_BINARIES for the file that contains
 *	@address, from 1; 0: not known
 * @flags: enum memprof_site_flag bits
 * @offset: offset of @address in that file
 * @pid: process id
 * @func: enum memprof_func of the first call
 * @start_ns: start time of the process, as in struct memprof_process. @pid and
 *	@start_ns together identify the process
 * @alloc: allocations of these calls
 * @growth_bytes: net growth of the address space inside these calls
 * @inside_faults: estimated number of faults inside these calls
 * @block_faults: estimated number of faults outside these calls, on blocks that
 *	they allocated
 * @sizes: number of allocations by size; bin i: 2^(i-1) <= bytes < 2^i, bin 0: 0
 * @lifetimes: number of freed blocks by age; bin i: 2^(i-1) <= ns < 2^i
 * @at_peak_space: bytes of its blocks that were in use when @peak_space of the process
 *	was reached. The error is less than 64 KiB for each thread of the process.
 * @at_exit_space: bytes of its blocks that an exit or an exec ended
 * @shrunk_bytes: bytes by which the address space shrank inside these calls; they are
 *	subtracted in @growth_bytes
 * @advised_bytes: as in struct memprof_process, inside these calls
 *
 * If two processes run the same code, a callsite in it has two rows, with the same
 * path and the same @offset.
 */
struct memprof_site {
	__aligned_u64 address;
	__u32 binary;
	__u32 flags;
	__aligned_u64 offset;
	__u32 pid;
	__u32 func;
	__aligned_u64 start_ns;
	struct memprof_alloc alloc;
	__aligned_s64 growth_bytes;
	__aligned_u64 inside_faults;
	__aligned_u64 block_faults;
	__aligned_u64 sizes[MEMPROF_HISTOGRAM];
	__aligned_u64 lifetimes[MEMPROF_HISTOGRAM];
	__aligned_u64 at_peak_space;
	__aligned_u64 at_exit_space;
	__aligned_u64 shrunk_bytes;
	__aligned_u64 advised_bytes;
};

/**
 * struct memprof_binary - a row of MEMPROF_READ_BINARIES: a mapped file
 * @inode: inode number of the file
 * @dev_major: major device number of the file system
 * @dev_minor: minor device number of the file system
 * @path: path in the mount namespace of the first process that had a callsite in
 *	the file; empty if it does not fit
 */
struct memprof_binary {
	__aligned_u64 inode;
	__u32 dev_major;
	__u32 dev_minor;
	char path[MEMPROF_PATH_LEN];
};

/**
 * struct memprof_living_block - a row of MEMPROF_READ_BLOCKS: a block that is followed
 * @address: of the block, in the process
 * @bytes: requested size
 * @weight_bytes: bytes that the block stands for; @bytes if each allocation is followed
 * @callsite: address in struct memprof_site, of the same @pid and @start_ns; 0: the row
 *	with MEMPROF_SITE_DROPPED
 * @start_ns: start time of the process, as in struct memprof_process
 * @pid: process id
 * @__reserved: zero
 *
 * Each block was living at some time during the snapshot. A block that was allocated or
 * freed meanwhile may be missing. Blocks of address spaces that have ended, and blocks that
 * a child inherited, have no rows.
 */
struct memprof_living_block {
	__aligned_u64 address;
	__aligned_u64 bytes;
	__aligned_u64 weight_bytes;
	__aligned_u64 callsite;
	__aligned_u64 start_ns;
	__u32 pid;
	__u32 __reserved;
};

/* Limits of struct memprof_python, and of the trace event memprof:python. */
#define MEMPROF_PYTHON_DISTANCE	(1U << 20)	/* of other fields than those of frames */
#define MEMPROF_PYTHON_FRAME	128		/* bytes of a frame that are read */
#define MEMPROF_PYTHON_DEPTH	48		/* functions in an event */

/**
 * struct memprof_python - MEMPROF_IOC_PYTHON: where a process has its Python interpreter
 * @size: sizeof(struct memprof_python)
 * @pid: process id
 * @runtime: address of the interpreter's _PyRuntime
 * @eval_start, @eval_end: addresses of the code that runs functions of Python; only passed
 *	on to the events
 * @runtime_interpreters: of the runtime, where it points to the first interpreter. This
 *	and the following are distances in bytes from the begin of a structure
 * @interpreter_next, @interpreter_threads: of an interpreter, where it points to the next
 *	one, and to its first thread
 * @thread_next, @thread_id, @thread_self, @thread_control: of a thread: the next one, its id
 *	as gettid() and as pthread_self() return it, and the innermost frame; or what points to
 *	that at @control_frame. On x86-64 @thread_self counts, because a child by fork may
 *	have the other one of its parent; elsewhere @thread_id
 * @control_frame: see above; 0: @thread_control points to the frame
 * @frame_size: bytes from a frame's begin that contain the following fields, a multiple of 8
 *	and at most MEMPROF_PYTHON_FRAME
 * @frame_previous, @frame_code, @frame_instr: of a frame: the next outer one, the code
 *	object, and the instruction that runs
 * @frame_mark, @mark_value: the byte of a frame that has this value if the frame is the
 *	last one that a function of C runs
 *
 * From then on, each event of the process in this session that alloc, fault or growth emit
 * follows an event memprof:python of the same thread, if anybody listens to that. Children
 * inherit it by fork. exec forgets it.
 *
 * Errors: EBUSY the session is not running; ESRCH no such process, or it is not a target;
 * EEXIST it was said already; EINVAL a distance is above its limit.
 */
struct memprof_python {
	__u32 size;
	__u32 pid;
	__aligned_u64 runtime;
	__aligned_u64 eval_start;
	__aligned_u64 eval_end;
	__u32 runtime_interpreters;
	__u32 interpreter_next;
	__u32 interpreter_threads;
	__u32 thread_next;
	__u32 thread_id;
	__u32 thread_self;
	__u32 thread_control;
	__u32 control_frame;
	__u32 frame_size;
	__u32 frame_previous;
	__u32 frame_code;
	__u32 frame_instr;
	__u32 frame_mark;
	__u32 mark_value;
};

/**
 * enum memprof_python_flag - flags of the event memprof:python
 * @MEMPROF_PYTHON_CUT: outer functions are missing
 * @MEMPROF_PYTHON_RUNS: a frame with MEMPROF_PYTHON_LAST is a function of Python, too. Else
 *	it stands only for the function of C, as from Python 3.12 on
 */
enum memprof_python_flag {
	MEMPROF_PYTHON_CUT	= 1 << 0,
	MEMPROF_PYTHON_RUNS	= 1 << 1,
};

/* In the address of a code object: the frame is the last one that a function of C runs. */
#define MEMPROF_PYTHON_LAST	1

/**
 * struct memprof_counter - a row of MEMPROF_READ_COUNTERS
 * @name: name of the counter, such as "fault_not_target"
 * @value: number of events since START; a reset does not change it
 *
 * There is a counter for each reason why an event was not counted, not emitted, or
 * counted less exactly. Documentation/uapi.rst explains each counter.
 */
struct memprof_counter {
	char name[MEMPROF_NAME_LEN];
	__aligned_u64 value;
};

#define MEMPROF_IOC_INFO	_IO(MEMPROF_IOC_TYPE, 0x00)
#define MEMPROF_IOC_TARGET	_IO(MEMPROF_IOC_TYPE, 0x01)
#define MEMPROF_IOC_START	_IO(MEMPROF_IOC_TYPE, 0x02)
#define MEMPROF_IOC_STOP	_IO(MEMPROF_IOC_TYPE, 0x03)
#define MEMPROF_IOC_STATUS	_IO(MEMPROF_IOC_TYPE, 0x04)
#define MEMPROF_IOC_SNAPSHOT	_IO(MEMPROF_IOC_TYPE, 0x05)
#define MEMPROF_IOC_RESET	_IO(MEMPROF_IOC_TYPE, 0x06)
#define MEMPROF_IOC_READ	_IO(MEMPROF_IOC_TYPE, 0x07)
#define MEMPROF_IOC_PROBE	_IO(MEMPROF_IOC_TYPE, 0x08)
/* The ioctl numbers 0x09 to 0x0c are in memprof_section.h. */
#define MEMPROF_IOC_PYTHON	_IO(MEMPROF_IOC_TYPE, 0x0d)

#endif /* _UAPI_LINUX_MEMPROF_H */

/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * memprof: the contract between memprof.ko and user space
 *
 * A session belongs to one open file of /dev/memprof:
 *
 *	open -> idle -- START --> running -- STOP --> stopped -- close
 *
 * Targets are added while idle. SNAPSHOT copies every tally of a running or
 * stopped session; READ fetches that copy in pieces. Closing the file, or the
 * death of its last holder, ends the session and frees all that it held.
 *
 * Every ioctl takes a pointer to a struct whose first field is its size as the
 * caller knows it. A kernel that knows a longer struct reads the missing tail
 * as zero; a kernel that knows a shorter one accepts the longer struct when the
 * tail is zero. Released fields never change their place or their meaning; new
 * ones are appended.
 *
 * Sections (MEMPROF_IOC_SECTION_*) need no session: they account for named parts
 * of the calling thread's own run. Its sections belong to the open file and are
 * gone with it, with the thread, and with exec.
 *
 * Errors that any ioctl may return:
 *
 *	ENOTTY	the ioctl is unknown to this kernel
 *	EINVAL	size is smaller than the first released struct; an unknown flag
 *		or kind; a reserved field is not zero; a value out of its
 *		documented range
 *	E2BIG	size is larger than the struct this kernel knows and the tail is
 *		not zero, or size is larger than a page
 *	EFAULT	the struct, or a buffer that it names, is not accessible
 *	EPERM	the caller has neither CAP_PERFMON nor CAP_SYS_ADMIN in the
 *		initial user namespace (every ioctl but MEMPROF_IOC_INFO and
 *		those of sections)
 *	EBUSY	the session is in the wrong state for this ioctl
 *	EINTR	a signal came while waiting for another ioctl on the same file
 *
 * Sizes are bytes, times are nanoseconds of CLOCK_MONOTONIC, process ids are
 * those of the initial PID namespace, unless a field says otherwise.
 */
#ifndef _UAPI_LINUX_MEMPROF_H
#define _UAPI_LINUX_MEMPROF_H

#include <linux/ioctl.h>
#include <linux/types.h>
#include "memprof_section.h"

#define MEMPROF_DEVICE		"/dev/memprof"
#define MEMPROF_VERSION		1

#define MEMPROF_IOC_TYPE	0xE7

/* Limits. max_processes and max_cgroups of a session are set by START. */
#define MEMPROF_MAX_SESSIONS	8	/* running at once, on the machine */
#define MEMPROF_MAX_TARGETS	64	/* of one session, of all kinds together */
#define MEMPROF_MAX_PROCESSES	(1U << 20)
#define MEMPROF_MAX_CGROUPS	(1U << 16)
#define MEMPROF_MAX_PERIOD	(1U << 24)
#define MEMPROF_MAX_ENTRY_SIZE	4096

#define MEMPROF_DEFAULT_MINOR_PERIOD	100
#define MEMPROF_DEFAULT_MAJOR_PERIOD	1
#define MEMPROF_DEFAULT_PROCESSES	16384
#define MEMPROF_DEFAULT_CGROUPS		1024

/* Allocations: see struct memprof_probe, struct memprof_start. */
#define MEMPROF_MAX_PROBES	512	/* of one session */
#define MEMPROF_MAX_LIVE	(1U << 26)
#define MEMPROF_MAX_SITES	(1U << 20)
#define MEMPROF_MAX_RATE	(1ULL << 40)
#define MEMPROF_DEFAULT_RATE	(512ULL << 10)
#define MEMPROF_DEFAULT_SITES	16384
#define MEMPROF_HISTOGRAM	48	/* bins, by powers of two */

#define MEMPROF_COMM_LEN	16
#define MEMPROF_PATH_LEN	512
#define MEMPROF_NAME_LEN	32

/**
 * struct memprof_info - MEMPROF_IOC_INFO: what this module can do
 * @size: sizeof(struct memprof_info)
 * @version: out, MEMPROF_VERSION of the module
 * @features: out, enum memprof_feature bits
 * @max_sessions: out, sessions that may run at once
 * @max_targets: out, targets a session may have
 * @nr_sessions: out, sessions running now
 * @page_size: out, bytes in a page, the unit of a fault
 * @__reserved: zero
 * @section_tasks: out, threads that have sections now, of the whole machine
 * @__reserved2: zero
 *
 * Needs no privilege beyond the open file. Works in every state.
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
 * enum memprof_feature - what a session can observe on this kernel
 * @MEMPROF_FEATURE_FAULTS: sampled page faults
 * @MEMPROF_FEATURE_GROWTH: brk, mmap, munmap, mremap
 * @MEMPROF_FEATURE_ALLOC: calls of allocators, by MEMPROF_IOC_PROBE
 * @MEMPROF_FEATURE_SKIP_RETURN: an allocation that is not sampled does not
 *	pay for the return probe on this kernel
 * @MEMPROF_FEATURE_SECTIONS: MEMPROF_IOC_SECTION_*
 */
enum memprof_feature {
	MEMPROF_FEATURE_FAULTS	= 1 << 0,
	MEMPROF_FEATURE_GROWTH	= 1 << 1,
	MEMPROF_FEATURE_ALLOC	= 1 << 2,
	MEMPROF_FEATURE_SKIP_RETURN = 1 << 3,
	MEMPROF_FEATURE_SECTIONS = 1 << 4,
};

/**
 * enum memprof_target_kind - what a target names
 * @MEMPROF_TARGET_ALL: every process
 * @MEMPROF_TARGET_PROCESS: the process @id
 * @MEMPROF_TARGET_CGROUP: tasks in the cgroup v2 @id or below it, at the time
 *	of the event
 * @MEMPROF_TARGET_COMM: processes whose main thread bears the name @comm, at
 *	the time of the event
 */
enum memprof_target_kind {
	MEMPROF_TARGET_ALL	= 0,
	MEMPROF_TARGET_PROCESS	= 1,
	MEMPROF_TARGET_CGROUP	= 2,
	MEMPROF_TARGET_COMM	= 3,
};

/**
 * enum memprof_target_flag - how a target spreads
 * @MEMPROF_TARGET_CHILDREN: the descendants of the process are targets too:
 *	those that live at START and those forked later, whatever becomes of
 *	their parents; MEMPROF_TARGET_PROCESS only
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
 * @id: the process id, in the caller's PID namespace, or the cgroup id (the
 *	inode number of its directory); zero for the other kinds
 * @comm: the name, NUL-terminated; zero for the other kinds
 *
 * A task that matches any target is a target. A session without targets cannot
 * start.
 *
 * Errors: EBUSY not idle; ENOSPC MEMPROF_MAX_TARGETS reached; EEXIST the same
 * target is there; ESRCH no such process; ENOENT no such cgroup.
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
 * enum memprof_start_flag - the streams of a session
 * @MEMPROF_START_FAULTS: sample page faults
 * @MEMPROF_START_GROWTH: follow brk, mmap, munmap and mremap
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
 * @flags: enum memprof_start_flag bits; none is allowed: resident sizes only
 * @minor_period: one sample per this many minor faults of a CPU; 0 for
 *	MEMPROF_DEFAULT_MINOR_PERIOD; at most MEMPROF_MAX_PERIOD
 * @major_period: the same for major faults, MEMPROF_DEFAULT_MAJOR_PERIOD
 * @max_processes: rows to keep for processes, living and exited; 0 for
 *	MEMPROF_DEFAULT_PROCESSES; at most MEMPROF_MAX_PROCESSES
 * @max_cgroups: rows to keep for cgroups; 0 for MEMPROF_DEFAULT_CGROUPS; at
 *	most MEMPROF_MAX_CGROUPS
 *
 * @alloc_rate: with MEMPROF_START_ALLOC, mean bytes between two samples; 1
 *	follows every allocation; 0 for MEMPROF_DEFAULT_RATE; at most
 *	MEMPROF_MAX_RATE
 * @max_live: blocks to follow at once; 0 for the module parameter of this
 *	name (1M by default); at most MEMPROF_MAX_LIVE
 * @max_sites: callsites to keep; 0 for MEMPROF_DEFAULT_SITES; at most
 *	MEMPROF_MAX_SITES
 *
 * The tables are allocated here, once, and charged to the caller's cgroup.
 *
 * Errors: EBUSY not idle; EDESTADDRREQ no target was added; ENOMEM;
 * EUSERS MEMPROF_MAX_SESSIONS are running; ESRCH a target process has exited;
 * EOPNOTSUPP this kernel lacks what a flag asks for (see MEMPROF_IOC_INFO).
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
 * enum memprof_func - the allocator function at a probe point
 * @MEMPROF_FUNC_MALLOC: pointer f(size, ...); also Rust's alloc, alloc_zeroed
 * @MEMPROF_FUNC_CALLOC: pointer f(number, size)
 * @MEMPROF_FUNC_REALLOC: pointer f(pointer, size)
 * @MEMPROF_FUNC_REALLOCARRAY: pointer f(pointer, number, size)
 * @MEMPROF_FUNC_MEMALIGN: pointer f(alignment, size); also aligned_alloc
 * @MEMPROF_FUNC_POSIX_MEMALIGN: 0 f(&pointer, alignment, size)
 * @MEMPROF_FUNC_FREE: f(pointer, ...); also free_sized, Rust's dealloc
 * @MEMPROF_FUNC_RUST_REALLOC: pointer f(pointer, old size, alignment, size)
 * @MEMPROF_FUNC_USDT_ALLOC: a static probe (pointer, size, weighted bytes),
 *	already sampled by the program; @args tell where they are
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
 * struct memprof_probe_arg - where a static probe finds an argument
 * @kind: 0 a constant, @value; 1 the register @reg; 2 the 8 bytes in memory
 *	at register @reg + @value
 * @reg: number of the register in the order of perf's sample_regs_user
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
 * @offset: of the probe point in the file. Not checked: it must be the start
 *	of an instruction at, or shortly after, the function's entry, where the
 *	arguments are still in place and the return address is still on top of
 *	the stack; a wrong one corrupts the programs that run the binary.
 * @ref_ctr_offset: of a static probe's semaphore in the file, or 0
 * @args: for static probes, else zero
 *
 * Processes that are no targets are not slowed. Later processes that map the
 * binary are probed too. An idle session puts its probes in place at START, a
 * running one at once.
 *
 * Errors: EBUSY the session is stopped, or runs without MEMPROF_START_ALLOC;
 * EBADF; EEXIST this point is probed; ENOSPC MEMPROF_MAX_PROBES reached;
 * EOPNOTSUPP; an errno of the kernel's uprobes (EIO the file cannot be mapped,
 * EINVAL offset is past its end).
 */
struct memprof_probe {
	__u32 size;
	__u32 func;
	__s32 fd;
	__u32 __reserved;
	__aligned_u64 offset;
	__aligned_u64 ref_ctr_offset;
	struct memprof_probe_arg args[3];
};

/**
 * struct memprof_stop - MEMPROF_IOC_STOP: running -> stopped
 * @size: sizeof(struct memprof_stop)
 * @__reserved: zero
 *
 * When it returns no probe of this session runs any more; the tallies stay.
 *
 * Errors: EBUSY not running.
 */
struct memprof_stop {
	__u32 size;
	__u32 __reserved;
};

/**
 * enum memprof_state - of a session
 * @MEMPROF_STATE_IDLE: open, not started
 * @MEMPROF_STATE_RUNNING: probes are in place
 * @MEMPROF_STATE_STOPPED: probes are gone, tallies can be read
 */
enum memprof_state {
	MEMPROF_STATE_IDLE	= 0,
	MEMPROF_STATE_RUNNING	= 1,
	MEMPROF_STATE_STOPPED	= 2,
};

/**
 * enum memprof_status_flag - of a session
 * @MEMPROF_STATUS_FAILED: an internal inconsistency was found (the kernel log
 *	has one line on it); the session samples nothing since then
 */
enum memprof_status_flag {
	MEMPROF_STATUS_FAILED	= 1 << 0,
};

/**
 * struct memprof_status - MEMPROF_IOC_STATUS: how the session stands
 * @size: sizeof(struct memprof_status)
 * @state: out, enum memprof_state
 * @flags: out, enum memprof_status_flag bits
 * @session: out, the number that the tracepoints carry as "session"; 0 before
 *	START
 * @streams: out, enum memprof_start_flag bits that were asked for
 * @minor_period: out, in force
 * @major_period: out, in force
 * @nr_targets: out
 * @start_ns: out, 0 before START
 * @stop_ns: out, 0 before STOP
 * @reset_ns: out, when the tallies were last set to zero; start_ns at first
 * @now_ns: out, the time of this call
 * @max_processes: out, in force
 * @nr_processes: out, rows in use
 * @max_cgroups: out, in force
 * @nr_cgroups: out, rows in use
 *
 * Works in every state.
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
};

/**
 * enum memprof_snapshot_flag - what SNAPSHOT does besides
 * @MEMPROF_SNAPSHOT_RESET: take and zero each tally in one step, so that
 *	consecutive snapshots add up: no event is counted twice or lost
 */
enum memprof_snapshot_flag {
	MEMPROF_SNAPSHOT_RESET	= 1 << 0,
};

/**
 * struct memprof_snapshot - MEMPROF_IOC_SNAPSHOT: copy the tallies for READ
 * @size: sizeof(struct memprof_snapshot)
 * @flags: enum memprof_snapshot_flag bits
 * @nr_processes: out, rows of MEMPROF_READ_PROCESSES
 * @nr_cgroups: out, rows of MEMPROF_READ_CGROUPS
 * @nr_counters: out, rows of MEMPROF_READ_COUNTERS
 * @__reserved: zero
 * @time_ns: out, when the copy was made
 * @nr_sites: out, rows of MEMPROF_READ_SITES
 * @nr_binaries: out, rows of MEMPROF_READ_BINARIES
 *
 * The copy replaces the session's earlier one. Probes go on meanwhile: each
 * value is exact, two values of a row may be an event apart.
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
};

/**
 * struct memprof_reset - MEMPROF_IOC_RESET: set the tallies to zero
 * @size: sizeof(struct memprof_reset)
 * @__reserved: zero
 *
 * Rows of exited processes go. The last snapshot stays readable.
 *
 * Errors: EBUSY the session is not running; ENOMEM, with nothing reset.
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
 */
enum memprof_read_table {
	MEMPROF_READ_PROCESSES	= 0,
	MEMPROF_READ_CGROUPS	= 1,
	MEMPROF_READ_COUNTERS	= 2,
	MEMPROF_READ_SITES	= 3,
	MEMPROF_READ_BINARIES	= 4,
};

/**
 * struct memprof_read - MEMPROF_IOC_READ: a piece of the last snapshot
 * @size: sizeof(struct memprof_read)
 * @table: enum memprof_read_table
 * @first: row to begin with
 * @nr: in, rows that fit the buffer; out, rows written, 0 past the end
 * @entry_size: bytes between rows of the buffer, a multiple of 8: the row's
 *	struct as the caller knows it. Fields the kernel does not know are
 *	written as zero, fields the caller does not know are left out.
 * @__reserved: zero
 * @entries: address of the buffer
 *
 * Errors: ENODATA no snapshot was made; EINVAL entry_size is 0, over
 * MEMPROF_MAX_ENTRY_SIZE or no multiple of 8.
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
 * struct memprof_tally - what was seen of a process or of a cgroup
 * @minor_faults: estimate: minor_samples x period
 * @major_faults: estimate: major_samples x period
 * @minor_samples: minor faults that were sampled
 * @major_samples: major faults that were sampled
 * @nr_growth: successful calls of brk, mmap, munmap and mremap that changed
 *	the size of an address space
 * @brk_up_bytes: by which the heap segment rose
 * @brk_down_bytes: by which it fell
 * @mmap_up_bytes: by which mmap and mremap enlarged address spaces
 * @mmap_down_bytes: by which munmap, mremap and mmap over mappings shrank them
 * @growth_peak_bytes: the highest value, since START or the last reset, of
 *	brk_up - brk_down + mmap_up - mmap_down; never below 0
 *
 * Growth is exact, but for calls that the counter growth_overlapped counts:
 * munmap, a shrinking mremap, or a mapping over others, while another thread
 * changed the same address space. Of these munmap and mremap count with the
 * lengths in their arguments, a mapping over others as no change.
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
 * struct memprof_resident - resident memory, from the kernel's own counters
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
 * struct memprof_alloc - what allocators were asked for
 * @alloc_objects: successful allocations
 * @alloc_space: bytes that were asked for
 * @free_objects: blocks freed, of those
 * @inuse_objects: blocks living now
 * @inuse_space: their bytes
 * @peak_space: the highest value of @inuse_space since START or the last
 *	reset. Exact, were every allocation followed.
 * @failed: allocations that returned NULL; always counted one by one
 * @temporary_objects: freed by the thread that allocated them before it
 *	allocated again
 * @unknown_frees: of blocks that are not followed: older than the session, or
 *	freed twice; 0 when allocations are sampled, as they cannot be told then
 *	from blocks that were not sampled
 * @inherited_objects: blocks that lived in the parent when the process was
 *	forked, and so live in its copy; not in @inuse_objects
 * @inherited_space: their bytes
 * @inherited_frees: of these, freed by the child
 * @samples: allocations that were followed
 *
 * When allocations are sampled, all but @failed and @samples are unbiased
 * estimates: each sample of n bytes counts for 1 / (1 - exp(-n / rate)).
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
 * enum memprof_process_flag - of a row
 * @MEMPROF_PROCESS_EXITED: the address space is gone: the process exited, or
 *	replaced it by exec; resident holds its last sizes
 * @MEMPROF_PROCESS_FOLDED: not one process: the sum of exited ones whose rows
 *	were needed for others; @pid is 0 and resident is zero
 * @MEMPROF_PROCESS_OVERFLOW: not one process: what was seen of processes that
 *	found the table full of living ones; @pid is 0 and resident is zero
 */
enum memprof_process_flag {
	MEMPROF_PROCESS_EXITED	 = 1 << 0,
	MEMPROF_PROCESS_FOLDED	 = 1 << 1,
	MEMPROF_PROCESS_OVERFLOW = 1 << 2,
};

/**
 * struct memprof_process - a row of MEMPROF_READ_PROCESSES: one address space
 * @pid: the process that owns the address space
 * @flags: enum memprof_process_flag bits; none of a process that lived at the
 *	snapshot or, in a stopped session, at STOP
 * @comm: name of its main thread; the last one it had before exit
 * @cgroup: id of its cgroup v2; the last one it was in before exit
 * @start_ns: when the process was started, CLOCK_BOOTTIME. With @pid it names
 *	a process for good; a process that called exec has a row for each
 *	program that it ran.
 * @exit_ns: when the address space was torn down; 0 while it lives
 * @tally: what was seen since START or the last reset
 * @resident: sizes at the time of the snapshot, or at STOP, or at exit
 * @peak: the highest of each of @resident at any probe or snapshot since the
 *	row was made; a short peak between two samples can be missed
 * @peak_rss_bytes: the kernel's own high-water mark of RSS (VmHWM), over the
 *	whole life of the address space
 * @alloc: its allocations; inuse is 0 once it has exited
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
};

/**
 * enum memprof_cgroup_flag - of a row
 * @MEMPROF_CGROUP_OVERFLOW: not one cgroup: what was seen in cgroups that
 *	found the table full; @id is 0
 */
enum memprof_cgroup_flag {
	MEMPROF_CGROUP_OVERFLOW	= 1 << 0,
};

/**
 * struct memprof_cgroup - a row of MEMPROF_READ_CGROUPS: one cgroup v2
 * @id: inode number of its directory
 * @flags: enum memprof_cgroup_flag bits
 * @nr_processes: living target processes in it; those below it not included
 * @tally: what tasks did while they were in it, those below not included
 * @resident: sum over those living processes; pages that they share count for
 *	each of them
 * @peak_rss_bytes: the highest RSS sum seen at any snapshot
 * @path: from the root of the hierarchy, "/" for the root; empty when it does
 *	not fit
 * @alloc: what tasks allocated while they were in it, wherever it was freed
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
};

/**
 * enum memprof_site_flag - of a row
 * @MEMPROF_SITE_DROPPED: not one callsite: what was allocated at callsites
 *	that found the table full; @address is 0
 */
enum memprof_site_flag {
	MEMPROF_SITE_DROPPED	= 1 << 0,
};

/**
 * struct memprof_site - a row of MEMPROF_READ_SITES: a caller of allocators
 * @address: that the allocator returns to, in the process
 * @binary: row of MEMPROF_READ_BINARIES that @address is in, from 1; 0: none
 * @flags: enum memprof_site_flag bits
 * @offset: of @address in that binary's file
 * @pid: process
 * @func: enum memprof_func of its first call
 * @start_ns: as in struct memprof_process; with @pid it names the process
 * @alloc: what was allocated from here
 * @growth_bytes: net growth of the address space inside these calls
 * @inside_faults: faults inside these calls, by weight
 * @block_faults: faults elsewhere, on living blocks from here, by weight
 * @sizes: allocations by size, bin i: 2^(i-1) <= size < 2^i, bin 0: size 0
 * @lifetimes: freed blocks by age, bin i: 2^(i-1) <= ns < 2^i
 *
 * Sites of two processes that run the same code are two rows with the same
 * path and @offset.
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
};

/**
 * struct memprof_binary - a row of MEMPROF_READ_BINARIES: a mapped file
 * @inode: number
 * @dev_major: of its file system
 * @dev_minor: the same
 * @path: in the mount namespace of the process that used it first; empty when
 *	it does not fit
 */
struct memprof_binary {
	__aligned_u64 inode;
	__u32 dev_major;
	__u32 dev_minor;
	char path[MEMPROF_PATH_LEN];
};

/**
 * struct memprof_counter - a row of MEMPROF_READ_COUNTERS
 * @name: what is counted, such as "fault_not_target"
 * @value: how often, since START; resets leave it
 *
 * One for each reason for which an event was not counted, not emitted or
 * counted less exactly. Documentation/uapi.rst explains each.
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
/* 0x09 to 0x0c: sections */

#endif /* _UAPI_LINUX_MEMPROF_H */

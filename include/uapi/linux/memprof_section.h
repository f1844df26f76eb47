/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * memprof: sections, named parts of a thread's run
 *
 * A part of <linux/memprof.h>, which says what holds for every ioctl. They need
 * no privilege beyond the open file: a thread accounts for itself.
 */
#ifndef _UAPI_LINUX_MEMPROF_SECTION_H
#define _UAPI_LINUX_MEMPROF_SECTION_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* A name that older headers do not have. */
#ifndef __aligned_s64
#define __aligned_s64	__s64 __attribute__((aligned(8)))
#endif

/* Sections of one thread, by one open file; see struct memprof_section_mark. */
#define MEMPROF_SECTION_MAX_ID		255	/* bytes */
#define MEMPROF_SECTION_MAX_OPEN	128
#define MEMPROF_SECTION_MAX_COMPLETED	16384	/* waiting for a flush */
#define MEMPROF_SECTION_MAX_DEPTH	16	/* invocations */
/* And of the machine. */
#define MEMPROF_SECTION_MAX_TASKS	16384
#define MEMPROF_SECTION_MAX_FILES	16	/* of one thread */
#define MEMPROF_SECTION_MAX_BYTES	(256ULL << 20)

/**
 * enum memprof_section_meter - what a thread's sections are measured by
 * @MEMPROF_SECTION_CALLER: the caller's own value, which counts down
 * @MEMPROF_SECTION_TIME: the calling thread's CPU time, nanoseconds
 * @MEMPROF_SECTION_INSTRUCTIONS: instructions that it retired in user mode, where
 *	the machine counts them
 *
 * Of the last two, what passes inside of these ioctls is left out, and what it takes
 * to get there and back as far as MEMPROF_SECTION_GAUGE has measured that.
 */
enum memprof_section_meter {
	MEMPROF_SECTION_CALLER		= 0,
	MEMPROF_SECTION_TIME		= 1,
	MEMPROF_SECTION_INSTRUCTIONS	= 2,
};

/**
 * struct memprof_section_mark - MEMPROF_IOC_SECTION_START, _END
 * @size: sizeof(struct memprof_section_mark)
 * @id_len: bytes of the id; 0 is an id too
 * @id: address of the id: any bytes
 * @cu: of MEMPROF_SECTION_CALLER, what is left; else zero
 * @heap: bytes in use; 0: not known
 * @meter: enum memprof_section_meter
 * @__reserved: zero
 *
 * _START begins a section of the calling thread. _END ends the one of this id
 * that was started last; it completes and waits for a flush.
 *
 * Its total is what the meter shows from start to end; its net is that without
 * the totals of its direct children, the completed sections that started after
 * and ended before it. Heap counts where it is known at both. Differences that
 * would be negative are 0.
 *
 * Errors: ENAMETOOLONG id_len is over MEMPROF_SECTION_MAX_ID; EBUSY the thread's
 * sections, open ones or those that wait, have another meter; ENOMEM, also where
 * the sections of the machine take MEMPROF_SECTION_MAX_BYTES; of _START: EMFILE
 * MEMPROF_SECTION_MAX_OPEN are open; EUSERS MEMPROF_SECTION_MAX_TASKS threads have
 * sections, or this one has them through MEMPROF_SECTION_MAX_FILES open files;
 * EOPNOTSUPP the machine does not count instructions, or has no counter left; of
 * _END: ENOENT no section of this id is open; ENOSPC MEMPROF_SECTION_MAX_COMPLETED
 * wait for a flush: it has ended, and is lost; EIO its counter was taken away by
 * another user of perf: it has ended, and is lost.
 */
struct memprof_section_mark {
	__u32 size;
	__u32 id_len;
	__aligned_u64 id;
	__aligned_u64 cu;
	__aligned_u64 heap;
	__u32 meter;
	__u32 __reserved;
};

/**
 * enum memprof_section_flag - of a completed section
 * @MEMPROF_SECTION_HAS_HEAP: heap was known at its start and at its end
 */
enum memprof_section_flag {
	MEMPROF_SECTION_HAS_HEAP	= 1 << 0,
};

/**
 * struct memprof_section - a completed one; also what static probes of
 * libmemprof hand out
 * @index: from 1 since the last flush, in the order of completion
 * @total_cu: what the meter counted from start to end
 * @net_cu: without the totals of its direct children
 * @total_heap: by which heap grew
 * @net_heap: the same without its direct children
 * @remaining_heap: heap at its end
 * @start_seq: when it started, in the order of all starts and ends of the thread
 * @end_seq: when it ended: what started and ended in between is inside of it
 * @start_ns: CLOCK_MONOTONIC
 * @end_ns: the same
 * @left: sections that wait behind it in this flush
 * @allocated_bytes: what the thread allocated meanwhile, as sessions saw it
 * @freed_bytes: what it freed of followed blocks
 * @touched_bytes: pages that it touched first, by weight
 * @grown_bytes: by which it made its address space grow
 * @streams: enum memprof_start_flag bits: of which of these a session watched the
 *	thread at start and end; the others are 0
 * @flags: enum memprof_section_flag bits
 * @meter: enum memprof_section_meter
 * @id_len: bytes of the id
 * @id: the id, and zeros
 *
 * Where several sessions watch the thread, one of them counts for each stream.
 */
struct memprof_section {
	__aligned_u64 index;
	__aligned_u64 total_cu;
	__aligned_u64 net_cu;
	__aligned_u64 total_heap;
	__aligned_u64 net_heap;
	__aligned_u64 remaining_heap;
	__aligned_u64 start_seq;
	__aligned_u64 end_seq;
	__aligned_u64 start_ns;
	__aligned_u64 end_ns;
	__aligned_u64 left;
	__aligned_u64 allocated_bytes;
	__aligned_u64 freed_bytes;
	__aligned_u64 touched_bytes;
	__aligned_s64 grown_bytes;
	__u32 streams;
	__u32 flags;
	__u32 meter;
	__u32 id_len;
	char id[MEMPROF_SECTION_MAX_ID + 1];
};

/**
 * struct memprof_section_flush - MEMPROF_IOC_SECTION_FLUSH: take what completed
 * @size: sizeof(struct memprof_section_flush)
 * @nr: in, sections that fit the buffer; out, sections written, 0: none waits
 * @entry_size: as in struct memprof_read, of struct memprof_section
 * @__reserved: zero
 * @entries: address of the buffer; 0: sections are not written, and @nr is how
 *	many to forget at most
 * @left: out, sections that still wait
 * @lost: out, sections that found no room or whose counter was taken away, since the
 *	thread's first
 *
 * In the order of completion. What was written is forgotten, and seen by those
 * who listen to memprof:section. Indices begin anew when none waits. Open
 * sections stay open.
 *
 * Errors: EINVAL entry_size is 0, over MEMPROF_MAX_ENTRY_SIZE or no multiple of
 * 8; EFAULT what could not be written is not forgotten.
 */
struct memprof_section_flush {
	__u32 size;
	__u32 nr;
	__u32 entry_size;
	__u32 __reserved;
	__aligned_u64 entries;
	__aligned_u64 left;
	__aligned_u64 lost;
};

/**
 * enum memprof_section_op - of MEMPROF_IOC_SECTION_CALL
 * @MEMPROF_SECTION_INVOKE: an invocation begins: it has sections of its own, and
 *	knows none of its caller's, which it is not charged to
 * @MEMPROF_SECTION_RETURN: it ends, well or not: its sections, open or waiting,
 *	are forgotten. Flush before. The outermost one begins anew.
 * @MEMPROF_SECTION_GAUGE: nothing has passed since the last such call but the two
 *	system calls' way out and in. The running mean of some 30 is taken off between
 *	any two calls from then on, of all threads that use the open file. With @meter.
 */
enum memprof_section_op {
	MEMPROF_SECTION_INVOKE	= 0,
	MEMPROF_SECTION_RETURN	= 1,
	MEMPROF_SECTION_GAUGE	= 2,
};

/**
 * struct memprof_section_call - MEMPROF_IOC_SECTION_CALL: nested invocations
 * @size: sizeof(struct memprof_section_call)
 * @op: enum memprof_section_op
 * @meter: of MEMPROF_SECTION_GAUGE: enum memprof_section_meter; else zero
 * @__reserved: zero
 *
 * Errors: ELOOP MEMPROF_SECTION_MAX_DEPTH invocations are nested; EBUSY a flush
 * was read in part, or the meter is another; EOPNOTSUPP, ENOMEM, EUSERS as of
 * MEMPROF_IOC_SECTION_START.
 */
struct memprof_section_call {
	__u32 size;
	__u32 op;
	__u32 meter;
	__u32 __reserved;
};

#define MEMPROF_IOC_SECTION_START	_IO(0xE7, 0x09)
#define MEMPROF_IOC_SECTION_END		_IO(0xE7, 0x0a)
#define MEMPROF_IOC_SECTION_FLUSH	_IO(0xE7, 0x0b)
#define MEMPROF_IOC_SECTION_CALL	_IO(0xE7, 0x0c)

#endif /* _UAPI_LINUX_MEMPROF_SECTION_H */

/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * memprof: defines the ioctls for sections, which are named parts of a thread's run
 *
 * <linux/memprof.h> includes this file and describes the rules for every ioctl. The
 * ioctls here need no privilege beyond the open file, because a thread measures
 * only itself.
 */
#ifndef _UAPI_LINUX_MEMPROF_SECTION_H
#define _UAPI_LINUX_MEMPROF_SECTION_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* Older kernel headers do not define this type. */
#ifndef __aligned_s64
#define __aligned_s64	__s64 __attribute__((aligned(8)))
#endif

/* Limits per thread and open file, see struct memprof_section_mark. */
#define MEMPROF_SECTION_MAX_ID		255	/* bytes of an id */
#define MEMPROF_SECTION_MAX_OPEN	128
#define MEMPROF_SECTION_MAX_COMPLETED	16384	/* sections that wait for a flush */
#define MEMPROF_SECTION_MAX_DEPTH	16	/* nested invocations */
/* Limits of the machine. _FILES: limit per thread. _BYTES: memory of all sections. */
#define MEMPROF_SECTION_MAX_TASKS	16384	/* threads with sections */
#define MEMPROF_SECTION_MAX_FILES	16	/* open files with sections, per thread */
#define MEMPROF_SECTION_MAX_BYTES	(256ULL << 20)

/**
 * enum memprof_section_meter - the meter that measures a thread's sections
 * @MEMPROF_SECTION_CALLER: the caller's own meter, which counts down
 * @MEMPROF_SECTION_TIME: CPU time of the calling thread, in nanoseconds
 * @MEMPROF_SECTION_INSTRUCTIONS: instructions that the calling thread retired in
 *	user mode, if the machine counts them
 *
 * The last two meters do not include the time and the instructions that these ioctls
 * take. They also do not include the cost of entering and leaving the kernel, which
 * MEMPROF_SECTION_GAUGE measures.
 */
enum memprof_section_meter {
	MEMPROF_SECTION_CALLER		= 0,
	MEMPROF_SECTION_TIME		= 1,
	MEMPROF_SECTION_INSTRUCTIONS	= 2,
};

/**
 * struct memprof_section_mark - MEMPROF_IOC_SECTION_START, _END
 * @size: sizeof(struct memprof_section_mark)
 * @id_len: length of the id in bytes; an empty id is allowed
 * @id: address of the id, which may contain any bytes
 * @cu: with MEMPROF_SECTION_CALLER, the remaining units; else zero
 * @heap: bytes of heap in use; 0: not known
 * @meter: enum memprof_section_meter
 * @__reserved: zero
 *
 * _START starts a section of the calling thread. _END ends the section with this
 * id that was started last. The section is then completed and waits for a flush.
 *
 * The total of a section is what the meter counted from its start to its end. Its
 * net is its total without the totals of its direct children: the completed
 * sections that started after it and ended before it. Heap is measured when it is
 * known at the start and at the end. A negative difference becomes 0.
 *
 * Errors of both: ENAMETOOLONG id_len is larger than MEMPROF_SECTION_MAX_ID;
 * EBUSY open or completed sections of the thread use another meter; ENOMEM, also
 * when all sections of the machine use MEMPROF_SECTION_MAX_BYTES.
 *
 * Errors of _START: EMFILE MEMPROF_SECTION_MAX_OPEN sections are open; EUSERS
 * MEMPROF_SECTION_MAX_TASKS threads have sections, or this thread has sections
 * through MEMPROF_SECTION_MAX_FILES open files; EOPNOTSUPP the machine does not
 * count instructions, has no free counter, or the caller lacks CAP_PERFMON.
 *
 * Errors of _END: ENOENT no section with this id is open; ENOSPC
 * MEMPROF_SECTION_MAX_COMPLETED sections wait for a flush: the section has ended
 * and is lost; EIO another user of perf took the counter away: the section has
 * ended and is lost.
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
 * enum memprof_section_flag - flags of a completed section
 * @MEMPROF_SECTION_HAS_HEAP: heap was known at the start and at the end
 */
enum memprof_section_flag {
	MEMPROF_SECTION_HAS_HEAP	= 1 << 0,
};

/**
 * struct memprof_section - a completed section
 * @index: number of the section since the last flush, from 1, in the order of
 *	completion
 * @total_cu: units that the meter counted from start to end
 * @net_cu: @total_cu without the totals of the direct children
 * @total_heap: bytes by which heap grew from start to end
 * @net_heap: @total_heap without the totals of the direct children
 * @remaining_heap: bytes of heap in use at the end
 * @start_seq: number of the start, among all starts and ends of the thread
 * @end_seq: number of the end. A section is inside this one if it started after
 *	@start_seq and ended before @end_seq.
 * @start_ns: time of the start, CLOCK_MONOTONIC
 * @end_ns: time of the end, CLOCK_MONOTONIC
 * @left: number of sections that follow in this flush
 * @allocated_bytes: bytes that the thread allocated from start to end, as
 *	observed by a session
 * @freed_bytes: bytes of followed blocks that the thread freed
 * @touched_bytes: estimated bytes of pages that the thread touched first
 * @grown_bytes: bytes by which the thread enlarged its address space
 * @streams: enum memprof_start_flag bits of the event streams that sessions observed
 *	for the thread, both at start and at end. The values of other streams are
 *	0.
 * @flags: enum memprof_section_flag bits
 * @meter: enum memprof_section_meter
 * @id_len: length of the id in bytes
 * @id: the id, then zeros
 *
 * If several sessions observe the thread, each value is that of one session. The
 * static probes of libmemprof pass the same struct to tracers.
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
 * struct memprof_section_flush - MEMPROF_IOC_SECTION_FLUSH: read and remove
 * completed sections
 * @size: sizeof(struct memprof_section_flush)
 * @nr: in, number of sections that fit into the buffer; out, number of sections
 *	written, 0 if none waits
 * @entry_size: size of struct memprof_section as the caller knows it, see struct
 *	memprof_read
 * @__reserved: zero
 * @entries: address of the buffer; 0: at most @nr sections are removed and none is
 *	written
 * @left: out, number of sections that still wait
 * @lost: out, number of sections that were lost since the first section of the
 *	thread, because there was no room or the counter was taken away
 *
 * Sections are written in the order of completion. A section that was written is
 * removed, and fires the trace event memprof:section. If no section waits, the next
 * index is 1. Open sections stay open.
 *
 * Errors: EINVAL entry_size is 0, larger than MEMPROF_MAX_ENTRY_SIZE or not a
 * multiple of 8; EFAULT the buffer cannot be written; sections that were not
 * written are not removed.
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
 * enum memprof_section_op - operations of MEMPROF_IOC_SECTION_CALL
 * @MEMPROF_SECTION_INVOKE: begins a nested invocation with its own sections. They
 *	are not children of the caller's sections, so the net of a caller's section
 *	includes the units of the invocation.
 * @MEMPROF_SECTION_RETURN: ends the invocation. Its open and completed sections
 *	are removed, so flush before. In the outermost invocation all sections are
 *	removed, and the invocation begins again.
 * @MEMPROF_SECTION_GAUGE: measures with @meter the cost of entering and leaving the
 *	kernel. The thread must make about 30 such calls in a row, with no other work
 *	in between. From then on the running mean is subtracted between any two
 *	ioctls, for all threads that use the open file.
 */
enum memprof_section_op {
	MEMPROF_SECTION_INVOKE	= 0,
	MEMPROF_SECTION_RETURN	= 1,
	MEMPROF_SECTION_GAUGE	= 2,
};

/**
 * struct memprof_section_call - MEMPROF_IOC_SECTION_CALL: begin and end nested
 * invocations, and measure the cost of a call
 * @size: sizeof(struct memprof_section_call)
 * @op: enum memprof_section_op
 * @meter: for MEMPROF_SECTION_GAUGE, enum memprof_section_meter; else zero
 * @__reserved: zero
 *
 * Errors: ELOOP MEMPROF_SECTION_MAX_DEPTH invocations are nested; EBUSY only a part of
 * a flush was read, or the thread's sections use another meter; EOPNOTSUPP, ENOMEM and
 * EUSERS as for MEMPROF_IOC_SECTION_START.
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

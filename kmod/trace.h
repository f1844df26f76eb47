/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Trace events for perf, ftrace and bpftrace: memprof:fault, growth, alloc, free,
 * python and section.
 *
 * Each event but section belongs to one session. Its field "session" is the
 * number in STATUS. When two sessions run, one fault may give two events.
 *
 * perf takes a number from each event as its period: faults, bytes of a block, bytes of
 * growth. So `perf report` and `perf stat` add these up.
 *
 * Cost: only a static branch, if the event is not enabled.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM memprof

#if !defined(_MEMPROF_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _MEMPROF_TRACE_H

#include <linux/tracepoint.h>
#include <uapi/linux/memprof.h>

#ifndef _MEMPROF_TRACE_ARGS
#define _MEMPROF_TRACE_ARGS
/**
 * struct memprof_fault_event - a sampled page fault
 * @addr: address that was touched
 * @ip: user instruction that touched the address, or that made the system call
 *	in which the kernel touched it
 * @callsite: callsite of the allocator call during which the fault happened; else
 *	of the followed block at @addr; else 0
 * @size: requested bytes of the allocator call at @callsite
 * @cgroup: id of the task's cgroup v2
 * @weight: number of faults that this sample stands for
 * @kind: enum memprof_fault_kind
 * @session: session that sampled the fault
 * @pid: process id
 */
struct memprof_fault_event {
	u64 addr;
	u64 ip;
	u64 callsite;
	u64 size;
	u64 cgroup;
	u32 weight;
	u32 kind;
	u32 session;
	u32 pid;
};

/**
 * struct memprof_alloc_event - a followed block was allocated or freed
 * @ptr: address of the block
 * @size: requested bytes
 * @weight: bytes that the block stands for
 * @callsite: return address of the call that allocated the block
 * @cgroup: id of the task's cgroup v2
 * @session: session that follows the block
 * @pid: process id
 */
struct memprof_alloc_event {
	u64 ptr;
	u64 size;
	u64 weight;
	u64 callsite;
	u64 cgroup;
	u32 session;
	u32 pid;
};

/**
 * struct memprof_growth_event - an address space grew or shrank
 * @addr: new break, or start of the mapping
 * @before: @after less the growth by the call
 * @after: brk: the break; others: bytes mapped in the address space
 * @callsite: callsite of the allocator call around the call; else the user
 *	instruction that made the system call
 * @size: requested bytes of that allocator call, or 0
 * @cgroup: id of the task's cgroup v2
 * @released: bytes of pages that madvise gave back, which is no growth; 0 for others
 * @op: enum memprof_growth_op
 * @session: session that observed the call
 * @pid: process id
 */
struct memprof_growth_event {
	u64 addr;
	u64 before;
	u64 after;
	u64 callsite;
	u64 size;
	u64 cgroup;
	u64 released;
	u32 op;
	u32 session;
	u32 pid;
};

/**
 * struct memprof_python_event - the functions of Python that a task is in
 * @key: ptr, addr or before of the event of the same task that follows
 * @eval_start, @eval_end: code of the interpreter, of struct memprof_python
 * @session: session of the event that follows
 * @pid: process id
 * @flags: enum memprof_python_flag bits
 * @nr: number of functions
 * @frames: for each function, innermost first: the address of its code object, perhaps
 *	with MEMPROF_PYTHON_LAST; and that of the instruction that runs
 */
struct memprof_python_event {
	u64 key;
	u64 eval_start;
	u64 eval_end;
	u32 session;
	u32 pid;
	u32 flags;
	u32 nr;
	u64 frames[2 * MEMPROF_PYTHON_DEPTH];
};
#endif

TRACE_EVENT(fault,
	TP_PROTO(const struct memprof_fault_event *e),
	TP_ARGS(e),
	TP_STRUCT__entry(
		__field(u64, addr)
		__field(u64, ip)
		__field(u64, cgroup)
		__field(u32, weight)
		__field(u32, kind)
		__field(u32, session)
		__field(u32, pid)
		__field(u64, callsite)
		__field(u64, size)
	),
	TP_fast_assign(
		__entry->addr = e->addr;
		__entry->callsite = e->callsite;
		__entry->size = e->size;
		__entry->ip = e->ip;
		__entry->cgroup = e->cgroup;
		__entry->weight = __perf_count(e->weight);
		__entry->kind = e->kind;
		__entry->session = e->session;
		__entry->pid = e->pid;
	),
	TP_printk("kind=%s addr=0x%llx ip=0x%llx weight=%u cgroup=%llu pid=%u session=%u callsite=0x%llx size=%llu",
		  __print_symbolic(__entry->kind, { 0, "minor" }, { 1, "major" }),
		  __entry->addr, __entry->ip, __entry->weight, __entry->cgroup,
		  __entry->pid, __entry->session, __entry->callsite,
		  __entry->size)
);

DECLARE_EVENT_CLASS(block,
	TP_PROTO(const struct memprof_alloc_event *e),
	TP_ARGS(e),
	TP_STRUCT__entry(
		__field(u64, ptr)
		__field(u64, size)
		__field(u64, weight)
		__field(u64, callsite)
		__field(u64, cgroup)
		__field(u32, session)
		__field(u32, pid)
	),
	TP_fast_assign(
		__entry->ptr = e->ptr;
		__entry->size = e->size;
		__entry->weight = __perf_count(e->weight);
		__entry->callsite = e->callsite;
		__entry->cgroup = e->cgroup;
		__entry->session = e->session;
		__entry->pid = e->pid;
	),
	TP_printk("ptr=0x%llx size=%llu weight=%llu callsite=0x%llx cgroup=%llu pid=%u session=%u",
		  __entry->ptr, __entry->size, __entry->weight,
		  __entry->callsite, __entry->cgroup, __entry->pid,
		  __entry->session)
);

DEFINE_EVENT(block, alloc,
	TP_PROTO(const struct memprof_alloc_event *e),
	TP_ARGS(e)
);

DEFINE_EVENT(block, free,
	TP_PROTO(const struct memprof_alloc_event *e),
	TP_ARGS(e)
);

TRACE_EVENT(growth,
	TP_PROTO(const struct memprof_growth_event *e),
	TP_ARGS(e),
	TP_STRUCT__entry(
		__field(u64, addr)
		__field(u64, before)
		__field(u64, after)
		__field(u64, callsite)
		__field(u64, cgroup)
		__field(u32, op)
		__field(u32, session)
		__field(u32, pid)
		__field(u32, reserved)	/* 0: shows no old bytes */
		__field(u64, size)
		__field(u64, released)
	),
	TP_fast_assign(
		__entry->addr = e->addr;
		__entry->before = e->before;
		__entry->after = e->after;
		__entry->callsite = e->callsite;
		__entry->cgroup = e->cgroup;
		__entry->op = e->op;
		__entry->size = e->size;
		__entry->session = e->session;
		__entry->pid = e->pid;
		__entry->reserved = 0;
		__entry->released = e->released;
		(void)__perf_count(e->after > e->before ? e->after - e->before :
							  e->before - e->after);
	),
	TP_printk("op=%s addr=0x%llx before=%llu after=%llu callsite=0x%llx cgroup=%llu pid=%u session=%u size=%llu released=%llu",
		  __print_symbolic(__entry->op, { 0, "brk" }, { 1, "mmap" },
				   { 2, "munmap" }, { 3, "mremap" },
				   { 4, "mprotect" }, { 5, "shmat" },
				   { 6, "shmdt" }, { 7, "stack" },
				   { 8, "madvise" }),
		  __entry->addr, __entry->before, __entry->after,
		  __entry->callsite, __entry->cgroup, __entry->pid,
		  __entry->session, __entry->size, __entry->released)
);

/* Comes before the event to which the functions belong. */
TRACE_EVENT(python,
	TP_PROTO(const struct memprof_python_event *e),
	TP_ARGS(e),
	TP_STRUCT__entry(
		__field(u64, key)
		__field(u64, eval_start)
		__field(u64, eval_end)
		__field(u32, session)
		__field(u32, pid)
		__field(u32, flags)
		__field(u32, nr)
		__dynamic_array(u64, frames, 2 * e->nr)
	),
	TP_fast_assign(
		__entry->key = e->key;
		__entry->eval_start = e->eval_start;
		__entry->eval_end = e->eval_end;
		__entry->session = e->session;
		__entry->pid = e->pid;
		__entry->flags = e->flags;
		__entry->nr = e->nr;
		memcpy(__get_dynamic_array(frames), e->frames,
		       2 * e->nr * sizeof(e->frames[0]));
	),
	TP_printk("key=0x%llx nr=%u flags=%u pid=%u session=%u eval=0x%llx-0x%llx",
		  __entry->key, __entry->nr, __entry->flags, __entry->pid,
		  __entry->session, __entry->eval_start, __entry->eval_end)
);

/* Fields as in struct memprof_section. The id is id_len bytes of any value. */
TRACE_EVENT(section,
	TP_PROTO(const struct memprof_section *e, u32 pid),
	TP_ARGS(e, pid),
	TP_STRUCT__entry(
		__field(u64, index)
		__field(u64, total_cu)
		__field(u64, net_cu)
		__field(u64, total_heap)
		__field(u64, net_heap)
		__field(u64, remaining_heap)
		__field(u64, start_seq)
		__field(u64, end_seq)
		__field(u64, start_ns)
		__field(u64, end_ns)
		__field(u64, left)
		__field(u64, allocated_bytes)
		__field(u64, freed_bytes)
		__field(u64, touched_bytes)
		__field(s64, grown_bytes)
		__field(u32, streams)
		__field(u32, flags)
		__field(u32, meter)
		__field(u32, id_len)
		__field(u32, pid)
		__dynamic_array(char, id, e->id_len + 1)
	),
	TP_fast_assign(
		__entry->index = e->index;
		__entry->total_cu = e->total_cu;
		__entry->net_cu = e->net_cu;
		__entry->total_heap = e->total_heap;
		__entry->net_heap = e->net_heap;
		__entry->remaining_heap = e->remaining_heap;
		__entry->start_seq = e->start_seq;
		__entry->end_seq = e->end_seq;
		__entry->start_ns = e->start_ns;
		__entry->end_ns = e->end_ns;
		__entry->left = e->left;
		__entry->allocated_bytes = e->allocated_bytes;
		__entry->freed_bytes = e->freed_bytes;
		__entry->touched_bytes = e->touched_bytes;
		__entry->grown_bytes = e->grown_bytes;
		__entry->streams = e->streams;
		__entry->flags = e->flags;
		__entry->meter = e->meter;
		__entry->id_len = e->id_len;
		__entry->pid = pid;
		memcpy(__get_dynamic_array(id), e->id, e->id_len + 1);
	),
	TP_printk("id=%s index=%llu total_cu=%llu net_cu=%llu total_heap=%llu net_heap=%llu remaining_heap=%llu start_seq=%llu end_seq=%llu start_ns=%llu end_ns=%llu left=%llu allocated=%llu freed=%llu touched=%llu grown=%lld streams=%u flags=%u meter=%s pid=%u",
		  __get_str(id), __entry->index, __entry->total_cu,
		  __entry->net_cu, __entry->total_heap, __entry->net_heap,
		  __entry->remaining_heap, __entry->start_seq,
		  __entry->end_seq, __entry->start_ns, __entry->end_ns,
		  __entry->left, __entry->allocated_bytes,
		  __entry->freed_bytes, __entry->touched_bytes,
		  __entry->grown_bytes, __entry->streams, __entry->flags,
		  __print_symbolic(__entry->meter, { 0, "caller" },
				   { 1, "time" }, { 2, "instructions" }),
		  __entry->pid)
);

#endif /* _MEMPROF_TRACE_H */

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events for perf, ftrace and bpftrace: memprof:fault, memprof:growth.
 *
 * Each is one session's observation ("session" is the number that STATUS
 * tells): with two sessions running, one fault may be seen twice.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM memprof

#if !defined(_MEMPROF_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _MEMPROF_TRACE_H

#include <linux/tracepoint.h>

#ifndef _MEMPROF_TRACE_ARGS
#define _MEMPROF_TRACE_ARGS
/**
 * struct memprof_fault_event - a sampled page fault
 * @addr: that was touched
 * @ip: user instruction that touched it, or made the system call that did
 * @cgroup: id of the task's cgroup v2
 * @weight: faults that this sample stands for
 * @kind: enum memprof_fault_kind
 * @session: that sampled it
 * @pid: process id
 */
struct memprof_fault_event {
	u64 addr;
	u64 ip;
	u64 cgroup;
	u32 weight;
	u32 kind;
	u32 session;
	u32 pid;
};

/**
 * struct memprof_growth_event - an address space grew or shrank
 * @addr: that the call was about: the new break, the start of the mapping
 * @before: brk: the break; else bytes mapped in the address space
 * @after: the same; after - before is exactly what the call changed
 * @callsite: user instruction that made the system call
 * @cgroup: id of the task's cgroup v2
 * @op: enum memprof_growth_op
 * @session: that observed it
 * @pid: process id
 */
struct memprof_growth_event {
	u64 addr;
	u64 before;
	u64 after;
	u64 callsite;
	u64 cgroup;
	u32 op;
	u32 session;
	u32 pid;
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
	),
	TP_fast_assign(
		__entry->addr = e->addr;
		__entry->ip = e->ip;
		__entry->cgroup = e->cgroup;
		__entry->weight = e->weight;
		__entry->kind = e->kind;
		__entry->session = e->session;
		__entry->pid = e->pid;
	),
	TP_printk("kind=%s addr=0x%llx ip=0x%llx weight=%u cgroup=%llu pid=%u session=%u",
		  __print_symbolic(__entry->kind, { 0, "minor" }, { 1, "major" }),
		  __entry->addr, __entry->ip, __entry->weight, __entry->cgroup,
		  __entry->pid, __entry->session)
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
	),
	TP_fast_assign(
		__entry->addr = e->addr;
		__entry->before = e->before;
		__entry->after = e->after;
		__entry->callsite = e->callsite;
		__entry->cgroup = e->cgroup;
		__entry->op = e->op;
		__entry->session = e->session;
		__entry->pid = e->pid;
	),
	TP_printk("op=%s addr=0x%llx before=%llu after=%llu callsite=0x%llx cgroup=%llu pid=%u session=%u",
		  __print_symbolic(__entry->op, { 0, "brk" }, { 1, "mmap" },
				   { 2, "munmap" }, { 3, "mremap" }),
		  __entry->addr, __entry->before, __entry->after,
		  __entry->callsite, __entry->cgroup, __entry->pid,
		  __entry->session)
);

#endif /* _MEMPROF_TRACE_H */

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>

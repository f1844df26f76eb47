// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cost: perf counts every fault of the machine (about 6 % of a minor fault);
 * one in "period" pays for a match, two hash look-ups and a few atomics.
 *
 * The overflow handler runs with interrupts off inside the fault, perhaps with
 * the mmap lock held: it must not sleep, and a tracepoint fired there is thrown
 * away by perf's guard against recursion. So it leaves the event in a small
 * ring of its CPU, and an irq_work fires it as soon as interrupts are on again,
 * still in the same task. A full ring loses the event (counted), not the tally.
 *
 * Counters of a CPU that goes offline stay dead when it returns, and the hotplug
 * callbacks may not create or release one: both patch a static key, which waits
 * for hotplug to end. They mark the CPU, and a work does it afterwards.
 */
#include "fault.h"
#include <linux/cgroup.h>
#include <linux/cpuhotplug.h>
#include <linux/irq_work.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>
#include "section-task.h"
#include "session.h"
#include "trace.h"

#define RING 8				/* a power of two */

struct memprof_fault_cpu {
	struct memprof_session *session;
	struct perf_event *counter[2];	/* by kind; the sync work */
	bool stale;			/* hotplug sets, the sync work clears */
	struct irq_work emit;
	/* this CPU only, interrupts off */
	u32 head, tail;
	struct memprof_fault_event ring[RING];
};

static int hotplug_state;

/* In hard interrupt context of the task that faulted. */
static void emit(struct irq_work *work)
{
	struct memprof_fault_cpu *c =
		container_of(work, struct memprof_fault_cpu, emit);

	while (c->tail != c->head) {
		trace_fault(&c->ring[c->tail % RING]);
		c->tail++;
	}
}

static void queue_event(struct memprof_session *s, u64 addr, u32 weight,
			enum memprof_fault_kind kind, u64 cgroup,
			const struct memprof_join *join)
{
	struct memprof_fault_cpu *c = this_cpu_ptr(s->faults.cpus);

	if (!trace_fault_enabled())
		return;
	if (c->head - c->tail == RING) {
		memprof_count(s->counts, MEMPROF_COUNT_FAULT_EVENT_DROPPED);
		return;
	}
	c->ring[c->head % RING] = (struct memprof_fault_event){
		.addr = addr,
		.ip = instruction_pointer(task_pt_regs(current)),
		.callsite = join->callsite,
		.size = join->size,
		.cgroup = cgroup,
		.weight = weight,
		.kind = kind,
		.session = s->id,
		.pid = current->tgid,
	};
	c->head++;
	irq_work_queue(&c->emit);
}

/* Inside an allocator's call, or on a block that it gave out? */
static void charge_site(struct memprof_session *s, struct memprof_row *row,
			u64 addr, u32 weight, struct memprof_join *join)
{
	if (!s->heap.on || row->state == MEMPROF_ROW_SPECIAL)
		return;
	if (memprof_heap_inside(s, row, join))
		atomic64_add(weight, &join->site->inside_faults);
	else if (memprof_heap_block(s, row, addr, join))
		atomic64_add(weight, &join->site->block_faults);
}

static void sample(struct memprof_session *s, u64 addr, u32 weight,
		   enum memprof_fault_kind kind)
{
	struct memprof_join join = {};
	struct memprof_row *row;
	struct cgroup *cgrp;

	if (!memprof_target_match_current(&s->targets)) {
		memprof_count(s->counts, MEMPROF_COUNT_FAULT_NOT_TARGET);
		return;
	}
	cgrp = task_dfl_cgroup(current);
	row = memprof_process_get(&s->processes, current->mm, current);
	memprof_process_observe(row, current->mm);
	memprof_tally_fault(&row->tally, kind, weight);
	memprof_tally_fault(&memprof_cgroup_get(&s->cgroups, cgrp)->tally, kind,
			    weight);
	memprof_section_add(s, MEMPROF_SUM_TOUCHED, (u64)weight << PAGE_SHIFT);
	charge_site(s, row, addr, weight, &join);
	queue_event(s, addr, weight, kind, cgroup_id(cgrp), &join);
}

static void overflow(struct memprof_session *s, struct perf_sample_data *data,
		     u32 weight, enum memprof_fault_kind kind)
{
	u64 addr = data->sample_flags & PERF_SAMPLE_ADDR ? data->addr : 0;

	if (READ_ONCE(s->failed))
		return;
	if (!current->mm || current->flags & PF_KTHREAD) {
		memprof_count(s->counts, MEMPROF_COUNT_FAULT_NO_MM);
		return;
	}
	if (addr >= TASK_SIZE_MAX) {
		memprof_count(s->counts, MEMPROF_COUNT_FAULT_KERNEL_ADDRESS);
		return;
	}
	rcu_read_lock();
	sample(s, addr, weight, kind);
	rcu_read_unlock();
}

static void minor_overflow(struct perf_event *event,
			   struct perf_sample_data *data, struct pt_regs *regs)
{
	struct memprof_session *s = event->overflow_handler_context;

	overflow(s, data, s->minor_period, MEMPROF_FAULT_MINOR);
}

static void major_overflow(struct perf_event *event,
			   struct perf_sample_data *data, struct pt_regs *regs)
{
	struct memprof_session *s = event->overflow_handler_context;

	overflow(s, data, s->major_period, MEMPROF_FAULT_MAJOR);
}

/* Faults taken in kernel mode count: a read() into fresh memory touches it. */
static struct perf_event *make_counter(struct memprof_session *s, int cpu,
				       enum memprof_fault_kind kind)
{
	bool major = kind == MEMPROF_FAULT_MAJOR;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = major ? PERF_COUNT_SW_PAGE_FAULTS_MAJ :
				  PERF_COUNT_SW_PAGE_FAULTS_MIN,
		.sample_period = major ? s->major_period : s->minor_period,
	};

	return perf_event_create_kernel_counter(&attr, cpu, NULL, major ?
						major_overflow : minor_overflow,
						s);
}

static void release_counters(struct memprof_fault_cpu *c)
{
	int kind;

	for (kind = 0; kind < 2; kind++) {
		if (c->counter[kind])
			perf_event_release_kernel(c->counter[kind]);
		c->counter[kind] = NULL;
	}
}

static int make_counters(struct memprof_session *s, int cpu)
{
	struct memprof_fault_cpu *c = per_cpu_ptr(s->faults.cpus, cpu);
	struct perf_event *event;
	int kind;

	for (kind = 0; kind < 2; kind++) {
		event = make_counter(s, cpu, kind);
		if (IS_ERR(event)) {
			release_counters(c);
			return PTR_ERR(event);
		}
		c->counter[kind] = event;
	}
	return 0;
}

/*
 * A CPU that comes or leaves meanwhile fails here with ENODEV: it is marked
 * again when it has come.
 */
static int sync_cpus(struct memprof_session *s)
{
	int cpu, err, first = 0;

	mutex_lock(&s->faults.lock);
	for_each_possible_cpu(cpu) {
		struct memprof_fault_cpu *c = per_cpu_ptr(s->faults.cpus, cpu);

		if (!xchg(&c->stale, false))
			continue;
		release_counters(c);
		if (!cpu_online(cpu))
			continue;
		err = make_counters(s, cpu);
		if (err && err != -ENODEV) {
			memprof_count(s->counts, MEMPROF_COUNT_FAULT_CPU_FAILED);
			first = first ?: err;
		}
	}
	mutex_unlock(&s->faults.lock);
	return first;
}

static void sync_work(struct work_struct *work)
{
	sync_cpus(container_of(work, struct memprof_session, faults.sync));
}

static int cpu_changed(unsigned int cpu)
{
	struct memprof_session *s;
	int slot;

	rcu_read_lock();
	memprof_for_each_session(slot, s) {
		struct memprof_fault_cpu __percpu *cpus;

		/* pairs with memprof_faults_begin() */
		cpus = smp_load_acquire(&s->faults.cpus);
		if (!cpus)
			continue;
		WRITE_ONCE(per_cpu_ptr(cpus, cpu)->stale, true);
		queue_work(system_wq, &s->faults.sync);
	}
	rcu_read_unlock();
	return 0;
}

/**
 * memprof_faults_begin() - put the counters in place
 * @s: session, published: hotplug sees it
 *
 * Return: 0 or the errno of perf; memprof_faults_end() follows in either case.
 */
int memprof_faults_begin(struct memprof_session *s)
{
	struct memprof_fault_cpu __percpu *cpus;
	int cpu;

	cpus = alloc_percpu(struct memprof_fault_cpu);
	if (!cpus)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		struct memprof_fault_cpu *c = per_cpu_ptr(cpus, cpu);

		c->session = s;
		c->stale = true;
		c->emit = IRQ_WORK_INIT_HARD(emit);
	}
	mutex_init(&s->faults.lock);
	INIT_WORK(&s->faults.sync, sync_work);
	/* pairs with cpu_changed() */
	smp_store_release(&s->faults.cpus, cpus);
	return sync_cpus(s);
}

/**
 * memprof_faults_end() - take the counters away
 * @s: session; once it is unpublished and an RCU grace period has passed, no
 *	handler of it runs after this
 */
void memprof_faults_end(struct memprof_session *s)
{
	struct memprof_fault_cpu __percpu *cpus = s->faults.cpus;
	int cpu;

	if (!cpus)
		return;
	cancel_work_sync(&s->faults.sync);
	for_each_possible_cpu(cpu)
		release_counters(per_cpu_ptr(cpus, cpu));
	/* handlers run with interrupts off */
	synchronize_rcu();
	for_each_possible_cpu(cpu)
		irq_work_sync(&per_cpu_ptr(cpus, cpu)->emit);
	s->faults.cpus = NULL;
	free_percpu(cpus);
}

/**
 * memprof_fault_init() - follow CPUs that come and go
 */
int memprof_fault_init(void)
{
	int state = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN,
					      "memprof:online", cpu_changed,
					      cpu_changed);

	if (state < 0)
		return state;
	hotplug_state = state;
	return 0;
}

/**
 * memprof_fault_exit() - undo memprof_fault_init(); no session is open
 */
void memprof_fault_exit(void)
{
	cpuhp_remove_state_nocalls(hotplug_state);
}

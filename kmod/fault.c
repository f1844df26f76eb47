// SPDX-License-Identifier: GPL-2.0-only
/*
 * The stream of page faults: perf counters sample the faults of the machine,
 * and those of targets are added to tallies.
 *
 * Cost: perf counts every fault of the machine, about 6 % of a minor fault. One
 * fault per period pays for the match, two hash look-ups and a few atomics.
 *
 * The overflow handler runs inside the fault with interrupts off, perhaps with
 * the mmap lock held: it must not sleep. perf's recursion guard drops a
 * tracepoint that fires there. So the handler writes the event into a small ring
 * of its CPU, and an irq_work fires the tracepoint as soon as interrupts are on
 * again, still in the same task. A full ring loses the event (counted), but not
 * the sums.
 *
 * A counter of a CPU that went offline does not count when the CPU returns. The
 * hotplug callbacks cannot create or release a counter: both patch a static key,
 * which waits for the hotplug to end. So the callbacks mark the CPU, and a work
 * replaces its counters. A CPU without counters is counted as fault_cpu_failed.
 */
#include "fault.h"
#include <linux/cgroup.h>
#include <linux/cpuhotplug.h>
#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>
#include "heap.h"
#include "python.h"
#include "section-task.h"
#include "session.h"
#include "trace.h"

#define RING_EVENTS 8			/* a power of two */

/* A session's counters on one CPU. */
struct fault_cpu {
	struct memprof_session *session;
	struct perf_event *counter[2];	/* by enum memprof_fault_kind; sync lock */
	bool stale;			/* hotplug sets it, sync_fault_counters() clears it */
	struct irq_work emit;
	/* only this CPU uses the following fields, with interrupts off */
	u32 head, tail;
	struct memprof_fault_event ring[RING_EVENTS];
};

/* A session's counters, from START to STOP. */
struct memprof_faults {
	struct memprof_session *session;
	struct fault_cpu __percpu *cpus;
	struct work_struct sync;
	struct mutex sync_lock;		/* to replace counters */
};

static int hotplug_state;

/* Runs in a hard interrupt, which interrupts the task that had the fault. */
static void emit_fault_events(struct irq_work *work)
{
	struct fault_cpu *c = container_of(work, struct fault_cpu, emit);

	while (c->tail != c->head) {
		memprof_python_trace(c->session, c->ring[c->tail % RING_EVENTS].addr);
		trace_fault(&c->ring[c->tail % RING_EVENTS]);
		c->tail++;
	}
}

static void queue_fault_event(struct fault_cpu *c, u64 addr, u32 weight,
			      enum memprof_fault_kind kind, u64 cgroup,
			      const struct memprof_join *join)
{
	struct memprof_session *s = c->session;

	if (!trace_fault_enabled())
		return;
	if (c->head - c->tail == RING_EVENTS) {
		memprof_count(s->counts, MEMPROF_COUNT_FAULT_EVENT_DROPPED);
		return;
	}
	c->ring[c->head % RING_EVENTS] = (struct memprof_fault_event){
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

/* Charges the allocator call of the task, or else the block at the address. */
static void charge_callsite(struct memprof_session *s, struct memprof_row *row,
			    u64 addr, u32 weight, struct memprof_join *join)
{
	if (!s->heap || row->state == MEMPROF_ROW_SPECIAL)
		return;
	if (memprof_heap_inside(s, row, join))
		atomic64_add(weight, &join->site->inside_faults);
	else if (memprof_heap_block(s, row, addr, join))
		atomic64_add(weight, &join->site->block_faults);
}

static void account_fault(struct fault_cpu *c, u64 addr, u32 weight,
			  enum memprof_fault_kind kind)
{
	struct memprof_session *s = c->session;
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
	charge_callsite(s, row, addr, weight, &join);
	queue_fault_event(c, addr, weight, kind, cgroup_id(cgrp), &join);
}

static void handle_overflow(struct fault_cpu *c, struct perf_sample_data *data,
			    u32 weight, enum memprof_fault_kind kind)
{
	struct memprof_session *s = c->session;
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
	account_fault(c, addr, weight, kind);
	rcu_read_unlock();
}

static void on_minor_overflow(struct perf_event *event,
			      struct perf_sample_data *data,
			      struct pt_regs *regs)
{
	struct fault_cpu *c = event->overflow_handler_context;

	handle_overflow(c, data, c->session->options.minor_period,
			MEMPROF_FAULT_MINOR);
}

static void on_major_overflow(struct perf_event *event,
			      struct perf_sample_data *data,
			      struct pt_regs *regs)
{
	struct fault_cpu *c = event->overflow_handler_context;

	handle_overflow(c, data, c->session->options.major_period,
			MEMPROF_FAULT_MAJOR);
}

/* Faults in kernel mode count, too: a read() into new memory causes them. */
static struct perf_event *create_counter(struct fault_cpu *c, int cpu,
					 enum memprof_fault_kind kind)
{
	const struct memprof_start *options = &c->session->options;
	bool major = kind == MEMPROF_FAULT_MAJOR;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = major ? PERF_COUNT_SW_PAGE_FAULTS_MAJ :
				  PERF_COUNT_SW_PAGE_FAULTS_MIN,
		.sample_period = major ? options->major_period :
					 options->minor_period,
	};

	return perf_event_create_kernel_counter(&attr, cpu, NULL, major ?
						on_major_overflow :
						on_minor_overflow, c);
}

static void release_counters(struct fault_cpu *c)
{
	int kind;

	for (kind = 0; kind < 2; kind++) {
		if (c->counter[kind])
			perf_event_release_kernel(c->counter[kind]);
		c->counter[kind] = NULL;
	}
}

static int create_counters(struct fault_cpu *c, int cpu)
{
	struct perf_event *event;
	int kind;

	for (kind = 0; kind < 2; kind++) {
		event = create_counter(c, cpu, kind);
		if (IS_ERR(event)) {
			release_counters(c);
			return PTR_ERR(event);
		}
		c->counter[kind] = event;
	}
	return 0;
}

/*
 * Replaces the counters of each stale CPU. Returns the first errno. A CPU that
 * goes online or offline meanwhile fails with ENODEV, which is no error: the
 * hotplug callback marks the CPU again once it is online.
 */
static int sync_fault_counters(struct memprof_faults *f)
{
	int cpu, err, first = 0;

	mutex_lock(&f->sync_lock);
	for_each_possible_cpu(cpu) {
		struct fault_cpu *c = per_cpu_ptr(f->cpus, cpu);

		if (!xchg(&c->stale, false))
			continue;
		release_counters(c);
		if (!cpu_online(cpu))
			continue;
		err = create_counters(c, cpu);
		if (err && err != -ENODEV) {
			memprof_count(f->session->counts,
				      MEMPROF_COUNT_FAULT_CPU_FAILED);
			first = first ?: err;
		}
	}
	mutex_unlock(&f->sync_lock);
	return first;
}

static void sync_counters_work(struct work_struct *work)
{
	sync_fault_counters(container_of(work, struct memprof_faults, sync));
}

/* The hotplug callback, for a CPU that comes online and that goes offline. */
static int mark_cpu_stale(unsigned int cpu)
{
	struct memprof_session *s;
	int slot;

	rcu_read_lock();
	memprof_for_each_session(slot, s) {
		struct memprof_faults *f = s->faults;

		if (!f)
			continue;
		WRITE_ONCE(per_cpu_ptr(f->cpus, cpu)->stale, true);
		schedule_work(&f->sync);
	}
	rcu_read_unlock();
	return 0;
}

static int check_periods(struct memprof_start *options)
{
	if (options->minor_period > MEMPROF_MAX_PERIOD ||
	    options->major_period > MEMPROF_MAX_PERIOD)
		return -EINVAL;
	options->minor_period = options->minor_period ?:
				MEMPROF_DEFAULT_MINOR_PERIOD;
	options->major_period = options->major_period ?:
				MEMPROF_DEFAULT_MAJOR_PERIOD;
	return 0;
}

static int alloc_faults(struct memprof_session *s)
{
	struct memprof_faults *f = kzalloc(sizeof(*f), GFP_KERNEL_ACCOUNT);
	int cpu;

	if (!f)
		return -ENOMEM;
	f->session = s;
	f->cpus = alloc_percpu(struct fault_cpu);
	if (!f->cpus) {
		kfree(f);
		return -ENOMEM;
	}
	for_each_possible_cpu(cpu) {
		struct fault_cpu *c = per_cpu_ptr(f->cpus, cpu);

		c->session = s;
		c->stale = true;
		c->emit = IRQ_WORK_INIT_HARD(emit_fault_events);
	}
	mutex_init(&f->sync_lock);
	INIT_WORK(&f->sync, sync_counters_work);
	s->faults = f;
	return 0;
}

static int start_fault_counters(struct memprof_session *s)
{
	return sync_fault_counters(s->faults);
}

/* No overflow handler of the session runs when this returns. */
static void free_faults(struct memprof_session *s)
{
	struct memprof_faults *f = s->faults;
	int cpu;

	if (!f)
		return;
	cancel_work_sync(&f->sync);
	for_each_possible_cpu(cpu)
		release_counters(per_cpu_ptr(f->cpus, cpu));
	/* overflow handlers run with interrupts off */
	synchronize_rcu();
	for_each_possible_cpu(cpu)
		irq_work_sync(&per_cpu_ptr(f->cpus, cpu)->emit);
	s->faults = NULL;
	mutex_destroy(&f->sync_lock);
	free_percpu(f->cpus);
	kfree(f);
}

static void report_periods(const struct memprof_session *s,
			   struct memprof_status *out)
{
	out->minor_period = s->options.minor_period;
	out->major_period = s->options.major_period;
}

static int follow_hotplug(void)
{
	int state = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN,
					      "memprof:online", mark_cpu_stale,
					      mark_cpu_stale);

	if (state < 0)
		return state;
	hotplug_state = state;
	return 0;
}

static void unfollow_hotplug(void)
{
	cpuhp_remove_state_nocalls(hotplug_state);
}

/* quiesce frees the counters. If START failed earlier, release frees them. */
const struct memprof_stream_ops memprof_fault_stream = {
	.flag = MEMPROF_START_FAULTS,
	.features = MEMPROF_FEATURE_FAULTS,
	.init = follow_hotplug,
	.exit = unfollow_hotplug,
	.check = check_periods,
	.prepare = alloc_faults,
	.start = start_fault_counters,
	.quiesce = free_faults,
	.release = free_faults,
	.status = report_periods,
};

// SPDX-License-Identifier: GPL-2.0-only
/*
 * tracer: opens the events, and sets what each of them samples
 *
 * A call chain costs more than the rest of a record, so it is recorded only at
 * the entry of a call, and not at the return. At the entry, a chain of frame
 * pointers lacks the caller's frame, so the probe also records the return
 * address.
 */
#include "tracer.h"

#include "syscall-events.h"

#include <memprof/region.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* User registers of x86-64 and arm64 that unwinding needs. */
#if defined(__x86_64__)
#define ALL_REGS	0xff0fffULL
#else
#define ALL_REGS	0x1ffffffffULL
#endif

/* In the list of the calls that growth follows: pkey_mprotect, shmat and shmdt. */
#define FIRST_OPTIONAL	(2 * 5)

/* How long calls are counted. */
#define RATE_MS		50

/*
 * Bytes of the stack at an mprotect(). The C library enlarges arenas with a call per page
 * or two, from few and small functions.
 */
#define MPROTECT_STACK	1024U

static void with_chain(enum mp_chain chain, uint32_t stack_bytes,
		       struct perf_event_attr *attr)
{
	if (chain <= MP_CHAIN_NONE)
		return;
	attr->exclude_callchain_kernel = 1;
	attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (chain == MP_CHAIN_FP)
		return;
	attr->exclude_callchain_user = 1;
	attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	attr->sample_regs_user = ALL_REGS;
	attr->sample_stack_user = stack_bytes;
}

static int enable_one(struct mp_tracer *tracer, int number)
{
	return number < 0 ? number : tracer->running ?
	       mp_perf_rings_enable_one(&tracer->rings, (size_t)number) : 0;
}

/*
 * Leaves out our own calls: each event of them would make another one, without an end.
 * The module's events have a filter already.
 */
static const char *without_own(const struct mp_tracer *tracer, const char *filter,
			       char *text, size_t size)
{
	/* tasks that were listed are never our own */
	if (filter || tracer->rings.scope == MP_SCOPE_TASKS)
		return filter;
	snprintf(text, size, "common_pid != %d", getpid());
	return text;
}

static int add_tracepoint(struct mp_tracer *tracer, const struct mp_trace_event *event,
			  const char *filter, enum mp_chain chain)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT, .config = event->format.id,
		.sample_type = PERF_SAMPLE_RAW,
	};
	uint32_t stack_bytes = tracer->stack_bytes;
	char full[2 * MP_EVENT_NAME_SIZE], text[32];

	snprintf(full, sizeof(full), "%s:%s", event->system, event->name);
	if (strstr(event->name, "mprotect") && stack_bytes > MPROTECT_STACK)
		stack_bytes = MPROTECT_STACK;
	if (!strcmp(event->name, "fault"))
		stack_bytes = tracer->fault_stack_bytes;
	with_chain(chain, stack_bytes, &attr);
	return enable_one(tracer,
			  mp_perf_rings_add(&tracer->rings, &attr, full,
					    without_own(tracer, filter, text,
							sizeof(text)), &event->format));
}

int mp_tracer_open(struct mp_tracer *tracer, size_t pages)
{
	mp_dynamic_events_sweep();
	return mp_perf_rings_open(&tracer->rings, pages);
}

/*
 * Opening all events takes up to a second, and a server may fork meanwhile. A child inherits
 * the events that are open at that moment; for the later ones it must be in the list of
 * tasks. A command that waits to run has no children.
 */
static void relist(struct mp_tracer *tracer)
{
	if (tracer->relist && (tracer->running || !tracer->rings.on_exec))
		tracer->relist(tracer->context);
}

int mp_tracer_faults(struct mp_tracer *tracer, uint32_t period)
{
	struct perf_event_attr minor = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_PAGE_FAULTS_MIN,
		.sample_period = period,
	}, major = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_PAGE_FAULTS_MAJ,
	};
	int err;

	relist(tracer);
	with_chain(tracer->fault_chain, tracer->fault_stack_bytes, &minor);
	with_chain(tracer->fault_chain, tracer->fault_stack_bytes, &major);
	/* keep kernel frames: they show why the kernel touched memory for the process */
	minor.exclude_callchain_kernel = 0;
	major.exclude_callchain_kernel = 0;
	err = enable_one(tracer, mp_perf_rings_add(&tracer->rings, &minor,
						   "minor-faults", NULL, NULL));
	return err ?: enable_one(tracer, mp_perf_rings_add(&tracer->rings, &major,
							   "major-faults", NULL, NULL));
}

int mp_tracer_growth(struct mp_tracer *tracer)
{
	static const char * const names[] = {
		"brk", "mmap", "munmap", "mremap", "mprotect", "pkey_mprotect",
		"shmat", "shmdt", "madvise",
	};
	struct mp_trace_event event;
	size_t i;
	int err = 0;

	relist(tracer);
	/* the end first: one without a begin is harmless; only the begin records a stack */
	for (i = 0; !err && i < 2 * sizeof(names) / sizeof(names[0]); i++) {
		err = mp_syscall_event(names[i / 2], i % 2 == 0, &event);
		if (!err)
			err = add_tracepoint(tracer, &event, NULL, i % 2 ?
					     tracer->growth_chain : MP_CHAIN_NONE);
		/* a kernel without these calls does not need their events */
		if (err == -ENOENT && i >= FIRST_OPTIONAL)
			err = 0;
	}
	return err;
}

int mp_tracer_module(struct mp_tracer *tracer, uint32_t session)
{
	enum { PYTHON, ALLOC, FREE };
	const struct {
		const char *name;
		enum mp_chain chain;
	} events[] = {
		/* it comes before the event to which it belongs */
		{ "python", MP_CHAIN_NONE },
		{ "alloc", tracer->chain }, { "free", MP_CHAIN_NONE },
		{ "fault", tracer->fault_chain }, { "growth", tracer->growth_chain },
	};
	struct mp_trace_event event;
	char filter[32];
	size_t i;
	int err = 0;

	snprintf(filter, sizeof(filter), "session == %u", session);
	/* without stacks of calls, blocks are only in the module's tables */
	for (i = 0; !err && i < sizeof(events) / sizeof(events[0]); i++) {
		if (tracer->chain == MP_CHAIN_NONE && (i == ALLOC || i == FREE))
			continue;
		err = mp_tracepoint_find("memprof", events[i].name, &event);
		if (!err)
			err = add_tracepoint(tracer, &event, filter, events[i].chain);
		/* a module of an earlier version */
		if (err == -ENOENT && i == PYTHON)
			err = 0;
	}
	return err;
}

/* Returns -ENOENT if the module is too old to have sections. */
int mp_tracer_sections(struct mp_tracer *tracer)
{
	struct mp_trace_event event;
	int err = mp_tracepoint_find("memprof", "section", &event);

	return err ? err : add_tracepoint(tracer, &event, NULL, MP_CHAIN_NONE);
}

/* Adds a static probe of a library, which few processes run into. */
static int add_static(struct mp_tracer *tracer, const struct mp_trace_event *event,
		      enum mp_chain chain)
{
	/* without permission for all processes there is no hold, and few miss it */
	mp_perf_rings_hold(&tracer->rings, event->format.id);
	return add_tracepoint(tracer, event, NULL, chain);
}

static int probe_record(struct mp_tracer *tracer, const char *name, const char *path,
			const struct mp_section_point *point, size_t size)
{
	struct mp_trace_event event;
	int err;

	relist(tracer);
	err = mp_uprobe_record_make(name, path, point, size, &event);
	return err ? err : add_static(tracer, &event, MP_CHAIN_NONE);
}

int mp_tracer_section_probe(struct mp_tracer *tracer, const char *path,
			    const struct mp_section_point *point)
{
	return probe_record(tracer, "section", path, point,
			    sizeof(struct memprof_section));
}

int mp_tracer_functions_probe(struct mp_tracer *tracer, const char *path,
			      const struct mp_section_point *point)
{
	return probe_record(tracer, "function", path, point,
			    sizeof(struct memprof_region_function));
}

int mp_tracer_counters_probe(struct mp_tracer *tracer, const char *path,
			     const struct mp_section_point *point)
{
	return probe_record(tracer, "counter", path, point,
			    sizeof(struct memprof_region_counter));
}

static int add_event(struct mp_tracer *tracer, const struct mp_uprobe *probe,
		     bool at_return)
{
	const bool has_chain = !at_return && probe->func != MEMPROF_FUNC_FREE &&
			       probe->func != MEMPROF_FUNC_USDT_FREE;
	enum mp_chain chain = has_chain ? tracer->chain : MP_CHAIN_NONE;
	struct mp_trace_event event;
	int err = mp_uprobe_event_make(probe, at_return, &event);

	if (err)
		return err;
	/* the program tells its stack */
	if (mp_format_field(&event.format, "frames"))
		chain = MP_CHAIN_NONE;
	return probe->func >= MEMPROF_FUNC_USDT_ALLOC ? add_static(tracer, &event, chain) :
	       add_tracepoint(tracer, &event, NULL, chain);
}

int mp_tracer_probe(struct mp_tracer *tracer, const struct mp_uprobe *probe)
{
	bool returns = probe->func != MEMPROF_FUNC_FREE &&
		       probe->func < MEMPROF_FUNC_USDT_ALLOC;
	int err = 0;

	relist(tracer);
	/*
	 * probe the return first: a return without an entry is harmless, but an
	 * entry without a return is not
	 */
	if (returns)
		err = add_event(tracer, probe, true);
	return err ? err : add_event(tracer, probe, false);
}

uint64_t mp_tracer_rate(const struct mp_tracer *tracer, const struct mp_uprobe *probe)
{
	struct mp_trace_event event;

	return mp_uprobe_event_make(probe, false, &event) ? 0 :
	       mp_perf_rings_rate(&tracer->rings, event.format.id, RATE_MS);
}

int mp_tracer_run(struct mp_tracer *tracer)
{
	bool on_exec = tracer->rings.on_exec;

	tracer->running = true;
	/*
	 * probes that are added later must not wait for exec: the kernel adds
	 * no probe with enable-on-exec to a running process
	 */
	tracer->rings.on_exec = false;
	return on_exec ? 0 : mp_perf_rings_enable(&tracer->rings, true);
}

void mp_tracer_close(struct mp_tracer *tracer)
{
	mp_perf_rings_close(&tracer->rings);
	mp_dynamic_events_remove(getpid());
}

/* Nobody waits for this process, and nothing reads what it has inherited. */
static void leave_terminal(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGQUIT, SIGHUP };
	int null = open("/dev/null", O_RDWR), fd;
	size_t i;

	setsid();
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		signal(signals[i], SIG_IGN);
	for (fd = 0; fd < 3; fd++)
		dup2(null, fd);
}

/*
 * The last close() of an event waits until no CPU uses it, 50 ms for each. The
 * child waits for the end of the pipe, so its close() is the last one.
 */
void mp_tracer_close_later(struct mp_tracer *tracer)
{
	pid_t owner = getpid(), child;
	int pipe_fds[2];
	char end;

	if (pipe2(pipe_fds, O_CLOEXEC)) {
		mp_tracer_close(tracer);
		return;
	}
	child = fork();
	if (!child) {
		close(pipe_fds[1]);
		leave_terminal();
		while (read(pipe_fds[0], &end, 1) < 0 && errno == EINTR)
			;
		mp_perf_rings_close(&tracer->rings);
		mp_dynamic_events_remove(owner);
		_exit(0);
	}
	mp_perf_rings_close(&tracer->rings);
	if (child < 0)
		mp_dynamic_events_remove(owner);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
}

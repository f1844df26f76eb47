// SPDX-License-Identifier: GPL-2.0-only
/*
 * session: opens the device or perf events, sets the targets, starts recording,
 * and sets probes
 *
 * Closing the files undoes all these steps. If the kernel refuses to probe a
 * function of a target's binary, that probe is skipped and no error is
 * returned.
 */
#include "session.h"
#include "cgroup.h"
#include "clock.h"
#include "kmod.h"
#include "library.h"
#include "machine.h"
#include "process.h"
#include "smaps.h"
#include "syscall-events.h"
#include "tasks.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

/* Sizes of rings in pages of 4 KiB: default, and limits per CPU and in total. */
#define RING_PAGES	512
#define MAX_RING_PAGES	16384
#define MAX_ALL_PAGES	65536

/* The allocator's functions and some of its callers are in such a piece of stack. */
#define CALL_STACK_BYTES	1024

/* Where an allocator asks the kernel for memory, its own functions fill 2 KB. */
#define GROWTH_STACK_BYTES	3072

/*
 * If each fault has a stack: enough to come from memset(), or from sysmalloc() through
 * _int_malloc() and operator new, to their caller. A fault then takes 736 bytes of a ring.
 */
#define FAULT_STACK_BYTES	512

/*
 * If nobody asked for each call: the most frees in a second that are followed. A block then
 * costs four traps at most, some 4 us, so a program is at most a tenth slower.
 */
#define MOST_CALLS	25000

/* Rings have room for a burst of them: a library can map and unmap 15000 times a second. */
#define GROWTH_RING_PAGES	4096

/* Open files that a session needs besides its targets: a ring and some events per CPU. */
#define MIN_FILES	64
#define CPU_FILES	24

static int cannot_open(struct mp_diag *diag, int err)
{
	const char *hint = NULL;

	if (err == -ENOENT || err == -ENXIO || err == -ENODEV)
		hint = access("/proc/modules", F_OK) ?
		       "this kernel takes no modules: leave --source out, or take --source perf" :
		       "load the module: modprobe memprof; memprofctl check tells more";
	else if (err == -EACCES || err == -EPERM)
		hint = "run as root, or grant CAP_PERFMON";
	return mp_diag_fail(diag, err, hint, "cannot open " MEMPROF_DEVICE);
}

static int cannot_start(struct mp_diag *diag, int err)
{
	const char *hint = NULL;

	if (err == -EPERM)
		hint = "run as root, or grant CAP_PERFMON";
	else if (err == -EUSERS)
		hint = "too many sessions run already";
	else if (err == -EOPNOTSUPP)
		hint = "this kernel lacks a stream: see memprofctl check, --faults off, --growth off";
	else if (err == -ENOMEM)
		hint = "a smaller --max-processes needs less";
	return mp_diag_fail(diag, err, hint, "cannot start the session");
}

static int cannot_trace(struct mp_diag *diag, int err, const char *what)
{
	const char *hint = NULL;

	if (err == -EPERM || err == -EACCES)
		hint = "run as root";
	else if (err == -EMFILE)
		hint = "each event takes a file per CPU and thread: raise the limit (ulimit -n)";
	else if (err == -ENOENT)
		hint = "tracefs may not be mounted: mount -t tracefs none /sys/kernel/tracing";
	return mp_diag_fail(diag, err, hint, "cannot follow %s", what);
}

/*
 * Turns allocations off if the module cannot record them and the user did not
 * request them.
 */
static int choose_alloc(struct mp_session *session,
			const struct mp_record_options *options,
			struct mp_diag *diag)
{
	struct memprof_info info;
	int err = mp_dev_info(session->device, &info);

	if (err)
		return mp_diag_fail(diag, err, NULL, "cannot ask the module what it can do");
	if (!mp_record_options_allocs(options))
		return 0;
	if (info.features & MEMPROF_FEATURE_ALLOC) {
		session->start.flags |= MEMPROF_START_ALLOC;
		return 0;
	}
	if (options->alloc == MP_ALLOC_DEFAULT && !options->alloc_all)
		return 0;
	return mp_diag_fail(diag, 0, "leave out --alloc, or use a newer module",
			    "this module or kernel cannot follow allocations");
}

static int begin_probes(struct mp_session *session,
			const struct mp_record_options *options,
			struct mp_diag *diag)
{
	struct mp_prober *prober = &session->prober;
	char library[PATH_MAX];
	size_t i;
	int status;

	if (options->samplers) {
		status = mp_library_find(library, diag);
		if (status)
			return status;
		mp_finder_file(&prober->finder, library);
	}
	for (i = 0; i < options->nr_files; i++)
		mp_finder_file(&prober->finder, options->files[i]);
	status = mp_prober_begin(prober, diag);
	if (status)
		return status;
	for (i = 0; i < prober->nr_warnings; i++)
		mp_diag_warn(diag, NULL, "%s", prober->warnings[i]);
	if (prober->nr_failed)
		mp_diag_warn(diag, strerror(-prober->err), "%zu of %zu probes failed, the first of them %s",
			prober->nr_failed, prober->nr_failed + prober->nr_probes,
			     prober->refused);
	return 0;
}

static int begin_kmod(struct mp_session *session,
		      const struct mp_record_options *options,
		      struct mp_diag *diag)
{
	int status, err;

	if (session->device < 0)
		session->device = mp_dev_open();
	if (session->device < 0)
		return cannot_open(diag, session->device);
	status = mp_targets_watch(&options->targets, session->device,
				  session->targets, diag);
	if (!status)
		status = choose_alloc(session, options, diag);
	if (status)
		return status;
	if (session->start.flags & MEMPROF_START_ALLOC)
		session->alloc_rate = session->start.alloc_rate ?
				      session->start.alloc_rate :
				      MEMPROF_DEFAULT_RATE;
	else
		session->start.alloc_rate = 0;
	err = mp_dev_start(session->device, &session->start);
	if (err)
		return cannot_start(diag, err);
	if (session->tracer.chain > MP_CHAIN_NONE || session->tracer.growth_chain > MP_CHAIN_NONE)
		session->prober.python.device = session->device;
	/* of other binaries nothing needs to be known */
	if (!session->alloc_rate && !options->sections)
		session->prober.finder.named = "python";
	if (session->alloc_rate) {
		session->prober.attach = mp_prober_attach_kmod;
		session->prober.session = &session->device;
	}
	if (options->sections) {
		err = mp_session_open_rings(session);
		if (err)
			return cannot_trace(diag, err, "the module's events");
		session->prober.sections = &session->tracer;
	}
	return mp_session_probes(session) ? begin_probes(session, options, diag) : 0;
}

/* All targets of a perf session must be of the same kind. */
static int choose_scope(struct mp_session *session,
			const struct mp_record_options *options,
			struct mp_diag *diag)
{
	struct mp_perf_rings *rings = &session->tracer.rings;
	const struct mp_targets *targets = &options->targets;
	uint32_t kind = targets->list[0].kind;
	unsigned int i;
	int err;

	for (i = 1; i < targets->nr; i++)
		if (targets->list[i].kind != kind)
			return mp_diag_usage(diag, "the perf source follows processes, cgroups or everything, not several of these at once");
	mp_targets_describe(targets, session->targets);
	if (kind == MEMPROF_TARGET_CGROUP)
		return mp_cgroup_targets_open(&session->cgroups, rings, targets,
					      diag);
	if (kind == MEMPROF_TARGET_ALL)
		return 0;
	rings->scope = MP_SCOPE_TASKS;
	if (kind == MEMPROF_TARGET_COMM && options->lasts)
		return mp_diag_usage(diag, "comm needs the module: perf's events follow only the processes that run when the session begins; name cgroups");
	err = mp_tasks_of(&session->prober, &rings->ids, &rings->nr_ids);
	if (err == -ESRCH && kind == MEMPROF_TARGET_COMM)
		return mp_diag_fail(diag, 0, "ps -e shows the names that there are",
				    "no process of %s runs", session->targets);
	if (!err && kind == MEMPROF_TARGET_COMM)
		mp_diag_warn(diag, "-G or -a follows these, too",
			     "%s: processes that begin later are not followed, unless those that run start them",
			     session->targets);
	return err ? mp_diag_fail(diag, err, NULL, "cannot follow %s", session->targets) :
		     0;
}

/* Updates the list of the targets' tasks before a probe is added. */
static void relist(void *context)
{
	struct mp_session *session = context;
	struct mp_perf_rings *rings = &session->tracer.rings;
	size_t nr;
	int *ids;

	if (rings->scope != MP_SCOPE_TASKS ||
	    mp_tasks_of(&session->prober, &ids, &nr))
		return;
	free(rings->ids);
	rings->ids = ids;
	rings->nr_ids = nr;
}

/*
 * If only each n-th fault is sampled, the kernel counts the faults of each task
 * separately. The faults after a task's last sample are lost when the task
 * exits. So if tasks are recorded, the default is to record each fault.
 */
static uint32_t choose_period(struct mp_session *session, struct mp_diag *diag)
{
	bool tasks = session->tracer.rings.scope == MP_SCOPE_TASKS;

	if (!session->start.minor_period)
		session->start.minor_period =
			tasks ? 1 : MEMPROF_DEFAULT_MINOR_PERIOD;
	else if (tasks && session->start.minor_period > 1)
		mp_diag_warn(diag, "--faults 1 counts each",
			"each task counts its faults for itself: MINFLT and TOUCHED are too low");
	return session->start.minor_period;
}

size_t mp_session_ring_pages(const struct mp_tracer *tracer)
{
	size_t nr_cpus = (size_t)sysconf(_SC_NPROCESSORS_CONF);
	size_t pages = tracer->growth_chain == MP_CHAIN_DWARF ? GROWTH_RING_PAGES :
								RING_PAGES;

	if (tracer->chain == MP_CHAIN_DWARF)
		while (pages < MAX_RING_PAGES &&
		       2 * pages * nr_cpus <= MAX_ALL_PAGES)
			pages *= 2;
	return pages;
}

/* Whether the library can be put into processes of this machine. */
static bool can_inject(void)
{
	struct mp_diag unused = { 0 };
	char library[PATH_MAX];

	return mp_machine() && !mp_library_find(library, &unused);
}

static int choose_perf_alloc(struct mp_session *session,
			     const struct mp_record_options *options,
			     struct mp_diag *diag)
{
	const uint64_t rate = options->start.alloc_rate;

	if (rate > 1 && !options->samplers)
		return mp_diag_fail(diag, -EOPNOTSUPP, can_inject() ?
				    "--inject samples; --alloc exact counts each call, with a trap" :
				    "--alloc exact counts each call, with a trap",
				    "perf's events cannot sample allocations by bytes");
	session->start.flags |= MEMPROF_START_ALLOC;
	session->alloc_rate = rate && options->samplers ? rate : 1;
	session->prober.attach = mp_prober_attach_tracer;
	session->prober.session = &session->tracer;
	if (options->alloc == MP_ALLOC_DEFAULT && !options->samplers)
		session->prober.most_calls = MOST_CALLS;
	return 0;
}

/*
 * Where system calls have no kprobes, the kernel traces all of them for growth. That costs
 * each call 0.1 us, and services of the machine several percent of their throughput. A
 * session that puts samplers into all processes must cost less than one percent.
 */
static void choose_growth(struct mp_session *session, const struct mp_record_options *options,
			  struct mp_diag *diag)
{
	if (session->source != MP_SOURCE_PERF || !options->inject || options->growth_given ||
	    options->targets.list[0].kind != MEMPROF_TARGET_ALL || mp_syscall_events_alone())
		return;
	session->start.flags &= ~(uint32_t)MEMPROF_START_GROWTH;
	mp_diag_warn(diag, "--growth on",
		     "growth is not followed: this kernel has no kprobes, and without them each system call of each process would take 0.1 us longer");
}

/* Follows faults and growth. */
static int begin_memory(struct mp_session *session, struct mp_diag *diag)
{
	struct mp_tracer *tracer = &session->tracer;
	int err = 0;

	if (session->start.flags & MEMPROF_START_FAULTS)
		err = mp_tracer_faults(tracer, choose_period(session, diag));
	if (err)
		return cannot_trace(diag, err, "page faults");
	if (session->start.flags & MEMPROF_START_GROWTH)
		err = mp_tracer_growth(tracer);
	return err ? cannot_trace(diag, err, "calls for address space") : 0;
}

static int begin_perf(struct mp_session *session,
		      const struct mp_record_options *options, bool on_exec,
		      struct mp_diag *diag)
{
	struct mp_tracer *tracer = &session->tracer;
	int status = choose_scope(session, options, diag), err;

	if (status)
		return status;
	tracer->rings.on_exec = on_exec;
	tracer->rings.no_children = !options->targets.children;
	/* growth needs what is mapped without a system call of its own: stacks */
	tracer->rings.all_maps = session->start.flags & MEMPROF_START_GROWTH;
	/* the few static probes of samplers are held in another way, which costs no switch */
	tracer->rings.keeps_apart = mp_record_options_allocs(options) && !options->samplers;
	err = mp_tracer_open(tracer, options->ring_pages ?:
			     mp_session_ring_pages(tracer));
	if (err)
		return cannot_trace(diag, err, session->targets);
	tracer->relist = relist;
	tracer->context = session;
	if (!options->inject)
		status = begin_memory(session, diag);
	if (status)
		return status;
	if (mp_record_options_allocs(options))
		status = choose_perf_alloc(session, options, diag);
	if (status)
		return status;
	if (options->sections)
		session->prober.sections = tracer;
	if (mp_session_probes(session)) {
		status = begin_probes(session, options, diag);
		if (status)
			return status;
	}
	/* too many calls: faults and growth remain. A library that was injected once has probes, too */
	if (session->prober.nr_busy &&
	    session->prober.nr_probes == session->prober.nr_in_samplers) {
		session->start.flags &= ~MEMPROF_START_ALLOC;
		session->alloc_rate = 0;
	}
	err = mp_tracer_run(tracer);
	if (err)
		return cannot_trace(diag, err, session->targets);
	mp_cgroup_targets_watch(&session->cgroups);
	return 0;
}

/* What perf's events cost, and the way that costs less, if there is one here. */
static const char *perf_hint(const struct mp_record_options *options, bool on_exec)
{
	if (options->samplers || options->alloc != MP_ALLOC_ON)
		return NULL;
	if (on_exec)
		return "each call of an allocator costs a trap: without --alloc exact they are sampled, without traps";
	return can_inject() ?
	       "each call of an allocator costs a trap, so a program that allocates often can run 50 times slower: --inject samples them without" :
	       "each call of an allocator costs a trap: none is sampled";
}

/* Uses the module if it is loaded. */
static void choose_source(struct mp_session *session,
			  const struct mp_record_options *options, bool on_exec,
			  struct mp_diag *diag)
{
	session->source = options->source;
	if (session->source != MP_SOURCE_AUTO)
		return;
	session->device = mp_dev_open();
	session->source = session->device >= 0 ? MP_SOURCE_KMOD :
						 MP_SOURCE_PERF;
	if (session->source == MP_SOURCE_PERF && perf_hint(options, on_exec))
		mp_diag_warn(diag, perf_hint(options, on_exec),
			     "the module is not loaded: taking perf's events");
}

bool mp_session_probes(const struct mp_session *session)
{
	return session->alloc_rate || session->prober.sections;
}

bool mp_session_follows(const struct mp_session *session)
{
	return mp_session_probes(session) || session->prober.python.device;
}

bool mp_session_has_calls(const struct mp_session *session)
{
	return session->source == MP_SOURCE_PERF || session->tracer.chain > MP_CHAIN_NONE;
}

bool mp_session_streams(const struct mp_session *session)
{
	return session->source == MP_SOURCE_PERF ||
	       (session->source == MP_SOURCE_KMOD && session->start.flags &&
		(session->tracer.chain > MP_CHAIN_NONE ||
		 session->tracer.growth_chain > MP_CHAIN_NONE));
}

int mp_session_open_rings(struct mp_session *session)
{
	struct mp_tracer *tracer = &session->tracer;
	struct memprof_status status = { 0 };
	int err = mp_tracer_open(tracer, mp_session_ring_pages(tracer));

	if (!err && session->source == MP_SOURCE_KMOD) {
		err = mp_dev_status(session->device, &status);
		if (!err)
			err = mp_tracer_module(tracer, status.session);
		if (!err)
			err = mp_tracer_run(tracer);
	}
	return err;
}

/* Whether faults are sampled, and nothing else tells stacks of code that touches pages. */
static bool few_faults(const struct mp_session *session,
		       const struct mp_record_options *options)
{
	const bool tasks = options->targets.list[0].kind == MEMPROF_TARGET_PROCESS;

	return !mp_record_options_allocs(options) && options->start.minor_period != 1 &&
	       (session->source == MP_SOURCE_KMOD || !tasks);
}

/*
 * What is chosen if the user chose nothing. Libraries such as libstdc++ and
 * interpreters have no frame pointers, and the functions that ask for memory are
 * just above them on the stack: so a call that a probe traces gets a copy of the
 * top of the stack. Pages are touched in the C library, which has no frame pointers, so
 * a fault gets a copy, too. There can be very many faults: if each one is sampled, or if
 * calls have stacks, it is a small one.
 *
 * The calls by which the C library gets memory are few, and it has no frame pointers:
 * they get a copy of the stack, too. If a library samples, its probe tells the stacks to
 * perf's events.
 *
 * In a session of the module that counts each call, stacks would need a record for
 * each call, which can be lost; the module's own sums cannot. There only faults and growth
 * outside of calls have stacks.
 */
static void choose_default_chain(struct mp_session *session,
				 const struct mp_record_options *options)
{
	struct mp_tracer *tracer = &session->tracer;
	/* the module's event of a library's sample has its callsite only */
	bool calls = mp_record_options_allocs(options) &&
		     (!options->samplers || session->source == MP_SOURCE_KMOD);
	bool sampled = session->source == MP_SOURCE_KMOD &&
		       options->start.alloc_rate != 1;

	tracer->fault_chain = MP_CHAIN_DWARF;
	tracer->chain = calls ? MP_CHAIN_DWARF : MP_CHAIN_FP;
	tracer->growth_chain = MP_CHAIN_DWARF;
	tracer->stack_bytes = calls && sampled ? MP_STACK_BYTES :
			      options->samplers ? GROWTH_STACK_BYTES : CALL_STACK_BYTES;
	tracer->fault_stack_bytes = tracer->stack_bytes;
	if (session->source == MP_SOURCE_KMOD && !options->records && calls && !sampled &&
	    !options->samplers)
		tracer->chain = MP_CHAIN_NONE;
	else if (!few_faults(session, options))
		tracer->fault_stack_bytes = FAULT_STACK_BYTES;
}

static void choose_chain(struct mp_session *session, const struct mp_record_options *options)
{
	session->tracer.chain = options->chain;
	session->tracer.fault_chain = options->chain;
	session->tracer.growth_chain = options->chain;
	session->tracer.stack_bytes = options->stack_bytes;
	session->tracer.fault_stack_bytes = options->stack_bytes;
	if (options->chain == MP_CHAIN_DEFAULT)
		choose_default_chain(session, options);
}

static int begin_source(struct mp_session *session,
			const struct mp_record_options *options, bool on_exec,
			struct mp_diag *diag)
{
	switch (session->source) {
	case MP_SOURCE_PERF:
		return begin_perf(session, options, on_exec, diag);
	case MP_SOURCE_SMAPS:
		session->start.flags = 0;
		mp_targets_describe(&options->targets, session->targets);
		return mp_targets_find(&options->targets, diag);
	default:
		return begin_kmod(session, options, diag);
	}
}

/*
 * Hints at ulimit -n, because a library without a free descriptor may report
 * another error.
 */
static void hint_at_limit(struct mp_diag *diag)
{
	const long needed = MIN_FILES + CPU_FILES * sysconf(_SC_NPROCESSORS_ONLN);
	struct rlimit limit;

	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < (rlim_t)needed)
		snprintf(diag->hint, sizeof(diag->hint),
			 "ulimit -n is %llu, which may be too few: %ld are enough",
			 (unsigned long long)limit.rlim_cur, needed);
}

static int begin_injections(struct mp_session *session,
			    const struct mp_record_options *options, struct mp_diag *diag)
{
	struct mp_follower *follower = &session->follower;
	struct epoll_event event = { .events = EPOLLIN };
	int err = mp_injected_begin(&session->injected, &session->prober,
				    options->start.alloc_rate, options->pace, NULL, diag);

	if (err)
		return err;
	if (follower->err) {
		mp_diag_warn(diag, strerror(-follower->err),
			     "the kernel does not report new programs: those that start later are not sampled");
		return 0;
	}
	follower->mapped = mp_injected_expect;
	follower->context = &session->injected;
	epoll_ctl(follower->fd, EPOLL_CTL_ADD, session->injected.timer, &event);
	return 0;
}

int mp_session_begin(struct mp_session *session,
		     const struct mp_record_options *options, bool on_exec,
		     struct mp_diag *diag)
{
	int err;

	*session = (struct mp_session){ .device = -1, .start = options->start };
	session->pace = options->pace;
	session->prober.user = options->functions;
	session->prober.samplers = options->samplers;
	mp_prober_open(&session->prober, &options->targets);
	choose_source(session, options, on_exec, diag);
	choose_growth(session, options, diag);
	choose_chain(session, options);
	session->dump_bytes = options->dump_bytes;
	/* without stacks, the outermost function's caller is all that is known */
	session->prober.user.operator_new = session->source == MP_SOURCE_KMOD &&
					    options->start.alloc_rate == 1 &&
					    session->tracer.chain == MP_CHAIN_NONE;
	err = begin_source(session, options, on_exec, diag);
	if (err)
		hint_at_limit(diag);
	if (!err && mp_session_follows(session))
		/* if nothing is probed but the samplers, whose file is known, it is not urgent */
		mp_follower_open(&session->follower, &session->prober, !options->inject ||
				 session->prober.sections || session->prober.python.device);
	/* its static probes are set already, so no free of a sample is missed */
	if (!err && options->inject)
		err = begin_injections(session, options, diag);
	/* later, because the library's own mappings are no growth of the targets */
	if (!err && options->inject && session->source == MP_SOURCE_PERF)
		err = begin_memory(session, diag);
	return err;
}

void mp_session_work(struct mp_session *session)
{
	if (mp_cgroup_targets_work(&session->cgroups))
		session->prober.nr_lost++;
	if (mp_session_follows(session))
		mp_follower_work(&session->follower);
	mp_injected_work(&session->injected);
}

struct size_walk {
	const struct mp_prober *filter;
	struct mp_profile *profile;
	int err;
};

static void add_process_sizes(void *context, pid_t pid)
{
	struct size_walk *walk = context;
	struct mp_row row;

	if (!walk->err && mp_prober_wants(walk->filter, pid) &&
	    mp_smaps_process(pid, &row))
		walk->err = mp_profile_add(walk->profile, &row);
}

static int add_sizes(const struct mp_session *session,
		     struct mp_profile *profile)
{
	struct size_walk walk = {
		.filter = &session->prober, .profile = profile,
	};
	int err = mp_profile_warn(profile,
				  "sizes only, read from /proc: the smaps source sees no allocation, no fault and no growth");

	return err ?: mp_process_each(add_process_sizes, &walk) ?: walk.err;
}

int mp_session_rows(const struct mp_session *session,
		    struct mp_profile *profile)
{
	switch (session->source) {
	case MP_SOURCE_KMOD:
		return mp_kmod_profile(session->device, session->alloc_rate ?
				       MEMPROF_SNAPSHOT_BLOCKS : 0, profile);
	case MP_SOURCE_SMAPS:
		return add_sizes(session, profile);
	default:
		return 0;
	}
}

void mp_session_alloc_meta(const struct mp_session *session,
			   struct mp_alloc_meta *meta)
{
	if (!session->alloc_rate)
		return;
	*meta = (struct mp_alloc_meta){
		.rate = session->alloc_rate,
		.pace = session->pace,
		.nr_probes = session->prober.nr_probes,
		.nr_binaries = session->prober.nr_binaries,
		.nr_samplers = (uint32_t)mp_injected_count(&session->injected),
		.nr_unsampled = (uint32_t)(session->injected.nr_refused +
					   session->injected.nr_missed),
		.nr_brief = (uint32_t)session->injected.nr_brief,
		.rescan_errno = -session->follower.err,
	};
}

static void end(struct mp_session *session)
{
	if (session->follower.prober)
		mp_follower_close(&session->follower);
	mp_injected_end(&session->injected);
	mp_cgroup_targets_close(&session->cgroups);
	free(session->tracer.rings.ids);
	session->tracer.rings.ids = NULL;
	mp_prober_close(&session->prober);
	if (session->device >= 0)
		close(session->device);
	session->device = -1;
}

void mp_session_end(struct mp_session *session)
{
	end(session);
	mp_tracer_close(&session->tracer);
}

void mp_session_end_later(struct mp_session *session)
{
	end(session);
	mp_tracer_close_later(&session->tracer);
}

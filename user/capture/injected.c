// SPDX-License-Identifier: GPL-2.0-only
/*
 * injected: puts libmemprof into the target processes, for one session
 *
 * A process costs some milliseconds, for which one of its threads waits. A program that
 * begins is given time to load its libraries first.
 *
 * On a whole machine, programs may begin all the time, as in a build. Their injections
 * take one part in two hundred of the CPUs' time at most: those that began first are
 * served first, and short ones end before their turn. While very many begin, a program has to
 * run for some seconds first: that of a compiler, which ends soon, is not worth the time.
 */
#include "injected.h"
#include "zygote.h"
#include "clock.h"
#include "library.h"
#include "process.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <unistd.h>

/* Processes that are named in warnings; all are counted. */
#define MAX_NAMED	4

/* How long a process waits after it mapped code, and how often it is tried. */
#define SETTLE_MS	100
#define MAX_SETTLE_MS	1000
#define MAX_TRIES	3

/*
 * Injections of a session of everything may use 1 / TIME_SHARE of the CPUs' time, and that of
 * ADVANCE_NS before it has passed. One that waits for its process uses none: each counts for
 * MOST_NS at most.
 */
#define TIME_SHARE	200
#define ADVANCE_NS	1000000000ULL
#define MOST_NS		20000000ULL

/* Where that many programs begin in a second, one has to run for that long. */
#define MANY_BEGIN	10
#define MANY_WAIT_MS	2000

struct walk {
	struct mp_injected *injected;
	struct mp_diag *diag, first;
	int err;
};

static bool has_ended(pid_t pid)
{
	return kill(pid, 0) && errno == ESRCH;
}

/*
 * Forgets processes that ended, because programs may come and go for months. Returns how many
 * there were.
 */
static size_t forget_ended(pid_t *pids, size_t *nr)
{
	const size_t before = *nr;
	size_t i, kept = 0;

	for (i = 0; i < before; i++)
		if (!has_ended(pids[i]))
			pids[kept++] = pids[i];
	*nr = kept;
	return before - kept;
}

static int add_pid(pid_t **pids, size_t *nr, size_t *max, pid_t pid)
{
	const size_t room = *max ? 2 * *max : 64;
	pid_t *more;

	/* if less than half of them ended, the next time would be soon */
	if (*nr == *max && forget_ended(*pids, nr) <= *max / 2) {
		more = realloc(*pids, room * sizeof(*more));
		if (!more)
			return -ENOMEM;
		*pids = more;
		*max = room;
	}
	(*pids)[(*nr)++] = pid;
	return 0;
}

static bool has_pid(const pid_t *pids, size_t nr, pid_t pid)
{
	size_t i;

	for (i = 0; i < nr && pids[i] != pid; i++)
		;
	return i < nr;
}

static bool has_library(const struct mp_injected *injected, pid_t pid)
{
	return has_pid(injected->own, injected->nr_own, pid) ||
	       has_pid(injected->others, injected->nr_others, pid);
}

/* Returns 0 if the process has the library now. */
static int inject_one(struct mp_injected *injected, pid_t pid, struct mp_diag *why)
{
	struct mp_injection injection;
	struct mp_diag unused = { 0 };
	int err = mp_inject_worker_inject(&injected->worker, pid, &injected->options,
					  &injection, why);

	if (err == -EALREADY)
		return add_pid(&injected->others, &injected->nr_others,
			       &injected->max_others, pid);
	if (err || has_pid(injected->own, injected->nr_own, pid))
		return err;
	err = add_pid(&injected->own, &injected->nr_own, &injected->max_own, pid);
	if (err)
		mp_inject_worker_eject(&injected->worker, pid, &injection, &unused);
	return err;
}

static bool is_of_all(const struct mp_prober *filter)
{
	return filter->filters[0].kind == MEMPROF_TARGET_ALL;
}

static bool is_wanted(const struct mp_injected *injected, pid_t pid)
{
	const struct mp_prober *filter = injected->filter;

	return pid != getpid() && pid != injected->worker.pid && pid != mp_zygote_pid() &&
	       mp_prober_wants(filter, pid) &&
	       !(pid == 1 && is_of_all(filter));
}

/* Of everything on a machine, some processes can never have the library: they are a number. */
static size_t most_named(const struct mp_prober *filter)
{
	return is_of_all(filter) ? 0 : MAX_NAMED;
}

static void warn_of_refused(const struct mp_injected *injected, struct mp_diag *diag)
{
	const size_t named = most_named(injected->filter);
	const size_t nr = injected->nr_refused > named ? injected->nr_refused - named : 0;

	if (nr)
		mp_diag_warn(diag, "memprofctl list --samplers tells why",
			     "%zu%s process%s could not be given the library", nr,
			     named ? " more" : "", nr == 1 ? "" : "es");
}

static void inject_present(void *context, pid_t pid)
{
	struct walk *walk = context;
	struct mp_diag why = { 0 };
	int err;

	if (!is_wanted(walk->injected, pid))
		return;
	err = inject_one(walk->injected, pid, &why);
	/* the kernel's threads, and processes that end */
	if (!err || err == -ESRCH)
		return;
	if (!walk->injected->nr_refused++) {
		walk->first = why;
		walk->err = err;
	}
	if (walk->injected->nr_refused <= most_named(walk->injected->filter))
		mp_diag_warn(walk->diag, why.hint[0] ? why.hint : NULL, "%s", why.text);
}

static bool can_begin_later(const struct mp_prober *filter)
{
	return filter->filters[0].kind != MEMPROF_TARGET_PROCESS;
}

_Static_assert(MP_PACE_FACTOR == MEMPROF_PACE_FACTOR && MP_PACE_BYTES == MEMPROF_PACE_BYTES,
	       "the longest distance of errors is the library's");

int mp_injected_begin(struct mp_injected *injected, const struct mp_prober *filter,
		      uint64_t rate, uint32_t pace, const char *out, struct mp_diag *diag)
{
	struct walk walk = { .injected = injected, .diag = diag };
	int err;

	*injected = (struct mp_injected){
		.filter = filter,
		.options = {
			.library = injected->library, .rate = rate, .out = out,
			.pace = pace, .flags = out ? 0 : MEMPROF_ATTACH_PRIVATE,
		},
		.timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK),
	};
	err = mp_library_find(injected->library, diag);
	if (err)
		return err;
	mp_inject_worker_begin(&injected->worker, &injected->options);
	mp_process_each(inject_present, &walk);
	if (mp_injected_count(injected) || can_begin_later(filter)) {
		warn_of_refused(injected, diag);
		return 0;
	}
	if (!injected->nr_refused)
		return mp_diag_fail(diag, 0, NULL, "no target runs that could be given the library: threads of the kernel and processes that end cannot");
	*diag = walk.first;
	return walk.err;
}

static void set_timer(const struct mp_injected *injected)
{
	const struct itimerspec soon = {
		.it_value.tv_nsec = SETTLE_MS * 1000000L,
	};

	timerfd_settime(injected->timer, 0, &soon, NULL);
}

/* Counts programs that begin, by seconds. */
static void count_begun(struct mp_injected *injected, int64_t now_ms)
{
	const int64_t second = now_ms / 1000;

	if (second != injected->second) {
		injected->is_busy = second == injected->second + 1 &&
				    injected->nr_begun >= MANY_BEGIN;
		injected->second = second;
		injected->nr_begun = 0;
	}
	if (++injected->nr_begun >= MANY_BEGIN)
		injected->is_busy = true;
}

/* Whether a program has run for long enough to be given the library. */
static bool has_run(const struct mp_injected *injected,
		    const struct mp_injected_waiting *waiting)
{
	const int64_t now_ms = mp_clock_ms();
	const bool is_busy = injected->is_busy && now_ms / 1000 <= injected->second + 1;

	return waiting->due_ms <= now_ms &&
	       (!is_busy || !is_of_all(injected->filter) ||
		now_ms - waiting->begin_ms >= MANY_WAIT_MS);
}

void mp_injected_expect(void *context, pid_t pid)
{
	struct mp_injected *injected = context;
	struct mp_injected_waiting *waiting = injected->waiting;
	const struct mp_injected_waiting *end = waiting + injected->nr_waiting;
	const int64_t now_ms = mp_clock_ms();

	/* a program maps several files when it begins: it is looked at once */
	while (waiting < end && waiting->pid != pid)
		waiting++;
	if (waiting == end && !is_wanted(injected, pid))
		return;
	if (waiting == end && injected->nr_waiting == MP_INJECTED_WAITING) {
		injected->nr_missed++;
		return;
	}
	if (waiting == end) {
		injected->nr_waiting++;
		/* running programs map code, too */
		if (!has_library(injected, pid))
			count_begun(injected, now_ms);
		*waiting = (struct mp_injected_waiting){ .pid = pid, .begin_ms = now_ms };
	}
	/* a process that maps code all the time would never be due */
	if (now_ms - waiting->begin_ms < MAX_SETTLE_MS)
		waiting->due_ms = now_ms + SETTLE_MS;
	/* only for the first one: if each program set it anew, it might never expire */
	if (end == injected->waiting)
		set_timer(injected);
}

/* Whether the injections so far leave time for another one. */
static bool may_inject(const struct mp_injected *injected)
{
	return !is_of_all(injected->filter) ||
	       injected->paid_ns < mp_clock_ns() + ADVANCE_NS;
}

static void pay(struct mp_injected *injected, uint64_t since_ns)
{
	const uint64_t now_ns = mp_clock_ns(), took_ns = now_ns - since_ns;
	const uint64_t nr_cpus = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);

	if (injected->paid_ns < now_ns)
		injected->paid_ns = now_ns;
	injected->paid_ns += (took_ns < MOST_NS ? took_ns : MOST_NS) * TIME_SHARE / nr_cpus;
}

/* Returns true if the process should be tried again. */
static bool give_library(struct mp_injected *injected,
			 struct mp_injected_waiting *waiting)
{
	const uint64_t since_ns = mp_clock_ns();
	struct mp_diag why = { 0 };
	int err;

	if (!may_inject(injected))
		return true;
	/* the library is code that it mapped, too; once, because that reads its mappings */
	if (!waiting->was_seen && mp_inject_is_there(waiting->pid))
		return false;
	waiting->was_seen = true;
	err = inject_one(injected, waiting->pid, &why);
	pay(injected, since_ns);
	if (err == -EAGAIN && ++waiting->tries < MAX_TRIES) {
		waiting->due_ms = mp_clock_ms() + SETTLE_MS;
		return true;
	}
	injected->nr_refused += err && err != -ESRCH;
	injected->nr_brief += err == -ESRCH;
	return false;
}

void mp_injected_work(struct mp_injected *injected)
{
	struct mp_injected_waiting *waiting = injected->waiting;
	size_t i, nr = 0;
	uint64_t ticks;

	if (!injected->nr_waiting)
		return;
	if (read(injected->timer, &ticks, sizeof(ticks)) < 0)
		return;
	for (i = 0; i < injected->nr_waiting; i++) {
		if (has_ended(waiting[i].pid))
			injected->nr_brief += !has_library(injected, waiting[i].pid);
		else if (!has_run(injected, &waiting[i]) || give_library(injected, &waiting[i]))
			waiting[nr++] = waiting[i];
	}
	injected->nr_waiting = nr;
	if (nr)
		set_timer(injected);
}

size_t mp_injected_count(const struct mp_injected *injected)
{
	return injected->nr_own + injected->nr_others;
}

/* Children by fork have the library, and nobody told. */
static void eject_child(void *context, pid_t pid)
{
	const struct mp_injected *injected = context;
	struct mp_injection injection;
	struct mp_diag unused = { 0 };

	if (is_wanted(injected, pid) &&
	    !has_library(injected, pid) &&
	    mp_inject_is_there(pid))
		mp_inject_worker_eject(&injected->worker, pid, &injection, &unused);
}

void mp_injected_end(struct mp_injected *injected)
{
	struct mp_injection injection;
	struct mp_diag unused = { 0 };
	size_t i;

	if (!injected->filter)
		return;
	for (i = 0; i < injected->nr_own; i++)
		mp_inject_worker_eject(&injected->worker, injected->own[i], &injection,
				       &unused);
	/* after their parents, which could fork again */
	if (injected->nr_own)
		mp_process_each(eject_child, injected);
	mp_inject_worker_end(&injected->worker);
	close(injected->timer);
	free(injected->own);
	free(injected->others);
	*injected = (struct mp_injected){ 0 };
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * cold-watch: lets the kernel watch processes, and waits
 *
 * It runs in the program that reports, not in the collector, which goes on meanwhile. The
 * cost is DAMON's or that of page_idle (procfs/damon.c, page-idle.c), and one walk over the
 * pages of each heap. A process that ends, or whose pages cannot be read, is counted, and
 * the others are watched.
 */
#include "cold-watch.h"
#include "clock.h"
#include "damon.h"
#include "mappings.h"
#include "page-idle.h"
#include "page-walk.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

#define S_NS	1000000000ULL

/* Limit of the time for the pages of a process */
#define WALK_NS	S_NS

/* Intervals that are waited for in addition: the first and the last are no whole ones. */
#define NR_MORE	3

struct mp_cold_targets {
	const pid_t *pids;
	size_t nr;
	const sigset_t *signals;	/* blocked; they end the wait */
};

/* Waits. Returns 0, or the number of the signal that came. */
static int wait_for(const sigset_t *signals, uint64_t ns)
{
	const uint64_t end_ns = mp_clock_ns() + ns;
	uint64_t now_ns;
	int number;

	for (; (now_ns = mp_clock_ns()) < end_ns;) {
		const struct timespec left = {
			.tv_sec = (time_t)((end_ns - now_ns) / S_NS),
			.tv_nsec = (long)((end_ns - now_ns) % S_NS),
		};

		number = sigtimedwait(signals, NULL, &left);
		if (number > 0)
			return number;
	}
	return 0;
}

/* Finds the pages of a heap. Returns 0 or a negative errno. */
static int find_pages(pid_t pid, struct mp_pages *pages)
{
	const struct mp_page_walk walk = { .end_ns = mp_clock_ns() + WALK_NS };
	struct mp_mappings mappings = { 0 };
	int err = mp_mappings_read(pid, &mappings) ?:
		  mp_page_walk(&walk, pid, &mappings, pages);

	mp_mappings_free(&mappings);
	return err;
}

/* Begins to watch all. What cannot be watched is left out, unless it is everything. */
static int begin_all(struct mp_damon *damon, const pid_t *pids, size_t nr,
		     struct mp_diag *diag)
{
	struct mp_pages pages = { 0 };
	size_t i, nr_begun = 0;
	int err = 0, first = 0;

	for (i = 0; i < nr && err != -EBUSY; i++) {
		err = find_pages(pids[i], &pages) ?:
		      mp_damon_begin(damon, i, pids[i], &pages);
		mp_pages_free(&pages);
		nr_begun += !err;
		first = first ?: err;
	}
	if (err == -EBUSY)
		return mp_diag_fail(diag, 0,
				    "/sys/module/damon_stat, damon_reclaim or damon_lru_sort has parameters/enabled",
				    "DAMON is in use by a module of the kernel");
	return nr_begun ? 0 : mp_diag_fail(diag, first, NULL,
					   "cannot watch any of the processes");
}

static uint64_t longest_interval(const struct mp_damon *damon)
{
	uint64_t longest = damon->interval_us * 1000, one;
	size_t i;

	for (i = 0; i < damon->nr; i++) {
		one = mp_damon_interval(damon, i);
		if (one > longest)
			longest = one;
	}
	return longest;
}

static int read_all(struct mp_cold_watch *watch, const struct mp_damon *damon,
		    struct mp_diag *diag)
{
	size_t i;
	int err;

	for (i = 0; i < damon->nr; i++) {
		err = mp_damon_read(damon, i, &watch->cold);
		watch->nr_ended += err == -ESRCH;
		if (err && err != -ESRCH && err != -ENOSPC)
			return mp_diag_fail(diag, err, NULL, "cannot read DAMON's regions");
	}
	watch->meta.nr_processes = damon->nr - watch->nr_ended;
	return 0;
}

static int watch_by_damon(struct mp_cold_watch *watch, const struct mp_cold_targets *targets,
			  int *number, struct mp_diag *diag)
{
	const sigset_t *signals = targets->signals;
	struct mp_damon damon;
	int err = mp_damon_open(&damon, targets->nr, watch->cold.least_ns, diag) ?:
		  begin_all(&damon, targets->pids, targets->nr, diag);

	if (!err)
		*number = wait_for(signals, watch->cold.least_ns);
	if (!err && !*number)
		*number = wait_for(signals, NR_MORE * longest_interval(&damon));
	if (!err && !*number)
		err = read_all(watch, &damon, diag);
	watch->meta.cpu_ns = mp_damon_cpu_ns(&damon);
	mp_damon_close(&damon);
	return err;
}

/* Marks the pages of all processes, or reads them: @age_ns is then how old they are. */
static uint64_t pass_idle(struct mp_cold_watch *watch, const struct mp_page_idle *idle,
			  const struct mp_cold_targets *targets, uint64_t age_ns)
{
	struct mp_pages pages = { 0 };
	uint64_t nr_done = 0;
	size_t i;
	int err;

	for (i = 0; i < targets->nr; i++) {
		err = find_pages(targets->pids[i], &pages);
		if (!err)
			err = age_ns ? mp_page_idle_read(idle, targets->pids[i], &pages,
							 age_ns, &watch->cold) :
				       mp_page_idle_mark(idle, targets->pids[i], &pages);
		nr_done += !err || err == -ENOSPC;
		mp_pages_free(&pages);
	}
	return nr_done;
}

/* Marks stay when this ends, and mean nothing to anybody who does not read them. */
static int watch_by_idle(struct mp_cold_watch *watch, const struct mp_cold_targets *targets,
			 int *number, struct mp_diag *diag)
{
	const clock_t before = clock();
	struct mp_page_idle idle;
	uint64_t marked_ns;
	int err = mp_page_idle_open(&idle, NULL, diag);

	if (!err && mp_damon_others())
		err = mp_diag_fail(diag, 0, "it uses the same marks of pages",
				   "page_idle cannot be used while DAMON is in use by somebody else");
	if (!err && !pass_idle(watch, &idle, targets, 0))
		err = mp_diag_fail(diag, 0, NULL, "cannot watch any of the processes");
	marked_ns = mp_clock_ns();
	if (!err)
		*number = wait_for(targets->signals, watch->cold.least_ns);
	if (!err && !*number) {
		watch->meta.nr_processes = pass_idle(watch, &idle, targets,
						     mp_clock_ns() - marked_ns);
		watch->nr_ended = targets->nr - watch->meta.nr_processes;
	}
	watch->meta.cpu_ns = (uint64_t)(clock() - before) * (S_NS / CLOCKS_PER_SEC);
	mp_page_idle_close(&idle);
	return err;
}

static enum mp_cold_way choose_way(void)
{
	return mp_page_idle_exists() ? MP_COLD_PAGE_IDLE :
	       mp_damon_exists() ? MP_COLD_DAMON : MP_COLD_NONE;
}

int mp_cold_watch(struct mp_cold_watch *watch, const pid_t *pids, size_t nr,
		  uint64_t least_ns, struct mp_diag *diag)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	const uint64_t begun_ns = mp_clock_ns();
	sigset_t signals, before;
	const struct mp_cold_targets targets = { pids, nr, &signals };
	int err, number = 0;
	size_t i;

	watch->meta.way = choose_way();
	if (watch->meta.way == MP_COLD_NONE)
		return mp_diag_fail(diag, 0, "Debian's kernels have DAMON from 6.12 on",
				    "this kernel cannot tell which pages are cold: it has neither DAMON (CONFIG_DAMON_VADDR, CONFIG_DAMON_SYSFS) nor page_idle (CONFIG_IDLE_PAGE_TRACKING)");
	watch->cold.least_ns = watch->meta.least_ns = least_ns;
	sigemptyset(&signals);
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigaddset(&signals, numbers[i]);
	sigprocmask(SIG_BLOCK, &signals, &before);
	err = watch->meta.way == MP_COLD_DAMON ?
	      watch_by_damon(watch, &targets, &number, diag) :
	      watch_by_idle(watch, &targets, &number, diag);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (number) {
		raise(number);
		return mp_diag_fail(diag, EINTR, NULL, "nothing was watched");
	}
	watch->meta.spent_ns = mp_clock_ns() - begun_ns;
	watch->meta.tenth_ns = mp_cold_tenth(&watch->cold);
	mp_cold_sort(&watch->cold);
	return err;
}

void mp_cold_watch_free(struct mp_cold_watch *watch)
{
	mp_cold_free(&watch->cold);
	*watch = (struct mp_cold_watch){ 0 };
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * cold-watch: lets the kernel watch processes, and waits
 *
 * It runs in the program that reports, not in the collector, which goes on meanwhile. The
 * cost is DAMON's (procfs/damon.c), and once the look at the pages of each heap. A process
 * that ends, or whose pages cannot be read, is counted, and the others are watched.
 */
#include "cold-watch.h"
#include "clock.h"
#include "damon.h"
#include "mappings.h"
#include "page-walk.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

#define S_NS	1000000000ULL

/* Limit of the time for the pages of a process */
#define WALK_NS	S_NS

/* Intervals that are waited for in addition: the first and the last are no whole ones. */
#define NR_MORE	3

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

/* Watches with signals blocked. @number: out: the signal that came, or 0 */
static int watch_pages(struct mp_cold_watch *watch, const pid_t *pids, size_t nr,
		       const sigset_t *signals, int *number, struct mp_diag *diag)
{
	const uint64_t begun_ns = mp_clock_ns();
	struct mp_damon damon;
	int err = mp_damon_open(&damon, nr, watch->cold.least_ns, diag) ?:
		  begin_all(&damon, pids, nr, diag);

	if (!err)
		*number = wait_for(signals, watch->cold.least_ns);
	if (!err && !*number)
		*number = wait_for(signals, NR_MORE * longest_interval(&damon));
	if (!err && !*number)
		err = read_all(watch, &damon, diag);
	watch->meta.spent_ns = mp_clock_ns() - begun_ns;
	watch->meta.cpu_ns = mp_damon_cpu_ns(&damon);
	mp_damon_close(&damon);
	return err;
}

int mp_cold_watch(struct mp_cold_watch *watch, const pid_t *pids, size_t nr,
		  uint64_t least_ns, struct mp_diag *diag)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	sigset_t signals, before;
	int err, number = 0;
	size_t i;

	if (!mp_damon_exists())
		return mp_diag_fail(diag, 0, "Debian's kernels have DAMON from 6.12 on",
				    "this kernel cannot tell which pages are cold: it has neither DAMON (CONFIG_DAMON_VADDR, CONFIG_DAMON_SYSFS) nor page_idle (CONFIG_IDLE_PAGE_TRACKING)");
	watch->cold.least_ns = watch->meta.least_ns = least_ns;
	sigemptyset(&signals);
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigaddset(&signals, numbers[i]);
	sigprocmask(SIG_BLOCK, &signals, &before);
	err = watch_pages(watch, pids, nr, &signals, &number, diag);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (number) {
		raise(number);
		return mp_diag_fail(diag, EINTR, NULL, "nothing was watched");
	}
	watch->meta.tenth_ns = mp_cold_tenth(&watch->cold);
	mp_cold_sort(&watch->cold);
	return err;
}

void mp_cold_watch_free(struct mp_cold_watch *watch)
{
	mp_cold_free(&watch->cold);
	*watch = (struct mp_cold_watch){ 0 };
}

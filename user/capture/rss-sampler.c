// SPDX-License-Identifier: GPL-2.0-only
/*
 * rss-sampler: reads the sizes of processes one by one, in the order of their
 * ids
 *
 * A turn reads the sizes of all targets, within a limit of CPU time. The next
 * turn begins with the targets that were not read within the limit. A target whose memory has
 * not changed since it was read is skipped, see size-marks. Targets that were not reached
 * are counted as late: if such a process exits, its last sizes may be
 * older than a second.
 */
#include "rss-sampler.h"
#include "array.h"
#include "cgroup-memory.h"
#include "clock.h"
#include "process.h"
#include "smaps.h"

#include <errno.h>
#include <stdlib.h>

#define MS		1000000ULL
#define FIRST		(50 * MS)
#define INTERVAL	(1000 * MS)
#define TURN		(20 * MS)

/* A short recording has at least as many values of RSS over its time. */
#define PARTS		16

/* Turns take at most a 50th of a CPU; in the collector, which may run for months, a 500th. */
#define SHARE			50
#define SHARE_OF_COLLECTOR	500

/* Number of records that are passed on together. */
#define NR_PIECE	64

bool mp_rss_sampler_fill(const struct mp_heap *heap, struct mp_row *row,
			 uint64_t end_ns)
{
	const uint32_t *known = heap ? mp_map_find(&heap->by_pid, row->pid, 0) :
				       NULL;
	struct mp_smaps_blocks blocks = { .end_ns = end_ns };

	if (!known)
		return mp_smaps_fill((pid_t)row->pid, row, NULL);
	blocks.blocks = &heap->blocks;
	blocks.process = *known;
	return mp_smaps_fill((pid_t)row->pid, row, &blocks);
}

/* State of one turn. */
struct turn {
	struct mp_rss_sampler *sampler;
	pid_t *pids;
	size_t nr, max;
	struct mp_size_record records[NR_PIECE];
	size_t nr_records;
	int err;
};

static void collect(void *context, pid_t pid)
{
	struct turn *turn = context;

	if (turn->nr == turn->max &&
	    !mp_array_grow(&turn->pids, &turn->max, sizeof(*turn->pids))) {
		turn->err = -ENOMEM;
		return;
	}
	turn->pids[turn->nr++] = pid;
}

static int hand_on(struct turn *turn)
{
	struct mp_rss_sampler *sampler = turn->sampler;
	size_t nr = turn->nr_records;

	turn->nr_records = 0;
	return nr && sampler->put ?
	       sampler->put(sampler->context, turn->records, nr) : 0;
}

/* @time_ns: before the sizes were read, so a process that exits later had them */
static int keep(struct turn *turn, const struct mp_row *row, uint64_t time_ns)
{
	struct mp_size_record record;
	bool changed;
	int err;

	mp_size_make(&record, row, time_ns);
	err = mp_sizes_put(&turn->sampler->sizes, &record, 0, &changed);
	if (err || !changed)
		return err;
	turn->records[turn->nr_records++] = record;
	return turn->nr_records == NR_PIECE ? hand_on(turn) : 0;
}

/*
 * Keeps the sizes of the process's cgroup and of the cgroup's ancestors. @last
 * is the cgroup of the process before: if it is the same, nothing is read.
 */
static int keep_cgroups(struct turn *turn, const struct mp_row *process,
			uint64_t *last)
{
	struct mp_row rows[MP_CGROUP_DEPTH];
	int i, nr, err = 0;

	if (!process->cgroup || process->cgroup == *last)
		return 0;
	*last = process->cgroup;
	nr = mp_cgroup_memory_of((pid_t)process->pid, rows);
	for (i = 0; !err && i < nr; i++)
		err = keep(turn, &rows[i], mp_clock_ns());
	return err;
}

/*
 * Whether a process has what it had. In a recording, processes are always read: its last
 * records wait in a buffer, and those of the next turn are what completes them in the file.
 * The parts of a heap can change without a fault. The collector may miss that for half a
 * minute: reports read living processes themselves, so it is of those that end only.
 */
static bool is_same(struct mp_rss_sampler *sampler, pid_t pid)
{
	const uint64_t now = mp_clock_ns();

	if (sampler->put || mp_size_marks_changed(&sampler->marks, pid, now))
		return false;
	mp_sizes_renew(&sampler->sizes, (uint32_t)pid, now);
	return true;
}

static int sample_process(struct turn *turn, pid_t pid, uint64_t *last_cgroup)
{
	struct mp_rss_sampler *sampler = turn->sampler;
	struct mp_row row = { .kind = MP_ROW_PROCESS, .pid = (uint32_t)pid };
	const uint64_t now = mp_clock_ns();
	int err;

	if (!mp_prober_wants(sampler->filter, pid) || is_same(sampler, pid) ||
	    !mp_rss_sampler_fill(sampler->heap, &row, now + TURN))
		return 0;
	mp_smaps_names(pid, &row);
	err = keep(turn, &row, now);
	/* the collector has no @put: its client reads the sizes of cgroups */
	return err || !sampler->put ? err :
				    keep_cgroups(turn, &row, last_cgroup);
}

static int compare(const void *x, const void *y)
{
	return *(const pid_t *)x - *(const pid_t *)y;
}

/* Returns true if sizes of the process were read before, so it was a target. */
static bool is_known(const struct mp_rss_sampler *sampler, pid_t pid)
{
	return mp_map_find(&sampler->sizes.by_id, (uint64_t)pid, 0);
}

static int visit(struct turn *turn, uint64_t end_ns)
{
	struct mp_rss_sampler *sampler = turn->sampler;
	uint64_t last_cgroup = 0;
	size_t i, first = 0;
	int err = turn->err;

	if (turn->nr)
		qsort(turn->pids, turn->nr, sizeof(*turn->pids), compare);
	while (first < turn->nr && turn->pids[first] <= sampler->last)
		first++;
	for (i = 0; !err && i < turn->nr; i++) {
		if (i && mp_clock_thread_ns() > end_ns)
			break;
		sampler->last = turn->pids[(first + i) % turn->nr];
		err = sample_process(turn, sampler->last, &last_cgroup);
	}
	for (; i < turn->nr; i++)
		sampler->nr_late += is_known(sampler,
					   turn->pids[(first + i) % turn->nr]);
	return err ? err : hand_on(turn);
}

static int work(struct mp_rss_sampler *sampler, uint64_t room_ns)
{
	uint64_t start = mp_clock_thread_ns(), now, cost, pause_ns, interval_ns;
	struct turn turn = { .sampler = sampler };
	int err;

	mp_process_each(collect, &turn);
	mp_size_marks_sweep(&sampler->marks, turn.nr);
	err = visit(&turn, start + room_ns);
	free(turn.pids);
	cost = mp_clock_thread_ns() - start;
	sampler->cost_ns += cost;
	now = mp_clock_ns();
	interval_ns = (now - sampler->begin_ns) / PARTS;
	if (interval_ns < FIRST)
		interval_ns = FIRST;
	if (interval_ns > INTERVAL)
		interval_ns = INTERVAL;
	pause_ns = cost * (sampler->put ? SHARE : SHARE_OF_COLLECTOR);
	sampler->next_ns = now + (pause_ns > interval_ns ? pause_ns : interval_ns);
	return err;
}

void mp_rss_sampler_open(struct mp_rss_sampler *sampler)
{
	sampler->begin_ns = mp_clock_ns();
	sampler->next_ns = sampler->begin_ns + FIRST;
}

int mp_rss_sampler_work(struct mp_rss_sampler *sampler)
{
	return mp_clock_ns() < sampler->next_ns ?
	       0 : work(sampler, TURN);
}

int mp_rss_sampler_all(struct mp_rss_sampler *sampler)
{
	return work(sampler, INTERVAL);
}

int mp_rss_sampler_wait_ms(const struct mp_rss_sampler *sampler)
{
	uint64_t now = mp_clock_ns();

	return now < sampler->next_ns ? (int)((sampler->next_ns - now) / MS) + 1 : 0;
}

void mp_rss_sampler_close(struct mp_rss_sampler *sampler)
{
	mp_sizes_free(&sampler->sizes);
	mp_size_marks_free(&sampler->marks);
}

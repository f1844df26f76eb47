// SPDX-License-Identifier: GPL-2.0-only
/*
 * section-flushes: sorts the flushed sections of each thread by time
 *
 * The records of one CPU arrive in order, and the CPUs are read one after the
 * other. A thread can change its CPU. So the records of a thread are sorted and
 * divided into flushes only when no older record can arrive. In each flush the
 * first section has index 1, and the last section has 0 sections left. A section
 * that waits costs 400 bytes. Threads without records are removed. Functions fail
 * with -ENOMEM.
 */
#include "section-flushes.h"
#include "array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Limit of waiting records per thread: two flushes. An untrusted file may have more. */
#define MAX_RECORDS	(2 * MEMPROF_SECTION_MAX_COMPLETED)

struct moment {
	uint64_t time_ns;
	size_t at;
};

/*
 * The records of a thread. @times: time and index of each record in @records.
 */
struct mp_section_thread {
	uint32_t pid, tid;
	struct moment *times;
	struct memprof_section *records;
	size_t nr, max;
	bool disordered;
};

static struct mp_section_thread *find_thread(struct mp_section_flushes *flushes,
					     uint32_t pid, uint32_t tid)
{
	uint32_t *known = mp_map_add(&flushes->by_thread, pid, tid);

	if (!known)
		return NULL;
	if (*known != MP_MAP_NEW)
		return &flushes->list[*known];
	if (flushes->nr == flushes->max &&
	    !mp_array_grow(&flushes->list, &flushes->max, sizeof(*flushes->list))) {
		mp_map_remove(&flushes->by_thread, pid, tid);
		return NULL;
	}
	*known = (uint32_t)flushes->nr;
	flushes->list[flushes->nr] = (struct mp_section_thread){
		.pid = pid, .tid = tid,
	};
	return &flushes->list[flushes->nr++];
}

static void free_records(struct mp_section_thread *thread)
{
	free(thread->times);
	free(thread->records);
	thread->times = NULL;
	thread->records = NULL;
	thread->nr = thread->max = 0;
}

static int compare_times(const void *x, const void *y)
{
	const struct moment *a = x, *b = y;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return (a->at > b->at) - (a->at < b->at);
}

static int sort_records(struct mp_section_thread *thread)
{
	struct memprof_section *sorted;
	size_t i;

	if (!thread->disordered)
		return 0;
	sorted = reallocarray(NULL, thread->max, sizeof(*sorted));
	if (!sorted)
		return -ENOMEM;
	qsort(thread->times, thread->nr, sizeof(*thread->times), compare_times);
	for (i = 0; i < thread->nr; i++) {
		sorted[i] = thread->records[thread->times[i].at];
		thread->times[i].at = i;
	}
	free(thread->records);
	thread->records = sorted;
	thread->disordered = false;
	return 0;
}

/*
 * Returns the index after the flush that begins at @from. @over: out: the flush
 * ended, or the next flush begins. @whole: out: no record is missing.
 */
static size_t find_flush_end(const struct mp_section_thread *thread, size_t from, size_t nr,
			     bool *over, bool *whole)
{
	const struct memprof_section *records = thread->records;
	size_t i = from;

	*whole = records[from].index == 1;
	for (i = from; i < nr; i++) {
		if (i > from && records[i].index <= records[i - 1].index) {
			*over = true;
			*whole = false;
			return i;
		}
		if (i > from && records[i].index != records[i - 1].index + 1)
			*whole = false;
		if (!records[i].left) {
			*over = true;
			return i + 1;
		}
	}
	*over = false;
	*whole = false;
	return nr;
}

static void remove_records(struct mp_section_thread *thread, size_t nr)
{
	size_t i;

	thread->nr -= nr;
	memmove(thread->records, thread->records + nr,
		thread->nr * sizeof(*thread->records));
	memmove(thread->times, thread->times + nr,
		thread->nr * sizeof(*thread->times));
	for (i = 0; i < thread->nr; i++)
		thread->times[i].at = i;
	/* most threads flush only once, so free the memory of the list */
	if (!thread->nr)
		free_records(thread);
}

/* Passes flushes up to the time @limit_ns to the callback; @all: also unfinished ones. */
static int pass_on(struct mp_section_flushes *flushes,
		   struct mp_section_thread *thread, uint64_t limit_ns, bool all)
{
	struct mp_section_flush flush = { .pid = thread->pid, .tid = thread->tid };
	size_t nr = 0, from = 0, to;
	int err = sort_records(thread);
	bool over;

	while (nr < thread->nr && thread->times[nr].time_ns <= limit_ns)
		nr++;
	while (!err && from < nr) {
		to = find_flush_end(thread, from, nr, &over, &flush.whole);
		if (!over && !all)
			break;
		flush.records = thread->records + from;
		flush.nr = to - from;
		err = flushes->take(flushes->context, &flush);
		from = to;
	}
	if (from)
		remove_records(thread, from);
	return err;
}

static bool grow(struct mp_section_thread *thread)
{
	size_t max = thread->max ? thread->max * 2 : 4;
	void *grown = reallocarray(thread->records, max, sizeof(*thread->records));

	if (!grown)
		return false;
	thread->records = grown;
	grown = reallocarray(thread->times, max, sizeof(*thread->times));
	if (!grown)
		return false;
	thread->times = grown;
	thread->max = max;
	return true;
}

/*
 * Makes room for one record. A thread at its limit passes on its flushes, even
 * incomplete ones, so that no new record is dropped.
 */
static int make_room(struct mp_section_flushes *flushes,
		     struct mp_section_thread *thread)
{
	int err;

	if (thread->nr < thread->max)
		return 0;
	if (thread->nr < MAX_RECORDS)
		return grow(thread) ? 0 : -ENOMEM;
	err = pass_on(flushes, thread, UINT64_MAX, false);
	if (!err && thread->nr == MAX_RECORDS)
		err = pass_on(flushes, thread, UINT64_MAX, true);
	return err || thread->max || grow(thread) ? err : -ENOMEM;
}

int mp_section_flushes_add(struct mp_section_flushes *flushes, uint32_t pid,
			   uint32_t tid, uint64_t time_ns,
			   const struct memprof_section *record)
{
	struct mp_section_thread *thread = find_thread(flushes, pid, tid);
	int err = thread ? make_room(flushes, thread) : -ENOMEM;

	if (err)
		return err;
	if (time_ns > flushes->newest_ns)
		flushes->newest_ns = time_ns;
	if (thread->nr && time_ns < thread->times[thread->nr - 1].time_ns)
		thread->disordered = true;
	thread->times[thread->nr] = (struct moment){ time_ns, thread->nr };
	thread->records[thread->nr++] = *record;
	return 0;
}

/* Removes a thread that has no records, because it may have exited. */
static void remove_thread(struct mp_section_flushes *flushes, size_t i)
{
	struct mp_section_thread *gone = &flushes->list[i];
	struct mp_section_thread *last = &flushes->list[--flushes->nr];
	uint32_t *known;

	mp_map_remove(&flushes->by_thread, gone->pid, gone->tid);
	if (gone == last)
		return;
	known = mp_map_find(&flushes->by_thread, last->pid, last->tid);
	if (known)
		*known = (uint32_t)i;
	*gone = *last;
}

static int pass_on_all(struct mp_section_flushes *flushes, uint64_t limit_ns, bool all)
{
	size_t i = 0;
	int err = 0;

	while (i < flushes->nr && !err) {
		err = pass_on(flushes, &flushes->list[i], limit_ns, all);
		if (flushes->list[i].nr)
			i++;
		else
			remove_thread(flushes, i);
	}
	return err;
}

int mp_section_flushes_round(struct mp_section_flushes *flushes)
{
	int err = pass_on_all(flushes, flushes->limit_ns, false);

	flushes->limit_ns = flushes->newest_ns;
	return err;
}

int mp_section_flushes_end(struct mp_section_flushes *flushes)
{
	return pass_on_all(flushes, UINT64_MAX, true);
}

void mp_section_flushes_free(struct mp_section_flushes *flushes)
{
	size_t i;

	for (i = 0; i < flushes->nr; i++)
		free_records(&flushes->list[i]);
	free(flushes->list);
	mp_map_free(&flushes->by_thread);
	flushes->list = NULL;
	flushes->nr = flushes->max = 0;
}

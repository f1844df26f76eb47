// SPDX-License-Identifier: GPL-2.0-only
/*
 * cold: keeps ranges of addresses that were watched, and marks pages in them
 *
 * 32 bytes per range. To mark takes one pass over the ranges and runs of a process, and
 * memory for the runs, of which one may become several. If memory is short, no page is
 * marked.
 */
#include "cold.h"
#include "array.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int mp_cold_add(struct mp_cold *cold, const struct mp_cold_range *range)
{
	if (cold->nr == MP_COLD_MAX_RANGES)
		return -ENOSPC;
	if (cold->nr == cold->max &&
	    !mp_array_grow(&cold->list, &cold->max, sizeof(*cold->list)))
		return -ENOMEM;
	cold->list[cold->nr++] = *range;
	return 0;
}

static int compare_places(const void *x, const void *y)
{
	const struct mp_cold_range *a = x, *b = y;

	if (a->pid != b->pid)
		return a->pid > b->pid ? 1 : -1;
	return (a->start > b->start) - (a->start < b->start);
}

static int compare_ages(const void *x, const void *y)
{
	const struct mp_cold_range *a = x, *b = y;

	return (a->age_ns < b->age_ns) - (a->age_ns > b->age_ns);
}

void mp_cold_sort(struct mp_cold *cold)
{
	struct mp_cold_range *range, *last = NULL;
	size_t i, nr = 0;

	if (cold->nr)
		qsort(cold->list, cold->nr, sizeof(*cold->list), compare_places);
	for (i = 0; i < cold->nr; i++) {
		range = &cold->list[i];
		if (last && last->pid == range->pid && range->start < last->end)
			range->start = last->end;
		if (range->start >= range->end)
			continue;
		cold->list[nr] = *range;
		last = &cold->list[nr++];
	}
	cold->nr = nr;
}

/* The first range of a process that ends above an address; sorted, without overlaps. */
static size_t find_first(const struct mp_cold *cold, uint64_t pid)
{
	return mp_array_above(cold->list, cold->nr, pid, pid - 1);
}

/*
 * Adds a run in pieces: those in cold ranges are marked. @at: in, out: a range that is
 * not above the run.
 */
static int add_pieces(const struct mp_cold *cold, uint64_t pid, size_t *at,
		      const struct mp_page_run *run, struct mp_pages *finer)
{
	struct mp_page_run piece = *run;
	const struct mp_cold_range *range;
	int err = 0;

	while (!err && piece.start < run->end) {
		while (*at < cold->nr && cold->list[*at].pid == pid &&
		       cold->list[*at].end <= piece.start)
			++*at;
		range = *at < cold->nr && cold->list[*at].pid == pid ?
			&cold->list[*at] : NULL;
		piece.end = run->end;
		piece.state = run->state & ~(uint32_t)MP_PAGE_COLD;
		if (range && range->start > piece.start) {
			if (range->start < piece.end)
				piece.end = range->start;
		} else if (range) {
			if (range->end < piece.end)
				piece.end = range->end;
			if (range->age_ns >= cold->least_ns)
				piece.state |= MP_PAGE_COLD;
		}
		err = mp_pages_add_run(finer, &piece);
		piece.start = piece.end;
	}
	return err;
}

int mp_cold_mark(const struct mp_cold *cold, pid_t pid, struct mp_pages *pages)
{
	struct mp_pages finer = *pages;
	size_t i, at = find_first(cold, (uint64_t)pid);
	int err = 0;

	finer.runs = NULL;
	finer.nr_runs = finer.max_runs = 0;
	for (i = 0; !err && i < pages->nr_runs; i++)
		err = pages->runs[i].state & MP_PAGE_PRESENT ?
		      add_pieces(cold, (uint64_t)pid, &at, &pages->runs[i], &finer) :
		      mp_pages_add_run(&finer, &pages->runs[i]);
	if (err)
		free(finer.runs);
	else
		mp_pages_replace(pages, &finer);
	return err;
}

uint64_t mp_cold_tenth(struct mp_cold *cold)
{
	uint64_t all = 0, so_far = 0;
	size_t i;

	for (i = 0; i < cold->nr; i++)
		all += cold->list[i].end - cold->list[i].start;
	if (cold->nr)
		qsort(cold->list, cold->nr, sizeof(*cold->list), compare_ages);
	for (i = 0; i < cold->nr; i++) {
		so_far += cold->list[i].end - cold->list[i].start;
		if (so_far >= all / 10)
			return cold->list[i].age_ns;
	}
	return 0;
}

int mp_cold_write(const struct mp_cold *cold, int fd)
{
	const size_t size = cold->nr * sizeof(*cold->list);
	const char *from = (const char *)cold->list;
	ssize_t put;
	size_t at;

	put = pwrite(fd, &cold->least_ns, sizeof(cold->least_ns), 0);
	if (put != sizeof(cold->least_ns))
		return put < 0 ? -errno : -ENOSPC;
	for (at = 0; at < size; at += (size_t)put) {
		put = pwrite(fd, from + at, size - at,
			     (off_t)(sizeof(cold->least_ns) + at));
		if (put <= 0)
			return put ? -errno : -ENOSPC;
	}
	return 0;
}

int mp_cold_read(struct mp_cold *cold, int fd)
{
	off_t at = sizeof(cold->least_ns);
	struct mp_cold_range range;
	struct stat st;
	int err = 0;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode) ||
	    st.st_size > (off_t)(MP_COLD_MAX_RANGES * sizeof(range)) + at ||
	    pread(fd, &cold->least_ns, sizeof(cold->least_ns), 0) !=
		    sizeof(cold->least_ns))
		return -EBADMSG;
	for (; !err && pread(fd, &range, sizeof(range), at) == sizeof(range);
	     at += sizeof(range))
		if (range.start < range.end)
			err = mp_cold_add(cold, &range);
	mp_cold_sort(cold);
	return err;
}

void mp_cold_free(struct mp_cold *cold)
{
	free(cold->list);
	*cold = (struct mp_cold){ 0 };
}

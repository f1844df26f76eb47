// SPDX-License-Identifier: GPL-2.0-only
/*
 * section-flushes: a list per thread, until the last of its flush is there
 *
 * Indices begin at 1 in each flush, and the last section of one says that none is
 * left; a thread that changed its CPU in between may have its records in another
 * order. Memory: 400 bytes a section of those flushes that are not complete; threads
 * that have none are forgotten when all is settled.
 */
#include "section-flushes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What a thread may have waiting, at most; a stranger's file may say more. */
#define MAX_RECORDS	MEMPROF_SECTION_MAX_COMPLETED

static struct mp_section_flush *find(struct mp_section_flushes *flushes,
				     uint32_t pid, uint32_t tid)
{
	uint32_t *known = mp_map_add(&flushes->by_thread, pid, tid);
	size_t max = flushes->max ? flushes->max * 2 : 16;
	struct mp_section_flush *list;

	if (!known)
		return NULL;
	if (*known != MP_MAP_NEW)
		return &flushes->list[*known];
	if (flushes->nr == flushes->max) {
		list = reallocarray(flushes->list, max, sizeof(*list));
		if (!list) {
			mp_map_remove(&flushes->by_thread, pid, tid);
			return NULL;
		}
		flushes->list = list;
		flushes->max = max;
	}
	*known = (uint32_t)flushes->nr;
	flushes->list[flushes->nr] = (struct mp_section_flush){
		.pid = pid, .tid = tid,
	};
	return &flushes->list[flushes->nr++];
}

static int compare_index(const void *x, const void *y)
{
	const struct memprof_section *a = x, *b = y;

	return (a->index > b->index) - (a->index < b->index);
}

/* Whether its last section is there. */
static bool has_end(const struct mp_section_flush *flush, uint64_t *index)
{
	size_t i;

	for (i = flush->nr; i-- > 0;)
		if (!flush->records[i].left) {
			*index = flush->records[i].index;
			return true;
		}
	return false;
}

static int hand_on(struct mp_section_flushes *flushes,
		   struct mp_section_flush *flush)
{
	uint64_t last = 0;
	int err;

	if (!flush->nr)
		return 0;
	flush->whole = has_end(flush, &last) && last == flush->nr;
	qsort(flush->records, flush->nr, sizeof(*flush->records),
	      compare_index);
	err = flushes->take(flushes->context, flush);
	/* most threads are seen once: a large list is not kept */
	free(flush->records);
	flush->records = NULL;
	flush->nr = flush->max = 0;
	return err;
}

/* It is of the flush after those that are here. */
static bool is_next(const struct mp_section_flush *flush,
		    const struct memprof_section *record)
{
	uint64_t last;

	if (flush->nr == MAX_RECORDS)
		return true;
	if (!flush->nr)
		return false;
	if (flush->records[flush->nr - 1].index == record->index)
		return true;
	return record->index == 1 && has_end(flush, &last) &&
	       flush->records[0].index == 1;
}

static int append(struct mp_section_flush *flush,
		  const struct memprof_section *record)
{
	size_t max = flush->max ? flush->max * 2 : 4;
	struct memprof_section *records;

	if (flush->nr == flush->max) {
		records = reallocarray(flush->records, max, sizeof(*records));
		if (!records)
			return -ENOMEM;
		flush->records = records;
		flush->max = max;
	}
	flush->records[flush->nr++] = *record;
	return 0;
}

int mp_section_flushes_add(struct mp_section_flushes *flushes, uint32_t pid,
			   uint32_t tid, const struct memprof_section *record)
{
	struct mp_section_flush *flush = find(flushes, pid, tid);
	int err = 0;

	if (!flush)
		return -ENOMEM;
	if (is_next(flush, record))
		err = hand_on(flushes, flush);
	if (!err)
		err = append(flush, record);
	/* the usual order: the last comes last */
	if (!err && !record->left && record->index == flush->nr)
		err = hand_on(flushes, flush);
	return err;
}

/* A thread that has nothing here, and may be over. */
static void drop(struct mp_section_flushes *flushes, size_t i)
{
	struct mp_section_flush *gone = &flushes->list[i];
	struct mp_section_flush *last = &flushes->list[--flushes->nr];
	uint32_t *known;

	mp_map_remove(&flushes->by_thread, gone->pid, gone->tid);
	if (gone == last)
		return;
	known = mp_map_find(&flushes->by_thread, last->pid, last->tid);
	if (known)
		*known = (uint32_t)i;
	*gone = *last;
}

int mp_section_flushes_settle(struct mp_section_flushes *flushes, bool all)
{
	uint64_t last;
	size_t i = 0;
	int err = 0;

	while (i < flushes->nr && !err) {
		if (all || has_end(&flushes->list[i], &last))
			err = hand_on(flushes, &flushes->list[i]);
		if (flushes->list[i].nr)
			i++;
		else
			drop(flushes, i);
	}
	return err;
}

void mp_section_flushes_free(struct mp_section_flushes *flushes)
{
	size_t i;

	for (i = 0; i < flushes->nr; i++)
		free(flushes->list[i].records);
	free(flushes->list);
	mp_map_free(&flushes->by_thread);
	flushes->list = NULL;
	flushes->nr = flushes->max = 0;
}

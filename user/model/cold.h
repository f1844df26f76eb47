/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cold: ranges of addresses, and for how long nothing referenced them
 */
#ifndef MP_COLD_H
#define MP_COLD_H

#include "pages.h"

#include <sys/types.h>

/* Limit of ranges of all processes: 32 MB. */
#define MP_COLD_MAX_RANGES	(1U << 20)

/**
 * struct mp_cold_range - adjacent pages with one age
 * @start: first address
 * @end: first address after it
 * @age_ns: time since a reference was seen
 * @pid: the process
 */
struct mp_cold_range {
	uint64_t start;
	uint64_t end;
	uint64_t age_ns;
	uint64_t pid;
};

/**
 * struct mp_cold - ranges of processes; all zero means none
 * @list: sorted by process and address after mp_cold_sort()
 * @least_ns: age from which on a range is cold
 */
struct mp_cold {
	struct mp_cold_range *list;
	size_t nr, max;
	uint64_t least_ns;
};

/**
 * mp_cold_add - add a range
 *
 * Return: 0; -ENOSPC at the limit; -ENOMEM.
 */
int mp_cold_add(struct mp_cold *cold, const struct mp_cold_range *range);

/**
 * mp_cold_sort - sort the ranges; needed before mp_cold_mark()
 *
 * Of ranges that overlap, the later one begins where the earlier one ends.
 */
void mp_cold_sort(struct mp_cold *cold);

/**
 * mp_cold_mark - set MP_PAGE_COLD of the present pages of a process in cold ranges
 *
 * Return: 0, or -ENOMEM or -ENOSPC: then no page is marked.
 */
int mp_cold_mark(const struct mp_cold *cold, pid_t pid, struct mp_pages *pages);

/**
 * mp_cold_tenth - the age that the coldest tenth of all bytes has at least
 *
 * The order of the ranges changes. Call it before mp_cold_sort().
 */
uint64_t mp_cold_tenth(struct mp_cold *cold);

/**
 * mp_cold_write - write the ranges to a file that mp_cold_read() can read
 *
 * Return: 0, or a negative errno.
 */
int mp_cold_write(const struct mp_cold *cold, int fd);

/**
 * mp_cold_read - read the ranges of another process; they are checked and sorted
 * @cold: must be empty
 *
 * Return: 0; -EBADMSG if it is no such file; another negative errno.
 */
int mp_cold_read(struct mp_cold *cold, int fd);

/** mp_cold_free - free all memory; the object is empty afterwards */
void mp_cold_free(struct mp_cold *cold);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * page-idle: marks pages of processes idle, and finds those that still are
 */
#ifndef MP_PAGE_IDLE_H
#define MP_PAGE_IDLE_H

#include "cold.h"
#include "diag.h"

/**
 * struct mp_page_idle - open files; mp_page_idle_open() sets it
 * @bitmap: a bit per page frame
 * @flags: of page frames, to find the first frame of a large folio
 */
struct mp_page_idle {
	int bitmap;
	int flags;
};

/** mp_page_idle_exists - whether the kernel has CONFIG_IDLE_PAGE_TRACKING */
bool mp_page_idle_exists(void);

/**
 * mp_page_idle_open - open the files
 * @path: the bitmap; NULL: the kernel's. Another one is for tests
 *
 * Call mp_page_idle_close() in each case.
 *
 * Return: 0, or a negative errno with the reason in @diag.
 */
int mp_page_idle_open(struct mp_page_idle *idle, const char *path, struct mp_diag *diag);

/**
 * mp_page_idle_mark - mark the present pages of a process idle
 *
 * The kernel takes the mark away when a page is referenced. It marks only pages that it
 * could reclaim.
 *
 * Return: 0, or a negative errno.
 */
int mp_page_idle_mark(const struct mp_page_idle *idle, pid_t pid,
		      const struct mp_pages *pages);

/**
 * mp_page_idle_read - add the present pages of a process
 * @age_ns: age of the pages that are still idle; others have the age 0
 *
 * Return: 0; -ENOSPC at the limit of ranges; another negative errno.
 */
int mp_page_idle_read(const struct mp_page_idle *idle, pid_t pid,
		      const struct mp_pages *pages, uint64_t age_ns, struct mp_cold *cold);

/** mp_page_idle_close - close the files */
void mp_page_idle_close(struct mp_page_idle *idle);

#endif

// SPDX-License-Identifier: GPL-2.0-only
/*
 * page-nodes: asks move_pages(2) for the nodes of pages, in batches
 *
 * A page, small or huge, takes about 0.2 us, a batch 12 KB of stack. Between two batches the time is
 * checked; what is left then has no node, and is counted. So are pages that the kernel has
 * no answer for, and those of processes of others, which only root may ask for.
 */
#include "page-nodes.h"
#include "clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Pages per call */
#define NR_BATCH	1024

/* Of a huge page on x86-64, and on arm64 with pages of 4 KiB. */
#define HUGE_BYTES	(2ULL << 20)

/* Whether several nodes have memory: "0-1", or "0,2". */
static bool has_nodes(void)
{
	FILE *file = fopen("/sys/devices/system/node/has_memory", "re");
	char line[256] = "";
	bool several = file && fgets(line, sizeof(line), file) && strpbrk(line, ",-");

	if (file)
		fclose(file);
	return several;
}

static uint32_t state_of(uint32_t state, int node)
{
	const int last = MP_PAGE_MAX_NODES - 1;

	state &= ~(uint32_t)MP_PAGE_NODES;
	if (node < 0)
		return state;
	return state | (uint32_t)((node < last ? node : last) + 1) << MP_PAGE_NODE_SHIFT;
}

/* The end of the page at an address. A huge page is on one node as a whole. */
static uint64_t end_of_page(const struct mp_page_run *run, uint64_t at, uint64_t page_size)
{
	uint64_t end = at + page_size;

	if (run->state & MP_PAGE_HUGE)
		end = (at & ~(HUGE_BYTES - 1)) + HUGE_BYTES;
	return end < run->end ? end : run->end;
}

/* Adds pages of a run from *@at on. Returns 0, or a negative errno. */
static int add_batch(pid_t pid, const struct mp_page_run *run, uint64_t *at,
		     struct mp_pages *pages, struct mp_pages *finer)
{
	void *addresses[NR_BATCH];
	int status[NR_BATCH], err = 0;
	struct mp_page_run piece = { .end = *at };
	size_t i, nr;
	long got;

	for (nr = 0; nr < NR_BATCH && piece.end < run->end; nr++) {
		addresses[nr] = (void *)(uintptr_t)piece.end;
		piece.end = end_of_page(run, piece.end, pages->page_size);
	}
	got = syscall(SYS_move_pages, pid, nr, addresses, NULL, status, 0);
	for (i = 0; !err && i < nr; i++) {
		piece.start = *at;
		piece.end = *at = end_of_page(run, *at, pages->page_size);
		piece.state = state_of(run->state, got ? -1 : status[i]);
		if (!(piece.state & MP_PAGE_NODES))
			pages->unplaced += piece.end - piece.start;
		err = mp_pages_add_run(finer, &piece);
	}
	return err;
}

static int add_run(pid_t pid, uint64_t end_ns, const struct mp_page_run *run,
		   struct mp_pages *pages, struct mp_pages *finer)
{
	struct mp_page_run rest = *run;
	int err = 0;

	while (!err && run->state & MP_PAGE_PRESENT && rest.start < run->end &&
	       !(end_ns && mp_clock_ns() > end_ns))
		err = add_batch(pid, run, &rest.start, pages, finer);
	if (err || rest.start >= run->end)
		return err;
	if (run->state & MP_PAGE_PRESENT)
		pages->unplaced += run->end - rest.start;
	return mp_pages_add_run(finer, &rest);
}

int mp_page_nodes(pid_t pid, uint64_t end_ns, struct mp_pages *pages)
{
	struct mp_pages finer = *pages;
	size_t i;
	int err = 0;

	if (!has_nodes())
		return 0;
	finer.runs = NULL;
	finer.nr_runs = finer.max_runs = 0;
	for (i = 0; !err && i < pages->nr_runs; i++)
		err = add_run(pid, end_ns, &pages->runs[i], pages, &finer);
	if (err)
		free(finer.runs);
	else
		mp_pages_replace(pages, &finer);
	return err;
}

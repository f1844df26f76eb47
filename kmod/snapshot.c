// SPDX-License-Identifier: GPL-2.0-only
/*
 * Copies the tables of a session, so that all READs return the same point in
 * time.
 *
 * Cost: memory for the copy, about 300 bytes per process, 700 per cgroup and
 * 1 KiB per callsite that the session has rows for, and 48 bytes per living block if
 * these are asked for, until the next snapshot.
 * When the memory cannot be allocated, the earlier copy stays and nothing is
 * reset.
 */
#include "snapshot.h"
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/timekeeping.h>
#include <linux/vmalloc.h>
#include "copy.h"
#include "heap.h"
#include "session.h"

/* Spare rows for events between the allocation of the copy and the copying. */
#define SLACK 64

static void *alloc_copy_rows(u32 nr, size_t size)
{
	return __vmalloc(array_size(nr, size), GFP_KERNEL_ACCOUNT);
}

/* Rows that a copy is allocated for. */
struct copy_size {
	u32 processes, cgroups, sites, binaries, blocks;
};

static bool alloc_site_rows(struct memprof_copy *c, const struct copy_size *size)
{
	c->sites = alloc_copy_rows(size->sites, sizeof(*c->sites));
	c->binaries = alloc_copy_rows(size->binaries, sizeof(*c->binaries));
	if (size->blocks)
		c->blocks = alloc_copy_rows(size->blocks, sizeof(*c->blocks));
	return c->sites && c->binaries && (!size->blocks || c->blocks);
}

/*
 * Binaries are copied after the callsites that refer to them. A binary that was
 * added after the memory was allocated may not fit. Then its callsites get
 * binary 0, as if the file were not known yet.
 */
static void copy_sites(struct memprof_session *s, struct memprof_copy *c,
		       const struct copy_size *size, bool reset)
{
	struct memprof_sites *t = &s->heap->sites;
	u32 i;

	c->nr_sites = memprof_sites_read(t, c->sites, size->sites, reset);
	c->nr_binaries = memprof_sites_binaries(t, c->binaries, size->binaries);
	for (i = 0; i < c->nr_sites; i++)
		if (c->sites[i].binary > c->nr_binaries)
			c->sites[i].binary = 0;
}

static int alloc_snapshot_rows(struct memprof_session *s, struct memprof_copy *c,
			       struct copy_size *size)
{
	size->processes = memprof_processes_capacity(&s->processes) + SLACK;
	/* each process may be in a cgroup that has no row yet */
	size->cgroups = min(memprof_table_end(&s->cgroups.table) + size->processes,
			    s->cgroups.table.max) + 1;
	if (s->heap) {
		size->sites = memprof_table_end(&s->heap->sites.table) + SLACK;
		size->binaries = READ_ONCE(s->heap->sites.nr_binaries) + SLACK;
	}
	c->processes = alloc_copy_rows(size->processes, sizeof(*c->processes));
	c->cgroups = alloc_copy_rows(size->cgroups, sizeof(*c->cgroups));
	c->counters = alloc_copy_rows(MEMPROF_NR_COUNTS, sizeof(*c->counters));
	if (c->processes && c->cgroups && c->counters &&
	    (!s->heap || alloc_site_rows(c, size)))
		return 0;
	memprof_copy_free(c);
	return -ENOMEM;
}

/**
 * memprof_snapshot_take() - copy the tables of a session
 * @s: running or stopped; its lock is held
 * @arg: in, flags; out, numbers of rows and time
 *
 * Return: 0; -EINVAL; -ENOMEM, and then the earlier copy stays.
 */
int memprof_snapshot_take(struct memprof_session *s,
			  struct memprof_snapshot *arg)
{
	bool reset = arg->flags & MEMPROF_SNAPSHOT_RESET;
	struct memprof_copy c = { .made = true };
	struct copy_size size = { 0 };
	u32 nr_left = 0;
	int err;

	if (arg->flags & ~(MEMPROF_SNAPSHOT_RESET | MEMPROF_SNAPSHOT_BLOCKS) ||
	    arg->__reserved)
		return -EINVAL;
	if (s->state == MEMPROF_STATE_RUNNING)
		memprof_session_add_living(s);
	memprof_heap_settle(s);
	if (s->heap && arg->flags & MEMPROF_SNAPSHOT_BLOCKS)
		size.blocks = memprof_heap_blocks_room(s);
	err = alloc_snapshot_rows(s, &c, &size);
	if (err)
		return err;
	arg->time_ns = ktime_get_ns();
	c.nr_processes = memprof_processes_read(&s->processes, &s->targets,
						c.processes, size.processes, reset);
	memprof_cgroups_add_missing(&s->cgroups, c.processes, c.nr_processes);
	c.nr_cgroups = memprof_cgroups_read(&s->cgroups, c.cgroups,
					    size.cgroups, c.processes,
					    c.nr_processes, reset);
	if (s->heap)
		copy_sites(s, &c, &size, reset);
	if (size.blocks)
		c.nr_blocks = memprof_heap_blocks(s, c.blocks, size.blocks, &nr_left);
	memprof_counts_read(s->counts, c.counters);
	memprof_session_add_missed(s, c.counters);
	c.nr_counters = MEMPROF_NR_COUNTS;
	if (reset)
		s->reset_ns = arg->time_ns;
	memprof_copy_free(&s->copy);
	s->copy = c;
	arg->nr_processes = c.nr_processes;
	arg->nr_cgroups = c.nr_cgroups;
	arg->nr_counters = c.nr_counters;
	arg->nr_sites = c.nr_sites;
	arg->nr_binaries = c.nr_binaries;
	arg->nr_blocks = c.nr_blocks;
	arg->nr_left_blocks = nr_left;
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cost: memory for the copy, some 300 bytes per process and 700 per cgroup that
 * the session has met, until the next snapshot. When it cannot be had the
 * earlier copy stays and nothing is reset.
 */
#include "snapshot.h"
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/timekeeping.h>
#include <linux/vmalloc.h>
#include "copy.h"
#include "heap.h"
#include "session.h"

/* Rows that may appear between sizing the copy and filling it. */
#define SLACK 64

static void *alloc_rows(u32 nr, size_t size)
{
	return __vmalloc(array_size(nr, size), GFP_KERNEL_ACCOUNT);
}

/* How many rows a copy may need, and has. */
struct room {
	u32 processes, cgroups, sites;
};

/* Takes the lock of who is in which binary, until the copy is made. */
static bool alloc_sites(struct memprof_session *s, struct memprof_copy *c,
			const struct room *room)
{
	mutex_lock(&s->heap->sites.mutex);
	c->nr_binaries = s->heap->sites.nr_binaries;
	c->sites = alloc_rows(room->sites, sizeof(*c->sites));
	c->binaries = alloc_rows(c->nr_binaries + 1, sizeof(*c->binaries));
	if (c->sites && c->binaries)
		return true;
	mutex_unlock(&s->heap->sites.mutex);
	return false;
}

static void copy_sites(struct memprof_session *s, struct memprof_copy *c,
		       const struct room *room, bool reset)
{
	struct memprof_sites *t = &s->heap->sites;

	c->nr_sites = memprof_sites_read(t, c->sites, room->sites, reset);
	memcpy(c->binaries, t->binaries,
	       array_size(c->nr_binaries, sizeof(*c->binaries)));
	mutex_unlock(&t->mutex);
}

static int alloc_copy(struct memprof_session *s, struct memprof_copy *c,
		      struct room *room)
{
	room->processes = memprof_processes_capacity(&s->processes) + SLACK;
	/* each process may be in a cgroup that has no row yet */
	room->cgroups = min(READ_ONCE(s->cgroups.nr) + room->processes,
			    s->cgroups.max) + 1;
	room->sites = s->heap ? READ_ONCE(s->heap->sites.nr) + SLACK : 0;
	c->processes = alloc_rows(room->processes, sizeof(*c->processes));
	c->cgroups = alloc_rows(room->cgroups, sizeof(*c->cgroups));
	c->counters = alloc_rows(MEMPROF_NR_COUNTS, sizeof(*c->counters));
	if (c->processes && c->cgroups && c->counters &&
	    (!s->heap || alloc_sites(s, c, room)))
		return 0;
	memprof_copy_free(c);
	return -ENOMEM;
}

/**
 * memprof_snapshot_take() - copy the tables of a session
 * @s: running or stopped; its lock is held
 * @arg: flags in; counts and time out
 *
 * Return: 0; -EINVAL; -ENOMEM, with the earlier copy in place.
 */
int memprof_snapshot_take(struct memprof_session *s,
			  struct memprof_snapshot *arg)
{
	bool reset = arg->flags & MEMPROF_SNAPSHOT_RESET;
	struct memprof_copy c = { .made = true };
	struct room room;
	int err;

	if (arg->flags & ~MEMPROF_SNAPSHOT_RESET || arg->__reserved)
		return -EINVAL;
	if (s->state == MEMPROF_STATE_RUNNING)
		memprof_session_add_living(s);
	if (s->heap)
		memprof_live_sweep(&s->heap->live);
	err = alloc_copy(s, &c, &room);
	if (err)
		return err;
	arg->time_ns = ktime_get_ns();
	c.nr_processes = memprof_processes_read(&s->processes, c.processes,
						room.processes, reset);
	memprof_cgroups_meet(&s->cgroups, c.processes, c.nr_processes);
	c.nr_cgroups = memprof_cgroups_read(&s->cgroups, c.cgroups,
					    room.cgroups, c.processes,
					    c.nr_processes, reset);
	if (s->heap)
		copy_sites(s, &c, &room, reset);
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
	return 0;
}

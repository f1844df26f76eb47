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
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include "session.h"

/* Rows that may appear between sizing the copy and filling it. */
#define SLACK 64

static void *alloc_rows(u32 nr, size_t size)
{
	return __vmalloc(array_size(nr, size), GFP_KERNEL_ACCOUNT);
}

/**
 * memprof_copy_free() - free a copy
 * @c: may hold nothing
 */
void memprof_copy_free(struct memprof_copy *c)
{
	vfree(c->processes);
	vfree(c->cgroups);
	vfree(c->counters);
	vfree(c->sites);
	vfree(c->binaries);
	memset(c, 0, sizeof(*c));
}

/* What the hooks count themselves, for all sessions that run. */
static void add_missed(struct memprof_session *s, struct memprof_counter *c)
{
	unsigned long growth, hook;

	memprof_session_missed(s, &growth, &hook);
	if (s->streams & MEMPROF_START_GROWTH)
		c[MEMPROF_COUNT_GROWTH_MISSED].value += growth;
	c[MEMPROF_COUNT_HOOK_MISSED].value += hook;
}

/* How many rows a copy may need, and has. */
struct room {
	u32 processes, cgroups, sites;
};

/* Takes the lock of who is in which binary, until the copy is made. */
static bool alloc_sites(struct memprof_session *s, struct memprof_copy *c,
			const struct room *room)
{
	mutex_lock(&s->heap.sites.mutex);
	c->nr_binaries = s->heap.sites.nr_binaries;
	c->sites = alloc_rows(room->sites, sizeof(*c->sites));
	c->binaries = alloc_rows(c->nr_binaries + 1, sizeof(*c->binaries));
	if (c->sites && c->binaries)
		return true;
	mutex_unlock(&s->heap.sites.mutex);
	return false;
}

static void copy_sites(struct memprof_session *s, struct memprof_copy *c,
		       const struct room *room, bool reset)
{
	struct memprof_sites *t = &s->heap.sites;

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
	room->sites = READ_ONCE(s->heap.sites.nr) + SLACK;
	c->processes = alloc_rows(room->processes, sizeof(*c->processes));
	c->cgroups = alloc_rows(room->cgroups, sizeof(*c->cgroups));
	c->counters = alloc_rows(MEMPROF_NR_COUNTS, sizeof(*c->counters));
	if (c->processes && c->cgroups && c->counters &&
	    (!s->heap.on || alloc_sites(s, c, room)))
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
		memprof_session_meet_living(s);
	memprof_live_sweep(&s->heap.live);
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
	if (s->heap.on)
		copy_sites(s, &c, &room, reset);
	memprof_counts_read(s->counts, c.counters);
	add_missed(s, c.counters);
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

struct table {
	const void *rows;
	u32 nr;
	u32 size;
};

static int find_table(const struct memprof_copy *c, u32 which, struct table *t)
{
	switch (which) {
	case MEMPROF_READ_PROCESSES:
		*t = (struct table){ c->processes, c->nr_processes,
				     sizeof(*c->processes) };
		return 0;
	case MEMPROF_READ_CGROUPS:
		*t = (struct table){ c->cgroups, c->nr_cgroups,
				     sizeof(*c->cgroups) };
		return 0;
	case MEMPROF_READ_COUNTERS:
		*t = (struct table){ c->counters, c->nr_counters,
				     sizeof(*c->counters) };
		return 0;
	case MEMPROF_READ_SITES:
		*t = (struct table){ c->sites, c->nr_sites,
				     sizeof(*c->sites) };
		return 0;
	case MEMPROF_READ_BINARIES:
		*t = (struct table){ c->binaries, c->nr_binaries,
				     sizeof(*c->binaries) };
		return 0;
	}
	return -EINVAL;
}

/**
 * memprof_row_copy() - give user space a struct as it knows it
 * @to: where to
 * @to_size: bytes of it there: what it does not know is left out
 * @row: the struct
 * @size: bytes of it here: what we do not know is zero
 *
 * Return: 0 or -EFAULT.
 */
int memprof_row_copy(char __user *to, u32 to_size, const void *row, u32 size)
{
	u32 n = min(to_size, size);

	if (copy_to_user(to, row, n) || clear_user(to + n, to_size - n))
		return -EFAULT;
	return 0;
}

/**
 * memprof_snapshot_read() - give user space a piece of the last copy
 * @s: its lock is held
 * @arg: in and out, from user space, not checked yet
 *
 * Return: 0 or the errno that MEMPROF_IOC_READ documents.
 */
int memprof_snapshot_read(struct memprof_session *s, struct memprof_read *arg)
{
	char __user *to = u64_to_user_ptr(arg->entries);
	struct table t;
	u32 i, nr;
	int err;

	if (arg->__reserved || !arg->entry_size || arg->entry_size % 8 ||
	    arg->entry_size > MEMPROF_MAX_ENTRY_SIZE)
		return -EINVAL;
	err = find_table(&s->copy, arg->table, &t);
	if (err)
		return err;
	if (!s->copy.made)
		return -ENODATA;
	nr = arg->first < t.nr ? min(arg->nr, t.nr - arg->first) : 0;
	for (i = 0; i < nr; i++) {
		err = memprof_row_copy(to + (size_t)i * arg->entry_size,
				       arg->entry_size, t.rows +
				       (size_t)(arg->first + i) * t.size,
				       t.size);
		if (err)
			return err;
		cond_resched();
	}
	arg->nr = nr;
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Copies the rows of the last snapshot to user space, in pieces.
 *
 * Cost: one copy to user space per row. If the buffer cannot be written, READ
 * fails with -EFAULT, and the rows can be read again.
 */
#include "copy.h"
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

/**
 * memprof_copy_free() - free a copy
 * @c: copy; may be zeroed
 */
void memprof_copy_free(struct memprof_copy *c)
{
	vfree(c->processes);
	vfree(c->cgroups);
	vfree(c->counters);
	vfree(c->sites);
	vfree(c->binaries);
	vfree(c->blocks);
	memset(c, 0, sizeof(*c));
}

struct row_table {
	const void *rows;
	u32 nr;
	u32 size;
};

static int select_table(const struct memprof_copy *c, u32 which, struct row_table *t)
{
	switch (which) {
	case MEMPROF_READ_PROCESSES:
		*t = (struct row_table){ c->processes, c->nr_processes,
				     sizeof(*c->processes) };
		return 0;
	case MEMPROF_READ_CGROUPS:
		*t = (struct row_table){ c->cgroups, c->nr_cgroups,
				     sizeof(*c->cgroups) };
		return 0;
	case MEMPROF_READ_COUNTERS:
		*t = (struct row_table){ c->counters, c->nr_counters,
				     sizeof(*c->counters) };
		return 0;
	case MEMPROF_READ_SITES:
		*t = (struct row_table){ c->sites, c->nr_sites,
				     sizeof(*c->sites) };
		return 0;
	case MEMPROF_READ_BINARIES:
		*t = (struct row_table){ c->binaries, c->nr_binaries,
				     sizeof(*c->binaries) };
		return 0;
	case MEMPROF_READ_BLOCKS:
		*t = (struct row_table){ c->blocks, c->nr_blocks,
				     sizeof(*c->blocks) };
		return 0;
	}
	return -EINVAL;
}

/**
 * memprof_row_copy() - copy a struct to user space, in the size used there
 * @to: user address
 * @to_size: size of the struct in user space, in bytes. If it is smaller than
 *	@size, the fields at the end are left out.
 * @row: the struct
 * @size: size of the struct in this kernel, in bytes. If it is smaller than
 *	@to_size, the bytes at the end are set to zero.
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
 * memprof_copy_read() - copy some rows to user space
 * @c: of a session, whose lock is held
 * @arg: in and out, from user space, not checked yet
 *
 * Return: 0 or the errno that MEMPROF_IOC_READ documents.
 */
int memprof_copy_read(const struct memprof_copy *c, struct memprof_read *arg)
{
	char __user *to = u64_to_user_ptr(arg->entries);
	struct row_table t;
	u32 i, nr;
	int err;

	if (arg->__reserved || !arg->entry_size || arg->entry_size % 8 ||
	    arg->entry_size > MEMPROF_MAX_ENTRY_SIZE)
		return -EINVAL;
	err = select_table(c, arg->table, &t);
	if (err)
		return err;
	if (!c->made)
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

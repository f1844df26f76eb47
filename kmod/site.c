// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of callsites has a row per process and return address. The first
 * sampled call makes the row. When the table is full, further callsites are
 * charged to one row, "dropped", and never to another callsite. A work item
 * then gives back the rows of processes that exited: their sums go to the row
 * "dropped", too (counted).
 *
 * Cost: about 1 KiB per row, allocated at START. A look-up walks one short chain
 * under RCU; making a row takes a lock.
 *
 * The file that contains the address is looked up once, in the uprobe handler,
 * which may sleep. The look-up does not wait for the mmap lock: when another
 * thread holds it, a later call of the same callsite tries again. Binaries are
 * only added, so a snapshot reads them without a lock.
 */
#include "site.h"
#include <linux/bitops.h>
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include "compat/uprobes.h"
#include "process.h"
#include "sample.h"

#define MAX_BINARIES 1024

/* Delay of the search for rows to give back: it serves many callsites. */
#define RECYCLE_DELAY	(HZ / 2)

static void recycle_sites_work(struct work_struct *work);

/**
 * memprof_sites_alloc() - allocate the tables
 * @t: zeroed
 * @max: number of callsites
 * @counts: counters for rows and files that do not fit into a full table
 *
 * Return: 0, or -ENOMEM with nothing allocated.
 */
int memprof_sites_alloc(struct memprof_sites *t, u32 max,
			struct memprof_counts __percpu *counts)
{
	int err;

	mutex_init(&t->mutex);
	mutex_init(&t->visitors);
	INIT_DELAYED_WORK(&t->recycle, recycle_sites_work);
	get_random_bytes(&t->key, sizeof(t->key));
	t->counts = counts;
	t->binaries = __vmalloc(MAX_BINARIES * sizeof(*t->binaries),
				GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	err = t->binaries ? memprof_table_alloc(&t->table, max,
						sizeof(struct memprof_site_row)) :
			    -ENOMEM;
	if (err)
		memprof_sites_free(t);
	return err;
}

/**
 * memprof_sites_free() - free the tables
 * @t: tables of a session whose probes are removed; may be zeroed
 */
void memprof_sites_free(struct memprof_sites *t)
{
	if (t->binaries)
		cancel_delayed_work_sync(&t->recycle);
	memprof_table_free(&t->table);
	vfree(t->binaries);
	memset(t, 0, sizeof(*t));
}

/* The hash has a secret key because the processes choose the addresses. */
static u32 site_bucket(struct memprof_sites *t, u64 process,
		       unsigned long address)
{
	return siphash_2u64(address, process, &t->key) >> (64 - t->table.bits);
}

static struct memprof_site_row *find_site_row(struct memprof_sites *t, u64 process,
					      unsigned long address)
{
	struct memprof_site_row *site;

	memprof_table_for_each(site, &t->table, site_bucket(t, process, address))
		if (site->address == address && site->process == process)
			return site;
	return NULL;
}

static struct memprof_site_row *make_site_row(struct memprof_sites *t,
					      const struct memprof_row *row,
					      unsigned long address, u32 func)
{
	struct memprof_site_row *site = memprof_table_pop(&t->table);

	if (!site)
		return NULL;
	site->row = row;
	site->address = address;
	site->pid = row->pid;
	site->func = func;
	site->start_ns = row->start_ns;
	/* pairs with memprof_sites_read() */
	smp_store_release(&site->process, row->number);
	memprof_table_show(&t->table, &site->entry,
			   site_bucket(t, row->number, address));
	return site;
}

/* Whether the process exited and has no blocks and no pending sums. */
static bool is_site_row_over(const void *entry)
{
	const struct memprof_site_row *site = entry;

	return site->process && memprof_process_is_over(site->row, site->process);
}

/*
 * If another process has the row of the callsite's process, the last value that was kept
 * is all there is. It is right, unless the process had a later peak, at which
 * the callsite had no blocks.
 */
static s64 at_peak_of(struct memprof_site_row *site, bool reset)
{
	if (!site->row || READ_ONCE(site->row->number) != site->process)
		return memprof_sum_read(&site->alloc.at_peak, reset);
	return memprof_alloc_at_peak(&site->alloc, &site->row->alloc, reset);
}

static void fold_site_row(struct memprof_table *table, void *entry)
{
	struct memprof_sites *t = container_of(table, struct memprof_sites, table);
	struct memprof_site_row *site = entry;
	int i;

	atomic64_set(&site->alloc.at_peak, at_peak_of(site, false));
	memprof_alloc_fold(&t->dropped.alloc, &site->alloc);
	memprof_sum_move(&t->dropped.growth, &site->growth);
	memprof_sum_move(&t->dropped.shrunk, &site->shrunk);
	memprof_sum_move(&t->dropped.advised, &site->advised);
	memprof_sum_move(&t->dropped.inside_faults, &site->inside_faults);
	memprof_sum_move(&t->dropped.block_faults, &site->block_faults);
	for (i = 0; i < MEMPROF_HISTOGRAM; i++) {
		memprof_sum_move(&t->dropped.sizes[i], &site->sizes[i]);
		memprof_sum_move(&t->dropped.lifetimes[i], &site->lifetimes[i]);
	}
	memset(&site->alloc, 0, sizeof(site->alloc));
	site->located = false;
	site->binary = 0;
	site->offset = 0;
	site->process = 0;
	memprof_count(t->counts, MEMPROF_COUNT_SITE_FOLDED);
}

static const struct memprof_recycler site_recycler = {
	.is_over = is_site_row_over,
	.fold = fold_site_row,
};

static void recycle_sites_work(struct work_struct *work)
{
	struct memprof_sites *t = container_of(to_delayed_work(work),
					       struct memprof_sites, recycle);

	mutex_lock(&t->visitors);
	memprof_table_recycle(&t->table, &site_recycler);
	mutex_unlock(&t->visitors);
}

/**
 * memprof_site_get() - find or make the row of a callsite
 * @t: tables of a running session
 * @row: process; the caller is in an RCU read-side section
 * @address: return address of the allocator call
 * @func: enum memprof_func of the allocator call
 *
 * Any context but NMI. Return: the row, or the row "dropped".
 */
struct memprof_site_row *memprof_site_get(struct memprof_sites *t,
					  const struct memprof_row *row,
					  unsigned long address, u32 func)
{
	struct memprof_site_row *site = find_site_row(t, row->number, address);
	unsigned long flags;

	if (likely(site))
		return site;
	if (!READ_ONCE(t->table.full)) {
		raw_spin_lock_irqsave(&t->table.lock, flags);
		site = find_site_row(t, row->number, address);
		if (!site)
			site = make_site_row(t, row, address, func);
		raw_spin_unlock_irqrestore(&t->table.lock, flags);
	}
	if (site)
		return site;
	memprof_count(t->counts, MEMPROF_COUNT_SITE_TABLE_FULL);
	/* does nothing if the work is queued already */
	queue_delayed_work(system_long_wq, &t->recycle, RECYCLE_DELAY);
	return &t->dropped;
}

static void copy_file_path(struct memprof_binary *b, const struct file *file)
{
	const char *path = d_path(memprof_file_path(file), b->path,
				  sizeof(b->path));

	if (IS_ERR(path))
		memset(b->path, 0, sizeof(b->path));
	else
		memmove(b->path, path, strlen(path) + 1);
}

/* Returns the number of the file's row, from 1; 0 if the table is full. */
static u32 find_or_add_binary(struct memprof_sites *t, const struct file *file)
{
	const struct inode *inode = file_inode(file);
	struct memprof_binary *b;
	dev_t dev = inode->i_sb->s_dev;
	u32 i;

	lockdep_assert_held(&t->mutex);
	for (i = 0; i < t->nr_binaries; i++) {
		b = &t->binaries[i];
		if (b->inode == inode->i_ino && b->dev_major == MAJOR(dev) &&
		    b->dev_minor == MINOR(dev))
			return i + 1;
	}
	if (i == MAX_BINARIES) {
		memprof_count(t->counts, MEMPROF_COUNT_BINARY_TABLE_FULL);
		return 0;
	}
	b = &t->binaries[i];
	b->inode = inode->i_ino;
	b->dev_major = MAJOR(dev);
	b->dev_minor = MINOR(dev);
	copy_file_path(b, file);
	/* pairs with memprof_sites_binaries() */
	smp_store_release(&t->nr_binaries, i + 1);
	return i + 1;
}

/**
 * memprof_site_locate() - find the file that contains a callsite
 * @t: tables
 * @site: callsite in @mm
 * @mm: address space, in use by the caller
 *
 * May sleep. Does nothing when the file was looked up already, or the mmap lock is
 * held. Code in no file, such as a JIT compiler's, is looked up once, too.
 */
void memprof_site_locate(struct memprof_sites *t, struct memprof_site_row *site,
			 struct mm_struct *mm)
{
	struct vm_area_struct *vma;
	struct file *file = NULL;
	u64 offset = 0;

	if (READ_ONCE(site->located) || site == &t->dropped ||
	    !mmap_read_trylock(mm))
		return;
	vma = find_vma(mm, site->address);
	if (vma && vma->vm_start <= site->address && vma->vm_file) {
		file = get_file(vma->vm_file);
		offset = site->address - vma->vm_start +
			 ((u64)vma->vm_pgoff << PAGE_SHIFT);
	}
	mmap_read_unlock(mm);
	if (!file) {
		WRITE_ONCE(site->located, true);
		return;
	}
	mutex_lock(&t->mutex);
	if (!site->located) {
		WRITE_ONCE(site->offset, offset);
		/* pairs with read_site() */
		smp_store_release(&site->binary, find_or_add_binary(t, file));
		WRITE_ONCE(site->located, true);
	}
	mutex_unlock(&t->mutex);
	fput(file);
}

/**
 * memprof_site_locate_noted() - find the file of a callsite that a hook has noted
 * @t: tables
 * @noted: callsite in which memory grew, seen by a hook that cannot sleep; set to
 *	NULL when the file was looked up
 * @process: number of the row of the running process. After an exec the callsite
 *	belongs to another row, and is dropped
 * @mm: address space of the running process
 *
 * May sleep. Without this, callsites in free() would have no file after an exec.
 */
void memprof_site_locate_noted(struct memprof_sites *t,
			       struct memprof_site_row **noted, u64 process,
			       struct mm_struct *mm)
{
	if (READ_ONCE((*noted)->process) == process)
		memprof_site_locate(t, *noted, mm);
	if (READ_ONCE((*noted)->process) != process || READ_ONCE((*noted)->located))
		*noted = NULL;
}

/**
 * memprof_histogram_bin() - the bin of a size or of a lifetime
 * @value: bytes or ns
 */
u32 memprof_histogram_bin(u64 value)
{
	return min_t(u32, fls64(value), MEMPROF_HISTOGRAM - 1);
}

/**
 * memprof_site_grow() - add growth, or what was given back, inside calls of a callsite
 * @site: callsite
 * @op: the call that did it
 * @delta: bytes, as for memprof_tally_growth()
 */
void memprof_site_grow(struct memprof_site_row *site, enum memprof_growth_op op,
		       s64 delta)
{
	if (op == MEMPROF_GROWTH_MADVISE) {
		atomic64_sub(delta, &site->advised);
		return;
	}
	atomic64_add(delta, &site->growth);
	if (delta < 0)
		atomic64_sub(delta, &site->shrunk);
}

/**
 * memprof_whole_objects() - rounded number of objects; a sample is one at least
 * @w: bytes and objects that a block stands for
 */
u64 memprof_whole_objects(const struct memprof_weighted *w)
{
	return (w->objects + MEMPROF_ONE / 2) >> 16;
}

static void read_site(struct memprof_site_row *site, struct memprof_site *out,
		      bool reset)
{
	int i;

	memset(out, 0, sizeof(*out));
	out->address = site->address;
	/* pairs with memprof_site_locate() */
	out->binary = smp_load_acquire(&site->binary);
	out->offset = READ_ONCE(site->offset);
	out->pid = site->pid;
	out->func = site->func;
	out->start_ns = site->start_ns;
	out->at_peak_space = at_peak_of(site, reset);
	out->at_exit_space = memprof_sum_read(&site->alloc.ended, reset);
	memprof_alloc_read(&site->alloc, &out->alloc, reset);
	out->growth_bytes = memprof_sum_read(&site->growth, reset);
	out->shrunk_bytes = memprof_sum_read(&site->shrunk, reset);
	out->advised_bytes = memprof_sum_read(&site->advised, reset);
	out->inside_faults = memprof_sum_read(&site->inside_faults, reset);
	out->block_faults = memprof_sum_read(&site->block_faults, reset);
	for (i = 0; i < MEMPROF_HISTOGRAM; i++) {
		out->sizes[i] = memprof_sum_read(&site->sizes[i], reset);
		out->lifetimes[i] = memprof_sum_read(&site->lifetimes[i], reset);
	}
}

/**
 * memprof_sites_read() - copy the callsites for user space
 * @t: tables of a started session; probes may add to it meanwhile
 * @out: rows to fill
 * @room: number of rows in @out, at least 1
 * @reset: zero the sums that are copied
 *
 * Takes no lock that a probe takes. Process context. Return: rows filled.
 */
u32 memprof_sites_read(struct memprof_sites *t, struct memprof_site *out,
		       u32 room, bool reset)
{
	u32 i, n = 0, end = memprof_table_end(&t->table);
	struct memprof_site_row *site;

	/* while the mutex is held, no row is given back */
	mutex_lock(&t->visitors);
	for (i = 0; i < end && n < room - 1; i++) {
		site = memprof_table_row(&t->table, i);
		/* pairs with make_site_row() */
		if (smp_load_acquire(&site->process))
			read_site(site, &out[n++], reset);
		cond_resched();
	}
	read_site(&t->dropped, &out[n], reset);
	/* the row "dropped" has only sums; leave it out if they are all zero */
	if (memchr_inv(&out[n], 0, sizeof(out[n])))
		out[n++].flags = MEMPROF_SITE_DROPPED;
	mutex_unlock(&t->visitors);
	return n;
}

/**
 * memprof_sites_binaries() - copy the binaries that callsites refer to
 * @t: tables of a started session
 * @out: rows to fill
 * @room: number of rows in @out
 *
 * Call it after memprof_sites_read(). If @room is large enough, the copy then
 * has every binary that the callsites refer to. Takes no lock.
 *
 * Return: rows filled.
 */
u32 memprof_sites_binaries(struct memprof_sites *t, struct memprof_binary *out,
			   u32 room)
{
	/* pairs with find_or_add_binary() */
	u32 n = min(smp_load_acquire(&t->nr_binaries), room);

	memcpy(out, t->binaries, array_size(n, sizeof(*out)));
	return n;
}

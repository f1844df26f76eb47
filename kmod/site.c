// SPDX-License-Identifier: GPL-2.0-only
/*
 * A row per process and return address. The first sampled call makes the row, and
 * it stays until the session is closed. When the table is full, further callsites
 * are charged to one row, "dropped", and never to another callsite.
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
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/rculist.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include "compat/uprobes.h"
#include "process.h"
#include "sample.h"
#include "tally.h"

#define MAX_BINARIES 1024

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
	gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_ZERO;

	raw_spin_lock_init(&t->lock);
	mutex_init(&t->mutex);
	get_random_bytes(&t->key, sizeof(t->key));
	t->max = max;
	t->bits = max(ilog2(roundup_pow_of_two(max)), 1);
	t->counts = counts;
	t->rows = __vmalloc(array_size(max, sizeof(*t->rows)), gfp);
	t->hash = __vmalloc(sizeof(*t->hash) << t->bits, gfp);
	t->binaries = __vmalloc(MAX_BINARIES * sizeof(*t->binaries), gfp);
	if (t->rows && t->hash && t->binaries)
		return 0;
	memprof_sites_free(t);
	return -ENOMEM;
}

/**
 * memprof_sites_free() - free the tables
 * @t: tables of a session whose probes are removed; may be zeroed
 */
void memprof_sites_free(struct memprof_sites *t)
{
	vfree(t->rows);
	vfree(t->hash);
	vfree(t->binaries);
	memset(t, 0, sizeof(*t));
}

/* The hash has a secret key because the processes choose the addresses. */
static struct hlist_head *site_bucket(struct memprof_sites *t, u64 process,
				      unsigned long address)
{
	return &t->hash[siphash_2u64(address, process, &t->key) >>
			(64 - t->bits)];
}

static struct memprof_site_row *find_site_row(struct memprof_sites *t, u64 process,
					      unsigned long address)
{
	struct memprof_site_row *site;

	hlist_for_each_entry_rcu(site, site_bucket(t, process, address), hash)
		if (site->address == address && site->process == process)
			return site;
	return NULL;
}

static struct memprof_site_row *make_site_row(struct memprof_sites *t,
					      const struct memprof_row *row,
					      unsigned long address, u32 func)
{
	struct memprof_site_row *site;

	site = &t->rows[t->nr];
	site->process = row->number;
	site->address = address;
	site->pid = row->pid;
	site->func = func;
	site->start_ns = row->start_ns;
	hlist_add_head_rcu(&site->hash, site_bucket(t, row->number, address));
	/* pairs with memprof_sites_read() */
	smp_store_release(&t->nr, t->nr + 1);
	return site;
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
	/* rows are never given back: full stays full, so no lock is needed */
	if (READ_ONCE(t->nr) < t->max) {
		raw_spin_lock_irqsave(&t->lock, flags);
		site = find_site_row(t, row->number, address);
		if (!site && t->nr < t->max)
			site = make_site_row(t, row, address, func);
		raw_spin_unlock_irqrestore(&t->lock, flags);
	}
	if (site)
		return site;
	memprof_count(t->counts, MEMPROF_COUNT_SITE_TABLE_FULL);
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

/* The number of the file's row, from 1; 0 when the table is full. */
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
 * memprof_histogram_bin() - the bin of a size or of a lifetime
 * @value: bytes or ns
 */
u32 memprof_histogram_bin(u64 value)
{
	return min_t(u32, fls64(value), MEMPROF_HISTOGRAM - 1);
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
	memprof_alloc_read(&site->alloc, &out->alloc, reset);
	out->growth_bytes = memprof_sum_read(&site->growth, reset);
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
 * Takes no lock. Process context. Return: rows filled.
 */
u32 memprof_sites_read(struct memprof_sites *t, struct memprof_site *out,
		       u32 room, bool reset)
{
	u32 i, n;

	/* pairs with make_site_row() */
	n = min(smp_load_acquire(&t->nr), room - 1);
	for (i = 0; i < n; i++) {
		read_site(&t->rows[i], &out[i], reset);
		cond_resched();
	}
	read_site(&t->dropped, &out[n], reset);
	/* the row "dropped" has sums only; all zero: leave it out */
	if (memchr_inv(&out[n], 0, sizeof(out[n])))
		out[n++].flags = MEMPROF_SITE_DROPPED;
	return n;
}

/**
 * memprof_sites_binaries() - copy the binaries that callsites refer to
 * @t: tables of a started session
 * @out: rows to fill
 * @room: number of rows in @out
 *
 * Copied after the callsites, and with room for all, it has every binary that they
 * refer to. Takes no lock.
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

// SPDX-License-Identifier: GPL-2.0-only
/*
 * A row per process and return address, made by its first sampled call and kept
 * until the session ends. A full table charges the row of the dropped, never
 * another callsite. Some kilobyte per row, allocated at START.
 *
 * The file behind an address is looked up once, in the uprobe handler, which may
 * sleep; without waiting for the mmap lock, so a later call may have to.
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

#define MAX_BINARIES 1024

/**
 * memprof_sites_alloc() - make the tables
 * @t: zeroed
 * @max: callsites
 * @counts: where drops are counted
 *
 * Return: 0 or -ENOMEM, with nothing allocated.
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
 * @t: of a session whose probes are gone; may be zeroed
 */
void memprof_sites_free(struct memprof_sites *t)
{
	vfree(t->rows);
	vfree(t->hash);
	vfree(t->binaries);
	memset(t, 0, sizeof(*t));
}

/* Keyed: it is the processes that choose the addresses. */
static struct hlist_head *bucket(struct memprof_sites *t, u64 process,
				 unsigned long address)
{
	return &t->hash[siphash_2u64(address, process, &t->key) >>
			(64 - t->bits)];
}

static struct memprof_site_row *find(struct memprof_sites *t, u64 process,
				     unsigned long address)
{
	struct memprof_site_row *site;

	hlist_for_each_entry_rcu(site, bucket(t, process, address), hash)
		if (site->address == address && site->process == process)
			return site;
	return NULL;
}

static struct memprof_site_row *make(struct memprof_sites *t,
				     const struct memprof_row *row,
				     unsigned long address, u32 func)
{
	struct memprof_site_row *site;

	if (t->nr == t->max)
		return &t->dropped;
	site = &t->rows[t->nr];
	site->process = row->number;
	site->address = address;
	site->pid = row->pid;
	site->func = func;
	site->start_ns = row->start_ns;
	hlist_add_head_rcu(&site->hash, bucket(t, row->number, address));
	/* pairs with memprof_sites_read() */
	smp_store_release(&t->nr, t->nr + 1);
	return site;
}

/**
 * memprof_site_get() - the row of a callsite, made if need be
 * @t: tables of a running session
 * @row: process; the caller is in an RCU read-side section
 * @address: that the allocator returns to
 * @func: enum memprof_func that it called
 *
 * Any context but NMI. Return: the row, or that of the dropped.
 */
struct memprof_site_row *memprof_site_get(struct memprof_sites *t,
					  const struct memprof_row *row,
					  unsigned long address, u32 func)
{
	struct memprof_site_row *site = find(t, row->number, address);
	unsigned long flags;

	if (likely(site))
		return site;
	raw_spin_lock_irqsave(&t->lock, flags);
	site = find(t, row->number, address);
	if (!site)
		site = make(t, row, address, func);
	raw_spin_unlock_irqrestore(&t->lock, flags);
	if (site == &t->dropped)
		memprof_count(t->counts, MEMPROF_COUNT_SITE_TABLE_FULL);
	return site;
}

static void tell_path(struct memprof_binary *b, const struct file *file)
{
	const char *path = d_path(memprof_file_path(file), b->path,
				  sizeof(b->path));

	if (IS_ERR(path))
		memset(b->path, 0, sizeof(b->path));
	else
		memmove(b->path, path, strlen(path) + 1);
}

/* The number of a file's row, from 1; 0 when the table is full. */
static u32 binary_of(struct memprof_sites *t, const struct file *file)
{
	const struct inode *inode = file_inode(file);
	struct memprof_binary *b;
	dev_t dev = inode->i_sb->s_dev;
	u32 i;

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
	tell_path(b, file);
	t->nr_binaries++;
	return i + 1;
}

/**
 * memprof_site_locate() - find out which file a callsite is in
 * @t: tables
 * @site: callsite in @mm
 * @mm: address space, in use by the caller
 *
 * May sleep. Does nothing when the mmap lock is taken, or when it is known.
 */
void memprof_site_locate(struct memprof_sites *t, struct memprof_site_row *site,
			 struct mm_struct *mm)
{
	struct vm_area_struct *vma;
	struct file *file = NULL;
	u64 offset = 0;

	if (READ_ONCE(site->binary) || site == &t->dropped ||
	    !mmap_read_trylock(mm))
		return;
	vma = find_vma(mm, site->address);
	if (vma && vma->vm_start <= site->address && vma->vm_file) {
		file = get_file(vma->vm_file);
		offset = site->address - vma->vm_start +
			 ((u64)vma->vm_pgoff << PAGE_SHIFT);
	}
	mmap_read_unlock(mm);
	if (!file)
		return;
	mutex_lock(&t->mutex);
	site->offset = offset;
	site->binary = binary_of(t, file);
	mutex_unlock(&t->mutex);
	fput(file);
}

static int bin_of(u64 value)
{
	return min_t(int, fls64(value), MEMPROF_HISTOGRAM - 1);
}

/* Whole objects; a sample stands for at least one. */
static u64 objects_of(const struct memprof_weighted *w)
{
	return (w->objects + MEMPROF_ONE / 2) >> 16;
}

/**
 * memprof_site_alloc() - a block was allocated here
 * @site: callsite
 * @size: bytes asked for
 * @w: what it stands for
 */
void memprof_site_alloc(struct memprof_site_row *site, u64 size,
			const struct memprof_weighted *w)
{
	memprof_alloc_add(&site->alloc, w);
	atomic64_add(objects_of(w), &site->sizes[bin_of(size)]);
}

/**
 * memprof_site_free() - a block that was allocated here was freed
 * @site: callsite
 * @age_ns: how long it lived
 * @w: what it stands for
 */
void memprof_site_free(struct memprof_site_row *site, u64 age_ns,
		       const struct memprof_weighted *w)
{
	atomic64_add(objects_of(w), &site->lifetimes[bin_of(age_ns)]);
}

static u64 take(atomic64_t *value, bool reset)
{
	return reset ? atomic64_xchg(value, 0) : atomic64_read(value);
}

static void read_site(struct memprof_site_row *site, struct memprof_site *out,
		      bool reset)
{
	int i;

	memset(out, 0, sizeof(*out));
	out->address = site->address;
	out->binary = site->binary;
	out->offset = site->offset;
	out->pid = site->pid;
	out->func = site->func;
	out->start_ns = site->start_ns;
	memprof_alloc_read(&site->alloc, &out->alloc, reset);
	out->growth_bytes = take(&site->growth, reset);
	out->inside_faults = take(&site->inside_faults, reset);
	out->block_faults = take(&site->block_faults, reset);
	for (i = 0; i < MEMPROF_HISTOGRAM; i++) {
		out->sizes[i] = take(&site->sizes[i], reset);
		out->lifetimes[i] = take(&site->lifetimes[i], reset);
	}
}

/**
 * memprof_sites_read() - copy the callsites, for user space
 * @t: tables of a started session; probes may go on
 * @out: rows to fill
 * @room: in @out, at least 1
 * @reset: zero the sums that are copied
 *
 * Process context; the caller holds the mutex of @t. Return: rows filled.
 */
u32 memprof_sites_read(struct memprof_sites *t, struct memprof_site *out,
		       u32 room, bool reset)
{
	u32 i, n;

	/* pairs with make() */
	n = min(smp_load_acquire(&t->nr), room - 1);
	for (i = 0; i < n; i++) {
		read_site(&t->rows[i], &out[i], reset);
		cond_resched();
	}
	read_site(&t->dropped, &out[n], reset);
	/* nothing but sums in it: it shows once it holds something */
	if (memchr_inv(&out[n], 0, sizeof(out[n])))
		out[n++].flags = MEMPROF_SITE_DROPPED;
	return n;
}

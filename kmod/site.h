/* SPDX-License-Identifier: GPL-2.0-only */
/* Callsites: the addresses that call allocators, and the files they are in. */
#ifndef _MEMPROF_SITE_H
#define _MEMPROF_SITE_H

#include <linux/mutex.h>
#include <linux/siphash.h>
#include <linux/workqueue.h>
#include "alloc.h"
#include "counter.h"
#include "table.h"
#include "tally.h"

struct memprof_row;
struct mm_struct;

struct memprof_site_row {
	struct memprof_entry entry;
	const struct memprof_row *row;	/* the process's, until reused */
	u64 process;			/* key: number of the process's row;
					 * 0: the row is free
					 */
	unsigned long address;		/* key */
	/*
	 * The file that contains the address. Written once, under the mutex:
	 * offset, then binary (from 1), then located. binary stays 0 if the
	 * code is in no file, or if the table of binaries is full.
	 */
	u64 offset;			/* in that file, bytes */
	u32 binary;
	bool located;
	u32 pid;
	u32 func;
	u64 start_ns;
	struct memprof_live_alloc alloc;
	atomic64_t growth;		/* bytes, net */
	atomic64_t shrunk, advised;	/* bytes given back */
	atomic64_t inside_faults, block_faults;	/* by weight */
	atomic64_t sizes[MEMPROF_HISTOGRAM];	/* objects, by bytes */
	atomic64_t lifetimes[MEMPROF_HISTOGRAM];	/* objects, by ns */
} ____cacheline_aligned_in_smp;

struct memprof_sites {
	struct memprof_table table;	/* of struct memprof_site_row */
	siphash_key_t key;		/* of the hash */
	struct memprof_site_row dropped;	/* callsites without a row */
	struct mutex visitors;		/* held while all rows are visited */
	struct delayed_work recycle;
	struct mutex mutex;		/* held while a binary is added */
	struct memprof_binary *binaries;	/* never change once added */
	u32 nr_binaries;		/* mutex; read without it */
	struct memprof_counts __percpu *counts;
};

int memprof_sites_alloc(struct memprof_sites *t, u32 max,
			struct memprof_counts __percpu *counts);
void memprof_sites_free(struct memprof_sites *t);

struct memprof_site_row *memprof_site_get(struct memprof_sites *t,
					  const struct memprof_row *row,
					  unsigned long address, u32 func);
void memprof_site_locate(struct memprof_sites *t, struct memprof_site_row *site,
			 struct mm_struct *mm);
void memprof_site_locate_noted(struct memprof_sites *t,
			       struct memprof_site_row **noted, u64 process,
			       struct mm_struct *mm);
void memprof_site_grow(struct memprof_site_row *site, enum memprof_growth_op op,
		       s64 delta);
u32 memprof_histogram_bin(u64 value);
u64 memprof_whole_objects(const struct memprof_weighted *w);
u32 memprof_sites_read(struct memprof_sites *t, struct memprof_site *out,
		       u32 room, bool reset);
u32 memprof_sites_binaries(struct memprof_sites *t, struct memprof_binary *out,
			   u32 room);

#endif

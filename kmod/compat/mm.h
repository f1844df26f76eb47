/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _MEMPROF_COMPAT_MM_H
#define _MEMPROF_COMPAT_MM_H

#include <linux/mm.h>
#include <linux/version.h>

/*
 * The value of an RSS counter in pages, as exact as the kernel allows. Since 6.2
 * the counters are per CPU, and get_mm_counter() may be off by 32 pages or more
 * per CPU; this function adds up the counters of all CPUs. Before 6.2 each
 * thread caches up to 64 pages, which other threads cannot read.
 */
static inline unsigned long memprof_mm_counter_sum(struct mm_struct *mm,
						   int member)
{
#if KERNEL_VERSION(6, 2, 0) <= LINUX_VERSION_CODE
	return percpu_counter_sum_positive(&mm->rss_stat[member]);
#else
	return get_mm_counter(mm, member);
#endif
}

/* The process that owns an address space; NULL if it has exited. */
static inline struct task_struct *memprof_mm_owner(struct mm_struct *mm)
{
#ifdef CONFIG_MEMCG
	return rcu_dereference(mm->owner);
#else
	return NULL;
#endif
}

#endif

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The region is shared memory, so a fork shares it. A page that the kernel wipes in
 * the child tells, whatever kind of fork it was, and without a system call; after a
 * vfork it is the parent's, and so is the heap. The child gets a region and empty
 * tables when it samples for the first time: most children exec before.
 *
 * Until then memory of its own is in the place of the parent's region, for the fork
 * may have interrupted a sample, in a signal's handler, which goes on in the child
 * when the handler returns. Costs 5 us a fork. Children that the C library makes
 * without asking (_Fork(), clone()) have the parent's region until they sample; see
 * still_in() in sampled.c.
 */
#include "fork-watch.h"

#include "drop-counter.h"
#include "memprof_internal.h"
#include "module-map.h"
#include "out-path.h"
#include "own-syscall.h"
#include "region-file.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

/* Words of the page. What the kernel leaves in a child is FORKED. */
enum { FORKED, OURS, MOVING, LOST };

static int *word;
static char pattern_kept[MP_OUT_PATH_SIZE];

/* In a child of fork(), before it returns there. The header is copied: offsets are
 * in it, and what the child's own region is going to be like.
 */
static void leave_parent(void)
{
	static struct memprof_region_header kept;
	struct memprof_region_header *h = mp_region;
	int saved = errno;

	if (!h || mp_process_ours())
		return;
	kept = *h;
	mp_own_mmap(h, kept.file_size, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS |
		    MAP_NORESERVE, -1);
	*h = kept;
	errno = saved;
}

#ifdef __GLIBC__
static void watch_forks(void)
{
	__register_atfork(NULL, NULL, leave_parent, __dso_handle);
}
#else
static void watch_forks(void)
{
	pthread_atfork(NULL, NULL, leave_parent);
}
#endif

/**
 * mp_process_begin() - make the region of this process
 * @pattern: of the file's name, or "" for the default
 * @rate: bytes
 * @active: false: begins paused
 *
 * Return: 0; -1: no memory, or a kernel before 4.14.
 */
int mp_process_begin(const char *pattern, uint64_t rate, bool active)
{
	void *page = mp_own_mmap(NULL, 4096, MAP_PRIVATE | MAP_ANONYMOUS, -1);

	if (mp_own_failed(page))
		return -1;
	if (mp_own_madvise(page, 4096, MADV_WIPEONFORK))
		return -1;
	mp_out_path_keep(pattern_kept, pattern);
	if (mp_region_make(pattern_kept, rate, 0))
		return -1;
	mp_region->control.active = active;
	watch_forks();
	word = page;
	__atomic_store_n(word, OURS, __ATOMIC_RELEASE);
	return 0;
}

/* May be asked at any time; takes 1 ns. Tables of their own are a test's. */
bool mp_process_ours(void)
{
	return !word || __atomic_load_n(word, __ATOMIC_ACQUIRE) == OURS;
}

/* The parent's region is not written any more, so nothing here may count before
 * there is another. Only this thread is here.
 */
static int move(void)
{
	struct memprof_region_header *parent = mp_region;
	uint32_t active = parent->control.active;
	uint64_t size = parent->file_size;

	/* a sequence of random numbers of its own */
	memprof_thread.initialized = 0;
	mp_counters_begin();
	mp_state_forked();
	mp_modules_begin();
	if (mp_region_make(pattern_kept, parent->rate, parent->pid))
		return LOST;
	mp_own_munmap(parent, size);
	mp_region->control.active = active;
	if (heap_map_init() || stack_table_init() || bloom_init())
		return LOST;
	__atomic_store_n(&mp_region->state, MEMPROF_REGION_RUNNING,
			 __ATOMIC_RELEASE);
	return OURS;
}

/**
 * mp_process_claim() - make the region this process's, if it is not
 *
 * Return: whether it is. Not while another thread does this.
 */
bool mp_process_claim(void)
{
	int forked = FORKED, saved = errno;

	if (mp_process_ours())
		return true;
	if (!__atomic_compare_exchange_n(word, &forked, MOVING, false,
					 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return false;
	forked = move();
	__atomic_store_n(word, forked, __ATOMIC_RELEASE);
	errno = saved;
	return forked == OURS;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * fork-watch.c: detects a fork, and gives the child its own region.
 *
 * After a fork, the child still maps the region of its parent. One page is
 * marked so that the kernel zeroes it in the child; this detects every kind of
 * fork without a system call. After a vfork the child still uses the parent's
 * page and heap. The child creates its own region at its first sample, because
 * most children call exec before they allocate much.
 *
 * Until its first sample, the child has private memory in place of the parent's
 * region. This is needed because a signal handler may interrupt a sample and
 * fork; the sample continues in the child when the handler returns. Cost: 5 us
 * per fork. If the child was created without fork handlers (_Fork(), clone()),
 * it keeps the mapping until its first sample; see still_in() in sampled.c.
 */
#include "fork-watch.h"

#include "c-library.h"
#include "drop-counter.h"
#include "function-table.h"
#include "memprof_internal.h"
#include "module-map.h"
#include "out-path.h"
#include "own-syscall.h"
#include "region-file.h"
#include "thread-table.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

/* Values of the word in the page. After a fork the word is FORKED (zero) in the child. */
enum { FORKED, OURS, MOVING, LOST };

static int *word;
static char pattern_kept[MP_OUT_PATH_SIZE];
/* @pattern_kept, or NULL */
static const char *pattern_used;

/*
 * Called in the child, before fork() returns. Replaces the parent's region by private
 * memory. The header is copied, because it has the offsets of the sections, and the
 * parameters for the child's own region.
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

/*
 * Registers the fork handler. pthread_atfork() cannot be used: it is linked
 * statically, and calls a function of glibc that musl does not have.
 */
static void watch_forks(void)
{
	int (*add)(void (*before)(void), void (*after)(void), void (*in_child)(void));

	if (mp_is_glibc()) {
#ifdef __GLIBC__
		__register_atfork(NULL, NULL, leave_parent, __dso_handle);
#endif
		return;
	}
	*(void **)&add = dlsym(RTLD_DEFAULT, "pthread_atfork");
	if (add)
		add(NULL, NULL, leave_parent);
}

/* Returns the page that the kernel zeroes in the child of a fork; NULL on errors. */
static int *watched_page(void)
{
	void *page;

	if (word)
		return word;
	page = mp_own_mmap(NULL, 4096, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	if (mp_own_failed(page))
		return NULL;
	return mp_own_madvise(page, 4096, MADV_WIPEONFORK) ? NULL : page;
}

/**
 * mp_process_begin() - create the region of this process, or a new one
 * @pattern: pattern of the file name, "" for the default, NULL for private memory
 * @rate: mean bytes between samples
 * @active: false: start paused
 *
 * Return: 0; -1 if memory is short, or if the kernel is older than 4.14.
 */
int mp_process_begin(const char *pattern, uint64_t rate, bool active)
{
	int *page = watched_page();

	if (!page)
		return -1;
	pattern_used = pattern ? pattern_kept : NULL;
	if (pattern)
		mp_out_path_keep(pattern_kept, pattern);
	if (mp_region_renew(pattern_used, rate))
		return -1;
	mp_region->control.active = active;
	if (!word)
		watch_forks();
	word = page;
	__atomic_store_n(word, OURS, __ATOMIC_RELEASE);
	return 0;
}

/*
 * Whether the region belongs to this process. Can be called at any time. Cost:
 * 1 ns.
 */
bool mp_process_ours(void)
{
	return !word || __atomic_load_n(word, __ATOMIC_ACQUIRE) == OURS;
}

/*
 * Creates the region of a child. The parent's region must not be changed, so
 * nothing may be counted before the new region exists.
 */
static int make_own_region(void)
{
	struct memprof_region_header *parent = mp_region;
	uint32_t active = parent->control.active;
	uint64_t size = parent->file_size;
	MemProfThreadState *thread = mp_thread_find();

	/* the child must not use the parent's sequence of random numbers */
	if (thread)
		thread->initialized = 0;
	mp_counters_begin();
	mp_state_begin();
	mp_modules_begin();
	mp_functions_begin();
	if (mp_region_make(pattern_used, parent->rate, parent->pid))
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
 * mp_process_claim() - create a region for this process if the current one
 * belongs to the parent
 *
 * Return: true if the region belongs to this process; false if another thread is
 * creating it, or if it could not be created.
 */
bool mp_process_claim(void)
{
	int forked = FORKED, saved = errno;

	if (mp_process_ours())
		return true;
	if (!__atomic_compare_exchange_n(word, &forked, MOVING, false,
					 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return false;
	forked = make_own_region();
	__atomic_store_n(word, forked, __ATOMIC_RELEASE);
	errno = saved;
	return forked == OURS;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * lifecycle.c: starts and stops the sampler.
 *
 * A stop keeps the table of live blocks. A shutdown is final but frees no
 * memory, because other threads may still be taking a sample. Functions that fail
 * return -1 and set errno.
 */
#include "lifecycle.h"

#include "bloom.h"
#include "drop-counter.h"
#include "fork-watch.h"
#include "function-table.h"
#include "module-map.h"
#include "next.h"
#include "own-syscall.h"
#include "python-runtime.h"
#include "region-file.h"
#include "sampler.h"
#include "thread-table.h"

#include <errno.h>
#include <stdatomic.h>
#include <time.h>

static int fail_with(int error)
{
	errno = error;
	return -1;
}

MEMPROF_API int memprof_init(uint64_t sampling_rate)
{
	if (g_memprof.initialized != MEMPROF_UNINITIALIZED)
		return fail_with(EALREADY);
	g_memprof.sampling_rate = mp_sampler_rate_valid(sampling_rate);
	mp_modules_load();
	mp_python_find();
	if (heap_map_init() || stack_table_init() || bloom_init())
		return -1;
	mp_region->rate = g_memprof.sampling_rate;
	__atomic_store_n(&mp_region->state, MEMPROF_REGION_RUNNING,
			 __ATOMIC_RELEASE);
	g_memprof.initialized = MEMPROF_INITIALIZED;
	return 0;
}

/*
 * Copies the state to the public words. Repeats this if another thread has
 * changed the state meanwhile.
 */
static void publish_activity(void)
{
	int state;

	do {
		state = g_memprof.initialized;
		g_memprof.active_alloc = mp_active_alloc();
		g_memprof.active_free = mp_active_free();
	} while (state != g_memprof.initialized);
}

static bool change_state(int from, int to)
{
	if (!atomic_compare_exchange_strong(&g_memprof.initialized, &from, to))
		return false;
	publish_activity();
	return true;
}

MEMPROF_API int memprof_start(void)
{
	int state = g_memprof.initialized;

	if (state != MEMPROF_INITIALIZED && state != MEMPROF_STOPPED)
		return fail_with(EINVAL);
	if (memprof_linux_install())
		return -1;
	return change_state(MEMPROF_INITIALIZED, MEMPROF_ACTIVE) ||
	       change_state(MEMPROF_STOPPED, MEMPROF_ACTIVE) ? 0 : fail_with(EINVAL);
}

MEMPROF_API int memprof_stop(void)
{
	return change_state(MEMPROF_ACTIVE, MEMPROF_STOPPED) ? 0 : fail_with(EINVAL);
}

/**
 * mp_sampling_reset() - forget what was sampled, before another memprof_init()
 *
 * The region and its tables are replaced afterwards, by mp_process_begin() and
 * memprof_init().
 */
void mp_sampling_reset(void)
{
	g_memprof.initialized = MEMPROF_UNINITIALIZED;
	publish_activity();
	mp_counters_begin();
	mp_state_begin();
	mp_modules_begin();
	mp_functions_begin();
}

/* Ends sampling. The next sample and the next free of a sampled block are not counted. */
void mp_sampling_end(void)
{
	g_memprof.initialized = MEMPROF_INITIALIZED;
	publish_activity();
}

MEMPROF_API void memprof_shutdown(void)
{
	g_memprof.initialized = MEMPROF_TERMINATED;
	publish_activity();
}

MEMPROF_API int memprof_get_state(void)
{
	return g_memprof.initialized;
}

MEMPROF_API int memprof_exclude(int is_excluded)
{
	MemProfThreadState *thread = mp_thread_find();
	int before;

	/* a thread without a state is not sampled */
	if (!thread)
		return 1;
	before = thread->inside_profiler;
	thread->inside_profiler = !!is_excluded;
	return before;
}

MEMPROF_API int memprof_mark(void)
{
	struct timespec ts = { 0 };

	if (!mp_region || !mp_process_claim())
		return fail_with(EINVAL);
	/*
	 * read the exact clock; blocks have the coarse time, see birth_ns() in
	 * heap-map.c
	 */
	mp_own_clock(CLOCK_MONOTONIC, &ts);
	__atomic_store_n(&mp_region->control.mark_ns,
			 ts.tv_sec * 1000000000ULL + ts.tv_nsec,
			 __ATOMIC_RELAXED);
	__atomic_fetch_add(&mp_region->control.nr_marks, 1, __ATOMIC_RELEASE);
	return 0;
}

/*
 * Looks up the allocator's functions. The hooks are active as soon as the library is
 * loaded, and call these functions.
 */
int memprof_linux_install(void)
{
	return mp_next_resolve() ? 0 : fail_with(EAGAIN);
}

int memprof_darwin_install(void)
{
	return fail_with(ENOTSUP);
}

int memprof_darwin_remove(void)
{
	return fail_with(ENOTSUP);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The sampler's life: init, start, stop, shutdown, mark. A stop keeps what lives.
 * A shutdown is final and gives no memory back, for other threads may be in the
 * middle of a sample.
 */
#include "bloom.h"
#include "fork-watch.h"
#include "next.h"
#include "region-file.h"
#include "sampler.h"

#include <errno.h>
#include <stdatomic.h>
#include <time.h>

static int refuse(int error)
{
	errno = error;
	return -1;
}

MEMPROF_API int memprof_init(uint64_t sampling_rate)
{
	if (g_memprof.initialized != MEMPROF_UNINITIALIZED)
		return refuse(EALREADY);
	g_memprof.sampling_rate = mp_sampler_rate_valid(sampling_rate);
	if (heap_map_init() || stack_table_init() || bloom_init())
		return -1;
	mp_region->rate = g_memprof.sampling_rate;
	__atomic_store_n(&mp_region->state, MEMPROF_REGION_RUNNING,
			 __ATOMIC_RELEASE);
	g_memprof.initialized = MEMPROF_INITIALIZED;
	return 0;
}

/* The last writer publishes the last change. */
static void publish_activity(void)
{
	int state;

	do {
		state = g_memprof.initialized;
		g_memprof.active_alloc = mp_active_alloc();
		g_memprof.active_free = mp_active_free();
	} while (state != g_memprof.initialized);
}

static bool change(int from, int to)
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
		return refuse(EINVAL);
	if (memprof_linux_install())
		return -1;
	return change(MEMPROF_INITIALIZED, MEMPROF_ACTIVE) ||
	       change(MEMPROF_STOPPED, MEMPROF_ACTIVE) ? 0 : refuse(EINVAL);
}

MEMPROF_API int memprof_stop(void)
{
	return change(MEMPROF_ACTIVE, MEMPROF_STOPPED) ? 0 : refuse(EINVAL);
}

MEMPROF_API void memprof_shutdown(void)
{
	g_memprof.initialized = MEMPROF_TERMINATED;
	publish_activity();
}

MEMPROF_API int memprof_mark(void)
{
	struct timespec ts = { 0 };

	if (!mp_region || !mp_process_claim())
		return refuse(EINVAL);
	clock_gettime(CLOCK_MONOTONIC, &ts);
	__atomic_store_n(&mp_region->control.mark_ns,
			 ts.tv_sec * 1000000000ULL + ts.tv_nsec,
			 __ATOMIC_RELAXED);
	__atomic_fetch_add(&mp_region->control.nr_marks, 1, __ATOMIC_RELEASE);
	return 0;
}

/* The hooks are in the library from its loading on; they need what is behind them. */
int memprof_linux_install(void)
{
	return mp_next_resolve() ? 0 : refuse(EAGAIN);
}

int memprof_darwin_install(void)
{
	return refuse(ENOTSUP);
}

int memprof_darwin_remove(void)
{
	return refuse(ENOTSUP);
}

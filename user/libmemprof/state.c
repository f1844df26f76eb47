// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What state the sampler is in. A stop keeps what lives; a shutdown is final, and
 * gives no memory back, for other threads may be in the middle of a sample.
 */
#include "bloom.h"
#include "fork-watch.h"
#include "next.h"
#include "region-file.h"
#include "sampler.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

/* A free may come before anything else here. */
MemProfGlobalState g_memprof = {
	.bloom_filter_ptr = (_Atomic uint8_t *)mp_bloom_filters,
};

_Thread_local MemProfThreadState
	memprof_thread __attribute__((tls_model("initial-exec")));

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

MEMPROF_API int memprof_start(void)
{
	int from = MEMPROF_INITIALIZED;

	if (!atomic_compare_exchange_strong(&g_memprof.initialized, &from,
					    MEMPROF_ACTIVE)) {
		if (from != MEMPROF_STOPPED ||
		    !atomic_compare_exchange_strong(&g_memprof.initialized,
						    &from, MEMPROF_ACTIVE))
			return refuse(EINVAL);
	}
	if (memprof_linux_install()) {
		g_memprof.initialized = from;
		return -1;
	}
	g_memprof.active_free = 1;
	g_memprof.active_alloc = 1;
	return 0;
}

MEMPROF_API int memprof_stop(void)
{
	int from = MEMPROF_ACTIVE;

	if (!atomic_compare_exchange_strong(&g_memprof.initialized, &from,
					    MEMPROF_STOPPED))
		return refuse(EINVAL);
	/* frees are followed until the end, so that what lives is known */
	g_memprof.active_alloc = 0;
	return 0;
}

MEMPROF_API void memprof_shutdown(void)
{
	g_memprof.active_alloc = 0;
	g_memprof.active_free = 0;
	g_memprof.initialized = MEMPROF_TERMINATED;
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

void mp_state_forked(void)
{
	const size_t begin = offsetof(MemProfGlobalState, total_samples);

	memset((char *)&g_memprof + begin, 0,
	       offsetof(MemProfGlobalState, platform_state) - begin);
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

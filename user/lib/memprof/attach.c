// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * attach.c: starts and ends sampling in a process that runs already. Only libmemprof.so
 * contains it. include/memprof/attach.h describes the functions.
 *
 * All tables are empty before a slot leads to this library. After a detach, a thread may
 * still be on its way through a hook. It finds the sampler inactive, or finishes a
 * sample in the old region, which stays mapped until the next attach but one. A thread
 * that is stopped in a sample for longer can add one sample to a later region.
 *
 * Cost: a region's file (0.1 ms), and the pass of redirect.c; at the end, a look at the
 * process's own pages (end-pages.c).
 */
#include "confinement.h"
#include "drop-counter.h"
#include "end-pages.h"
#include "fork-watch.h"
#include "lifecycle.h"
#include "loaded-object.h"
#include "loader-hooks.h"
#include "mmap-hooks.h"
#include "module-map.h"
#include "next.h"
#include "out-path.h"
#include "own-syscall.h"
#include "python-objects.h"
#include "redirect.h"
#include "region-file.h"
#include "sample-pace.h"
#include "sampler.h"
#include "stack-bounds.h"

#include <memprof/attach.h>

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>

#define KNOWN_FLAGS	(MEMPROF_ATTACH_PAUSED | MEMPROF_ATTACH_MMAP |	\
			 MEMPROF_ATTACH_PRIVATE)

/* Bytes of the structure before it had a pace. */
#define FIRST_SIZE	offsetof(struct memprof_attachment, pace)

static enum { DETACHED, BUSY, ATTACHED } state;
/* The sampler was started here, and not by the constructor or the program. */
static bool is_ours;

static bool change_state(int from, int to)
{
	return __atomic_compare_exchange_n((int *)&state, &from, to, false,
					   __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

static bool is_valid(const struct memprof_attachment *a)
{
	return a && a->size >= FIRST_SIZE && !(a->flags & ~KNOWN_FLAGS) &&
	       a->rate <= MP_MAX_RATE && memchr(a->out, 0, sizeof(a->out));
}

/* A process that has confined itself before the library came must not be killed. */
static void find_confinement(void)
{
	if (mp_own_prctl(PR_GET_SECCOMP, NULL) > 0 ||
	    mp_own_prctl(PR_GET_NO_NEW_PRIVS, NULL) > 0)
		mp_confinement = MP_CONFINED;
}

/* Makes an empty region and tables. Returns 0 or -errno. */
static int begin_sampling(const struct memprof_attachment *a)
{
	const uint64_t rate = mp_sampler_rate_valid(a->rate);

	find_confinement();
	mp_stack_main();
	mp_mmap_wanted = !!(a->flags & MEMPROF_ATTACH_MMAP);
	mp_sampling_reset();
	mp_pace_set(a->size >= sizeof(*a) ? a->pace : 0);
	mp_region_is_attached = true;
	if (mp_process_begin(a->flags & MEMPROF_ATTACH_PRIVATE ? NULL : a->out, rate, !(a->flags & MEMPROF_ATTACH_PAUSED)) ||
	    memprof_init(rate) || memprof_start())
		return errno ? -errno : -ENOMEM;
	return 0;
}

static void redirect_calls(struct memprof_attachment *a)
{
	const uint32_t kinds = MP_HOOK_ALLOCATOR | MP_HOOK_OPERATOR | MP_HOOK_LOADER;
	struct mp_redirection done;

	mp_loader.loaded = mp_redirect_again;
	done = mp_redirect(kinds | (mp_mmap_wanted ? MP_HOOK_MAPPING : 0));
	a->objects = done.objects;
	a->slots = done.slots;
	a->foreign = done.foreign;
	a->failed = done.failed;
	mp_region_path(a->region, sizeof(a->region));
}

static int attach(struct memprof_attachment *a)
{
	MemProfThreadState *thread;
	int error;

	if (g_memprof.initialized != MEMPROF_UNINITIALIZED && !is_ours)
		return -EALREADY;
	if (!mp_object_definition("malloc") || !mp_object_definition("free"))
		return -ENOSYS;
	if (!mp_next_resolve_late())
		return -EALREADY;
	is_ours = true;
	mp_threads_begin();
	/* not NULL: the table is empty */
	thread = mp_thread_find();
	thread->inside_profiler = 1;
	error = begin_sampling(a);
	if (!error) {
		redirect_calls(a);
		mp_python_objects_begin();
	}
	thread->inside_profiler = 0;
	return error;
}

MEMPROF_API int memprof_attach(struct memprof_attachment *attachment)
{
	int saved = errno, error;

	if (!is_valid(attachment))
		return -EINVAL;
	if (!change_state(DETACHED, BUSY))
		return -EALREADY;
	errno = 0;
	error = attach(attachment);
	change_state(BUSY, error ? DETACHED : ATTACHED);
	errno = saved;
	return error;
}

MEMPROF_API int memprof_detach(void)
{
	int saved = errno, restored;

	if (!change_state(ATTACHED, BUSY))
		return -EINVAL;
	mp_python_objects_end();
	restored = mp_redirect(0).restored;
	mp_sampling_end();
	if (mp_process_ours()) {
		mp_end_pages_take();
		mp_counters_tell(true);
		mp_region_end(false);
		mp_region_unload();
	}
	change_state(BUSY, DETACHED);
	errno = saved;
	return restored;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * preload.c: starts the sampler in a program that links this library, or was started
 * with LD_PRELOAD, from the environment:
 *
 *	MEMPROF_RATE	mean bytes between samples, with K, M or G; default 512K
 *	MEMPROF_PACE	samples a second that a thread takes at most; default, and 0: any number
 *	MEMPROF_OUT	the region's file; %p is the pid, %h the host
 *	MEMPROF_ACTIVE	0: start paused
 *	MEMPROF_MMAP	1: sample mappings, too
 *
 * Errors are counted, and the host continues without the sampler.
 */
#include "c-library.h"
#include "drop-counter.h"
#include "end-pages.h"
#include "environment.h"
#include "loaded-object.h"
#include "mmap-hooks.h"
#include "next.h"
#include "python-objects.h"
#include "fork-watch.h"
#include "redirect.h"
#include "region-file.h"
#include "sample-pace.h"
#include "sampler.h"
#include "stack-bounds.h"
#include "thread-table.h"

#include <errno.h>
#include <string.h>

/* Samples a second; more are as good as any number. */
#define MAX_PACE	1000000

static int shift_of(char unit)
{
	switch (unit) {
	case 'k': case 'K':
		return 10;
	case 'm': case 'M':
		return 20;
	case 'g': case 'G':
		return 30;
	default:
		return 0;
	}
}

/* Returns a number of bytes; 0 if @s is not valid. strtoull() would accept signs. */
static uint64_t parse_rate(const char *s)
{
	uint64_t n = 0;
	int shift;

	if (*s < '0' || *s > '9')
		return 0;
	for (; *s >= '0' && *s <= '9'; s++) {
		n = n * 10 + *s - '0';
		if (n > MP_MAX_RATE)
			return 0;
	}
	shift = shift_of(*s);
	s += shift != 0;
	return *s || n << shift > MP_MAX_RATE ? 0 : n << shift;
}

static uint64_t wanted_rate(void)
{
	const char *text = mp_environment_value("MEMPROF_RATE");
	uint64_t rate = text && *text ? parse_rate(text) : 0;

	if (rate)
		return rate;
	if (text && *text)
		mp_drop_count(MP_COUNT_rate_invalid);
	return MEMPROF_DEFAULT_SAMPLING_RATE;
}

static unsigned int wanted_pace(void)
{
	const char *text = mp_environment_value("MEMPROF_PACE");
	const uint64_t pace = text ? parse_rate(text) : 0;

	if (pace <= MAX_PACE && (pace || !text || !*text || !strcmp(text, "0")))
		return (unsigned int)pace;
	mp_drop_count(MP_COUNT_rate_invalid);
	return 0;
}

static bool is_set(const char *name, const char *value)
{
	const char *text = mp_environment_value(name);

	return text && !strcmp(text, value);
}

/* MEMPROF_OUT is not set: a region without samples is removed at the end. */
static bool unasked;

__attribute__((constructor))
static void start_sampler(int argc, char **argv, char **env)
{
	MemProfThreadState *thread;
	const char *out;
	int saved = errno;
	uint64_t rate;

	(void)argc;
	(void)argv;
	/* musl passes no arguments to constructors, but sets environ before them */
	mp_environment_begin(mp_is_glibc() ? env : NULL);
	if (mp_object_is_loaded_late()) {
		/* opened by dlopen(): memprof_attach() starts the sampler */
		mp_next_resolve_late();
		errno = saved;
		return;
	}
	out = mp_environment_value("MEMPROF_OUT");
	rate = wanted_rate();
	unasked = !out || !*out;
	mp_threads_begin();
	/* not NULL: this is the first thread */
	thread = mp_thread_find();
	thread->inside_profiler = 1;
	mp_stack_main();
	mp_pace_set(wanted_pace());
	mp_mmap_wanted = is_set("MEMPROF_MMAP", "1");
	if (mp_next_resolve() &&
	    !mp_process_begin(out ? out : "", rate,
			      !is_set("MEMPROF_ACTIVE", "0")) &&
	    !memprof_init(rate) && !memprof_start()) {
		mp_redirect_operators();
		mp_python_objects_begin();
	}
	thread->inside_profiler = 0;
	errno = saved;
}

/* Marks the end in the region. Sampling continues for later destructors and threads. */
__attribute__((destructor))
static void end_region(void)
{
	if (!mp_region || mp_region->state == MEMPROF_REGION_EXITED || !mp_process_ours())
		return;
	mp_end_pages_take();
	mp_counters_tell(true);
	mp_region_end(unasked && !g_memprof.total_samples);
}

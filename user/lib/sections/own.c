// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * own.c: measures the sections of a thread in the library, without the module.
 *
 * Each thread with sections has a mapping for them, which is created at the
 * first section and unmapped at the thread's exit. The kernel zeroes it in the
 * child of a fork, so the child starts without sections. Signals are blocked
 * while the engine works, so signal handlers can use sections, too.
 *
 * A call costs five or six system calls, about a microsecond. This cost is not
 * charged to sections: the meter is read at the begin and at the end of the
 * call, and the difference is subtracted. A call also has a cost before the
 * first and after the second reading. Its mean is measured when the meter is
 * chosen, and is subtracted, too. At most a twentieth of a call's cost is still
 * charged to sections (measured).
 */
#include "own.h"

#include "arena.h"
#include "meter.h"
#include "section-record.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

/* Size of a thread's mapping: twice the memory that the limits of sections allow. */
#define ARENA_BYTES	(32UL << 20)

#define ROUNDS		32

/*
 * The sections of a thread. @ready: 0 in a new mapping, or after a fork has zeroed it.
 */
struct own {
	int ready;
	struct mp_sections sections;
	struct mp_arena arena;
	struct mp_meter meter;
	size_t flushed;
	uint64_t charged_not;		/* counted by the meter, but not charged */
	uint64_t entered, left;		/* meter at the last entry and exit */
	uint64_t between;		/* mean cost from an exit to the next entry */
	sigset_t signals;
};

/*
 * Not thread-local storage: a library that is loaded into a running process cannot
 * rely on it.
 */
static pthread_key_t key;
static bool has_key;

static void free_own(void *value)
{
	struct own *gone = value;

	if (gone->ready)
		mp_meter_close(&gone->meter);
	munmap(gone, ARENA_BYTES);
}

/* Creates the thread-specific key. A constructor runs before any signal handler. */
__attribute__((constructor))
static void make_key(void)
{
	has_key = !pthread_key_create(&key, free_own);
}

static void block_signals(sigset_t *old)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, old);
}

static void unblock_signals(const sigset_t *old)
{
	pthread_sigmask(SIG_SETMASK, old, NULL);
}

static void init_own(struct own *o)
{
	static const struct mp_sections_limits limits = MP_SECTIONS_LIMITS;
	struct mp_sections_memory memory = {
		.resize = mp_arena_resize, .context = &o->arena,
	};

	mp_sections_init(&o->sections, &limits, &memory);
	o->arena.base = (char *)o;
	o->arena.size = ARENA_BYTES;
	o->arena.used = (sizeof(*o) + 63) & ~63UL;
	o->meter.fd = -1;
	o->ready = 1;
}

static struct own *map_own(void)
{
	struct own *o = mmap(NULL, ARENA_BYTES, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (o == MAP_FAILED)
		return NULL;
	/* the child of a fork must not continue its parent's sections */
	if (!has_key || madvise(o, ARENA_BYTES, MADV_WIPEONFORK) ||
	    pthread_setspecific(key, o)) {
		munmap(o, ARENA_BYTES);
		return NULL;
	}
	return o;
}

/*
 * Blocks signals, reads the meter, and returns the thread's sections. If there are
 * none, they are created if @wanted; else NULL is returned and signals stay enabled.
 */
static struct own *enter_own(bool wanted)
{
	struct own *own = NULL;
	int saved = errno;
	sigset_t signals;

	block_signals(&signals);
	if (has_key)
		own = pthread_getspecific(key);
	if (!own && wanted)
		own = map_own();
	if (!own || (!own->ready && !wanted)) {
		unblock_signals(&signals);
		errno = saved;
		return NULL;
	}
	if (!own->ready)
		init_own(own);
	own->signals = signals;
	own->entered = mp_meter_read(&own->meter);
	return own;
}

static int leave_own(struct own *o, int result)
{
	uint64_t gap = o->entered - o->left;
	sigset_t signals = o->signals;

	o->left = mp_meter_read(&o->meter);
	o->charged_not += o->left - o->entered;
	o->charged_not += gap < o->between ? gap : o->between;
	unblock_signals(&signals);
	return result;
}

/*
 * Returns the meter's value at the entry of this call, minus the cost of all
 * calls.
 */
static uint64_t used(const struct own *o)
{
	uint64_t gap = o->entered - o->left;

	return o->entered - o->charged_not -
	       (gap < o->between ? gap : o->between);
}

/*
 * Measures what the meter counts from the end of a call to the begin of the next one,
 * with no work in between. Signals may arrive in between, as in normal use; a handler
 * may choose another meter.
 */
static void measure_gap(struct own *o)
{
	int i;

	for (i = 0; i < ROUNDS; i++) {
		leave_own(o, 0);
		enter_own(false);
		if (i)
			o->between = mp_sections_way(o->between,
						     o->entered - o->left);
	}
}

static int choose_meter(struct own *o, uint32_t kind)
{
	struct mp_meter old = o->meter;
	bool used = o->sections.nr_open || o->sections.nr_done;
	int err;

	if (o->meter.kind == kind && (used || !o->meter.failed))
		return 0;
	if (used)
		return -EBUSY;
	err = mp_meter_open(&o->meter, kind);
	if (err)
		return err;
	mp_meter_close(&old);
	o->charged_not = 0;
	o->between = 0;
	o->entered = mp_meter_read(&o->meter);
	if (kind != MEMPROF_SECTION_CALLER)
		measure_gap(o);
	return o->meter.kind == kind ? 0 : -EBUSY;
}

/*
 * Whether the aligned word at @address can be read. rt_sigprocmask() reads this word
 * before it rejects the invalid first argument. All programs may use this system call.
 */
static bool has_word(uintptr_t address)
{
	return syscall(SYS_rt_sigprocmask, -1, address & ~7UL, NULL, 8) == -1 &&
	       errno != EFAULT;
}

/* Whether an id can be read. An id is in at most two pages, so two words are tested. */
static bool is_readable(uintptr_t id, size_t id_len)
{
	int saved = errno;
	bool is = !id_len || (has_word(id) && ((id ^ (id + id_len - 1)) < 4096 ||
					       has_word(id + id_len - 1)));

	errno = saved;
	return is;
}

static int mark_section(const struct memprof_section_mark *mark, bool start)
{
	const char *id = (const char *)(uintptr_t)mark->id;
	struct mp_section_value value = { .cu = mark->cu, .heap = mark->heap };
	const struct mp_section_value *known;
	struct timespec now;
	struct own *o = enter_own(start);
	int err;

	if (!o)
		return start ? -ENOMEM : -ENOENT;
	if (!start && !o->sections.nr_open)
		return leave_own(o, -ENOENT);
	if (!is_readable(mark->id, mark->id_len))
		return leave_own(o, -EFAULT);
	err = choose_meter(o, mark->meter);
	if (err)
		return leave_own(o, err);
	if (mark->meter != MEMPROF_SECTION_CALLER)
		value.cu = ~used(o);
	clock_gettime(CLOCK_MONOTONIC, &now);
	o->sections.view.time_ns = now.tv_sec * 1000000000ULL + now.tv_nsec;
	known = o->meter.failed ? NULL : &value;
	err = start ? mp_sections_start(&o->sections, id, mark->id_len, known) :
		      mp_sections_end(&o->sections, id, mark->id_len, known);
	return leave_own(o, err);
}

/** mp_own_start() - start a section, as MEMPROF_IOC_SECTION_START does */
int mp_own_start(const struct memprof_section_mark *arg)
{
	return mark_section(arg, true);
}

/** mp_own_end() - end a section, as MEMPROF_IOC_SECTION_END does */
int mp_own_end(const struct memprof_section_mark *arg)
{
	return mark_section(arg, false);
}

/**
 * mp_own_flush() - take the oldest of the completed sections
 * @records: out: the sections
 * @nr: number of elements in @records
 * @left: out: number of sections that still wait
 *
 * Return: number of sections in @records.
 */
int mp_own_flush(struct memprof_section *records, unsigned int nr,
		 uint64_t *left)
{
	const struct mp_section *list;
	struct own *o = enter_own(false);
	unsigned int i;
	size_t all;

	*left = 0;
	if (!o)
		return 0;
	list = mp_sections_completed(&o->sections, &all);
	for (i = 0; i < nr && o->flushed < all; i++, o->flushed++)
		mp_section_to_record(&records[i], &list[o->flushed],
				     o->meter.kind, all - o->flushed - 1);
	*left = all - o->flushed;
	if (!*left) {
		mp_sections_clear(&o->sections);
		o->flushed = 0;
	}
	return leave_own(o, (int)i);
}

/** mp_own_invoke() - begin an invocation, as MEMPROF_SECTION_INVOKE does */
int mp_own_invoke(void)
{
	struct own *o = enter_own(true);

	if (!o)
		return -ENOMEM;
	return leave_own(o, o->flushed ? -EBUSY : mp_sections_invoke(&o->sections));
}

/** mp_own_return() - end an invocation, as MEMPROF_SECTION_RETURN does */
int mp_own_return(void)
{
	struct own *o = enter_own(false);

	if (!o)
		return 0;
	mp_sections_leave(&o->sections);
	o->flushed = 0;
	return leave_own(o, 0);
}

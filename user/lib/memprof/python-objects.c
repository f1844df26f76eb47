// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * python-objects.c: samples the small objects of Python. Only libmemprof.so contains it.
 *
 * Python serves requests of up to 512 bytes from arenas, which it maps. Larger requests
 * go to malloc(), which is sampled already. So the two allocators that do so, those of
 * memory and of objects, are replaced by functions that sample small requests and call
 * the replaced ones. Their context stays the same: while another thread replaces an
 * allocator, each mixture of old and new functions works.
 *
 * Not replaced are allocators that another one surrounds already, such as the checks of
 * PYTHONMALLOC=debug, and those that are malloc(). If Python is told by PYTHONMALLOC
 * which ones to take, it does so later, and these functions are not called.
 *
 * A realloc may stay in an arena, leave it, or may always have been malloc()'s. Whether
 * malloc() has counted the new block can be seen at the thread's countdown.
 *
 * A block that is sampled is not taken from an arena, but from malloc(): it is requested
 * with a size that no arena serves, and kept for the next sample (reserve.c). Python gives
 * it to free(), which sees it. So the replaced free() of Python stays, and the free of an
 * object costs nothing. This is so
 * from a rate of 16 KB on, where sampled blocks are few: 3 % more memory at most. At a
 * lower rate, and where the allocator has no malloc() behind it (mimalloc), blocks stay in
 * their arenas, and free() is replaced, too.
 *
 * All threads have one countdown, because Python's lock protects it: that needs half of the
 * instructions that a thread's own one needs. Where an interpreter has no lock, or several
 * may have one each (from 3.12 on, once there is a second interpreter), each thread has its
 * own, as in malloc().
 *
 * Where Python is far from this library, the functions are those of near-code.S. Those that
 * call others, and not only jump to them, stay here: they need a frame, and no unwinder
 * finds its rules in a second mapping.
 *
 * Cost: 0.7 ns per malloc(), where object() takes 24 ns, and its free() nothing; 2.4 ns for
 * both if free() is replaced, and twice that if they are far and cannot be mapped near
 * (near-pages.c).
 */
#include "python-objects.h"

#include "bloom.h"
#include "drop-counter.h"
#include "near-pages.h"
#include "next.h"
#include "python-frames.h"
#include "python-runtime.h"
#include "region-file.h"
#include "reserve.h"
#include "sampled.h"
#include "sample-pace.h"
#include "sampler.h"

#include <dlfcn.h>
#include <string.h>

#define likely(x)	__builtin_expect(!!(x), 1)
#define SLOW		__attribute__((noinline, cold))
#define HOT		__attribute__((aligned(64)))

/* Bytes of the largest request that Python serves from an arena. */
#define LARGEST		512

_Static_assert(MP_RESERVE_BYTES > LARGEST, "the reserve has blocks of malloc()");

/* The lowest rate at which sampled blocks come from malloc(). */
#define LEAST_RATE	(16U << 10)

/* The first version in which interpreters may have a lock each. */
#define FIRST_OWN_LOCKS	0x030c

/* Domains, and struct PyMemAllocatorEx, of Python's API. */
enum { RAW, MEMORY, OBJECT, NR_DOMAINS };

struct allocator {
	void *context;
	void *(*malloc)(void *context, size_t size);
	void *(*calloc)(void *context, size_t n, size_t size);
	void *(*realloc)(void *context, void *p, size_t size);
	void (*free)(void *context, void *p);
};

/* The replaced allocators. */
static struct allocator next[NR_DOMAINS];

/*
 * What sampled blocks of a domain need. Python's lock protects both.
 * @sees: malloc() sees requests of MP_RESERVE_BYTES, as they are
 * @frees: a sampled block is in an arena, so free() has to be replaced
 * @no_frees: free() is not replaced any more
 */
static struct {
	bool sees, frees, no_frees;
} sampled[NR_DOMAINS];

/*
 * The countdown of all threads, in bytes, in a line of the cache of its own, the mean bytes
 * that it was drawn with, and whether it is in use.
 */
static struct {
	int64_t left;
	uint64_t rate;
	bool is_used;
} shared __attribute__((aligned(64)));

static void restore_free(int domain);
static void count_by_thread(void);

/* A request of 0 bytes goes to malloc(), too. */
static inline bool is_small(size_t size)
{
	return size - 1 < LARGEST;
}

/* What malloc() changes when it counts a block. */
struct countdown {
	const MemProfThreadState *thread;
	int64_t left;
	uint64_t allocs;
};

static struct countdown look(void)
{
	const struct mp_thread *first = mp_thread_first();
	const MemProfThreadState *t = mp_thread_is_at(first, mp_thread_pointer()) ?
				      &first->state : mp_thread_find();

	return t ? (struct countdown){ t, t->byte_counter, t->total_allocs } :
		   (struct countdown){ 0 };
}

static bool has_changed(const struct countdown *before)
{
	return !before->thread || before->thread->byte_counter != before->left ||
	       before->thread->total_allocs != before->allocs;
}

/*
 * Requests a block that malloc() serves. The thread's countdown shows whether malloc() has
 * seen that.
 */
static void *request_one(void *context, const struct allocator *is, bool *is_seen)
{
	MemProfThreadState *t = mp_thread_find();
	void *p;

	t->byte_counter = MEMPROF_MAX_THRESHOLD;
	p = is->malloc(context, MP_RESERVE_BYTES);
	*is_seen = p && t->byte_counter == MEMPROF_MAX_THRESHOLD - MP_RESERVE_BYTES;
	t->byte_counter = 0;
	return p;
}

/*
 * Whether blocks are kept: Python's own functions lead to malloc(), and nothing in between
 * knows them one by one.
 */
static bool has_reserve;

/* Takes a block of the reserve. If that is empty, it is filled. */
static void *request_beyond(void *context, const struct allocator *is, bool *is_seen)
{
	bool *sees = &sampled[is - next].sees;
	void *p = *sees && has_reserve ? mp_reserve_take() : NULL, *more;
	int i;

	*is_seen = p;
	if (p)
		return p;
	p = request_one(context, is, sees);
	*is_seen = *sees;
	for (i = 0; *sees && has_reserve && i < MP_RESERVE_BLOCKS; i++) {
		more = request_one(context, is, sees);
		if (!*sees || !mp_reserve_keep(more)) {
			is->free(context, more);
			break;
		}
	}
	return p;
}

/*
 * Whether free() sees a block of a domain that is sampled. If all are beyond arenas, it
 * is not replaced any more.
 */
static bool can_be_freed(int domain, bool is_beyond)
{
	if (!is_beyond) {
		sampled[domain].frees = true;
		return !sampled[domain].no_frees;
	}
	if (!sampled[domain].frees && !sampled[domain].no_frees)
		restore_free(domain);
	return true;
}

/* As mp_sampler_counts_down(), with the countdown of all threads. */
static inline __attribute__((always_inline)) bool counts_down(size_t size)
{
	const uint64_t left = (uint64_t)shared.left;

	shared.left = (int64_t)(left - size);
	return left <= size;
}

/* At the pace of the thread that took the last sample. */
static void draw(MemProfThreadState *t)
{
	const uint64_t rate = mp_sampler_rate_valid(mp_pace_countdown(t, g_memprof.sampling_rate));

	mp_sampler_draw(t, rate);
	shared.left = t->byte_counter;
	shared.rate = rate;
	mp_sampler_draw(t, rate);
}

/*
 * As mp_sampler_ended(). If the countdown of all threads has ended, that of this thread
 * ends, too, so that the block is sampled. Both are drawn anew afterwards: a distance has
 * no memory, so this biases neither.
 */
static bool has_ended(size_t size)
{
	MemProfThreadState *t;

	/* a program may have kept functions that use the shared countdown: count by thread */
	if (!shared.is_used && shared.left < 0) {
		shared.left = 0;
		if (!mp_sampler_counts_down(size))
			return false;
	}
	/* or functions that count by thread, which have no part in the shared countdown */
	if (!shared.is_used || shared.left > 0)
		return mp_sampler_ended(size);
	t = mp_thread_find();
	if (!t) {
		shared.left = (int64_t)g_memprof.sampling_rate;
		shared.rate = g_memprof.sampling_rate;
		return mp_sampler_not_followed();
	}
	/* the sample is weighed by the countdown that ended */
	t->rate = mp_sampler_rate_valid(shared.rate ? shared.rate : g_memprof.sampling_rate);
	shared.left = t->byte_counter = 0;
	return true;
}

static void begin_again(void)
{
	MemProfThreadState *t = mp_thread_find();

	if (shared.is_used && t && g_memprof.initialized >= MEMPROF_INITIALIZED)
		draw(t);
	count_by_thread();
}

/* Samples a block, in which the countdown ended. */
static void sample(void *p, size_t size, int domain, bool is_beyond,
		   struct mp_registers regs)
{
	if (!p || can_be_freed(domain, is_beyond)) {
		mp_sample_alloc(p, size, MEMPROF_REGION_HEAP, regs);
	} else {
		mp_drop_count(MP_COUNT_python_objects_skipped);
		mp_sampler_draw(mp_thread_find(), g_memprof.sampling_rate);
	}
	begin_again();
}

/* Where free() is not replaced, which a surrounding allocator may have kept, at any rate. */
static bool wants_beyond(const struct allocator *is)
{
	return mp_active_alloc() && (g_memprof.sampling_rate >= LEAST_RATE ||
				     sampled[is - next].no_frees);
}

static SLOW void *slow_malloc(void *context, size_t size, const struct allocator *is)
{
	struct mp_registers regs = MP_CALLERS_REGISTERS();
	bool is_beyond = false;
	void *p = NULL;

	if (!has_ended(size))
		return is->malloc(context, size);
	if (wants_beyond(is))
		p = request_beyond(context, is, &is_beyond);
	if (!p)
		p = is->malloc(context, size);
	sample(p, size, (int)(is - next), is_beyond, regs);
	return p;
}

static SLOW void *slow_calloc(void *context, size_t n, size_t size,
			      const struct allocator *is)
{
	struct mp_registers regs = MP_CALLERS_REGISTERS();
	bool is_beyond = false;
	size_t bytes;
	void *p = NULL;

	/* the near function knows the signed overflow only */
	if (__builtin_mul_overflow(n, size, &bytes) || !has_ended(bytes))
		return is->calloc(context, n, size);
	if (wants_beyond(is))
		p = request_beyond(context, is, &is_beyond);
	if (p)
		memset(p, 0, bytes);
	else
		p = is->calloc(context, n, size);
	sample(p, bytes, (int)(is - next), is_beyond, regs);
	return p;
}

/* Samples a block of an arena after its realloc. Returns its address, which may be new. */
static void *sample_moved(void *context, void *p, size_t size, const struct allocator *is,
			  struct mp_registers regs)
{
	bool is_beyond = false;
	void *to = wants_beyond(is) ? request_beyond(context, is, &is_beyond) : NULL;

	if (to) {
		memcpy(to, p, size);
		is->free(context, p);
		p = to;
	}
	sample(p, size, (int)(is - next), is_beyond, regs);
	return p;
}

/*
 * The free of the old block is recorded first: realloc() of the C library samples the new
 * one, which may have the same address.
 */
static __attribute__((noinline))
void *any_realloc(void *context, void *p, size_t size, const struct allocator *is)
{
	struct mp_registers regs = MP_CALLERS_REGISTERS();
	const struct countdown before = look();
	struct mp_exact exact;
	bool taken = p && mp_bloom_first_bit((uintptr_t)p) && mp_sample_take(p, &exact);
	void *to;

	if (taken)
		mp_sample_freed(p, &exact);
	to = is->realloc(context, p, size);
	if (taken && !to)
		mp_sample_not_freed(p, &exact);
	if (is_small(size) && to && !has_changed(&before) &&
	    (shared.is_used ? counts_down(size) : mp_sampler_counts_down(size)) &&
	    has_ended(size))
		return sample_moved(context, to, size, is, regs);
	return to;
}

static SLOW void slow_free(void *context, void *p, const struct allocator *is)
{
	mp_sample_free(p);
	is->free(context, p);
}

#define COUNTING(name, domain, counts_down)					\
	static HOT void *name##_malloc(void *context, size_t size)		\
	{									\
		if (!is_small(size) || likely(!counts_down(size)))		\
			return next[domain].malloc(context, size);		\
		return slow_malloc(context, size, &next[domain]);		\
	}									\
										\
	static HOT void *name##_calloc(void *context, size_t n, size_t size)	\
	{									\
		size_t bytes;							\
										\
		if (__builtin_mul_overflow(n, size, &bytes) ||			\
		    !is_small(bytes) || likely(!counts_down(bytes)))		\
			return next[domain].calloc(context, n, size);		\
		return slow_calloc(context, n, size, &next[domain]);		\
	}

#define FUNCTIONS(name, domain)							\
	COUNTING(name, domain, counts_down)					\
	COUNTING(name##_thread, domain, mp_sampler_counts_down)			\
										\
	static HOT void *name##_realloc(void *context, void *p, size_t size)	\
	{									\
		if (!p && shared.is_used)					\
			return name##_malloc(context, size);			\
		if (!is_small(size) && likely(!mp_bloom_first_bit((uintptr_t)p)))	\
			return next[domain].realloc(context, p, size);		\
		return any_realloc(context, p, size, &next[domain]);		\
	}									\
										\
	static HOT void name##_free(void *context, void *p)			\
	{									\
		if (likely(!mp_bloom_first_bit((uintptr_t)p)))			\
			next[domain].free(context, p);				\
		else								\
			slow_free(context, p, &next[domain]);			\
	}

FUNCTIONS(memory, MEMORY)
FUNCTIONS(object, OBJECT)

static const struct allocator own[NR_DOMAINS] = {
	[MEMORY] = { NULL, memory_malloc, memory_calloc, memory_realloc, memory_free },
	[OBJECT] = { NULL, object_malloc, object_calloc, object_realloc, object_free },
};

/* The same, for threads that have a countdown each. */
static const struct allocator by_thread[NR_DOMAINS] = {
	[MEMORY] = { NULL, memory_thread_malloc, memory_thread_calloc, memory_realloc,
		     memory_free },
	[OBJECT] = { NULL, object_thread_malloc, object_thread_calloc, object_realloc,
		     object_free },
};

/* As @own, near Python, if they are mapped there. */
static struct allocator near[NR_DOMAINS];

#ifdef __x86_64__

_Static_assert(offsetof(struct mp_near_data, countdown) == MP_NEAR_COUNTDOWN &&
	       offsetof(struct mp_near_data, filter) == MP_NEAR_FILTER &&
	       offsetof(struct mp_near_data, object) == MP_NEAR_OBJECT &&
	       offsetof(struct mp_near_data, memory) == MP_NEAR_MEMORY &&
	       offsetof(struct mp_near_domain, malloc) == MP_NEAR_MALLOC &&
	       offsetof(struct mp_near_domain, calloc) == MP_NEAR_CALLOC &&
	       offsetof(struct mp_near_domain, realloc) == MP_NEAR_REALLOC &&
	       offsetof(struct mp_near_domain, free) == MP_NEAR_FREE &&
	       offsetof(struct mp_near_domain, slow_malloc) == MP_NEAR_SLOW_MALLOC &&
	       offsetof(struct mp_near_domain, slow_calloc) == MP_NEAR_SLOW_CALLOC &&
	       offsetof(struct mp_near_domain, any_realloc) == MP_NEAR_ANY_REALLOC &&
	       offsetof(struct mp_near_domain, slow_free) == MP_NEAR_SLOW_FREE &&
	       offsetof(struct mp_near_domain, allocator) == MP_NEAR_ALLOCATOR &&
	       MP_BLOOM_PAGE_SHIFT == MP_NEAR_PAGE_SHIFT && MP_BLOOM_WORDS == MP_NEAR_WORDS &&
	       MP_BLOOM_FIRST_SHIFT == MP_NEAR_BIT_SHIFT &&
	       MP_BLOOM_FIRST_BITS == 32 && LARGEST == MP_NEAR_LARGEST,
	       "near-code.S has these numbers");

static struct mp_near_domain needs_of(int domain)
{
	return (struct mp_near_domain){
		.malloc = next[domain].malloc, .calloc = next[domain].calloc,
		.realloc = next[domain].realloc, .free = next[domain].free,
		.slow_malloc = slow_malloc, .slow_calloc = slow_calloc,
		.any_realloc = any_realloc, .slow_free = slow_free,
		.allocator = &next[domain],
	};
}

/* Maps the functions near that of @domain, and fills near[domain]. */
static bool map_near(int domain)
{
	const struct mp_near_functions *are = domain == OBJECT ? &mp_near_object :
								 &mp_near_memory;
	const struct mp_near_data data = {
		.countdown = &shared.left, .filter = &g_memprof.bloom_filter_ptr,
		.object = needs_of(OBJECT), .memory = needs_of(MEMORY),
	};
	const char *code = mp_near_pages_map((void *)next[domain].malloc, &data);

	if (!code)
		return false;
	near[domain] = (struct allocator){
		NULL, (void *)(code + are->malloc), (void *)(code + are->calloc),
		(void *)(code + are->realloc), (void *)(code + are->free),
	};
	return true;
}

#else

static bool map_near(int domain)
{
	(void)domain;
	return false;
}

#endif

static bool is_own(const struct allocator *is, int domain)
{
	return is->malloc == own[domain].malloc || is->malloc == by_thread[domain].malloc ||
	       (is->malloc && is->malloc == near[domain].malloc);
}

static bool can_replace(const struct mp_python *python)
{
	return python && python->get_allocator && python->set_allocator;
}

/* Whether an allocator has arenas: it is not malloc(), and nothing surrounds it. */
static bool has_arenas(const struct allocator *is, const struct allocator *raw)
{
	return !is->context && is->malloc && is->malloc != raw->malloc;
}

/* Gives Python's own free() back, unless something surrounds the functions by now. */
static void restore_free(int domain)
{
	const struct mp_python *python = mp_python_known();
	struct allocator is = { 0 };

	python->get_allocator(domain, &is);
	if (!is_own(&is, domain))
		return;
	is.free = next[domain].free;
	sampled[domain].no_frees = true;
	python->set_allocator(domain, &is);
}

/* Whether a lock protects the countdown of all threads. */
static bool has_one_lock(const struct mp_python *python)
{
	/* of builds without a lock no layout is known */
	return python->layout &&
	       (python->layout->version < FIRST_OWN_LOCKS ||
		mp_python_has_one_interpreter(python));
}

static void set_functions(const struct mp_python *python, int domain, void *context)
{
	struct allocator to = !shared.is_used ? by_thread[domain] :
			      map_near(domain) ? near[domain] : own[domain];

	if (sampled[domain].no_frees)
		to.free = next[domain].free;
	to.context = context;
	python->set_allocator(domain, &to);
}

/*
 * Gives each thread a countdown of its own, if the lock does not protect that of all
 * threads any more. Functions that are in use count to its end, and then by thread.
 */
static void count_by_thread(void)
{
	const struct mp_python *python = mp_python_known();
	struct allocator is;
	int domain;

	if (!shared.is_used || has_one_lock(python))
		return;
	shared.is_used = false;
	for (domain = MEMORY; domain < NR_DOMAINS; domain++) {
		is = (struct allocator){ 0 };
		python->get_allocator(domain, &is);
		if (is_own(&is, domain))
			set_functions(python, domain, is.context);
	}
}

static void replace(const struct mp_python *python, int domain,
		    const struct allocator *raw)
{
	struct allocator is = { 0 };

	python->get_allocator(domain, &is);
	/* what surrounded the functions may have put them back after the last time */
	if (!is_own(&is, domain)) {
		if (!has_arenas(&is, raw))
			return;
		next[domain] = is;
	}
	memset(&sampled[domain], 0, sizeof(sampled[domain]));
	set_functions(python, domain, is.context);
}

static bool are_of_one_object(const void *a, const void *b)
{
	Dl_info of_a, of_b;

	return dladdr(a, &of_a) && dladdr(b, &of_b) && of_a.dli_fbase == of_b.dli_fbase;
}

/*
 * Whether blocks can be kept. An allocator that replaces malloc() alone has no
 * malloc_usable_size(): that of the C library must not see its blocks.
 */
static bool can_reserve(const struct allocator *raw)
{
	return next[OBJECT].malloc && next[MEMORY].malloc && !raw->context &&
	       are_of_one_object((void *)raw->malloc, (void *)next[OBJECT].malloc) &&
	       are_of_one_object((void *)mp_next.malloc, (void *)mp_next.malloc_usable_size);
}

/**
 * mp_python_objects_begin() - sample small objects from now on
 *
 * If another allocator was already replaced, it stays replaced.
 */
void mp_python_objects_begin(void)
{
	const struct mp_python *python = mp_python_known();
	MemProfThreadState *t = mp_thread_find();
	struct allocator raw = { 0 };

	if (!can_replace(python))
		return;
	shared.is_used = has_one_lock(python);
	if (t)
		draw(t);
	python->get_allocator(RAW, &raw);
	replace(python, MEMORY, &raw);
	replace(python, OBJECT, &raw);
	has_reserve = can_reserve(&raw);
	mp_reserve_open(has_reserve);
}

/*
 * Gives the replaced allocators back. One that is surrounded by another one meanwhile
 * stays: it only calls the replaced one, because nothing is sampled any more.
 */
void mp_python_objects_end(void)
{
	const struct mp_python *python = mp_python_known();
	struct allocator is;
	int domain;

	mp_reserve_open(false);
	for (domain = MEMORY; can_replace(python) && domain < NR_DOMAINS; domain++) {
		is = (struct allocator){ 0 };
		python->get_allocator(domain, &is);
		if (is_own(&is, domain))
			python->set_allocator(domain, &next[domain]);
	}
}

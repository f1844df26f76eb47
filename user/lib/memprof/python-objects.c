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
 * with a size that no arena serves. Python gives it back to free(), which sees it. So the
 * replaced free() of Python stays, and the free of an object costs nothing. This is so
 * from a rate of 16 KB on, where sampled blocks are few: 3 % more memory at most. At a
 * lower rate, and where the allocator has no malloc() behind it (mimalloc), blocks stay in
 * their arenas, and free() is replaced, too.
 *
 * Where Python is far from this library, malloc() and free() are those of near-code.S. The
 * other functions stay here: a function that calls another one needs a frame, and no
 * unwinder finds its rules in a second mapping.
 *
 * Cost: 1.3 ns per malloc(), where object() takes 24 ns, and its free() nothing; 3 ns for
 * both if free() is replaced, and twice that if they are far and cannot be mapped near
 * (near-pages.c).
 */
#include "python-objects.h"

#include "bloom.h"
#include "drop-counter.h"
#include "near-pages.h"
#include "python-runtime.h"
#include "region-file.h"
#include "sampled.h"
#include "sampler.h"

#include <string.h>

#define likely(x)	__builtin_expect(!!(x), 1)
#define SLOW		__attribute__((noinline, cold))
#define HOT		__attribute__((aligned(64)))

/* Bytes of the largest request that Python serves from an arena. */
#define LARGEST		512

/* The size by which a block is requested that shall come from malloc(). */
#define BEYOND		(LARGEST + 1)
/* The lowest rate at which sampled blocks come from malloc(). */
#define LEAST_RATE	(16U << 10)

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
 * @frees: a sampled block is in an arena, so free() has to be replaced
 * @no_frees: free() is not replaced any more
 */
static struct {
	bool frees, no_frees;
} sampled[NR_DOMAINS];

static void restore_free(int domain);

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
	const MemProfThreadState *t = mp_thread_find();

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
 * seen that, and is 0 again afterwards.
 */
static void *request_beyond(void *context, const struct allocator *is, bool zeroed,
			    bool *is_seen)
{
	MemProfThreadState *t = mp_thread_find();
	void *p;

	t->byte_counter = MEMPROF_MAX_THRESHOLD;
	p = zeroed ? is->calloc(context, 1, BEYOND) : is->malloc(context, BEYOND);
	*is_seen = p && t->byte_counter == MEMPROF_MAX_THRESHOLD - BEYOND;
	t->byte_counter = 0;
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

/* Samples a block, in which the thread's countdown ended. */
static void sample(void *p, size_t size, int domain, bool is_beyond,
		   struct mp_registers regs)
{
	if (!p || can_be_freed(domain, is_beyond)) {
		mp_sample_alloc(p, size, MEMPROF_REGION_HEAP, regs);
		return;
	}
	mp_drop_count(MP_COUNT_python_objects_skipped);
	mp_sampler_draw(mp_thread_find(), g_memprof.sampling_rate);
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

	if (!mp_sampler_ended(size))
		return is->malloc(context, size);
	if (wants_beyond(is))
		p = request_beyond(context, is, false, &is_beyond);
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
	void *p = NULL;

	if (!mp_sampler_ended(n * size))
		return is->calloc(context, n, size);
	if (wants_beyond(is))
		p = request_beyond(context, is, true, &is_beyond);
	if (!p)
		p = is->calloc(context, n, size);
	sample(p, n * size, (int)(is - next), is_beyond, regs);
	return p;
}

/* Samples a block of an arena after its realloc. Returns its address, which may be new. */
static void *sample_moved(void *context, void *p, size_t size, const struct allocator *is,
			  struct mp_registers regs)
{
	bool is_beyond = false;
	void *to = wants_beyond(is) ? request_beyond(context, is, false, &is_beyond) : NULL;

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
	    mp_sampler_counts_down(size) && mp_sampler_ended(size))
		return sample_moved(context, to, size, is, regs);
	return to;
}

static SLOW void slow_free(void *context, void *p, const struct allocator *is)
{
	mp_sample_free(p);
	is->free(context, p);
}

#define FUNCTIONS(name, domain)							\
	static HOT void *name##_malloc(void *context, size_t size)		\
	{									\
		if (!is_small(size) || likely(!mp_sampler_counts_down(size)))	\
			return next[domain].malloc(context, size);		\
		return slow_malloc(context, size, &next[domain]);		\
	}									\
										\
	static HOT void *name##_calloc(void *context, size_t n, size_t size)	\
	{									\
		size_t bytes;							\
										\
		if (__builtin_mul_overflow(n, size, &bytes) ||			\
		    !is_small(bytes) || likely(!mp_sampler_counts_down(bytes)))	\
			return next[domain].calloc(context, n, size);		\
		return slow_calloc(context, n, size, &next[domain]);		\
	}									\
										\
	static HOT void *name##_realloc(void *context, void *p, size_t size)	\
	{									\
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

/* The same, with malloc() and free() near Python, if they are mapped there. */
static struct allocator near[NR_DOMAINS];

#ifdef __x86_64__

_Static_assert(offsetof(struct mp_near_data, threads) == MP_NEAR_THREADS &&
	       offsetof(struct mp_near_data, filter) == MP_NEAR_FILTER &&
	       offsetof(struct mp_near_data, object) == MP_NEAR_OBJECT &&
	       offsetof(struct mp_near_data, memory) == MP_NEAR_MEMORY &&
	       offsetof(struct mp_near_domain, malloc) == MP_NEAR_MALLOC &&
	       offsetof(struct mp_near_domain, free) == MP_NEAR_FREE &&
	       offsetof(struct mp_near_domain, slow_malloc) == MP_NEAR_SLOW_MALLOC &&
	       offsetof(struct mp_near_domain, slow_free) == MP_NEAR_SLOW_FREE &&
	       offsetof(struct mp_near_domain, allocator) == MP_NEAR_ALLOCATOR &&
	       offsetof(struct mp_thread, pointer) == 0 &&
	       offsetof(struct mp_thread, state.byte_counter) == MP_NEAR_COUNTDOWN &&
	       sizeof(mp_threads) - sizeof(struct mp_thread) == MP_NEAR_PLACES &&
	       MP_BLOOM_WORD_SHIFT == MP_NEAR_WORD_SHIFT &&
	       MP_BLOOM_FIRST_SHIFT == MP_NEAR_BIT_SHIFT &&
	       MP_BLOOM_FIRST_BITS == 32 && LARGEST == MP_NEAR_LARGEST,
	       "near-code.S has these numbers");

static struct mp_near_domain needs_of(int domain)
{
	return (struct mp_near_domain){
		.malloc = next[domain].malloc, .free = next[domain].free,
		.slow_malloc = slow_malloc, .slow_free = slow_free,
		.allocator = &next[domain],
	};
}

/* Maps the functions near that of @domain, and fills near[domain]. */
static bool map_near(int domain)
{
	const struct mp_near_functions *are = &mp_near_functions;
	const struct mp_near_data data = {
		.threads = mp_threads, .filter = &g_memprof.bloom_filter_ptr,
		.object = needs_of(OBJECT), .memory = needs_of(MEMORY),
	};
	const char *code = mp_near_pages_map((void *)next[domain].malloc, &data);

	if (!code)
		return false;
	near[domain] = own[domain];
	near[domain].malloc = (void *)(code + (domain == OBJECT ? are->object_malloc :
								  are->memory_malloc));
	near[domain].free = (void *)(code + (domain == OBJECT ? are->object_free :
								are->memory_free));
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
	return is->malloc == own[domain].malloc ||
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

static void replace(const struct mp_python *python, int domain,
		    const struct allocator *raw)
{
	struct allocator is = { 0 }, to;

	python->get_allocator(domain, &is);
	/* what surrounded the functions may have put them back after the last time */
	if (!is_own(&is, domain)) {
		if (!has_arenas(&is, raw))
			return;
		next[domain] = is;
	}
	sampled[domain].frees = sampled[domain].no_frees = false;
	to = map_near(domain) ? near[domain] : own[domain];
	to.context = is.context;
	python->set_allocator(domain, &to);
}

/**
 * mp_python_objects_begin() - sample small objects from now on
 *
 * If another allocator was already replaced, it stays replaced.
 */
void mp_python_objects_begin(void)
{
	const struct mp_python *python = mp_python_known();
	struct allocator raw = { 0 };

	if (!can_replace(python))
		return;
	python->get_allocator(RAW, &raw);
	replace(python, MEMORY, &raw);
	replace(python, OBJECT, &raw);
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

	for (domain = MEMORY; can_replace(python) && domain < NR_DOMAINS; domain++) {
		is = (struct allocator){ 0 };
		python->get_allocator(domain, &is);
		if (is_own(&is, domain))
			python->set_allocator(domain, &next[domain]);
	}
}

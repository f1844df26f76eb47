// SPDX-License-Identifier: GPL-2.0-only
#include "allocator.h"
#include <errno.h>
#include <sys/mman.h>
#include "session.h"

static char *arena;
static size_t used;
jmp_buf way_out;
int leap;
int fail;
void *hand_out;

__attribute__((noinline, noclone)) void *my_malloc(size_t size)
{
	char *p;

	if (leap) {
		leap = 0;
		longjmp(way_out, 1);
	}
	if (fail) {
		fail = 0;
		return NULL;
	}
	if (hand_out) {
		p = hand_out;
		hand_out = NULL;
		return p;
	}
	return arena + __atomic_fetch_add(&used, (size + 31) & -16,
					  __ATOMIC_RELAXED);
}

/* Calls the allocator by a jump, as Rust's __rust_alloc does. */
void *my_jump_malloc(size_t size);
asm(".pushsection .text\n"
    ".globl my_jump_malloc\n"
    ".type my_jump_malloc, %function\n"
    "my_jump_malloc:\n"
#ifdef __x86_64__
    "jmp my_malloc\n"
#else
    "b my_malloc\n"
#endif
    ".size my_jump_malloc, . - my_jump_malloc\n"
    ".popsection");

__attribute__((noinline, noclone)) void my_free(void *p)
{
	asm volatile("" : : "r"(p) : "memory");
}

/* Calls another allocator function, as many allocators do. */
__attribute__((noinline, noclone)) void *my_calloc(size_t n, size_t size)
{
	void *p = my_malloc(n * size);

	asm volatile("" : "+r"(p));
	return p;
}

/* Like glibc's realloc: size 0 frees; the block moves, unless hand_out is set. */
__attribute__((noinline, noclone)) void *my_realloc(void *p, size_t size)
{
	void *q;

	if (!size) {
		my_free(p);
		return NULL;
	}
	q = my_malloc(size);
	asm volatile("" : "+r"(q));
	return q;
}

__attribute__((noinline, noclone)) int my_posix_memalign(void **p, size_t alignment, size_t size)
{
	*p = my_malloc(size + alignment);
	return *p ? 0 : ENOMEM;
}

__attribute__((noinline, noclone)) void *my_memalign(size_t alignment, size_t size)
{
	void *p = my_malloc(size + alignment);

	asm volatile("" : "+r"(p));
	return p;
}

/* An allocator that makes its heap grow, like libc's malloc for large blocks. */
__attribute__((noinline, noclone)) void *my_mapping_malloc(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(p, size, MADV_NOHUGEPAGE);
	*(volatile char *)p = 1;	/* the block's header */
	return p;
}

__attribute__((noinline, noclone)) void *caller_a(size_t size)
{
	void *p = my_malloc(size);

	asm volatile("" : "+r"(p));
	return p;
}

__attribute__((noinline, noclone)) void *caller_b(size_t size)
{
	void *p = my_calloc(1, size);

	asm volatile("" : "+r"(p));
	return p;
}

bool allocator_open(void)
{
	arena = mmap(NULL, 1L << 40, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS |
		     MAP_NORESERVE, -1, 0);
	return arena != MAP_FAILED;
}

int allocator_probe(int fd)
{
	return session_probe(fd, my_malloc, MEMPROF_FUNC_MALLOC) ?:
	       session_probe(fd, my_calloc, MEMPROF_FUNC_CALLOC) ?:
	       session_probe(fd, my_realloc, MEMPROF_FUNC_REALLOC) ?:
	       session_probe(fd, my_memalign, MEMPROF_FUNC_MEMALIGN) ?:
	       session_probe(fd, my_posix_memalign, MEMPROF_FUNC_POSIX_MEMALIGN) ?:
	       session_probe(fd, my_mapping_malloc, MEMPROF_FUNC_MALLOC) ?:
	       session_probe(fd, my_free, MEMPROF_FUNC_FREE);
}

int allocator_start(int fd, uint64_t rate, uint32_t max_live,
		    uint32_t max_sites, uint32_t more)
{
	struct memprof_start a = {
		.size = sizeof(a), .flags = MEMPROF_START_ALLOC | more,
		.minor_period = 1, .alloc_rate = rate,
		.max_live = max_live ?: 1 << 16, .max_sites = max_sites,
	};

	return session_ioctl(fd, MEMPROF_IOC_START, &a);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An allocator for tests of the module. It hands out addresses and never touches
 * them, so that a test can do what libc's allocator would not survive.
 */
#ifndef _TEST_ALLOCATOR_H
#define _TEST_ALLOCATOR_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAGE 4096L
#define MIB (1L << 20)
#define NOINLINE __attribute__((noinline, noclone))

/* What the next my_malloc() does instead, once. */
extern jmp_buf way_out;
extern int leap;			/* jumps to way_out */
extern int fail;			/* returns NULL */
extern void *hand_out;			/* returns this */

void *my_malloc(size_t size);
void *my_jump_malloc(size_t size);
void my_free(void *p);
void *my_calloc(size_t n, size_t size);
void *my_realloc(void *p, size_t size);
int my_posix_memalign(void **p, size_t alignment, size_t size);
void *my_memalign(size_t alignment, size_t size);
void *my_mapping_malloc(size_t size);

/* Two callsites: of my_malloc() and of my_calloc(). */
void *caller_a(size_t size);
void *caller_b(size_t size);

/* Reserves the addresses: whether there were any. */
bool allocator_open(void);
/* Probes all functions above. Returns 0 or -errno. */
int allocator_probe(int fd);
/* Starts a session. max_live, max_sites: 0 for the defaults of these tests. */
int allocator_start(int fd, uint64_t rate, uint32_t max_live,
		    uint32_t max_sites, uint32_t more);

#endif

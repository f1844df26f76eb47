/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * chunks: finds what is free inside glibc's malloc, in a process that runs on
 */
#ifndef MP_CHUNKS_H
#define MP_CHUNKS_H

#include "pages.h"
#include "process-memory.h"

/**
 * struct mp_chunks - what malloc's heaps have in present pages, in bytes
 * @used: chunks in use, headers included; before glibc 2.32 also freed ones that wait in a
 *	fast bin, which look the same
 * @free: free chunks, those that wait in a thread's cache, and what lies above the last chunk
 * @trim: of @free, what malloc_trim() gives back to the kernel
 * @unknown: of these heaps, what could not be read: behind a page in swap, not made of chunks,
 *	or the time was over
 */
struct mp_chunks {
	uint64_t used, free, trim, unknown;
};

/**
 * struct mp_chunks_walk - how to go through the chunks of a process
 * @memory: reads the process
 * @pages: its pages; areas of other allocators are recognised and skipped
 * @end_ns: time at which to stop, CLOCK_MONOTONIC
 * @idle: called after each 256 KiB that were read; or NULL
 * @context: passed to it
 */
struct mp_chunks_walk {
	struct mp_process_memory *memory;
	pid_t pid;
	const struct mp_pages *pages;
	uint64_t end_ns;
	void (*idle)(void *context);
	void *context;
};

/**
 * mp_chunks_walk - go through the chunks of a process, from header to header
 * @chunks: out; all zero if the process has no heap of glibc's malloc
 *
 * The process is not stopped. It may change a heap meanwhile: then a header is not where
 * the one before it says, and the heap is read again. Pages that are not present are not
 * touched, so nothing becomes resident. Blocks with a mapping of their own are not counted:
 * their free() unmaps them. A process may write any headers: it can make its own numbers wrong.
 *
 * Not read are heaps in huge pages that glibc was told to use, and of a program that calls
 * sbrk() itself what malloc got after that.
 *
 * Source: mp_process_read(). Cost: a second per GiB.
 */
void mp_chunks_walk(const struct mp_chunks_walk *walk, struct mp_chunks *chunks);

#endif

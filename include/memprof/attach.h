/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * attach.h: the call between memprofctl and a libmemprof that it has loaded into a
 * running process.
 *
 * memprofctl loads the library with dlopen(), and has a thread of the process call
 * memprof_attach(). Programs do not need these functions: a program that links the
 * library, or was started with LD_PRELOAD, is sampled without them.
 */
#ifndef MEMPROF_ATTACH_H
#define MEMPROF_ATTACH_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MEMPROF_ATTACH_PATH	256

/* Flags in memprof_attachment.flags. */
#define MEMPROF_ATTACH_PAUSED	0x1	/* sample nothing until the region says so */
#define MEMPROF_ATTACH_MMAP	0x2	/* sample mappings, too */
#define MEMPROF_ATTACH_PRIVATE	0x4	/* no file: the static probes are traced */

/*
 * How many times the distance between samples grows for the pace at most; but it may grow to
 * so many bytes.
 */
#define MEMPROF_PACE_FACTOR	64
#define MEMPROF_PACE_BYTES	(4 << 20)

/**
 * struct memprof_attachment - what is asked of the library, and what it did
 * @size: bytes of this structure; a later version may add fields at its end
 * @flags: MEMPROF_ATTACH_PAUSED and similar
 * @rate: mean bytes between samples; 0 for the default
 * @out: name of the region's file, as MEMPROF_OUT has it; empty for the default
 * @objects: result: number of loaded binaries whose calls were searched
 * @slots: result: number of calls and pointers that lead to the library now
 * @foreign: result: number of slots that were left alone, because they lead neither to
 *	the allocator nor to its binding
 * @failed: result: number of slots that could not be written
 * @region: result: path of the region's file; empty if the region is private memory
 * @pace: samples a second that a thread takes at most, by a longer distance between them; 0:
 *	any number. Structures of earlier versions end before it
 * @unused: 0
 */
struct memprof_attachment {
	uint32_t size;
	uint32_t flags;
	uint64_t rate;
	char out[MEMPROF_ATTACH_PATH];
	uint32_t objects;
	uint32_t slots;
	uint32_t foreign;
	uint32_t failed;
	char region[MEMPROF_ATTACH_PATH];
	uint32_t pace;
	uint32_t unused;
};

/**
 * memprof_attach() - lead the process's calls of its allocator to the library
 * @attachment: what is asked for; the library writes its results
 *
 * Blocks that are older than the call are unknown: their frees change nothing. A call
 * after memprof_detach() begins with empty tables.
 *
 * Return: 0; -EALREADY if the process is sampled already; -EINVAL for a structure that
 * the library does not know; -ENOSYS if no allocator was found.
 */
int memprof_attach(struct memprof_attachment *attachment);

/**
 * memprof_detach() - lead all calls back to the allocator
 *
 * The library stays loaded, and the region's file stays until its reader removes it.
 *
 * Return: number of slots that were restored; -EINVAL if nothing is attached.
 */
int memprof_detach(void);

#ifdef __cplusplus
}
#endif

#endif

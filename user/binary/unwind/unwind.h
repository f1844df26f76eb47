/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * unwind: finds the frames of a thread from its registers and a copy of its
 * stack
 */
#ifndef MP_UNWIND_H
#define MP_UNWIND_H

#include "merge.h"

/*
 * Limits: address spaces with a Dwfl, files, and bytes of their call frame
 * information. The last two limits are for the files of one address space.
 */
#define MP_UNWIND_SPACES	64
#define MP_UNWIND_FILES		1024
#define MP_UNWIND_BYTES		(256UL << 20)
#define MP_UNWIND_SPACE_FILES	256
#define MP_UNWIND_SPACE_BYTES	(96UL << 20)

/* Limit of refused files that are reported by name, and the bytes of each such line. */
#define MP_UNWIND_NAMED		8
#define MP_UNWIND_WHY_SIZE	280

struct mp_unwind_file;
struct mp_unwind_space;

/**
 * struct mp_unwind - state of the unwinder; all zero means empty
 * @files: files whose call frame information is in memory
 * @by_file: the engine's number of a file -> index in @files
 * @spaces: address spaces
 * @clock: counts uses, to find the least recently used space
 * @nr_unwound: number of samples
 * @nr_cut: samples whose stack did not reach the thread's first frame
 * @bytes: bytes of call frame information in @files
 * @refused: the engine's numbers of the files that were refused
 * @nr_refused: number of @refused
 * @why: path and reason of the first ones; untrusted
 */
struct mp_unwind {
	struct mp_unwind_file *files;
	size_t nr_files;
	struct mp_map by_file;
	struct mp_unwind_space *spaces[MP_UNWIND_SPACES];
	uint64_t clock;
	uint64_t nr_unwound;
	uint64_t nr_cut;
	size_t bytes;
	struct mp_map refused;
	uint64_t nr_refused;
	char why[MP_UNWIND_NAMED][MP_UNWIND_WHY_SIZE];
};

/**
 * mp_unwind_dump - unwind one sample, see mp_merge_ops.unwind
 * @frames: out: return addresses, innermost first. The first one is the address
 *	after the thread's current address
 *
 * Call frame information of the mapped files is used. They are opened by their
 * paths, if these are still the same files. Without call frame information,
 * frame pointers are used. 20 frames take 7 us; the first sample of a process
 * takes milliseconds.
 *
 * Return: number of frames, including the mark at the end.
 */
uint32_t mp_unwind_dump(struct mp_unwind *unwind, struct mp_merge *merge,
			uint32_t process, const struct mp_dump *dump,
			uint64_t *frames);

/**
 * mp_unwind_keeps_frame - check whether code keeps its caller's frame pointer
 * @number: the engine's number of the file
 * @offset: return address in the file
 *
 * True if the call frame information finds the frame by the frame pointer, or
 * if there is no call frame information.
 */
bool mp_unwind_keeps_frame(struct mp_unwind *unwind,
			   const struct mp_merge *merge, uint32_t process,
			   uint32_t number, uint64_t offset);

/** mp_unwind_end - close the space of a process that exited */
void mp_unwind_end(struct mp_unwind *unwind, uint32_t process);

/** mp_unwind_free - close all */
void mp_unwind_free(struct mp_unwind *unwind);

#endif

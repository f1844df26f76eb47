/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * unwind: the frames of a thread from its registers and a piece of its stack
 */
#ifndef MP_UNWIND_H
#define MP_UNWIND_H

#include "merge.h"

/* Address spaces that are ready to be unwound in, and files that are open. */
#define MP_UNWIND_SPACES	64
#define MP_UNWIND_FILES		256

struct mp_unwind_file;
struct mp_unwind_space;

/**
 * struct mp_unwind - what was opened so far; all zero is nothing
 * @files: by the engine's number of each
 * @spaces: by use
 * @nr_unwound: samples
 * @nr_cut: of them, that ended before the thread's first frame
 */
struct mp_unwind {
	struct mp_unwind_file *files;
	size_t nr_files;
	struct mp_map by_file;
	struct mp_unwind_space *spaces[MP_UNWIND_SPACES];
	uint64_t clock;
	uint64_t nr_unwound;
	uint64_t nr_cut;
};

/**
 * mp_unwind_dump - unwind one, see mp_merge_ops.unwind
 * @frames: out: return addresses, innermost first; in place of a return address
 *	the first one has the address behind the one where the thread is
 *
 * Unwinds by call frame information of the mapped files, which are opened at
 * their paths if they are still what was mapped, and by frame pointers where
 * there is none. 7 us for 20 frames; the first time in a process milliseconds.
 *
 * Return: how many, with the mark at the end.
 */
uint32_t mp_unwind_dump(struct mp_unwind *unwind, struct mp_merge *merge,
			uint32_t process, const struct mp_dump *dump,
			uint64_t *frames);

/**
 * mp_unwind_keeps_frame - whether code keeps its caller's frame pointer
 * @number: the engine's, of the file
 * @offset: in it, that a call returns to
 *
 * By call frame information: where the frame is found by the frame pointer. Of
 * what has none it is said that it does.
 */
bool mp_unwind_keeps_frame(struct mp_unwind *unwind,
			   const struct mp_merge *merge, uint32_t process,
			   uint32_t number, uint64_t offset);

/** mp_unwind_end - a process is no more */
void mp_unwind_end(struct mp_unwind *unwind, uint32_t process);

/** mp_unwind_free - close all */
void mp_unwind_free(struct mp_unwind *unwind);

#endif

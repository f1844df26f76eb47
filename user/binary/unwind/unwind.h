/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * unwind: finds the frames of a thread from its registers and a copy of its
 * stack
 */
#ifndef MP_UNWIND_H
#define MP_UNWIND_H

#include "frame-rule.h"
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

/*
 * How often a file is opened again through another process, if it could not be read: it
 * may be in a root of its own, whose processes end soon.
 */
#define MP_UNWIND_ATTEMPTS	8

/**
 * struct mp_unwind_budget - time that reading binaries may take; all zero: no limit
 * @percent: share of the time that passes
 * @left_ns: time that is left; reading may exceed it once
 * @at_ns: when @left_ns was true, CLOCK_MONOTONIC
 */
struct mp_unwind_budget {
	unsigned int percent;
	int64_t left_ns;
	uint64_t at_ns;
};

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
 * @budget: for reading files and for their lists by address space
 * @nr_late: samples that were not unwound, because there was no time to read
 * @rules: how frames were left before
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
	struct mp_unwind_budget budget;
	uint64_t nr_late;
	struct mp_frame_rules rules;
};

/**
 * mp_unwind_limit - limit the time for reading binaries
 * @percent: share of the time, 1 to 100; there are two seconds to begin with
 *
 * For events that come while they are read: in a build, each process is new, and many
 * have ended before their files can be read. Samples that come when no time is left have
 * one frame and are marked as cut.
 */
void mp_unwind_limit(struct mp_unwind *unwind, unsigned int percent);

/** mp_unwind_may_read - whether there is time to read a binary */
bool mp_unwind_may_read(struct mp_unwind *unwind);

/** mp_unwind_spend - charge the time since @since_ns, CLOCK_MONOTONIC */
void mp_unwind_spend(struct mp_unwind *unwind, uint64_t since_ns);

/**
 * mp_unwind_dump - unwind one sample, see mp_merge_ops.unwind
 * @frames: out: return addresses, innermost first. The first one is the address
 *	after the thread's current address
 *
 * Call frame information of the mapped files is used. They are opened by their
 * paths, if these are still the same files. Without call frame information,
 * frame pointers are used. 20 frames take 1 us if other samples had the same functions,
 * in whatever process. The first sample of a file takes milliseconds.
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

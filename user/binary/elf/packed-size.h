/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * packed-size: limits the memory that a file's compressed sections need
 */
#ifndef MP_PACKED_SIZE_H
#define MP_PACKED_SIZE_H

#include <libelf.h>
#include <stdbool.h>

/*
 * Limits of the decompressed sections of one file: MAX bytes in total, and at
 * most RATIO bytes for each compressed byte, after the first FREE bytes. Debug
 * sections usually grow by a factor of 3 to 6.
 */
#define MP_PACKED_MAX		(2ULL << 30)
#define MP_PACKED_FREE		(64ULL << 20)
#define MP_PACKED_RATIO		32

/**
 * mp_packed_is_bounded - check whether a file's compressed sections are within
 * limits
 *
 * libdw decompresses all of them at once. Only the sizes in the headers are
 * read here; if a section becomes larger than its header says, libelf fails.
 */
bool mp_packed_is_bounded(Elf *elf);

/** mp_packed_is_bounded_in - mp_packed_is_bounded() for a file descriptor */
bool mp_packed_is_bounded_in(int fd);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * packed-size: how large compressed sections of a file become
 */
#ifndef MP_PACKED_SIZE_H
#define MP_PACKED_SIZE_H

#include <libelf.h>
#include <stdbool.h>

/*
 * Bytes of decompressed sections that one file may have, and how many for each
 * compressed byte beyond the first ones. Debug sections become 3 to 6 times as
 * large.
 */
#define MP_PACKED_MAX		(2ULL << 30)
#define MP_PACKED_FREE		(64ULL << 20)
#define MP_PACKED_RATIO		32

/**
 * mp_packed_is_bounded - whether the compressed sections of a file may be read
 *
 * libdw decompresses all of them at once. Their sizes are read only, from the
 * headers; a section that becomes larger than its header says is an error of
 * libelf.
 */
bool mp_packed_is_bounded(Elf *elf);

/** mp_packed_is_bounded_in - the same for an open file */
bool mp_packed_is_bounded_in(int fd);

#endif

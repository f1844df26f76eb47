/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * frame-check: whether libdw can interpret call frame information at a bounded
 * cost
 */
#ifndef MP_FRAME_CHECK_H
#define MP_FRAME_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* More than any compiler uses. libdw allocates 16 bytes for each, per state. */
#define MP_FRAME_REGISTERS	256

/* Saved states of one function. Compilers use one. */
#define MP_FRAME_SAVED		16

/* Bytes of one expression and of all in a section. libdw needs 32 for each. */
#define MP_FRAME_EXPRESSION	1024
#define MP_FRAME_EXPRESSIONS	(1U << 20)

/* Functions of a section; without a table of them libdw makes a tree. */
#define MP_FRAME_FUNCTIONS	(2U << 20)
#define MP_FRAME_UNSORTED	(256U << 10)

/**
 * struct mp_frame_section - .eh_frame or .debug_frame
 * @data: @size bytes
 * @address: virtual address
 * @is_debug: it is .debug_frame
 * @used: out: bytes up to the end of the last entry
 * @starts: out: offset of each function's entry, ascending; the caller frees it
 * @nr_starts: out: number of @starts
 */
struct mp_frame_section {
	const uint8_t *data;
	size_t size;
	uint64_t address;
	bool is_debug;
	size_t used;
	uint32_t *starts;
	size_t nr_starts;
};

/**
 * mp_frame_check - walk over all entries of a section
 *
 * It takes a millisecond for a MB.
 *
 * Return: NULL, or why the section is not to be used, a constant text. Also then
 * the caller frees @starts.
 */
const char *mp_frame_check(struct mp_frame_section *section);

/**
 * mp_frame_check_table - whether a .eh_frame_hdr leads to entries of a section
 * @data: @size bytes of .eh_frame_hdr
 * @address: its virtual address
 * @section: checked
 *
 * True only for the form that linkers write.
 */
bool mp_frame_check_table(const uint8_t *data, size_t size, uint64_t address,
			  const struct mp_frame_section *section);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * frame-check: checks that libdw can use call frame information at a limited
 * cost
 */
#ifndef MP_FRAME_CHECK_H
#define MP_FRAME_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Limit of register numbers. libdw allocates 16 bytes for each register, per state. */
#define MP_FRAME_REGISTERS	256

/* Limit of saved states in one function. Compilers use one. */
#define MP_FRAME_SAVED		16

/*
 * Limits of the bytes of one expression, and of all in a section. libdw needs
 * 32 for each.
 */
#define MP_FRAME_EXPRESSION	1024
#define MP_FRAME_EXPRESSIONS	(1U << 20)

/*
 * Limits of functions in a section, with a sorted table of them and without.
 * Without the table libdw builds a tree.
 */
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
 * mp_frame_check - check all entries of a section
 *
 * It takes a millisecond per MB.
 *
 * Return: NULL, or why the section must not be used, a constant text. The
 * caller frees @starts in both cases.
 */
const char *mp_frame_check(struct mp_frame_section *section);

/**
 * mp_frame_check_table - check that a .eh_frame_hdr only refers to entries of a
 * section
 * @data: @size bytes of .eh_frame_hdr
 * @address: its virtual address
 * @section: a section that mp_frame_check() accepted
 *
 * Return: true if so, and if the table has the form that linkers write.
 */
bool mp_frame_check_table(const uint8_t *data, size_t size, uint64_t address,
			  const struct mp_frame_section *section);

#endif

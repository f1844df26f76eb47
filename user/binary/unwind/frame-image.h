/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * frame-image: copies the parts of a file that the unwinder needs into a new
 * ELF file
 */
#ifndef MP_FRAME_IMAGE_H
#define MP_FRAME_IMAGE_H

#include "profile.h"

/* Limit of call frame information of one file, in bytes. Chromium has 25 MB. */
#define MP_FRAME_TABLES_BYTES	(64U << 20)

#define MP_FRAME_WHY_SIZE	240

/**
 * struct mp_frame_image - a small ELF file made from parts of another file
 * @data: @size bytes; NULL: the file has no code or cannot be used
 * @size: bytes of @data
 * @low: lowest virtual address of the file
 * @high: first virtual address after the file
 * @code_address: virtual address of the code
 * @code_offset: offset of the code in the file
 */
struct mp_frame_image {
	char *data;
	size_t size;
	uint64_t low, high;
	uint64_t code_address;
	uint64_t code_offset;
};

/**
 * mp_frame_image_read - make the image of a file
 * @fd: the file
 * @binary: its build-id is compared
 * @image: out; the caller frees its data
 * @why: out; MP_FRAME_WHY_SIZE bytes: the reason if the file is refused, else
 *	empty
 *
 * The file is read in a child (isolate.h). libdw must only get the image, not
 * the file, because only the image was checked (frame-check.h). Making an image
 * takes 2 ms.
 */
void mp_frame_image_read(int fd, const struct mp_binary *binary,
			 struct mp_frame_image *image, char *why);

#endif

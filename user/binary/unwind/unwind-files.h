/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * unwind-files: the files whose call frame information is in memory, and the time that
 * reading them may take
 */
#ifndef MP_UNWIND_FILES_H
#define MP_UNWIND_FILES_H

#include "frame-image.h"
#include "unwind.h"

#include <elfutils/libdw.h>

/**
 * struct mp_unwind_file - a file
 * @image: its parts that are needed
 * @elf: made from @image; NULL: the file cannot be read
 * @tried: process used for the last attempt
 * @attempts: number of attempts
 * @cfi: or NULL
 */
struct mp_unwind_file {
	struct mp_frame_image image;
	Elf *elf;
	uint32_t tried;
	uint32_t attempts;
	Dwarf_CFI *cfi;
};

/**
 * mp_unwind_files_at - get a file, which is read at the first call
 * @process: that maps it
 * @number: the engine's number of the file
 *
 * Return: NULL if there are too many files, or without memory.
 */
struct mp_unwind_file *mp_unwind_files_at(struct mp_unwind *unwind,
					  const struct mp_merge *merge,
					  uint32_t process, uint32_t number);

/** mp_unwind_files_close - forget all files; nothing may use them any more */
void mp_unwind_files_close(struct mp_unwind *unwind);

#endif

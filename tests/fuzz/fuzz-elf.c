// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz-elf: any file as a program: what the isolated children do with it
 *
 * The first byte chooses who reads it, the second an address.
 */
#include "examine.h"
#include "frame-image.h"
#include "isolated.h"
#include "symbol-search.h"
#include "wrappers.h"

#include <stdlib.h>

/* A folder that does not exist: no debug file is beside the program. */
#define PATH	"/fuzz/program"

static const struct mp_binary binary;

static void examine(int fd, uint64_t offset)
{
	static struct mp_scan scan;
	char why[MP_REMARK_SIZE];

	(void)offset;
	mp_examine_isolated(NULL, fd, PATH, &scan, why);
}

static void search_symbols(int fd, uint64_t offset)
{
	const uint64_t offsets[] = { offset, offset + 1, offset + 16 };
	const struct mp_symbol_search search = {
		.fd = fd, .path = PATH, .binary = &binary, .offsets = offsets,
		.nr = sizeof(offsets) / sizeof(offsets[0]),
		.is_debug_file = offset & 1,
	};
	struct mp_symbol_answer answer;

	mp_symbol_search_isolated(&search, &answer);
	mp_symbol_answer_free(&answer);
}

static void find_wrappers(int fd, uint64_t offset)
{
	const struct mp_wrappers wrappers = { 0 };
	struct mp_wrapper_range *ranges;
	size_t nr;

	mp_wrappers_ranges_isolated(fd, PATH, &binary, &wrappers, &ranges, &nr);
	mp_ranges_kind(ranges, nr, offset);
	free(ranges);
}

static void read_frames(int fd, uint64_t offset)
{
	char why[MP_FRAME_WHY_SIZE];
	struct mp_frame_image image;

	(void)offset;
	mp_frame_image_read(fd, &binary, &image, why);
	free(image.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const readers[])(int fd, uint64_t offset) = {
		examine, search_symbols, find_wrappers, read_frames,
	};
	struct input input = { data, size };
	uint8_t reader = input_byte(&input);
	uint64_t offset = input_number(&input, 2);

	readers[reader % 4](input_file(&input), offset);
	return 0;
}

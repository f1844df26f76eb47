// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz-answer: any bytes as what an isolated child sends
 *
 * A hostile file may have taken over the child, so its parent must survive them.
 */
#include "examine.h"
#include "frame-image.h"
#include "isolated.h"
#include "perf-map.h"
#include "symbol-search.h"
#include "wrappers.h"

#include <stdlib.h>
#include <unistd.h>

#define NR_SPOTS	3

static const struct mp_binary binary;

static void search_symbols(void)
{
	const uint64_t offsets[NR_SPOTS] = { 0x10, 0x20, 0x1000 };
	const struct mp_symbol_search search = {
		.fd = -1, .path = "/a", .binary = &binary, .offsets = offsets,
		.nr = NR_SPOTS,
	};
	struct mp_symbol_answer answer;

	mp_symbol_search_isolated(&search, &answer);
	mp_symbol_answer_write(&answer, input_null());
	mp_symbol_answer_free(&answer);
}

static void name_generated_code(void)
{
	struct mp_spot spots[NR_SPOTS] = {
		{ .offset = 0x10 }, { .offset = 0x20 }, { .offset = 0x1000 },
	};
	struct mp_symbols symbols = { 0 };

	mp_symbolise_jit(getpid(), spots, NR_SPOTS, &symbols);
	mp_symbols_free(&symbols);
}

static void find_wrappers(void)
{
	const struct mp_wrappers wrappers = { 0 };
	struct mp_wrapper_range *ranges;
	size_t nr, i;

	mp_wrappers_ranges_isolated(-1, "/a", &binary, &wrappers, &ranges, &nr);
	for (i = 0; i < 64; i++)
		mp_ranges_kind(ranges, nr, 1ULL << i);
	free(ranges);
}

static void read_frames(void)
{
	char why[MP_FRAME_WHY_SIZE];
	struct mp_frame_image image;

	mp_frame_image_read(-1, &binary, &image, why);
	free(image.data);
}

static void examine(void)
{
	static struct mp_scan scan;
	char why[MP_REMARK_SIZE];

	mp_examine_isolated(NULL, -1, "/a", &scan, why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const askers[])(void) = {
		search_symbols, name_generated_code, find_wrappers, read_frames,
		examine,
	};
	struct input input = { data, size };
	uint8_t asker = input_byte(&input);

	isolated_answer(&input);
	askers[asker % (sizeof(askers) / sizeof(askers[0]))]();
	return 0;
}

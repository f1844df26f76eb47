// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz-perf-map: any file as the map of generated code
 *
 * The functions are called, not mp_symbolise_jit(), which would look for the
 * file in /tmp.
 */
#include "binary/symbol/perf-map.c"

#include "input.h"

#define NR_SPOTS	4

/* Sends what the child would, and takes it as the parent does. */
static void name_spots(struct reading *reading, const char *text, size_t size,
		       struct mp_spot *spots, struct mp_symbols *symbols)
{
	struct mp_isolate_answer answer = { 0 };
	const int32_t err = 0;

	reading->to = open_memstream(&answer.data, &answer.size);
	if (!reading->to || fwrite(&err, sizeof(err), 1, reading->to) != 1)
		abort();
	read_lines(reading, text, size);
	fclose(reading->to);
	if (take_names(&answer, spots, NR_SPOTS, symbols) == -EIO)
		abort();
	free(answer.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint32_t next[NR_SPOTS + 1] = { 0, 1, 2, 3, 4 };
	struct mp_spot spots[NR_SPOTS] = { 0 };
	struct reading reading = { .spots = spots, .nr = NR_SPOTS, .next = next };
	struct input input = { data, size };
	struct mp_symbols symbols = { 0 };
	uint8_t *text;
	size_t i;

	for (i = 0; i < NR_SPOTS; i++)
		spots[i].offset = input_number(&input, i < 3 ? 2 : 8);
	mp_spots_sort(spots, NR_SPOTS);
	text = input_copy(&input);
	name_spots(&reading, (char *)text, input.size, spots, &symbols);
	free(text);
	mp_symbols_free(&symbols);
	return 0;
}

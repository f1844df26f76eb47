// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz-replay: any file as a log of allocator calls
 */
#include "heap-json.h"
#include "replay.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static FILE *null;
	struct mp_replay replay = { 0 };
	FILE *file;

	if (!size)
		return 0;
	if (!null)
		null = fopen("/dev/null", "we");
	file = fmemopen((void *)data, size, "r");
	if (!file || !null)
		abort();
	mp_heap_init(&replay.heap);
	if (!mp_replay_heap(&replay, file))
		mp_heap_json(null, &replay.heap, &replay.callsites);
	mp_replay_free(&replay);
	fclose(file);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz-replay: any lines as a log of allocator calls
 */
#include "heap-json.h"
#include "input.h"
#include "replay.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = { data, size };
	struct mp_replay replay = { 0 };
	FILE *file = input_stream(&input);

	mp_heap_init(&replay.heap);
	if (!mp_replay_heap(&replay, file))
		mp_heap_json(input_null(), &replay.heap, &replay.callsites);
	mp_replay_free(&replay);
	fclose(file);
	return 0;
}

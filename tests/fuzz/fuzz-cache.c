// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz-cache: any file as a file of the symbol cache
 *
 * Its magic number, checksum and identity are made right, and the file is not
 * written to a disk.
 */
#include "binary/symbol/symbol-cache.c"

#include "input.h"

static void use_answer(const struct mp_symbol_answer *answer)
{
	struct mp_symbol_answer all = { 0 };
	size_t i;

	if (mp_symbol_answer_merge(&all, answer) ||
	    mp_symbol_answer_merge(&all, answer) ||
	    !mp_symbol_answer_write(&all, input_null()))
		abort();
	for (i = 0; i < all.nr; i++)
		if (!mp_symbol_answer_find(&all, answer->spots[i].offset))
			abort();
	mp_symbol_answer_free(&all);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct mp_cache_key key = { .is_there = true };
	struct input input = { data, size };
	struct mp_symbol_answer answer;
	struct header *header;
	char *file;

	file = malloc(sizeof(*header) + size);
	if (!file)
		abort();
	header = (void *)file;
	*header = (struct header){
		.magic = MAGIC, .nr_watched = input_byte(&input),
	};
	if (input.size)
		memcpy(header + 1, input.data, input.size);
	size = sizeof(*header) + input.size;
	header->check = hash(HASH_BEGIN, &header->file,
			     size - offsetof(struct header, file));
	if (parse_file(&key, file, size, &answer)) {
		use_answer(&answer);
		mp_symbol_answer_free(&answer);
	}
	free(file);
	return 0;
}

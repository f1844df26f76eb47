// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz-region: any file as what libmemprof left
 *
 * An input has the parts of the file one after another, each after its size, so
 * that it is small: the header, then the ten arrays, each of which begins a page
 * of its own. Behind them the file is empty for a while, as regions are.
 */
#include "callsites.h"
#include "memprof/region.h"
#include "writer.h"
#include "regions.h"
#include "sites.h"

#include "input.h"

#include <stdlib.h>
#include <unistd.h>

#define NR_PARTS	(1 + MEMPROF_REGION_NR_SECTIONS)
#define PART_BYTES	4096
#define FILE_BYTES	((NR_PARTS + 1) * PART_BYTES)

static bool wraps(void *context, const char *name)
{
	(void)context;
	return name[0] == 'm';
}

static void show(struct mp_profile *profile, uint8_t choice)
{
	struct mp_out out = {
		.ops = choice & 1 ? &mp_json_ops : &mp_table_ops,
		.file = input_null(), .profile = profile,
		.kind = choice >> 1 & 3, .view = MP_VIEW_ALLOC,
		.sort = MP_INUSE_SPACE,
	};

	mp_out_report(&out);
}

static void report(uint8_t choice)
{
	static const struct mp_callsites callsites = {
		.is_wrapper = wraps, .is_wrapper_file = wraps,
	};
	struct mp_profile profile = { 0 };
	struct mp_regions regions = {
		.profile = &profile, .since_mark = choice & 8,
	};

	if (!mp_regions_read(&regions, input_path()) &&
	    !mp_sites_adopt(&profile) && !mp_callsites_frames(&profile) &&
	    !mp_callsites_choose(&profile, &callsites, false)) {
		mp_profile_merge(&profile);
		show(&profile, choice);
	}
	mp_profile_free(&profile);
}

static void write_parts(struct input *input)
{
	const struct input nothing = { 0 };
	int fd = input_file(&nothing), i;
	size_t size;

	for (i = 0; i < NR_PARTS; i++) {
		size = input_number(input, 2) % PART_BYTES;
		size = size < input->size ? size : input->size;
		if (pwrite(fd, input->data, size, i * PART_BYTES) != (ssize_t)size)
			abort();
		input->data += size;
		input->size -= size;
	}
	/* some are cut short */
	if (!input->size && ftruncate(fd, FILE_BYTES))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = { data, size };
	uint8_t choice = input_byte(&input);

	write_parts(&input);
	report(choice);
	return 0;
}

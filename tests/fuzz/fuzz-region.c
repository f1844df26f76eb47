// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz-region: any file as what libmemprof left
 *
 * Behind the input the file is empty for a while, as regions are.
 */
#include "callsites.h"
#include "writer.h"
#include "regions.h"
#include "sites.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define FILE_BYTES	(1L << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int input = -1;
static char input_path[32];
static FILE *null;

static void begin(void)
{
	if (input >= 0)
		return;
	input = memfd_create("fuzz", MFD_CLOEXEC);
	null = fopen("/dev/null", "we");
	if (input < 0 || !null)
		abort();
	snprintf(input_path, sizeof(input_path), "/proc/self/fd/%d", input);
}

static bool wraps(void *context, const char *name)
{
	(void)context;
	return name[0] == 'm';
}

static void show(struct mp_profile *profile, enum mp_row_kind kind)
{
	struct mp_out out = {
		.ops = &mp_json_ops, .file = null, .profile = profile,
		.kind = kind, .view = MP_VIEW_ALLOC, .sort = MP_INUSE_SPACE,
	};

	mp_out_report(&out);
	out.ops = &mp_table_ops;
	mp_out_report(&out);
}

static void report(bool since_mark)
{
	static const struct mp_callsites callsites = {
		.is_wrapper = wraps, .is_wrapper_file = wraps,
	};
	struct mp_profile profile = { 0 };
	struct mp_regions regions = {
		.profile = &profile, .since_mark = since_mark,
	};
	int i;

	if (!mp_regions_read(&regions, input_path) &&
	    !mp_sites_adopt(&profile) && !mp_callsites_frames(&profile) &&
	    !mp_callsites_choose(&profile, &callsites, false)) {
		mp_profile_merge(&profile);
		for (i = 0; i < MP_NR_ROW_KINDS; i++)
			show(&profile, i);
	}
	mp_profile_free(&profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	begin();
	if (ftruncate(input, 0) ||
	    pwrite(input, data, size, 0) != (ssize_t)size ||
	    (size >= 4096 && ftruncate(input, FILE_BYTES)))
		abort();
	report(false);
	report(true);
	return 0;
}

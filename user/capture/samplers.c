// SPDX-License-Identifier: GPL-2.0-only
/*
 * samplers: gives the processes of a recorded command libmemprof, whose static probes
 * are then the session's allocations
 */
#include "samplers.h"
#include "elf-segment.h"
#include "library.h"
#include "loader.h"
#include "preload.h"
#include "regions.h"
#include "regular-file.h"

#include <elf.h>
#include <unistd.h>

/* Whether a file is a program that no loader loads. A script is not: its interpreter runs. */
static bool is_static(const char *command)
{
	unsigned int first = 0, any = 0;
	uint64_t at, bytes;
	char path[PATH_MAX];
	bool is = false;
	int fd;

	if (!mp_loader_find(command, path))
		return false;
	fd = mp_regular_open(path, NULL);
	if (fd < 0)
		return false;
	is = mp_elf_segment(fd, PT_LOAD, &any, &at, &bytes) &&
	     !mp_elf_segment(fd, PT_INTERP, &first, &at, &bytes);
	close(fd);
	return is;
}

bool mp_samplers_wanted(const struct mp_record_options *options, const char *command)
{
	char library[PATH_MAX];
	struct mp_diag unused = { 0 };

	if (options->alloc == MP_ALLOC_OFF ||
	    (options->alloc == MP_ALLOC_ON && options->start.alloc_rate <= 1) ||
	    mp_library_find(library, &unused))
		return false;
	return options->alloc == MP_ALLOC_ON || !is_static(command);
}

int mp_samplers_begin(struct mp_samplers *samplers, struct mp_record_options *options,
		      struct mp_diag *diag)
{
	int err = mp_library_find(samplers->library, diag);

	if (!err)
		err = mp_region_folder_make(&samplers->folder, diag);
	if (err)
		return err;
	options->samplers = true;
	/* who says how many bytes has all of their samples */
	if (!options->start.alloc_rate) {
		options->start.alloc_rate = MP_SAMPLERS_RATE;
		options->pace = MP_PACE;
	}
	samplers->rate = options->start.alloc_rate;
	samplers->pace = options->pace;
	return 0;
}

void mp_samplers_prepare(void *context)
{
	const struct mp_samplers *samplers = context;

	mp_library_preload(samplers->library, samplers->folder.regions, samplers->rate,
			   samplers->pace, true);
}

void mp_samplers_end(struct mp_samplers *samplers, struct mp_diag *diag)
{
	struct mp_profile profile = { 0 };
	struct mp_regions regions = { .profile = &profile };

	if (!samplers->folder.regions[0])
		return;
	if (!mp_regions_read(&regions, samplers->folder.regions))
		mp_preload_warn_losses(&profile, diag);
	mp_profile_free(&profile);
	mp_region_folder_remove(&samplers->folder);
}

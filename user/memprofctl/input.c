// SPDX-License-Identifier: GPL-2.0-only
/*
 * input: ask the collector, or read a file
 */
#include "input.h"
#include "cgroup.h"
#include "guide.h"
#include "json.h"
#include "message.h"
#include "recording.h"
#include "regions.h"
#include "request.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void mp_input_progress(const char *what, double done)
{
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r%s %3.0f %%", what, 100 * done);
}

void mp_input_progress_end(void)
{
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
}

static void show_progress(double done)
{
	mp_input_progress("reading", done);
}

static int read_tallies(const struct mp_recording *recording,
			struct mp_profile *profile)
{
	const char *line = recording->tallies, *end;
	size_t left = recording->tallies_size, i;
	struct mp_json_line got;
	int err = 0;

	for (; !err && left; line = end + 1) {
		end = memchr(line, '\n', left);
		if (!end)
			return -EBADMSG;
		left -= (size_t)(end + 1 - line);
		err = mp_json_read(profile, line, (size_t)(end - line), &got);
	}
	for (i = 0; i < profile->nr_rows; i++)
		mp_sizes_join(&recording->sizes, profile->meta.alloc.rate,
			      profile->meta.source, &profile->rows[i]);
	return err;
}

static bool has_stacks(const struct mp_profile *profile)
{
	size_t i;

	for (i = 0; i < profile->nr_rows; i++)
		if (profile->rows[i].kind == MP_ROW_STACK &&
		    profile->rows[i].place.stack &&
		    mp_frames_stack(&profile->frames,
				    profile->rows[i].place.stack - 1).nr > 1)
			return true;
	return false;
}

/*
 * The module's own sums, where there are some, tell more than its events: those
 * may be lost. But only events tell of stacks.
 */
static int take_over(const struct mp_input *input,
		     struct mp_recording *recording, struct mp_profile *profile)
{
	int err = recording->tallies ? read_tallies(recording, profile) : 0;

	if (err == -EBADMSG)
		snprintf(recording->why, sizeof(recording->why),
			 "corrupt: the tallies in it cannot be read");
	if (err || (recording->tallies &&
		    !(input->places && has_stacks(&recording->profile))))
		return err;
	if (recording->tallies)
		recording->profile.meta = profile->meta;
	mp_profile_free(profile);
	*profile = recording->profile;
	recording->profile = (struct mp_profile){ 0 };
	return 0;
}

static int read_file(const struct mp_input *input, struct mp_profile *profile,
		     struct mp_sizes *sizes)
{
	struct mp_recording_wish wish = {
		.bins = input->bins,
		.stacks = input->places,
		.progress = show_progress,
	};
	struct mp_recording recording = { 0 };
	struct mp_guide guide;
	int err, status = 0;

	mp_guide_open(&guide, input->wrappers, &wish.ops);
	err = mp_recording_read(&recording, input->path, &wish);
	mp_guide_close(&guide);
	mp_input_progress_end();
	if (!err)
		err = take_over(input, &recording, profile);
	if (err)
		status = err == -EBADMSG ?
			 mp_fail(0, NULL, "%s: %s", input->path,
				 recording.why) :
			 mp_fail(err, NULL, "cannot read %s", input->path);
	*sizes = recording.sizes;
	recording.sizes = (struct mp_sizes){ 0 };
	mp_recording_free(&recording);
	return status;
}

/* Of a sampled process, or of all whose regions are in a folder. */
static int read_regions(const char *path, struct mp_profile *profile)
{
	struct mp_regions regions = { .profile = profile };
	int err = mp_regions_read(&regions, path);

	if (err)
		return err == -EBADMSG ?
		       mp_fail(0, NULL, "%s: %s", path, regions.why) :
		       mp_fail(err, NULL, "cannot read %s", path);
	return 0;
}

int mp_input_read(const struct mp_input *input, struct mp_profile *profile,
		  struct mp_sizes *sizes)
{
	int status;

	if (input->path && mp_regions_are(input->path))
		return read_regions(input->path, profile);
	if (input->path)
		return read_file(input, profile, sizes);
	status = mp_request(input->places ? "stacks" : "report", profile);
	if (!status && mp_cgroup_resolve(profile))
		status = mp_fail(ENOMEM, NULL, "cannot name the cgroups");
	return status;
}

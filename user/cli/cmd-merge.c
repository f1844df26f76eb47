// SPDX-License-Identifier: GPL-2.0-only
/*
 * merge: adds recordings of many machines, and writes the sum as a recording
 *
 * One recording is in memory at a time, besides the sum, whose size is bounded. The time is
 * that of a report of each. The output appears when it is whole; until then it has a
 * temporary name, and any failure removes it.
 */
#include "command.h"
#include "human.h"
#include "input.h"
#include "message.h"
#include "output.h"
#include "perf-writer.h"
#include "profile-sum.h"
#include "sums.h"
#include "text.h"
#include "wrappers.h"

#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct merging {
	const char *output;
	bool force, skip_bad, quiet;
	size_t nr_bad;
	struct mp_wrappers wrappers;
	struct mp_profile_sum sum;
};

static const struct mp_option options[] = {
	MP_OUTPUT_OPTIONS(struct merging, output, force, "the sum; must be given"),
	{ 0, "skip-bad", NULL, NULL,
	  "leave out what cannot be read or added, with a warning for each",
	  MP_FLAG(struct merging, skip_bad) },
	{ 'q', "quiet", NULL, NULL, "no progress and no last line",
	  MP_FLAG(struct merging, quiet) },
	MP_OPTION_HELP,
	{ 0 },
};

/* Says why a recording cannot be added. Returns 0 if it is skipped. */
static int refuse(struct merging *merging, const char *path, const char *why)
{
	mp_input_progress_end();
	if (!merging->skip_bad)
		return mp_fail(0, "--skip-bad leaves it out", "%s cannot be added: %s", path, why);
	mp_warn(NULL, "%s is left out: %s", path, why);
	merging->nr_bad++;
	return 0;
}

static int refuse_unread(struct merging *merging, const char *path, struct mp_diag *diag)
{
	mp_input_progress_end();
	if (!merging->skip_bad) {
		if (!diag->hint[0])
			snprintf(diag->hint, sizeof(diag->hint), "--skip-bad leaves it out");
		return mp_message_diag(diag, "merge");
	}
	mp_message_diag(diag, "merge");
	return refuse(merging, path, "it cannot be read");
}

static int add(struct merging *merging, const char *path, struct mp_profile *profile)
{
	char why[MP_PROFILE_SUM_WHY_SIZE] = "";
	int err;

	/* what is missing there would be missing in the sum, and nobody would know */
	if (mp_profile_counter(profile, "recording_cut"))
		return refuse(merging, path, profile->nr_warnings ?
			      profile->warnings[profile->nr_warnings - 1] : "it is damaged");
	err = mp_profile_sum_add(&merging->sum, profile, profile->meta.origin.host, why);
	if (err == -EXDEV)
		return refuse(merging, path, why);
	return err ? mp_fail(err, NULL, "cannot add %s", path) : 0;
}

static int add_file(struct merging *merging, const char *path)
{
	const struct mp_input input = {
		.path = path, .locations = true, .wrappers = &merging->wrappers, .quiet = true,
	};
	struct mp_profile profile = { 0 };
	struct mp_sizes sizes = { 0 };
	struct mp_diag diag = { 0 };
	int status;

	mp_input_read(&input, &profile, &sizes, &diag);
	status = diag.failed ? refuse_unread(merging, path, &diag) :
		 mp_message_diag(&diag, "merge") ?: add(merging, path, &profile);
	mp_profile_free(&profile);
	mp_sizes_free(&sizes);
	return status;
}

static int add_all(struct merging *merging, char **paths, size_t nr)
{
	int status = 0;
	size_t i;

	merging->sum.nr_expected = nr;
	for (i = 0; !status && i < nr; i++) {
		if (!merging->quiet)
			mp_input_progress("merging: %zu of %zu, %s", i + 1, nr, paths[i]);
		status = add_file(merging, paths[i]);
		/* what is freed between the rows of the sum is not given back otherwise */
		if (i % 64 == 63)
			malloc_trim(0);
	}
	mp_input_progress_end();
	if (!status && !merging->sum.nr)
		status = mp_fail(0, NULL, "none of the recordings can be added");
	return status;
}

static void name_sum(struct merging *merging)
{
	struct mp_profile *profile = &merging->sum.profile;

	snprintf(profile->meta.targets, sizeof(profile->meta.targets),
		 "%zu recording%s of %zu host%s", merging->sum.nr,
		 merging->sum.nr == 1 ? "" : "s", profile->hosts.nr,
		 profile->hosts.nr == 1 ? "" : "s");
}

static int write_sum(struct merging *merging, struct mp_output *output, int argc, char **argv)
{
	struct mp_perf_writer writer;
	int err = mp_perf_writer_start(&writer, output->file), last;
	char size[MP_HUMAN_SIZE];

	if (!err)
		err = mp_sums_write(&writer, &merging->sum.profile, argv, argc);
	last = mp_perf_writer_finish(&writer);
	err = err ?: last;
	if (err)
		return mp_output_fail(output, err);
	err = mp_output_close(output);
	if (!err && !merging->quiet)
		fprintf(stderr, "[ memprofctl merge: wrote %s to %s, %s%s ]\n",
			mp_human_bytes(size, writer.data_size), merging->output,
			merging->sum.profile.meta.targets,
			merging->nr_bad ? ", others were left out" : "");
	return err;
}

static int merge(struct merging *merging, int argc, char **argv)
{
	struct mp_output output;
	int status = mp_output_open(&output, merging->output, merging->force, true);

	if (status)
		return status;
	status = add_all(merging, argv + optind, (size_t)(argc - optind));
	if (!status && mp_profile_sum_end(&merging->sum))
		status = mp_fail(ENOMEM, NULL, "cannot add the recordings");
	if (status) {
		mp_output_drop(&output);
		return status;
	}
	name_sum(merging);
	return write_sum(merging, &output, argc, argv);
}

static int run(const struct mp_command *command, int argc, char **argv)
{
	struct merging merging = { 0 };
	int status = mp_command_parse(command, argc, argv, &merging);

	if (status != MP_PARSED)
		return status;
	if (optind == argc)
		return mp_misuse("merge", "recordings are needed: FILE...");
	if (!merging.output)
		return mp_misuse("merge", "-o FILE is needed");
	status = merge(&merging, argc, argv);
	mp_profile_sum_free(&merging.sum);
	mp_wrappers_free(&merging.wrappers);
	return status;
}

const struct mp_command mp_cmd_merge = {
	.name = "merge",
	.summary = "add recordings of many machines",
	.usage = "-o FILE [-f] [--skip-bad] [-q] FILE...",
	.options = options,
	.nr_operands = INT_MAX,
	.run = run,
};

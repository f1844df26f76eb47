// SPDX-License-Identifier: GPL-2.0-only
/*
 * look: keeps the profile of the last look in a file, and subtracts it
 *
 * The cost is that of another report. If the new look cannot be kept, the old one stays,
 * and the user is told.
 */
#include "look.h"
#include "control.h"
#include "input.h"
#include "preload.h"
#include "profile-delta.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_SIZE	(64 << 20)

struct paths {
	char last[PATH_MAX], new[PATH_MAX];
};

static bool set_paths(struct paths *paths)
{
	struct mp_control control;

	return !mp_control_init(&control) &&
	       snprintf(paths->last, PATH_MAX, "%s/look.data", control.dir) < PATH_MAX &&
	       snprintf(paths->new, PATH_MAX, "%s/look.new", control.dir) < PATH_MAX;
}

static int write_new(const struct paths *paths, struct mp_profile *profile,
		     struct mp_diag *diag)
{
	const struct mp_preload file = {
		.output = paths->new, .force = true,
	};
	uint64_t nr_bytes = 0;
	int err = mp_preload_write(&file, profile, &nr_bytes, diag);

	if (!err && nr_bytes > MAX_SIZE)
		err = mp_diag_fail(diag, EFBIG, "a look has at most 64 MiB",
				   "cannot keep this look");
	if (err)
		unlink(paths->new);
	return err;
}

/* Whether both are of one session, and of one count in it. */
static bool is_later(const struct mp_profile *before, const struct mp_profile *now)
{
	const struct memprof_status *a = &before->meta.status, *b = &now->meta.status;

	return a->session == b->session && a->start_ns == b->start_ns &&
	       a->reset_ns == b->reset_ns && a->now_ns <= b->now_ns;
}

/* An old file that cannot be read is as good as none. */
static int subtract_last(const struct paths *paths, struct mp_profile *profile,
			 uint64_t *since_ns, struct mp_diag *diag)
{
	const struct mp_input input = {
		.path = paths->last, .locations = true, .quiet = true,
	};
	struct mp_profile before = { 0 };
	struct mp_sizes sizes = { 0 };
	struct mp_diag unused = { 0 };
	struct stat st;
	int err = 0;

	if (!stat(paths->last, &st) && !mp_input_read(&input, &before, &sizes, &unused) &&
	    is_later(&before, profile)) {
		*since_ns = before.meta.status.now_ns;
		err = mp_profile_since(&before, profile);
	}
	mp_profile_free(&before);
	mp_sizes_free(&sizes);
	return err ? mp_diag_fail(diag, err, NULL, "cannot compare with the last look") : 0;
}

int mp_look_again(struct mp_profile *profile, uint64_t *since_ns, struct mp_diag *diag)
{
	struct paths paths;
	int err;

	*since_ns = 0;
	if (!set_paths(&paths))
		return mp_diag_fail(diag, ENAMETOOLONG, NULL, "cannot keep this look");
	err = write_new(&paths, profile, diag) ?:
	      subtract_last(&paths, profile, since_ns, diag);
	if (!err && rename(paths.new, paths.last))
		err = mp_diag_fail(diag, errno, NULL, "cannot keep this look");
	return err;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * session-save: writes a profile of a session as a recording that has sums only
 *
 * The last session's file is in the folder of the collector's socket, which only its
 * user can enter. The cost is that of a report.
 */
#include "session-save.h"
#include "cgroup.h"
#include "container-names.h"
#include "control.h"
#include "process-titles.h"
#include "request.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEPT		"last.data"
#define MAX_KEPT	(64 << 20)

int mp_session_read(struct mp_profile *profile, struct mp_diag *diag)
{
	int err = mp_request("stacks", profile, diag);

	if (!err && (mp_cgroup_resolve(profile) || mp_container_names_find(profile) ||
		     mp_process_titles(profile)))
		err = mp_diag_fail(diag, ENOMEM, NULL, "cannot save the session");
	return err;
}

int mp_session_save(const struct mp_preload *file, uint64_t *nr_bytes,
		    struct mp_diag *diag)
{
	struct mp_profile profile = { 0 };
	int err = mp_session_read(&profile, diag);

	if (!err)
		err = mp_preload_write(file, &profile, nr_bytes, diag);
	mp_profile_free(&profile);
	return err;
}

static bool path_of(char *path)
{
	struct mp_control control;

	return !mp_control_init(&control) &&
	       snprintf(path, PATH_MAX, "%s/" KEPT, control.dir) < PATH_MAX;
}

int mp_session_keep(int argc, char **argv)
{
	char path[PATH_MAX];
	const struct mp_preload file = {
		.output = path, .force = true, .argc = argc, .argv = argv,
	};
	struct mp_diag unused = { 0 };
	uint64_t nr_bytes = 0;
	int err;

	if (!path_of(path))
		return -ENAMETOOLONG;
	err = mp_session_save(&file, &nr_bytes, &unused);
	if (!err && nr_bytes > MAX_KEPT)
		err = -EFBIG;
	/* nor is a file of an earlier session the last one's */
	if (err)
		unlink(path);
	return err;
}

const char *mp_session_last(char *path)
{
	return !mp_session_kept(path) || mp_request_session_runs() ? NULL : path;
}

bool mp_session_kept(char *path)
{
	struct stat st;

	return path_of(path) && !stat(path, &st) && S_ISREG(st.st_mode);
}

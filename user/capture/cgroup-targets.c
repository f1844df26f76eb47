// SPDX-License-Identifier: GPL-2.0-only
/*
 * cgroup-targets: follows target cgroups by their paths
 *
 * An event of a cgroup belongs to the cgroup's folder, not to its path. systemd and
 * container runtimes remove the folder when a service stops, and make it anew when
 * the service starts again. Then all events are opened again, for the new folder.
 * What happens before that is not recorded. inotify wakes the recorder at once, and
 * the events are open after some milliseconds; without inotify, after 0.2 s.
 */
#include "cgroup-targets.h"
#include "cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

static int open_folder(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int open_target(struct mp_cgroup_targets *cgroups, const char *mount,
		       const char *text)
{
	struct mp_perf_rings *rings = cgroups->rings;
	const char *above = strncmp(text, mount, strlen(mount)) ? mount : "";
	char **path = &cgroups->paths[rings->nr_ids];
	int fd;

	if (asprintf(path, "%s/%s", above, text) < 0) {
		*path = NULL;
		return -ENOMEM;
	}
	fd = open_folder(*path);
	if (fd < 0)
		return fd;
	cgroups->old[rings->nr_ids] = -1;
	rings->ids[rings->nr_ids++] = fd;
	return 0;
}

int mp_cgroup_targets_open(struct mp_cgroup_targets *cgroups,
			   struct mp_perf_rings *rings,
			   const struct mp_targets *targets,
			   struct mp_diag *diag)
{
	char mount[PATH_MAX];
	unsigned int i;
	int err = mp_cgroup_mount(mount);

	if (err)
		return mp_diag_fail(diag, err, "-G needs cgroup v2", "cannot find cgroups");
	rings->scope = MP_SCOPE_CGROUP;
	cgroups->rings = rings;
	cgroups->watch = -1;
	rings->ids = calloc(targets->nr, sizeof(*rings->ids));
	/* one more, so that the last is followed by NULL */
	cgroups->paths = calloc(targets->nr + 1, sizeof(*cgroups->paths));
	cgroups->old = malloc(targets->nr * sizeof(*cgroups->old));
	if (!rings->ids || !cgroups->paths || !cgroups->old)
		return mp_diag_fail(diag, ENOMEM, NULL, "cannot follow cgroups");
	for (i = 0; !err && i < targets->nr; i++) {
		err = open_target(cgroups, mount, targets->list[i].text);
		if (err)
			err = mp_diag_fail(diag, err, mp_targets_cgroup_hint(err),
					   "cannot find cgroup %s",
					   targets->list[i].text);
	}
	return err;
}

/* Watches the folder above, in which the target is made. Repeating it is harmless. */
static void watch_above(const struct mp_cgroup_targets *cgroups, const char *path)
{
	char *copy = strdup(path);

	if (copy)
		inotify_add_watch(cgroups->watch, dirname(copy),
				  IN_CREATE | IN_ONLYDIR);
	free(copy);
}

void mp_cgroup_targets_watch(struct mp_cgroup_targets *cgroups)
{
	struct epoll_event event = { .events = EPOLLIN };
	size_t i;

	if (!cgroups->rings)
		return;
	cgroups->watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (cgroups->watch < 0)
		return;
	epoll_ctl(cgroups->rings->poll_fd, EPOLL_CTL_ADD, cgroups->watch, &event);
	for (i = 0; i < cgroups->rings->nr_ids; i++)
		watch_above(cgroups, cgroups->paths[i]);
}

/* The events themselves are not needed: work looks at each path in any case. */
static void clear_watch(const struct mp_cgroup_targets *cgroups)
{
	char events[4096];

	while (cgroups->watch >= 0 &&
	       read(cgroups->watch, events, sizeof(events)) > 0)
		;
}

static bool is_another_folder(const char *path, int fd)
{
	struct stat now, then;

	return !stat(path, &now) && !fstat(fd, &then) && now.st_ino != then.st_ino;
}

static int follow_anew(struct mp_cgroup_targets *cgroups, size_t target)
{
	int fd = open_folder(cgroups->paths[target]), err;

	/* removed again: it is looked for in the next turn */
	if (fd < 0)
		return 0;
	cgroups->old[target] = cgroups->rings->ids[target];
	err = mp_perf_rings_replace(cgroups->rings, target, fd);
	/* the same, in the middle of the replacement */
	if (err == -ENODEV || err == -ESRCH)
		err = 0;
	cgroups->nr_anew++;
	if (cgroups->watch >= 0)
		watch_above(cgroups, cgroups->paths[target]);
	return err;
}

static void close_old(struct mp_cgroup_targets *cgroups)
{
	size_t i;

	for (i = 0; i < cgroups->rings->nr_ids; i++) {
		if (cgroups->old[i] >= 0)
			close(cgroups->old[i]);
		cgroups->old[i] = -1;
	}
}

int mp_cgroup_targets_work(struct mp_cgroup_targets *cgroups)
{
	int err = 0;
	size_t i;

	if (!cgroups->rings)
		return 0;
	clear_watch(cgroups);
	close_old(cgroups);
	for (i = 0; !err && i < cgroups->rings->nr_ids; i++)
		if (is_another_folder(cgroups->paths[i], cgroups->rings->ids[i]))
			err = follow_anew(cgroups, i);
	return err;
}

void mp_cgroup_targets_close(struct mp_cgroup_targets *cgroups)
{
	size_t i;

	if (!cgroups->rings)
		return;
	close_old(cgroups);
	for (i = 0; i < cgroups->rings->nr_ids; i++)
		close(cgroups->rings->ids[i]);
	for (i = 0; cgroups->paths && cgroups->paths[i]; i++)
		free(cgroups->paths[i]);
	free(cgroups->paths);
	free(cgroups->old);
	if (cgroups->watch >= 0)
		close(cgroups->watch);
	*cgroups = (struct mp_cgroup_targets){ .watch = -1 };
}

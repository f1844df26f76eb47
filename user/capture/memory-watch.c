// SPDX-License-Identifier: GPL-2.0-only
/*
 * memory-watch: inotify on memory.events of cgroup v2, and a trigger of PSI
 *
 * Nothing is polled: the kernel wakes the reader. A look for new cgroups walks the
 * hierarchy. memory.events counts those of the cgroups below, too, so of the cgroups that
 * have an event the one with the longest path is where it happened.
 */
#include "memory-watch.h"
#include "array.h"
#include "cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#define FILE_NAME	"memory.events"
#define PRESSURE	"/proc/pressure/memory"
#define WINDOW_US	1000000U

/* Limit of the depth of a hierarchy. */
#define MAX_DEPTH	64

static const char * const names[MP_NR_MEMORY_EVENTS] = {
	[MP_MEMORY_HIGH] = "high", [MP_MEMORY_MAX] = "max", [MP_MEMORY_OOM] = "oom",
	[MP_MEMORY_OOM_KILL] = "oom_kill", [MP_MEMORY_PRESSURE] = "pressure",
	[MP_MEMORY_LIMIT] = "limit", [MP_MEMORY_GROWTH] = "growth", [MP_MEMORY_EXIT] = "exit",
};

const char *mp_memory_event_name(enum mp_memory_event event)
{
	return event < MP_NR_MEMORY_EVENTS ? names[event] : "none";
}

static int set_trigger(int fd, uint64_t stall_ms, unsigned int seconds)
{
	char text[64];
	int len = snprintf(text, sizeof(text), "some %" PRIu64 " %u",
			   stall_ms * 1000 * seconds, WINDOW_US * seconds);

	/* with the NUL, as the kernel wants it */
	return write(fd, text, (size_t)len + 1) < 0 ? -errno : 0;
}

static int open_pressure(uint64_t stall_ms)
{
	int fd = open(PRESSURE, O_RDWR | O_NONBLOCK | O_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	err = set_trigger(fd, stall_ms, 1);
	/* without CAP_SYS_RESOURCE the kernel takes windows of two seconds only */
	if (err == -EINVAL)
		err = set_trigger(fd, stall_ms, 2);
	if (err) {
		close(fd);
		return err;
	}
	return fd;
}

void mp_memory_watch_press(struct mp_memory_watch *watch, uint64_t stall_ms,
			   struct mp_diag *diag)
{
	mp_memory_watch_no_pressure(watch);
	if (!stall_ms)
		return;
	watch->pressure = open_pressure(stall_ms);
	if (watch->pressure < 0) {
		mp_diag_warn(diag, strerror(-watch->pressure),
			     "no captures under memory pressure: " PRESSURE " cannot be watched");
		watch->pressure = -1;
	}
}

/* On machines with cgroup v1, the memory controller may be there. */
static bool has_controller(const char *mount)
{
	char full[PATH_MAX + 32], name[64];
	bool has = false;
	FILE *file;

	snprintf(full, sizeof(full), "%s/cgroup.controllers", mount);
	file = fopen(full, "re");
	if (!file)
		return false;
	while (!has && fscanf(file, "%63s", name) == 1)
		has = !strcmp(name, "memory");
	fclose(file);
	return has;
}

void mp_memory_watch_open(struct mp_memory_watch *watch, uint64_t stall_ms,
			  struct mp_diag *diag)
{
	*watch = (struct mp_memory_watch){ .inotify = -1, .pressure = -1 };
	if (!mp_cgroup_mount(watch->mount))
		watch->inotify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (watch->inotify < 0)
		mp_diag_warn(diag, "cgroup v2 is not mounted, or inotify has no room",
			     "no captures of cgroups that run out of memory");
	else if (!has_controller(watch->mount))
		mp_diag_warn(diag, "cgroup v2 has no memory controller on this machine",
			     "no captures of cgroups that run out of memory, come near a limit, or grow");
	mp_memory_watch_press(watch, stall_ms, diag);
}

static bool read_events(const struct mp_memory_watch *watch, const char *path,
			uint64_t *counts)
{
	char full[2 * PATH_MAX + 32], key[64];
	uint64_t value;
	FILE *file;
	int i;

	memset(counts, 0, MP_MEMORY_PRESSURE * sizeof(*counts));
	snprintf(full, sizeof(full), "%s%s/" FILE_NAME, watch->mount, path);
	file = fopen(full, "re");
	if (!file)
		return false;
	while (fscanf(file, "%63s %" SCNu64, key, &value) == 2)
		for (i = 0; i < MP_MEMORY_PRESSURE; i++)
			if (!strcmp(key, names[i]))
				counts[i] = value;
	fclose(file);
	return true;
}

static struct mp_watched_cgroup *find(struct mp_memory_watch *watch, const char *path)
{
	size_t i;

	for (i = 0; i < watch->nr; i++)
		if (!strcmp(watch->list[i].path, path))
			return &watch->list[i];
	return NULL;
}

static int add(struct mp_memory_watch *watch, const char *path)
{
	struct mp_watched_cgroup *known = find(watch, path);
	struct mp_watched_cgroup new = { .found = true };
	char full[2 * PATH_MAX + 32];

	if (known) {
		known->found = true;
		return 0;
	}
	snprintf(full, sizeof(full), "%s%s/" FILE_NAME, watch->mount, path);
	if (access(full, R_OK))
		return 0;
	new.watch = watch->nr < MP_MEMORY_WATCH_MAX ?
		    inotify_add_watch(watch->inotify, full, IN_MODIFY) : -1;
	if (new.watch < 0) {
		watch->nr_skipped++;
		return 0;
	}
	read_events(watch, path, new.seen);
	new.path = strdup(path);
	if (!new.path || (watch->nr == watch->max &&
			  !mp_array_grow(&watch->list, &watch->max, sizeof(*watch->list)))) {
		inotify_rm_watch(watch->inotify, new.watch);
		free(new.path);
		return -ENOMEM;
	}
	watch->list[watch->nr++] = new;
	return 0;
}

/* Adds a cgroup and those below it. @path is changed, and changed back. */
static int walk(struct mp_memory_watch *watch, char *path, unsigned int depth)
{
	const size_t len = strlen(path);
	char full[2 * PATH_MAX];
	struct dirent *entry;
	DIR *dir;
	int err = add(watch, path);

	snprintf(full, sizeof(full), "%s%s", watch->mount, path);
	dir = err || depth == MAX_DEPTH ? NULL : opendir(full);
	while (dir && !err && (entry = readdir(dir))) {
		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		if (snprintf(path + len, PATH_MAX - len, "/%s", entry->d_name) <
		    (int)(PATH_MAX - len))
			err = walk(watch, path, depth + 1);
		path[len] = '\0';
	}
	if (dir)
		closedir(dir);
	return err;
}

static void forget(struct mp_memory_watch *watch)
{
	size_t i, nr = 0;

	for (i = 0; i < watch->nr; i++) {
		if (watch->list[i].found) {
			watch->list[nr++] = watch->list[i];
			continue;
		}
		inotify_rm_watch(watch->inotify, watch->list[i].watch);
		free(watch->list[i].track);
		free(watch->list[i].path);
	}
	watch->nr = nr;
}

int mp_memory_watch_look(struct mp_memory_watch *watch, const char * const *roots,
			 size_t nr_roots)
{
	char path[PATH_MAX];
	size_t i;
	int err = 0;

	if (watch->inotify < 0)
		return 0;
	watch->nr_skipped = 0;
	for (i = 0; i < watch->nr; i++)
		watch->list[i].found = false;
	for (i = 0; !err && i < (nr_roots ? nr_roots : 1); i++) {
		const char *root = nr_roots ? roots[i] : "";

		/* a path may begin with the mount */
		if (!strncmp(root, watch->mount, strlen(watch->mount)))
			root += strlen(watch->mount);
		while (*root == '/')
			root++;
		if (strstr(root, "..") ||
		    snprintf(path, sizeof(path), "%s%s", *root ? "/" : "", root) >=
		    (int)sizeof(path))
			continue;
		err = walk(watch, path, 0);
	}
	forget(watch);
	return err;
}

/* Whether the trouble of a cgroup is worse, or the same and nearer to where it happened. */
static bool is_worse(const struct mp_memory_trouble *trouble, enum mp_memory_event event,
		     const char *path)
{
	return trouble->event == MP_NR_MEMORY_EVENTS || event > trouble->event ||
	       (event == trouble->event && strlen(path) > strlen(trouble->cgroup));
}

static void look_at(struct mp_memory_watch *watch, struct mp_watched_cgroup *cgroup,
		    struct mp_memory_trouble *trouble)
{
	uint64_t counts[MP_MEMORY_PRESSURE], grown[MP_NR_MEMORY_EVENTS] = { 0 };
	int i, worst = -1;

	if (!read_events(watch, cgroup->path, counts))
		return;
	for (i = 0; i < MP_MEMORY_PRESSURE; i++) {
		grown[i] = counts[i] > cgroup->seen[i] ? counts[i] - cgroup->seen[i] : 0;
		if (grown[i])
			worst = i;
		cgroup->seen[i] = counts[i];
	}
	if (worst < 0 || !is_worse(trouble, (enum mp_memory_event)worst, cgroup->path))
		return;
	trouble->event = (enum mp_memory_event)worst;
	snprintf(trouble->cgroup, sizeof(trouble->cgroup), "%s", cgroup->path);
	memcpy(trouble->counts, grown, sizeof(grown));
}

void mp_memory_watch_read(struct mp_memory_watch *watch, bool is_pressure,
			  struct mp_memory_trouble *trouble)
{
	char buffer[4096] __attribute__((aligned(8)));
	size_t i;

	*trouble = (struct mp_memory_trouble){ .event = MP_NR_MEMORY_EVENTS };
	/* which files they are of does not matter: all counts are compared */
	while (watch->inotify >= 0 && read(watch->inotify, buffer, sizeof(buffer)) > 0)
		;
	for (i = 0; i < watch->nr; i++)
		look_at(watch, &watch->list[i], trouble);
	if (is_pressure && trouble->event == MP_NR_MEMORY_EVENTS) {
		trouble->event = MP_MEMORY_PRESSURE;
		trouble->counts[MP_MEMORY_PRESSURE] = 1;
	}
}

void mp_memory_watch_no_pressure(struct mp_memory_watch *watch)
{
	if (watch->pressure >= 0)
		close(watch->pressure);
	watch->pressure = -1;
}

void mp_memory_watch_close(struct mp_memory_watch *watch)
{
	size_t i;

	for (i = 0; i < watch->nr; i++) {
		free(watch->list[i].track);
		free(watch->list[i].path);
	}
	free(watch->list);
	if (watch->inotify >= 0)
		close(watch->inotify);
	if (watch->pressure >= 0)
		close(watch->pressure);
	*watch = (struct mp_memory_watch){ .inotify = -1, .pressure = -1 };
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * captures: writes and reads the folders of captures
 *
 * Snapshots are linked, not copied, so a capture costs some directory entries, and its size
 * only when the history has dropped them.
 */
#include "captures.h"
#include "regular-file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DRAFT		"draft.tmp"
#define MAX_FILE	(64 << 10)
#define PATH_SIZE	(2 * PATH_MAX)

static void path_of(char *path, const char *folder, const char *name, const char *file)
{
	snprintf(path, PATH_SIZE, "%s/" MP_CAPTURES_FOLDER "%s%s%s%s", folder, name ? "/" : "",
		 name ?: "", file ? "/" : "", file ?: "");
}

static bool is_name(const char *name)
{
	uint64_t number, time_s;
	char again[MP_CAPTURES_NAME_SIZE];

	if (sscanf(name, "%10" SCNu64 "-%18" SCNu64, &number, &time_s) != 2)
		return false;
	snprintf(again, sizeof(again), "%010" PRIu64 "-%" PRIu64, number, time_s);
	return !strcmp(again, name);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

long mp_captures_list(const char *folder, struct mp_capture_name **names)
{
	char path[PATH_SIZE];
	struct dirent *entry;
	void *more;
	long nr = 0;
	DIR *dir;

	*names = NULL;
	path_of(path, folder, NULL, NULL);
	dir = opendir(path);
	if (!dir)
		return errno == ENOENT ? 0 : -errno;
	while ((entry = readdir(dir))) {
		if (!is_name(entry->d_name))
			continue;
		more = realloc(*names, (size_t)(nr + 1) * sizeof(**names));
		if (!more)
			break;
		*names = more;
		strcpy((*names)[nr++].text, entry->d_name);
	}
	closedir(dir);
	if (nr)
		qsort(*names, (size_t)nr, sizeof(**names), compare_names);
	return nr;
}

/* Removes a capture, which has no folders. Returns the size of its files. */
static uint64_t size_or_remove(const char *folder, const char *name, bool removes)
{
	char path[PATH_SIZE];
	struct dirent *entry;
	uint64_t bytes = 0;
	struct stat st;
	DIR *dir;

	path_of(path, folder, name, NULL);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		if (fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
		    S_ISDIR(st.st_mode))
			continue;
		bytes += (uint64_t)st.st_size;
		if (removes)
			unlinkat(dirfd(dir), entry->d_name, 0);
	}
	if (dir)
		closedir(dir);
	if (removes)
		rmdir(path);
	return bytes;
}

static void prune(const char *folder, const struct mp_captures_limits *limits)
{
	struct mp_capture_name *names;
	const long nr = mp_captures_list(folder, &names);
	uint64_t bytes = 0;
	long i;

	for (i = 0; i < nr; i++)
		bytes += size_or_remove(folder, names[i].text, false);
	for (i = 0; i + 1 < nr; i++) {
		if ((uint64_t)(nr - i) <= limits->nr && bytes <= limits->bytes)
			break;
		bytes -= size_or_remove(folder, names[i].text, true);
	}
	free(names);
}

static void add_text(struct json_object *to, const char *key, const char *text)
{
	json_object_object_add(to, key, json_object_new_string(text));
}

static void add_number(struct json_object *to, const char *key, uint64_t value)
{
	json_object_object_add(to, key, json_object_new_int64((int64_t)value));
}

/* What a trigger noticed; NULL: it was no trigger. */
static struct json_object *describe_cause(const struct mp_memory_trouble *trouble)
{
	const struct mp_memory_cause *cause = &trouble->cause;
	struct json_object *object;

	if (!cause->bound)
		return NULL;
	object = json_object_new_object();
	add_number(object, "value", cause->value);
	add_number(object, "bound", cause->bound);
	add_number(object, "limit", cause->limit);
	json_object_object_add(object, "is_high", json_object_new_boolean(cause->is_high));
	add_number(object, "window_s", cause->window_s);
	add_number(object, "pid", cause->pid);
	add_text(object, "comm", cause->comm);
	return object;
}

static struct json_object *describe(const struct mp_capture *capture)
{
	struct json_object *object = json_object_new_object();
	struct json_object *counts = json_object_new_object();
	struct json_object *list = json_object_new_array(), *victim;
	size_t i;

	add_text(object, "type", "capture");
	add_number(object, "time_s", capture->time_s);
	add_text(object, "event", mp_memory_event_name(capture->trouble.event));
	add_text(object, "cgroup", capture->trouble.cgroup);
	add_number(object, "memory_current", capture->current);
	add_number(object, "memory_max", capture->max);
	for (i = 0; i < MP_NR_MEMORY_EVENTS; i++)
		add_number(counts, mp_memory_event_name((enum mp_memory_event)i),
			   capture->trouble.counts[i]);
	json_object_object_add(object, "events", counts);
	json_object_object_add(object, "trigger", describe_cause(&capture->trouble));
	for (i = 0; i < capture->nr_victims; i++) {
		victim = json_object_new_object();
		add_number(victim, "pid", capture->victims[i].pid);
		add_text(victim, "comm", capture->victims[i].comm);
		add_text(victim, "cgroup", capture->victims[i].cgroup);
		add_text(victim, "limit", capture->victims[i].limit);
		add_number(victim, "resident_space", capture->victims[i].resident);
		json_object_array_add(list, victim);
	}
	json_object_object_add(object, "killed", list);
	json_object_object_add(object, "log_unread",
			       json_object_new_boolean(capture->log_unread));
	return object;
}

static int write_description(const char *path, const struct mp_capture *capture)
{
	struct json_object *object = describe(capture);
	int err;

	if (!object)
		return -ENOMEM;
	errno = EIO;
	err = json_object_to_file(path, object) ? -errno : 0;
	json_object_put(object);
	return err;
}

/* Links the newest snapshots of the last session, of the minutes before. */
static int link_snapshots(const char *folder, const struct mp_history *history)
{
	const struct mp_history_entry *last = &history->entries[history->nr - 1], *entry;
	char from[PATH_SIZE], to[PATH_SIZE];
	size_t i;

	for (i = 0; i < history->nr && i < MP_CAPTURES_SNAPSHOTS; i++) {
		entry = last - i;
		if (entry->session != last->session ||
		    entry->time_s + MP_CAPTURES_BEFORE_S < last->time_s)
			break;
		snprintf(from, sizeof(from), "%s/%s", folder, entry->name);
		path_of(to, folder, DRAFT, entry->name);
		if (link(from, to))
			return -errno;
	}
	return 0;
}

int mp_captures_add(const char *folder, const struct mp_history *history,
		    const struct mp_capture *capture, const struct mp_captures_limits *limits,
		    struct mp_diag *diag)
{
	char path[PATH_SIZE], draft[PATH_SIZE], name[MP_CAPTURES_NAME_SIZE];
	int err;

	if (!history->nr)
		return mp_diag_fail(diag, ENOENT, NULL, "cannot capture: there is no snapshot");
	path_of(path, folder, NULL, NULL);
	if (mkdir(path, 0700) && errno != EEXIST)
		return mp_diag_fail(diag, errno, NULL, "cannot make %.200s", path);
	/* what an interrupted writer left */
	size_or_remove(folder, DRAFT, true);
	path_of(draft, folder, DRAFT, NULL);
	err = mkdir(draft, 0700) ? -errno : link_snapshots(folder, history);
	path_of(path, folder, DRAFT, MP_CAPTURES_FILE);
	err = err ?: write_description(path, capture);
	snprintf(name, sizeof(name), "%010" PRIu64 "-%" PRIu64,
		 history->entries[history->nr - 1].number, capture->time_s);
	path_of(path, folder, name, NULL);
	if (!err && rename(draft, path))
		err = -errno;
	if (err) {
		size_or_remove(folder, DRAFT, true);
		return mp_diag_fail(diag, err, NULL, "cannot write the capture %.200s", path);
	}
	prune(folder, limits);
	return 0;
}

static uint64_t number_of(struct json_object *object, const char *key)
{
	struct json_object *value;

	return json_object_object_get_ex(object, key, &value) &&
	       json_object_get_int64(value) > 0 ? (uint64_t)json_object_get_int64(value) : 0;
}

static void copy_text(struct json_object *object, const char *key, char *to, size_t size)
{
	struct json_object *value;

	snprintf(to, size, "%s", json_object_object_get_ex(object, key, &value) &&
		 json_object_is_type(value, json_type_string) ?
		 json_object_get_string(value) : "");
}

static void read_victims(struct json_object *object, struct mp_capture *capture)
{
	struct json_object *list, *victim;
	size_t i;

	if (!json_object_object_get_ex(object, "killed", &list) ||
	    !json_object_is_type(list, json_type_array))
		return;
	for (i = 0; i < json_object_array_length(list) && i < MP_OOM_LOG_MAX; i++) {
		struct mp_oom_victim *to = &capture->victims[capture->nr_victims++];

		victim = json_object_array_get_idx(list, i);
		to->pid = (uint32_t)number_of(victim, "pid");
		copy_text(victim, "comm", to->comm, sizeof(to->comm));
		copy_text(victim, "cgroup", to->cgroup, sizeof(to->cgroup));
		copy_text(victim, "limit", to->limit, sizeof(to->limit));
		to->resident = number_of(victim, "resident_space");
	}
}

static void read_cause(struct json_object *object, struct mp_memory_cause *cause)
{
	struct json_object *from, *value;

	if (!json_object_object_get_ex(object, "trigger", &from) ||
	    !json_object_is_type(from, json_type_object))
		return;
	cause->value = number_of(from, "value");
	cause->bound = number_of(from, "bound");
	cause->limit = number_of(from, "limit");
	cause->is_high = json_object_object_get_ex(from, "is_high", &value) &&
			 json_object_get_boolean(value);
	cause->window_s = number_of(from, "window_s");
	cause->pid = (uint32_t)number_of(from, "pid");
	copy_text(from, "comm", cause->comm, sizeof(cause->comm));
}

static void read_counts(struct json_object *object, struct mp_capture *capture)
{
	struct json_object *counts;
	char event[16];
	int i;

	copy_text(object, "event", event, sizeof(event));
	capture->trouble.event = MP_NR_MEMORY_EVENTS;
	for (i = 0; i < MP_NR_MEMORY_EVENTS; i++) {
		const char *name = mp_memory_event_name((enum mp_memory_event)i);

		if (!strcmp(event, name))
			capture->trouble.event = (enum mp_memory_event)i;
		if (json_object_object_get_ex(object, "events", &counts))
			capture->trouble.counts[i] = number_of(counts, name);
	}
}

int mp_captures_read(const char *folder, const char *name, struct mp_capture *capture)
{
	struct json_object *object, *value;
	char path[PATH_SIZE], *text;
	ssize_t len;
	int fd;

	*capture = (struct mp_capture){ 0 };
	path_of(path, folder, name, MP_CAPTURES_FILE);
	fd = mp_regular_open(path, NULL);
	if (fd < 0)
		return fd;
	text = calloc(1, MAX_FILE + 1);
	len = text ? read(fd, text, MAX_FILE) : -1;
	close(fd);
	object = len > 0 ? json_tokener_parse(text) : NULL;
	free(text);
	if (!object || !json_object_is_type(object, json_type_object)) {
		json_object_put(object);
		return -EBADMSG;
	}
	capture->time_s = number_of(object, "time_s");
	capture->current = number_of(object, "memory_current");
	capture->max = number_of(object, "memory_max");
	copy_text(object, "cgroup", capture->trouble.cgroup, sizeof(capture->trouble.cgroup));
	capture->log_unread = json_object_object_get_ex(object, "log_unread", &value) &&
			      json_object_get_boolean(value);
	read_counts(object, capture);
	read_cause(object, &capture->trouble.cause);
	read_victims(object, capture);
	json_object_put(object);
	return 0;
}

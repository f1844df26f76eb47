// SPDX-License-Identifier: GPL-2.0-only
/*
 * history: snapshots in a folder, bounded by size and age
 *
 * The name of a file tells its place, its time and its session, so that a reader opens
 * only what it needs. A file gets its name when it is on the disk. If the disk is full,
 * the snapshot is dropped and the older ones stay.
 */
#include "history.h"
#include "packed.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DRAFT		"snapshot.tmp"
#define PACKED		"snapshot.zst.tmp"
#define SUFFIX		".data.zst"
#define OLD_SUFFIX	".data.gz"	/* of earlier versions */

static void write_name(struct mp_history_entry *entry, const char *suffix)
{
	snprintf(entry->name, sizeof(entry->name),
		 "%010" PRIu64 "-%" PRIu64 "-%" PRIu64 "%s", entry->number,
		 entry->time_s, entry->session, suffix);
}

static bool parse_name(const char *name, struct mp_history_entry *entry)
{
	struct mp_history_entry again = { 0 };
	const char *suffix = strstr(name, OLD_SUFFIX) ? OLD_SUFFIX : SUFFIX;

	if (sscanf(name, "%10" SCNu64 "-%18" SCNu64 "-%18" SCNu64, &again.number,
		   &again.time_s, &again.session) != 3)
		return false;
	write_name(&again, suffix);
	*entry = again;
	return !strcmp(again.name, name);
}

static int compare_numbers(const void *a, const void *b)
{
	const struct mp_history_entry *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

static int append(struct mp_history *history, const struct mp_history_entry *entry)
{
	struct mp_history_entry *more;

	if (history->nr == MP_HISTORY_MAX)
		return -E2BIG;
	/* the list has room for the next power of two */
	if (!(history->nr & (history->nr - 1))) {
		more = realloc(history->entries,
			       (history->nr ? 2 * history->nr : 1) * sizeof(*more));
		if (!more)
			return -ENOMEM;
		history->entries = more;
	}
	history->entries[history->nr++] = *entry;
	return 0;
}

static int append_file(struct mp_history *history, int folder, const char *name)
{
	struct mp_history_entry entry;
	struct stat st;

	if (!parse_name(name, &entry) ||
	    fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
		return 0;
	entry.bytes = (uint64_t)st.st_size;
	return append(history, &entry);
}

int mp_history_read(struct mp_history *history, const char *folder,
		    struct mp_diag *diag)
{
	DIR *dir = opendir(folder);
	struct dirent *file;
	int err = 0;

	if (!dir)
		return mp_diag_fail(diag, errno, "memprofctl agent writes one; --history-folder names another one",
				    "cannot read the history in %s", folder);
	while (!err && (file = readdir(dir)))
		err = append_file(history, dirfd(dir), file->d_name);
	closedir(dir);
	if (err)
		return mp_diag_fail(diag, err, NULL, "cannot read the history in %s",
				    folder);
	if (history->nr)
		qsort(history->entries, history->nr, sizeof(*history->entries),
		      compare_numbers);
	return 0;
}

static void path_in(const char *folder, const char *name, char *path)
{
	snprintf(path, PATH_MAX, "%s/%s", folder, name);
}

void mp_history_draft(const char *folder, char *path)
{
	path_in(folder, DRAFT, path);
}

int mp_history_prepare(const char *folder, struct mp_diag *diag)
{
	char path[PATH_MAX];

	if (strlen(folder) + MP_HISTORY_NAME_SIZE >= PATH_MAX)
		return mp_diag_fail(diag, ENAMETOOLONG, NULL, "cannot use %s", folder);
	if (mkdir(folder, 0700) && errno != EEXIST)
		return mp_diag_fail(diag, errno, NULL, "cannot make %s", folder);
	path_in(folder, DRAFT, path);
	if (unlink(path) && errno != ENOENT)
		return mp_diag_fail(diag, errno, NULL, "cannot write to %s", folder);
	path_in(folder, PACKED, path);
	unlink(path);
	return access(folder, W_OK | X_OK) ?
	       mp_diag_fail(diag, errno, NULL, "cannot write to %s", folder) : 0;
}

/* Makes the new name last, too. */
static int sync_folder(const char *folder)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	err = fsync(fd) ? -errno : 0;
	close(fd);
	return err;
}

static int pack(const char *draft, const char *packed, uint64_t *bytes)
{
	int from = open(draft, O_RDONLY | O_CLOEXEC), to, err;
	struct stat st;

	if (from < 0)
		return -errno;
	to = open(packed, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	err = to < 0 ? -errno : mp_packed_write(from, to);
	if (!err && (fsync(to) || fstat(to, &st)))
		err = -errno;
	if (!err)
		*bytes = (uint64_t)st.st_size;
	close(from);
	if (to >= 0)
		close(to);
	return err;
}

int mp_history_add(struct mp_history *history, const char *folder,
		   struct mp_history_entry *entry, struct mp_diag *diag)
{
	char draft[PATH_MAX], packed[PATH_MAX], path[PATH_MAX];
	int err;

	write_name(entry, SUFFIX);
	path_in(folder, DRAFT, draft);
	path_in(folder, PACKED, packed);
	path_in(folder, entry->name, path);
	err = pack(draft, packed, &entry->bytes);
	unlink(draft);
	if (!err && rename(packed, path))
		err = -errno;
	if (err)
		unlink(packed);
	else
		err = sync_folder(folder) ?: append(history, entry);
	return err ? mp_diag_fail(diag, err, NULL, "cannot write %s", path) : 0;
}

size_t mp_history_prune(struct mp_history *history, const char *folder,
			const struct mp_history_limits *limits, uint64_t now_s)
{
	const struct mp_history_entry *entry = history->entries;
	uint64_t bytes = 0;
	char path[PATH_MAX];
	size_t i, nr = 0;

	for (i = 0; i < history->nr; i++)
		bytes += entry[i].bytes;
	for (i = 0; i + 1 < history->nr; i++) {
		if (bytes <= limits->bytes && history->nr - i < MP_HISTORY_MAX &&
		    entry[i].time_s + limits->age_s >= now_s)
			break;
		path_in(folder, entry[i].name, path);
		if (unlink(path) && errno != ENOENT)
			break;
		bytes -= entry[i].bytes;
		nr++;
	}
	if (nr)
		memmove(history->entries, history->entries + nr,
			(history->nr - nr) * sizeof(*history->entries));
	history->nr -= nr;
	return nr;
}

void mp_history_free(struct mp_history *history)
{
	free(history->entries);
	*history = (struct mp_history){ 0 };
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * push-queue: files in a folder, and their list in memory, with 32 bytes for each
 *
 * A file is synced before it gets its name: so after a power failure it is complete, or is
 * not there.
 */
#include "push-queue.h"
#include "gzip.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DRAFT		".draft"
#define PACKED		".packed"
#define NAME_SIZE	128

static void name_of(const struct mp_push_queue *queue, const struct mp_push_entry *entry,
		    char *path)
{
	snprintf(path, PATH_MAX, "%s/%010" PRIu64 "-%" PRIu64 "-%" PRIu64 ".%s",
		 queue->folder, entry->number, entry->from_s, entry->until_s, queue->format);
}

static bool parse_name(const char *name, struct mp_push_entry *entry, const char **format)
{
	int end = 0;

	if (strlen(name) >= NAME_SIZE ||
	    sscanf(name, "%" SCNu64 "-%" SCNu64 "-%" SCNu64 ".%n", &entry->number,
		   &entry->from_s, &entry->until_s, &end) != 3 || !end || !entry->number)
		return false;
	*format = name + end;
	return true;
}

static int append(struct mp_push_queue *queue, const struct mp_push_entry *entry)
{
	struct mp_push_entry *entries;

	entries = reallocarray(queue->entries, queue->nr + 1, sizeof(*entries));
	if (!entries)
		return -ENOMEM;
	queue->entries = entries;
	entries[queue->nr++] = *entry;
	queue->bytes += entry->bytes;
	if (entry->number > queue->last)
		queue->last = entry->number;
	return 0;
}

static int compare_numbers(const void *a, const void *b)
{
	const struct mp_push_entry *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

/* Takes a file into the list, or removes one of another format. Others are left alone. */
static int take_file(struct mp_push_queue *queue, int folder, const char *name,
		     uint64_t *nr_removed)
{
	struct mp_push_entry entry = { 0 };
	const char *format;
	struct stat st;

	if (!strcmp(name, DRAFT) || !strcmp(name, PACKED))
		return unlinkat(folder, name, 0) ? -errno : 0;
	if (!parse_name(name, &entry, &format) ||
	    fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
		return 0;
	if (strcmp(format, queue->format)) {
		++*nr_removed;
		return unlinkat(folder, name, 0) ? -errno : 0;
	}
	entry.bytes = (uint64_t)st.st_size;
	return append(queue, &entry);
}

int mp_push_queue_open(struct mp_push_queue *queue, const char *folder, const char *format,
		       uint64_t *nr_removed, struct mp_diag *diag)
{
	struct dirent *file;
	DIR *dir;
	int err = 0;

	*nr_removed = 0;
	queue->format = format;
	if (strlen(folder) + NAME_SIZE >= sizeof(queue->folder))
		return mp_diag_fail(diag, ENAMETOOLONG, NULL, "cannot use %s", folder);
	strcpy(queue->folder, folder);
	if (mkdir(folder, 0700) && errno != EEXIST)
		return mp_diag_fail(diag, errno, NULL, "cannot make %s", folder);
	dir = opendir(folder);
	if (!dir)
		return mp_diag_fail(diag, errno, NULL, "cannot open %s", folder);
	while (!err && (file = readdir(dir)))
		err = take_file(queue, dirfd(dir), file->d_name, nr_removed);
	closedir(dir);
	if (err)
		return mp_diag_fail(diag, err, NULL, "cannot read %s", folder);
	if (queue->nr)
		qsort(queue->entries, queue->nr, sizeof(*queue->entries), compare_numbers);
	return 0;
}

void mp_push_queue_draft(const struct mp_push_queue *queue, char *path)
{
	snprintf(path, PATH_MAX, "%s/" DRAFT, queue->folder);
}

static int pack_draft(const char *draft, const char *packed)
{
	int from = open(draft, O_RDONLY | O_CLOEXEC), to, err;

	if (from < 0)
		return -errno;
	to = open(packed, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	err = to < 0 ? -errno : mp_gzip_pack(from, to);
	close(from);
	if (to >= 0)
		close(to);
	return err;
}

static int sync_file(const char *path, struct mp_push_entry *entry)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW), err;
	struct stat st;

	if (fd < 0)
		return -errno;
	err = fsync(fd) || fstat(fd, &st) ? -errno : 0;
	close(fd);
	if (!err)
		entry->bytes = (uint64_t)st.st_size;
	return err;
}

int mp_push_queue_add(struct mp_push_queue *queue, bool pack, uint64_t from_s,
		      uint64_t until_s)
{
	struct mp_push_entry entry = {
		.number = queue->last + 1, .from_s = from_s, .until_s = until_s,
	};
	char draft[PATH_MAX], packed[PATH_MAX], path[PATH_MAX];
	const char *done = pack ? packed : draft;
	int err;

	mp_push_queue_draft(queue, draft);
	snprintf(packed, sizeof(packed), "%s/" PACKED, queue->folder);
	name_of(queue, &entry, path);
	err = pack ? pack_draft(draft, packed) : 0;
	if (!err)
		err = sync_file(done, &entry);
	if (!err && rename(done, path))
		err = -errno;
	unlink(draft);
	if (err)
		unlink(packed);
	return err ?: append(queue, &entry);
}

static void remove_at(struct mp_push_queue *queue, size_t i)
{
	char path[PATH_MAX];

	name_of(queue, &queue->entries[i], path);
	unlink(path);
	queue->bytes -= queue->entries[i].bytes;
	queue->nr--;
	memmove(queue->entries + i, queue->entries + i + 1,
		(queue->nr - i) * sizeof(*queue->entries));
}

size_t mp_push_queue_prune(struct mp_push_queue *queue, uint64_t max_bytes, uint64_t keep)
{
	size_t i = 0, nr = 0;

	while (i < queue->nr && (queue->bytes > max_bytes || queue->nr > MP_PUSH_MAX_FILES)) {
		if (queue->entries[i].number == keep) {
			i++;
			continue;
		}
		remove_at(queue, i);
		nr++;
	}
	return nr;
}

int mp_push_queue_read(const struct mp_push_queue *queue, const struct mp_push_entry *entry)
{
	char path[PATH_MAX];
	int fd;

	name_of(queue, entry, path);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	return fd < 0 ? -errno : fd;
}

void mp_push_queue_remove(struct mp_push_queue *queue, uint64_t number)
{
	size_t i;

	for (i = 0; i < queue->nr; i++)
		if (queue->entries[i].number == number) {
			remove_at(queue, i);
			return;
		}
}

void mp_push_queue_free(struct mp_push_queue *queue)
{
	free(queue->entries);
	*queue = (struct mp_push_queue){ 0 };
}

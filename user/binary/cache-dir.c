// SPDX-License-Identifier: GPL-2.0-only
/*
 * cache-dir: accesses the cache folder safely
 *
 * The path can come from the environment of another user, for example with
 * sudo. So a folder that belongs to another user, or that others can write to,
 * is not used, and no folder is created inside one of another user. A symbolic
 * link in the path is followed only if it belongs to root or to our user. Links
 * in the cache folder are not followed, and only cache files are removed. After
 * an error there is no cache.
 */
#include "cache-dir.h"
#include "write-all.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Limit of files that are examined when the folder is trimmed. */
#define MAX_FILES	65536

struct file {
	char *name;
	off_t size;
	struct timespec time;
};

struct list {
	struct file *files;
	size_t nr;
	size_t bytes;
};

/* Sets the path. Returns false if the cache is turned off. */
static bool dir_path(char *path)
{
	const char *own = getenv("MEMPROF_SYMBOL_CACHE");
	const char *base = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");
	int put;

	if (own && *own)
		put = snprintf(path, PATH_MAX, "%s", own);
	else if (base && *base == '/')
		put = snprintf(path, PATH_MAX, "%s/memprof/symbols", base);
	else
		put = snprintf(path, PATH_MAX, "%s/.cache/memprof/symbols",
			       home ? home : "");
	return put < PATH_MAX && path[0] == '/' && (own || base || home);
}

static bool is_trusted(uid_t owner)
{
	return !owner || owner == geteuid();
}

/* Returns true if root or our user made the link. */
static bool may_follow(int parent, const char *name)
{
	struct stat st;

	return !fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) &&
	       S_ISLNK(st.st_mode) && is_trusted(st.st_uid);
}

/* Creates a folder, unless @parent belongs to another user. */
static void make_dir(int parent, const char *name)
{
	struct stat st;

	if (!fstat(parent, &st) && is_trusted(st.st_uid))
		mkdirat(parent, name, 0700);
}

static int enter_dir(int parent, const char *name, bool create)
{
	const int flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
	int dir = openat(parent, name, flags | O_NOFOLLOW);

	if (dir < 0 && errno == ENOENT && create) {
		make_dir(parent, name);
		dir = openat(parent, name, flags | O_NOFOLLOW);
	}
	return dir < 0 && may_follow(parent, name) ?
	       openat(parent, name, flags) : dir;
}

/*
 * Walks down the path. Returns an O_PATH descriptor of the last component's
 * parent, or -1; *@last is the last component.
 */
static int enter_parent(char *path, bool create, const char **last)
{
	int dir = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC), next;
	char *name = path + 1, *slash;

	while (dir >= 0 && (slash = strchr(name, '/'))) {
		*slash = '\0';
		if (*name) {
			next = enter_dir(dir, name, create);
			close(dir);
			dir = next;
		}
		name = slash + 1;
	}
	*last = name;
	return dir;
}

int mp_cache_dir_open(bool create)
{
	char path[PATH_MAX];
	const char *name;
	struct stat st;
	int parent, dir;

	if (!dir_path(path))
		return -1;
	parent = enter_parent(path, create, &name);
	if (parent < 0)
		return -1;
	if (create && faccessat(parent, name, F_OK, AT_SYMLINK_NOFOLLOW))
		make_dir(parent, name);
	dir = openat(parent, *name ? name : ".",
		     O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	close(parent);
	if (dir < 0)
		return -1;
	if (!fstat(dir, &st) && st.st_uid == geteuid() &&
	    !(st.st_mode & 0022))
		return dir;
	close(dir);
	return -1;
}

/* A file that does not have its name yet. */
struct new_file {
	int dir, fd;
	char name[NAME_MAX];
};

static bool begin_file(struct new_file *file, int dir, const char *name)
{
	file->dir = dir;
	snprintf(file->name, sizeof(file->name), "%s.new-%d", name, (int)getpid());
	unlinkat(dir, file->name, 0);
	file->fd = openat(dir, file->name,
			  O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	return file->fd >= 0;
}

/* Gives the file its name if it is complete, and removes it if not. */
static bool end_file(const struct new_file *file, const char *name, bool is_complete)
{
	if (!close(file->fd) && is_complete &&
	    !renameat(file->dir, file->name, file->dir, name))
		return true;
	unlinkat(file->dir, file->name, 0);
	return false;
}

void mp_cache_dir_put(int dir, const char *name, const void *data, size_t size)
{
	struct new_file file;

	if (begin_file(&file, dir, name))
		end_file(&file, name, !mp_write_all(file.fd, data, size));
}

/* Copies until the end of the file. Returns false if there are more than @max bytes. */
static bool copy_all(int from, int to, size_t max)
{
	char data[1 << 16];
	size_t copied = 0;
	ssize_t got;

	do {
		got = pread(from, data, sizeof(data), (off_t)copied);
		if (got > 0 && (copied + (size_t)got > max || mp_write_all(to, data, (size_t)got)))
			return false;
		copied += got > 0 ? (size_t)got : 0;
	} while (got > 0);
	return !got;
}

bool mp_cache_dir_copy(int dir, const char *name, int from, size_t max)
{
	struct new_file file;
	struct stat st;

	if (fstat(from, &st) || (size_t)st.st_size > max || !begin_file(&file, dir, name))
		return false;
	/* after a power loss a new name may have no data yet, and the copy is made only once */
	return end_file(&file, name, (!ioctl(file.fd, FICLONE, from) ||
				      copy_all(from, file.fd, max)) && !fdatasync(file.fd));
}

/*
 * A cache file is named by hexadecimal digits, or "file-" or "program-" and digits; it
 * has a suffix while it is written.
 */
static bool is_ours(const char *name)
{
	size_t digits;

	if (!strncmp(name, "file-", 5))
		name += 5;
	else if (!strncmp(name, "program-", 8))
		name += 8;
	digits = strspn(name, "0123456789abcdef");
	name += digits;
	return digits >= 16 && (!*name || !strncmp(name, ".new-", 5));
}

static void list_file(struct list *list, int dir, const char *name)
{
	struct file *file = &list->files[list->nr];
	struct stat st;

	if (!is_ours(name) || fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) ||
	    !S_ISREG(st.st_mode))
		return;
	file->name = strdup(name);
	file->size = st.st_size;
	file->time = st.st_mtim;
	list->bytes += st.st_size;
	list->nr += !!file->name;
}

static int compare_time(const void *x, const void *y)
{
	const struct file *a = x, *b = y;

	if (a->time.tv_sec != b->time.tv_sec)
		return a->time.tv_sec < b->time.tv_sec ? -1 : 1;
	return (a->time.tv_nsec > b->time.tv_nsec) -
	       (a->time.tv_nsec < b->time.tv_nsec);
}

static void list_files(struct list *list, int dir)
{
	int own = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = own < 0 ? NULL : fdopendir(own);
	struct dirent *entry;

	if (!entries) {
		if (own >= 0)
			close(own);
		return;
	}
	while (list->nr < MAX_FILES && (entry = readdir(entries)))
		list_file(list, dir, entry->d_name);
	closedir(entries);
	qsort(list->files, list->nr, sizeof(*list->files), compare_time);
}

void mp_cache_dir_trim(int dir, size_t max)
{
	struct list list = { .files = calloc(MAX_FILES, sizeof(struct file)) };
	size_t i;

	if (!list.files)
		return;
	list_files(&list, dir);
	for (i = 0; i < list.nr; i++) {
		if (list.bytes > max && !unlinkat(dir, list.files[i].name, 0))
			list.bytes -= list.files[i].size;
		free(list.files[i].name);
	}
	free(list.files);
}

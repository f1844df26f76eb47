// SPDX-License-Identifier: GPL-2.0-only
/*
 * symbol-cache: stores each binary's symbols in a file of the cache folder
 *
 * The file is written under a temporary name and then renamed. It has a header,
 * a stamp for each watched file, and the answer. The checksum detects
 * truncation and accidental changes. The answer is also checked like untrusted
 * data.
 *
 * A user who can write to the folder could fake symbols. So the folder and its
 * files must belong to our user and must not be writable for others. After an
 * error the symbols are searched again.
 */
#include "symbol-cache.h"
#include "cache-dir.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Changes with the format, including the format of the answer. */
#define MAGIC	0x3273796d706d656dULL

/* Limit of a cache file: a larger one is not worth reading. */
#define MAX_FILE	(64UL << 20)

/**
 * struct header - begin of a cache file
 * @magic: MAGIC
 * @check: checksum of all that follows
 * @file: the binary that was read
 * @nr_watched: number of stamps
 */
struct header {
	uint64_t magic;
	uint64_t check;
	struct mp_cache_identity file;
	uint64_t nr_watched;
};

/* State of a watched file. All zero: the file does not exist. */
struct stamp {
	uint64_t mtime_ns;
	uint64_t size;
	uint64_t inode;
};

/* FNV-1a hash of eight bytes at a time. */
static uint64_t hash(uint64_t hash, const void *data, size_t size)
{
	const char *at = data;
	uint64_t word;

	for (; size >= sizeof(word); at += sizeof(word), size -= sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		hash = (hash ^ word) * 0x100000001b3ULL;
		hash ^= hash >> 29;
	}
	for (; size; at++, size--)
		hash = (hash ^ (uint8_t)*at) * 0x100000001b3ULL;
	return hash;
}

#define HASH_BEGIN	0xcbf29ce484222325ULL

static uint64_t ns_of(const struct timespec *time)
{
	return time->tv_sec * 1000000000ULL + time->tv_nsec;
}

static void name_by_build_id(char *name, const struct mp_binary *binary)
{
	uint32_t i;

	for (i = 0; i < binary->build_id_size && i < MP_BUILD_ID_SIZE; i++)
		sprintf(name + 2 * i, "%02x", binary->build_id[i]);
}

/* Makes a name from two hashes, so that names never collide by accident. */
static void name_by_hash(char *name, const struct mp_binary *binary,
			 const char *path, const uint64_t *numbers, size_t size)
{
	uint64_t a = hash(HASH_BEGIN, path, strlen(path));
	uint64_t b = hash(~HASH_BEGIN, path, strlen(path));
	size_t id_size = binary->build_id_size < MP_BUILD_ID_SIZE ?
			 binary->build_id_size : MP_BUILD_ID_SIZE;

	a = hash(a, binary->build_id, id_size);
	b = hash(b, binary->build_id, id_size);
	sprintf(name, "file-%016llx%016llx",
		(unsigned long long)hash(a, numbers, size),
		(unsigned long long)hash(b, numbers, size));
}

/* Makes a name from data that profiles contain, so it also works for deleted binaries. */
static void name_by_place(char *name, const struct mp_binary *binary,
			  const struct mp_cache_identity *file)
{
	const uint64_t numbers[] = {
		binary->inode ? binary->dev : file->dev,
		binary->inode ? binary->inode : file->inode,
	};

	if (numbers[1])
		name_by_hash(name, binary, binary->path, numbers, sizeof(numbers));
}

/*
 * Returns true if only root or our user can have written the file. Below
 * /proc/PID/root the file's owner does not show this, because the user of that
 * process controls its mounts.
 */
static bool is_trusted(const struct stat *st, const char *path)
{
	return (!st->st_uid || st->st_uid == geteuid()) &&
	       !(st->st_mode & 0022) && strncmp(path, "/proc/", 6);
}

void mp_symbol_cache_key(struct mp_cache_key *key, int fd, const char *path,
			 const struct mp_binary *binary)
{
	struct stat st;

	*key = (struct mp_cache_key){ .is_there = fd >= 0 && !fstat(fd, &st) };
	if (key->is_there)
		key->file = (struct mp_cache_identity){
			st.st_dev, st.st_ino, st.st_size, ns_of(&st.st_mtim),
			ns_of(&st.st_ctim),
		};
	if (!binary->build_id_size) {
		if (key->is_there)
			name_by_hash(key->name, binary, path, &key->file.dev,
				     sizeof(key->file));
		return;
	}
	if (!key->is_there)
		name_by_place(key->other, binary, &key->file);
	if (!key->is_there || is_trusted(&st, path))
		name_by_build_id(key->name, binary);
	else
		name_by_place(key->name, binary, &key->file);
}

static struct stamp stamp_of(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return (struct stamp){ 0 };
	return (struct stamp){ ns_of(&st.st_mtim), st.st_size, st.st_ino };
}

/* A watched file that was removed does not make the answer invalid. */
static bool is_current(const struct mp_symbol_answer *answer,
		       const struct stamp *stamps)
{
	struct stamp now;
	size_t i;

	for (i = 0; i < answer->watched.nr; i++) {
		now = stamp_of(answer->watched.list[i]);
		if (now.inode && memcmp(&now, &stamps[i], sizeof(now)))
			return false;
	}
	return true;
}

/* @data has @size bytes of a cache file. */
static bool parse_file(const struct mp_cache_key *key, const char *data, size_t size,
		       struct mp_symbol_answer *answer)
{
	const struct header *header = (const void *)data;
	const struct stamp *stamps = (const void *)(header + 1);
	size_t head;

	if (size < sizeof(*header) || header->magic != MAGIC ||
	    header->nr_watched > MP_ANSWER_MAX_WATCHED)
		return false;
	/* the build-id is the same, but the file is another one or was changed */
	if (key->is_there &&
	    memcmp(&key->file, &header->file, sizeof(key->file)))
		return false;
	head = sizeof(*header) + header->nr_watched * sizeof(*stamps);
	if (size < head ||
	    header->check != hash(HASH_BEGIN, &header->file,
				  size - offsetof(struct header, file)) ||
	    !mp_symbol_answer_parse(answer, data + head, size - head))
		return false;
	if (answer->watched.nr == header->nr_watched &&
	    is_current(answer, stamps))
		return true;
	mp_symbol_answer_free(answer);
	return false;
}

static char *read_whole(int fd, size_t *size)
{
	struct stat st;
	char *data;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
	    st.st_size > (off_t)MAX_FILE)
		return NULL;
	*size = st.st_size;
	data = malloc(*size + 1);
	if (data && read(fd, data, *size) == (ssize_t)*size)
		return data;
	free(data);
	return NULL;
}

static bool load_file(const struct mp_cache_key *key, int dir, const char *name,
		      struct mp_symbol_answer *answer)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW |
			O_NONBLOCK);
	size_t size = 0;
	char *data = fd < 0 ? NULL : read_whole(fd, &size);
	bool done = data && parse_file(key, data, size, answer);

	free(data);
	if (fd >= 0)
		close(fd);
	return done;
}

void mp_symbol_cache_load(struct mp_cache_key *key,
			  struct mp_symbol_answer *answer)
{
	int dir = key->name[0] ? mp_cache_dir_open(false) : -1;

	*answer = (struct mp_symbol_answer){ 0 };
	if (dir < 0)
		return;
	/*
	 * use @other as the name from now on: symbols from that file must not
	 * be stored under @name, which is trusted more
	 */
	if (!load_file(key, dir, key->name, answer) && key->other[0] &&
	    load_file(key, dir, key->other, answer))
		memcpy(key->name, key->other, sizeof(key->name));
	close(dir);
}

static bool write_content(const struct mp_cache_key *key,
			  const struct mp_symbol_answer *answer, FILE *to)
{
	struct header header = {
		.magic = MAGIC,
		.file = key->file,
		.nr_watched = answer->watched.nr,
	};
	struct stamp stamp;
	size_t i;

	if (fwrite(&header, sizeof(header), 1, to) != 1)
		return false;
	for (i = 0; i < answer->watched.nr; i++) {
		stamp = stamp_of(answer->watched.list[i]);
		if (fwrite(&stamp, sizeof(stamp), 1, to) != 1)
			return false;
	}
	return mp_symbol_answer_write(answer, to);
}

/* Returns the contents of a cache file, which the caller frees, or NULL. */
static char *make_file(const struct mp_cache_key *key,
		       const struct mp_symbol_answer *answer, size_t *size)
{
	char *data = NULL;
	FILE *to = open_memstream(&data, size);
	struct header *header;
	bool done;

	if (!to)
		return NULL;
	done = write_content(key, answer, to);
	if (fclose(to) || !done || *size > MAX_FILE) {
		free(data);
		return NULL;
	}
	header = (void *)data;
	header->check = hash(HASH_BEGIN, &header->file,
			     *size - offsetof(struct header, file));
	return data;
}

void mp_symbol_cache_store(const struct mp_cache_key *key,
			   const struct mp_symbol_answer *answer)
{
	size_t size;
	char *data;
	int dir;

	if (!key->name[0] || answer->watched.nr > MP_ANSWER_MAX_WATCHED)
		return;
	dir = mp_cache_dir_open(true);
	if (dir < 0)
		return;
	data = make_file(key, answer, &size);
	if (data) {
		mp_cache_dir_put(dir, key->name, data, size);
		mp_cache_dir_trim(dir, MP_CACHE_DIR_MAX);
	}
	free(data);
	close(dir);
}

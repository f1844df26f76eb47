// SPDX-License-Identifier: GPL-2.0-only
/*
 * symbol-cache: writes a temporary file and renames it
 *
 * A file has a header, a stamp for each watched file, and the answer. The
 * checksum detects truncation and accidental changes. The answer is also
 * checked like untrusted data.
 *
 * A user who can write to the folder could fake symbols. So the folder and its
 * files must belong to our user and must not be writable for others. Errors are
 * ignored: then the symbols are searched again.
 */
#include "symbol-cache.h"
#include "cache-dir.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Changes with the format, including the format of the answer. */
#define MAGIC	0x3173796d706d656dULL

/* Limit of a cache file: a larger one is not worth reading. */
#define MAX_FILE	(64UL << 20)

/**
 * struct header - begin of a cache file
 * @magic: MAGIC
 * @check: checksum of all that follows
 * @size: size of the binary
 * @nr_watched: number of stamps
 */
struct header {
	uint64_t magic;
	uint64_t check;
	uint64_t size;
	uint64_t nr_watched;
};

/* All zero: the file does not exist. */
struct stamp {
	uint64_t mtime_ns;
	uint64_t size;
	uint64_t inode;
};

/* FNV-1a, eight bytes at a time. */
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

static uint64_t mtime_ns(const struct stat *st)
{
	return st->st_mtim.tv_sec * 1000000000ULL + st->st_mtim.tv_nsec;
}

static void name_by_build_id(char *name, const struct mp_binary *binary)
{
	uint32_t i;

	for (i = 0; i < binary->build_id_size && i < MP_BUILD_ID_SIZE; i++)
		sprintf(name + 2 * i, "%02x", binary->build_id[i]);
}

static void name_by_file(char *name, const struct stat *st, const char *path)
{
	const uint64_t file[] = { st->st_dev, st->st_ino, mtime_ns(st),
				  st->st_size };
	uint64_t a = hash(HASH_BEGIN, path, strlen(path));
	uint64_t b = hash(~HASH_BEGIN, path, strlen(path));

	sprintf(name, "file-%016llx%016llx",
		(unsigned long long)hash(a, file, sizeof(file)),
		(unsigned long long)hash(b, file, sizeof(file)));
}

void mp_symbol_cache_key(struct mp_cache_key *key, int fd, const char *path,
			 const struct mp_binary *binary)
{
	bool is_there;
	struct stat st;

	is_there = fd >= 0 && !fstat(fd, &st);
	key->name[0] = '\0';
	key->size = is_there ? st.st_size : 0;
	if (binary->build_id_size)
		name_by_build_id(key->name, binary);
	else if (is_there)
		name_by_file(key->name, &st, path);
}

static struct stamp stamp_of(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return (struct stamp){ 0 };
	return (struct stamp){ mtime_ns(&st), st.st_size, st.st_ino };
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

/*
 * @data: @size bytes of a cache file.
 */
static bool parse_file(const struct mp_cache_key *key, const char *data, size_t size,
		       struct mp_symbol_answer *answer)
{
	const struct header *header = (const void *)data;
	const struct stamp *stamps = (const void *)(header + 1);
	size_t head;

	if (size < sizeof(*header) || header->magic != MAGIC ||
	    header->nr_watched > MP_ANSWER_MAX_WATCHED)
		return false;
	/* the same build-id, but the file was stripped or replaced */
	if (key->size && header->size && key->size != header->size)
		return false;
	head = sizeof(*header) + header->nr_watched * sizeof(*stamps);
	if (size < head ||
	    header->check != hash(HASH_BEGIN, &header->size,
				  size - offsetof(struct header, size)) ||
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

void mp_symbol_cache_load(const struct mp_cache_key *key,
			  struct mp_symbol_answer *answer)
{
	int dir = key->name[0] ? mp_cache_dir_open(false) : -1;
	int fd = dir < 0 ? -1 : openat(dir, key->name, O_RDONLY | O_CLOEXEC |
				       O_NOFOLLOW | O_NONBLOCK);
	size_t size = 0;
	char *data;

	*answer = (struct mp_symbol_answer){ 0 };
	data = fd < 0 ? NULL : read_whole(fd, &size);
	if (data)
		parse_file(key, data, size, answer);
	free(data);
	if (fd >= 0)
		close(fd);
	if (dir >= 0)
		close(dir);
}

static bool write_content(const struct mp_cache_key *key,
			  const struct mp_symbol_answer *answer, FILE *to)
{
	struct header header = {
		.magic = MAGIC,
		.size = key->size,
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

/* Returns the bytes of a cache file, which the caller frees, or NULL. */
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
	header->check = hash(HASH_BEGIN, &header->size,
			     *size - offsetof(struct header, size));
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
		mp_cache_dir_trim(dir, MP_SYMBOL_CACHE_MAX);
	}
	free(data);
	close(dir);
}

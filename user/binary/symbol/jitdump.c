// SPDX-License-Identifier: GPL-2.0-only
/*
 * jitdump: walks over the records twice, because the latest function at an address is
 * the right one
 *
 * The file is another process's, so each record is checked against the end of the data.
 * The format: tools/perf/Documentation/jitdump-specification.txt of the kernel.
 */
#include "jitdump.h"

#include <stdlib.h>
#include <string.h>

#define MAGIC		0x4a695444U
#define CODE_LOAD	0

struct header {
	uint32_t magic;
	uint32_t version;
	uint32_t total_size;
	uint32_t machine;
	uint32_t padding;
	uint32_t pid;
	uint64_t timestamp;
	uint64_t flags;
};

struct record {
	uint32_t id;
	uint32_t total_size;
	uint64_t timestamp;
};

/* The name follows, and then the code. */
struct load {
	struct record record;
	uint32_t pid, tid;
	uint64_t vma;
	uint64_t address;
	uint64_t size;
	uint64_t index;
};

static bool read_header(const char *data, size_t size, struct header *header)
{
	if (size < sizeof(*header))
		return false;
	memcpy(header, data, sizeof(*header));
	return header->magic == MAGIC;
}

bool mp_jitdump_is(const char *data, size_t size)
{
	struct header header;

	return read_header(data, size, &header);
}

static bool read_load(const char *at, size_t size, struct mp_jitdump_entry *entry)
{
	struct load load;

	if (size < sizeof(load))
		return false;
	memcpy(&load, at, sizeof(load));
	entry->start = load.address;
	entry->size = load.size;
	entry->name = at + sizeof(load);
	entry->len = strnlen(entry->name, size - sizeof(load));
	return load.record.id == CODE_LOAD && entry->len && entry->size &&
	       entry->size <= UINT64_MAX - entry->start;
}

/* Returns the bytes of the record at an offset; 0 at the end. */
static size_t size_at(const char *data, size_t size, size_t at)
{
	struct record record;

	if (at > size || size - at < sizeof(record))
		return 0;
	memcpy(&record, data + at, sizeof(record));
	return record.total_size >= sizeof(record) && record.total_size <= size - at ?
	       record.total_size : 0;
}

bool mp_jitdump_each(const char *data, size_t size,
		     bool (*take)(void *context, const struct mp_jitdump_entry *entry),
		     void *context)
{
	struct mp_jitdump_entry entry;
	struct header header;
	size_t at, bytes, *list = NULL, *more, nr = 0, max = 0;
	bool done = read_header(data, size, &header);

	at = done && header.total_size >= sizeof(header) ? header.total_size : size;
	for (; done && (bytes = size_at(data, size, at)); at += bytes) {
		if (!read_load(data + at, bytes, &entry))
			continue;
		if (nr == max) {
			max = max ? 2 * max : 1024;
			more = reallocarray(list, max, sizeof(*list));
			done = more;
			list = more ?: list;
		}
		if (done)
			list[nr++] = at;
	}
	while (done && nr--)
		done = !read_load(data + list[nr], size_at(data, size, list[nr]), &entry) ||
		       take(context, &entry);
	free(list);
	return done;
}

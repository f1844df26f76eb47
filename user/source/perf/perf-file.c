// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf-file: reads the header, the events and the records of a recording
 *
 * The file is read into a buffer of 1 MB, and pointers to the records in this
 * buffer are returned. Memory is used only for the buffer and the events.
 */
#include "perf-file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_EVENTS	4096
#define MAX_FEATURE	(64UL << 20)
#define MAX_RECORD	65536
#define BUFFER		(1UL << 20)
/*
 * Limit of a format's bytes. A format from the kernel has about one page at
 * most.
 */
#define MAX_FORMAT	65536
#define MAX_FORMATS	8192
#define AUXTRACE	71

/* Limits of the size of attributes, which differs between versions of perf. */
#define MIN_ATTR	PERF_ATTR_SIZE_VER0
#define MAX_ATTR	1024

static int wrong(struct mp_perf_file *file, const char *what)
{
	snprintf(file->why, sizeof(file->why), "%s", what);
	return -EBADMSG;
}

static bool is_within(const struct mp_perf_file *file,
		      const struct mp_perf_section *section)
{
	return section->offset <= file->size &&
	       section->size <= file->size - section->offset;
}

static bool read_at(struct mp_perf_file *file, uint64_t offset, void *to,
		    size_t size)
{
	return !fseeko(file->file, (off_t)offset, SEEK_SET) &&
	       fread(to, 1, size, file->file) == size;
}

static bool has_feature(const struct mp_perf_file *file,
			enum mp_perf_feature feature)
{
	return file->header.features[feature / 64] >> (feature % 64) & 1;
}

static int check_magic(struct mp_perf_file *file, size_t got)
{
	const struct mp_perf_header *header = &file->header;

	if (got < sizeof(header->magic) + sizeof(header->size))
		return wrong(file, "too short for a recording");
	if (!memcmp(header->magic, "2ELIFREP", sizeof(header->magic)))
		return wrong(file, "recorded on a machine of the other byte order: read it there");
	if (memcmp(header->magic, MP_PERF_MAGIC, sizeof(header->magic)))
		return wrong(file, "not a recording of perf or memprofctl");
	if (header->size == 16)
		return wrong(file, "a recording that went through a pipe (-o -): not supported, record it with -o FILE");
	if (header->size < sizeof(*header) || got < sizeof(*header))
		return wrong(file, "a recording with a header of an unknown size");
	return 0;
}

static int check_header(struct mp_perf_file *file)
{
	const struct mp_perf_header *header = &file->header;

	if (has_feature(file, MP_PERF_COMPRESSED))
		return wrong(file, "a compressed recording (perf record -z): not supported, record it without -z");
	if (has_feature(file, MP_PERF_DIR_FORMAT))
		return wrong(file, "a recording in a folder of files (perf record --threads): not supported");
	if (header->attr_size < MIN_ATTR + sizeof(struct mp_perf_section) ||
	    header->attr_size > MAX_ATTR ||
	    header->attrs.size / header->attr_size > MAX_EVENTS)
		return wrong(file, "corrupt: its list of events cannot be read");
	if (!header->data.size)
		return wrong(file, "the recording was not ended: 'memprofctl recover FILE' brings it back");
	if (!is_within(file, &header->data) || !is_within(file, &header->attrs))
		return wrong(file, "truncated: 'memprofctl recover FILE' brings back what is there");
	return 0;
}

static int read_ids(struct mp_perf_file *file, uint32_t number,
		    const struct mp_perf_section *section)
{
	uint64_t id, nr = section->size / sizeof(id), i;
	uint32_t *known;

	if (!is_within(file, section) ||
	    file->events.by_id.nr + nr > MP_PERF_MAX_IDS ||
	    fseeko(file->file, (off_t)section->offset, SEEK_SET))
		return wrong(file, "corrupt: an event's list of ids cannot be read");
	for (i = 0; i < nr; i++) {
		if (fread(&id, sizeof(id), 1, file->file) != 1)
			return wrong(file, "corrupt: an event's list of ids is cut");
		known = mp_map_add(&file->events.by_id, id, 0);
		if (!known)
			return -ENOMEM;
		*known = number;
	}
	return 0;
}

static int read_event(struct mp_perf_file *file, uint32_t number)
{
	struct mp_perf_event *event = &file->events.list[number];
	size_t size = file->header.attr_size - sizeof(struct mp_perf_section);
	struct mp_perf_section ids;
	char attr[MAX_ATTR];

	if (!read_at(file, file->header.attrs.offset +
		     number * file->header.attr_size, attr,
		     file->header.attr_size))
		return wrong(file, "corrupt: its list of events is cut");
	memcpy(&event->attr, attr, size < sizeof(event->attr) ?
	       size : sizeof(event->attr));
	memcpy(&ids, attr + size, sizeof(ids));
	return read_ids(file, number, &ids);
}

static int read_events(struct mp_perf_file *file)
{
	uint32_t i, nr = file->header.attrs.size / file->header.attr_size;
	int err = 0;

	if (!nr)
		return wrong(file, "a recording without events");
	file->events.list = calloc(nr, sizeof(*file->events.list));
	if (!file->events.list)
		return -ENOMEM;
	file->events.nr = nr;
	for (i = 0; !err && i < nr; i++)
		err = read_event(file, i);
	return err;
}

void *mp_perf_file_feature(struct mp_perf_file *file,
			   enum mp_perf_feature feature, size_t *size)
{
	struct mp_perf_section section;
	uint64_t at = file->header.data.offset + file->header.data.size;
	char *copy;
	int i;

	if (!has_feature(file, feature))
		return NULL;
	for (i = 0; i < (int)feature; i++)
		at += has_feature(file, i) * sizeof(section);
	if (!read_at(file, at, &section, sizeof(section)) ||
	    !is_within(file, &section) || section.size > MAX_FEATURE)
		return NULL;
	copy = malloc(section.size + 1);
	if (!copy || !read_at(file, section.offset, copy, section.size)) {
		free(copy);
		return NULL;
	}
	copy[section.size] = '\0';
	*size = section.size;
	return copy;
}

/*
 * The bytes of a section that are not read yet. Reading past the end gives NULL
 * or 0.
 */
struct piece {
	const char *at;
	size_t left;
};

static const void *take_bytes(struct piece *piece, uint64_t size)
{
	const char *at = piece->at;

	if (size > piece->left) {
		piece->left = 0;
		return NULL;
	}
	piece->at += size;
	piece->left -= size;
	return at;
}

static uint32_t take_u32(struct piece *piece)
{
	const void *at = take_bytes(piece, sizeof(uint32_t));
	uint32_t value = 0;

	if (at)
		memcpy(&value, at, sizeof(value));
	return value;
}

static uint64_t take_u64(struct piece *piece)
{
	const void *at = take_bytes(piece, sizeof(uint64_t));
	uint64_t value = 0;

	if (at)
		memcpy(&value, at, sizeof(value));
	return value;
}

/* Takes a NUL-terminated text. */
static const char *take_text(struct piece *piece)
{
	size_t len = strnlen(piece->at, piece->left);

	return take_bytes(piece, len + 1);
}

/* Sets the names of events that are not tracepoints; the file has them in event order. */
static void name_events(struct mp_perf_file *file)
{
	struct piece piece = { 0 };
	char *copy = mp_perf_file_feature(file, MP_PERF_EVENT_DESC, &piece.left);
	uint32_t i, nr, attr_size, nr_ids, len;
	const char *name;

	if (!copy)
		return;
	piece.at = copy;
	nr = take_u32(&piece);
	attr_size = take_u32(&piece);
	for (i = 0; i < nr && i < file->events.nr && piece.left; i++) {
		take_bytes(&piece, attr_size);
		nr_ids = take_u32(&piece);
		len = take_u32(&piece);
		name = take_bytes(&piece, len);
		if (name && len)
			snprintf(file->events.list[i].name, MP_PERF_NAME_SIZE,
				 "%.*s", (int)(len < 1024 ? len : 1024), name);
		take_bytes(&piece, (uint64_t)nr_ids * sizeof(uint64_t));
	}
	free(copy);
}

static void take_format(struct mp_perf_file *file, const char *system,
			struct piece *piece)
{
	uint64_t size = take_u64(piece);
	const char *text = take_bytes(piece, size);
	struct mp_format format;
	char *copy = text && size <= MAX_FORMAT ? strndup(text, size) : NULL;
	size_t i;

	if (copy && mp_format_parse(&format, copy)) {
		for (i = 0; i < file->events.nr; i++) {
			struct mp_perf_event *event = &file->events.list[i];

			if (event->attr.type != PERF_TYPE_TRACEPOINT ||
			    event->attr.config != format.id ||
			    event->format.nr_fields)
				continue;
			event->format = format;
			snprintf(event->name, sizeof(event->name),
				 "%.60s:%s", system, format.name);
		}
	}
	free(copy);
}

static void read_formats(struct mp_perf_file *file)
{
	struct piece piece = { 0 };
	char *copy = mp_perf_file_feature(file, MP_PERF_TRACING_DATA,
					  &piece.left);
	uint32_t nr, i, left = MAX_FORMATS;
	const char *system;

	if (!copy)
		return;
	piece.at = copy;
	/* magic "\x17\x08\x44tracing", version, byte order, sizes of long and page */
	take_bytes(&piece, 10);
	take_text(&piece);
	take_bytes(&piece, 2 + sizeof(uint32_t));
	take_bytes(&piece, sizeof("header_page"));
	take_bytes(&piece, take_u64(&piece));
	take_bytes(&piece, sizeof("header_event"));
	take_bytes(&piece, take_u64(&piece));
	for (nr = take_u32(&piece); nr && piece.left; nr--)
		take_bytes(&piece, take_u64(&piece));
	for (nr = take_u32(&piece); nr && piece.left; nr--) {
		system = take_text(&piece);
		for (i = take_u32(&piece); system && i && piece.left && left;
		     i--, left--)
			take_format(file, system, &piece);
	}
	free(copy);
}

int mp_perf_file_stream(const char *path, FILE **stream)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	int err;

	if (fd < 0)
		return -errno;
	err = fstat(fd, &st) ? -errno : S_ISDIR(st.st_mode) ? -EISDIR :
	      S_ISREG(st.st_mode) ? 0 : -EINVAL;
	*stream = err ? NULL : fdopen(fd, "re");
	if (*stream)
		return 0;
	close(fd);
	return err ? err : -ENOMEM;
}

int mp_perf_file_open(struct mp_perf_file *file, const char *path)
{
	struct stat st;
	size_t got;
	int err;

	*file = (struct mp_perf_file){ 0 };
	err = mp_perf_file_stream(path, &file->file);
	if (err == -EISDIR)
		return wrong(file, "a folder: recordings of that kind are not supported");
	if (err == -EINVAL)
		return wrong(file, "not a regular file");
	if (err)
		return err;
	if (fstat(fileno(file->file), &st))
		return -errno;
	file->size = (uint64_t)st.st_size;
	got = fread(&file->header, 1, sizeof(file->header), file->file);
	err = check_magic(file, got);
	if (!err)
		err = check_header(file);
	if (!err)
		err = read_events(file);
	if (err)
		return err;
	name_events(file);
	read_formats(file);
	file->record = malloc(MAX_RECORD);
	file->buffer = malloc(BUFFER);
	if (!file->record || !file->buffer)
		return -ENOMEM;
	return fseeko(file->file, (off_t)file->header.data.offset, SEEK_SET) ?
	       -errno : 0;
}

/* Reads until the buffer holds @size bytes; returns false at the end of the file. */
static bool fill(struct mp_perf_file *file, size_t size)
{
	size_t have = file->end - file->begin;

	if (have >= size)
		return true;
	memmove(file->buffer, file->buffer + file->begin, have);
	file->begin = 0;
	file->end = have + fread(file->buffer + have, 1, BUFFER - have,
				 file->file);
	return file->end >= size;
}

/* Returns the record at the buffer's begin; copies it if it is not aligned. */
static const struct perf_event_header *align(struct mp_perf_file *file,
					     size_t size)
{
	const void *at = file->buffer + file->begin;

	if (!((uintptr_t)at % sizeof(uint64_t)))
		return at;
	memcpy(file->record, at, size);
	return (const void *)file->record;
}

/* Skips the data that follows an AUXTRACE record. */
static int skip_payload(struct mp_perf_file *file,
			const struct perf_event_header *header)
{
	size_t have = file->end - file->begin;
	uint64_t size;

	if (header->type != AUXTRACE || header->size < 16)
		return 0;
	size = ((const uint64_t *)header)[1];
	if (size > file->header.data.size - file->at)
		return wrong(file, "corrupt: a record ends past the data");
	file->at += size;
	if (size <= have) {
		file->begin += size;
		return 0;
	}
	file->begin = file->end = 0;
	return fseeko(file->file, (off_t)(size - have), SEEK_CUR) ? -errno : 0;
}

int mp_perf_file_next(struct mp_perf_file *file,
		      const struct perf_event_header **record)
{
	uint64_t left = file->header.data.size - file->at;
	struct perf_event_header header;
	int err;

	if (!left)
		return 0;
	if (left < sizeof(header) || !fill(file, sizeof(header)))
		return wrong(file, "truncated in the middle of a record");
	memcpy(&header, file->buffer + file->begin, sizeof(header));
	/* records made by perf itself may have a size that is no multiple of 8 */
	if (header.size < sizeof(header) || header.size > left)
		return wrong(file, "corrupt: a record of an impossible size");
	if (!fill(file, header.size))
		return wrong(file, "truncated in the middle of a record");
	*record = align(file, header.size);
	file->begin += header.size;
	file->at += header.size;
	if (header.type == MP_PERF_RECORD_COMPRESSED)
		return wrong(file, "a compressed recording (perf record -z): not supported, record it without -z");
	err = skip_payload(file, *record);
	return err ? err : 1;
}

void mp_perf_file_close(struct mp_perf_file *file)
{
	if (file->file)
		fclose(file->file);
	free(file->record);
	free(file->buffer);
	mp_perf_events_free(&file->events);
	file->file = NULL;
	file->record = NULL;
	file->buffer = NULL;
}

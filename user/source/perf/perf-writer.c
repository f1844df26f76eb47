// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf-writer: writes the header, the records, and at the end the features
 *
 * The header is written first with a data size of 0, and again at the end.
 * perf-describe.c makes the features. An existing file is replaced only when
 * the new file is complete. After an error or a signal, both files remain.
 */
#include "perf-writer.h"
#include "blob.h"
#include "perf-ranked.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE_BYTES	32768
#define BUFFER_SIZE	(256 << 10)
#define MAX_BUILD_IDS	65536

/* Limit of unfinished recordings with the suffixes .new, .new2 and so on. */
#define MAX_BESIDE	99

static int write_all(struct mp_perf_writer *writer, const void *data,
		     size_t size)
{
	errno = 0;
	if (!writer->err && size &&
	    fwrite(data, 1, size, writer->file) != size)
		writer->err = errno ? -errno : -EIO;
	return writer->err;
}

static int write_header(struct mp_perf_writer *writer,
			const struct mp_perf_header *header)
{
	errno = 0;
	if (!writer->err && (fflush(writer->file) ||
			     pwrite(fileno(writer->file), header,
				    sizeof(*header), 0) != sizeof(*header)))
		writer->err = errno ? -errno : -EIO;
	return writer->err;
}

static int begin(struct mp_perf_writer *writer)
{
	struct mp_perf_header header = {
		.size = sizeof(header),
		.attr_size = MP_PERF_ATTR_SIZE + sizeof(struct mp_perf_section),
		.data.offset = sizeof(header),
	};

	memcpy(header.magic, MP_PERF_MAGIC, sizeof(header.magic));
	return write_all(writer, &header, sizeof(header));
}

static int create(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	return fd < 0 ? -errno : fd;
}

/* Creates the new file in the folder of the file to replace, so that rename() works. */
static int create_beside(struct mp_perf_writer *writer)
{
	char number[16] = "";
	int fd, i;

	for (i = 2;; i++) {
		if (snprintf(writer->path, sizeof(writer->path), "%s.new%s",
			     writer->place, number) >= (int)sizeof(writer->path))
			return -ENAMETOOLONG;
		fd = create(writer->path);
		if (fd != -EEXIST || i > MAX_BESIDE)
			return fd;
		snprintf(number, sizeof(number), "%d", i);
	}
}

static int create_file(struct mp_perf_writer *writer, const char *path, bool force)
{
	struct stat st;

	if (strlen(path) >= sizeof(writer->path))
		return -ENAMETOOLONG;
	if (!force || lstat(path, &st)) {
		strcpy(writer->path, path);
		return create(path);
	}
	/* -f does not replace devices */
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode))
		return -EINVAL;
	strcpy(writer->place, path);
	return create_beside(writer);
}

int mp_perf_writer_open(struct mp_perf_writer *writer, const char *path,
			bool force)
{
	int fd;

	*writer = (struct mp_perf_writer){ 0 };
	fd = create_file(writer, path, force);
	if (fd < 0)
		return fd;
	writer->file = fdopen(fd, "w+e");
	if (!writer->file) {
		close(fd);
		return -ENOMEM;
	}
	/* setvbuf() ignores the size if it has to allocate the buffer */
	writer->buffer = malloc(BUFFER_SIZE);
	if (writer->buffer)
		setvbuf(writer->file, writer->buffer, _IOFBF, BUFFER_SIZE);
	return begin(writer);
}

int mp_perf_writer_start(struct mp_perf_writer *writer, FILE *file)
{
	*writer = (struct mp_perf_writer){ .file = file };
	return begin(writer);
}

/* PERF_RECORD_MMAP2 with a build-id; only the fields that are used here. */
struct mmap2 {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
	uint8_t build_id_size, reserved[3];
	uint8_t build_id[MP_BUILD_ID_SIZE];
	uint32_t prot, flags;
	char name[];
};

static void note_build_id(struct mp_perf_writer *writer,
			  const struct perf_event_header *record)
{
	const struct mmap2 *map = (const void *)record;
	struct mp_perf_build_id *list;
	uint64_t a, b;
	uint32_t *known;

	if (record->type != PERF_RECORD_MMAP2 ||
	    !(record->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) ||
	    record->size <= sizeof(*map) ||
	    map->build_id_size > MP_BUILD_ID_SIZE ||
	    !memchr(map->name, 0, record->size - sizeof(*map)) ||
	    writer->nr_build_ids == MAX_BUILD_IDS)
		return;
	memcpy(&a, map->build_id, sizeof(a));
	memcpy(&b, map->build_id + sizeof(a), sizeof(b));
	known = mp_map_add(&writer->by_build_id, a, b);
	if (!known || *known != MP_MAP_NEW)
		return;
	list = reallocarray(writer->build_ids, writer->nr_build_ids + 1,
			    sizeof(*list));
	if (!list)
		return;
	writer->build_ids = list;
	list += writer->nr_build_ids;
	*list = (struct mp_perf_build_id){
		.size = map->build_id_size,
		.misc = record->misc & PERF_RECORD_MISC_CPUMODE_MASK,
		.path = strdup(map->name),
	};
	memcpy(list->id, map->build_id, sizeof(list->id));
	*known = (uint32_t)writer->nr_build_ids;
	writer->nr_build_ids += list->path != NULL;
}

static void note_time(struct mp_perf_writer *writer, uint64_t time_ns)
{
	writer->nr_samples++;
	if (!writer->first_ns || time_ns < writer->first_ns)
		writer->first_ns = time_ns;
	if (time_ns > writer->last_ns)
		writer->last_ns = time_ns;
}

/* Returns the sample as it is written; NULL if memory is short. */
static const struct perf_event_header *take_sample(struct mp_perf_writer *writer,
						   const struct mp_perf_events *events,
						   const struct perf_event_header *record)
{
	struct mp_perf_sample sample;

	if (!mp_perf_sample_parse(events, record, &sample))
		return record;
	note_time(writer, sample.time_ns);
	if (!writer->room)
		writer->room = malloc(UINT16_MAX);
	return writer->room ? mp_perf_ranked(&events->list[sample.event], &sample, record,
					     writer->room) : NULL;
}

int mp_perf_writer_put(struct mp_perf_writer *writer,
		       const struct mp_perf_events *events,
		       const struct perf_event_header *record)
{
	note_build_id(writer, record);
	if (record->type == PERF_RECORD_SAMPLE)
		record = take_sample(writer, events, record);
	if (!record)
		return writer->err = writer->err ?: -ENOMEM;
	if (!write_all(writer, record, record->size))
		writer->data_size += record->size;
	return writer->err;
}

int mp_perf_writer_keep(struct mp_perf_writer *writer, uint32_t what,
			const void *data, size_t size)
{
	struct mp_perf_blob *feature = &writer->features[what];
	char *copy = malloc(size ? size : 1);

	if (!copy)
		return -ENOMEM;
	memcpy(copy, data, size);
	free(feature->data);
	feature->data = copy;
	feature->size = size;
	return 0;
}

int mp_perf_writer_piece(struct mp_perf_writer *writer, uint32_t what,
			 const void *data, size_t size)
{
	static const char zeros[MP_PERF_PIECE_MIN];
	struct mp_perf_piece piece = {
		.header.type = MP_PERF_RECORD_SKIPPED, .what = what,
		.total = size,
	};
	size_t padded;
	int err = 0;

	memcpy(piece.magic, MP_PERF_PIECE_MAGIC, sizeof(piece.magic));
	if (what < sizeof(writer->features) / sizeof(writer->features[0]))
		err = mp_perf_writer_keep(writer, what, data, size);
	for (; !err && piece.offset < size; piece.offset += piece.bytes) {
		piece.bytes = (uint32_t)(size - piece.offset < PIECE_BYTES ?
					 size - piece.offset : PIECE_BYTES);
		padded = (piece.bytes + 7) & ~7UL;
		if (padded < MP_PERF_PIECE_MIN - sizeof(piece))
			padded = MP_PERF_PIECE_MIN - sizeof(piece);
		piece.header.size = (uint16_t)(sizeof(piece) + padded);
		write_all(writer, &piece, sizeof(piece));
		write_all(writer, (const char *)data + piece.offset,
			  piece.bytes);
		err = write_all(writer, zeros, padded - piece.bytes);
		if (!err)
			writer->data_size += piece.header.size;
	}
	return err;
}

/* Adds perf's build-id feature: a record for each file, with build-id and padded path. */
static int add_build_ids(struct mp_perf_writer *writer)
{
	static const char zeros[64];
	struct mp_blob blob = { 0 };
	size_t i, len, padded;

	for (i = 0; i < writer->nr_build_ids; i++) {
		const struct mp_perf_build_id *from = &writer->build_ids[i];
		struct {
			struct perf_event_header header;
			int32_t pid;
			uint8_t id[MP_BUILD_ID_SIZE];
			uint8_t size, reserved[3];
		} to = {
			.header.type = 67, /* PERF_RECORD_HEADER_BUILD_ID */
			/* PERF_RECORD_MISC_BUILD_ID_SIZE */
			.header.misc = from->misc | 1 << 15,
			.pid = -1, .size = (uint8_t)from->size,
		};

		len = strlen(from->path) + 1;
		padded = (len + 63) & ~63UL;
		to.header.size = (uint16_t)(sizeof(to) + padded);
		memcpy(to.id, from->id, sizeof(to.id));
		mp_blob_put(&blob, &to, sizeof(to));
		mp_blob_put(&blob, from->path, len);
		mp_blob_put(&blob, zeros, padded - len);
	}
	if (blob.failed)
		return -ENOMEM;
	i = blob.size ? mp_perf_writer_keep(writer, MP_PERF_BUILD_ID, blob.data,
					    blob.size) : 0;
	free(blob.data);
	return (int)i;
}

static int add_times(struct mp_perf_writer *writer)
{
	uint64_t times[2] = { writer->first_ns, writer->last_ns };

	if (!writer->first_ns)
		return 0;
	return mp_perf_writer_keep(writer, MP_PERF_SAMPLE_TIME, times, sizeof(times));
}

/* Writes the ids and attributes from the event description for the header. */
static int write_events(struct mp_perf_writer *writer,
			struct mp_perf_header *header, uint64_t at)
{
	const struct mp_perf_blob *desc = &writer->features[MP_PERF_EVENT_DESC];
	struct mp_perf_section section = { .offset = at };
	struct mp_blob ids = { 0 }, attrs = { 0 };
	uint32_t i, nr, nr_ids, len;
	const char *from = desc->data;

	if (!from)
		return -ENODATA;
	memcpy(&nr, from, sizeof(nr));
	from += 2 * sizeof(uint32_t);
	for (i = 0; i < nr; i++) {
		memcpy(&nr_ids, from + MP_PERF_ATTR_SIZE, sizeof(nr_ids));
		memcpy(&len, from + MP_PERF_ATTR_SIZE + 4, sizeof(len));
		section.size = nr_ids * sizeof(uint64_t);
		mp_blob_put(&attrs, from, MP_PERF_ATTR_SIZE);
		mp_blob_put(&attrs, &section, sizeof(section));
		from += MP_PERF_ATTR_SIZE + 8 + len;
		mp_blob_put(&ids, from, section.size);
		from += section.size;
		section.offset += section.size;
	}
	write_all(writer, ids.data, ids.size);
	write_all(writer, attrs.data, attrs.size);
	header->attrs.offset = at + ids.size;
	header->attrs.size = attrs.size;
	nr = ids.failed || attrs.failed;
	free(ids.data);
	free(attrs.data);
	return nr ? -ENOMEM : writer->err;
}

/*
 * Writes the section table and the features. perf expects the table directly
 * after the data, so everything else comes after it.
 */
static int complete(struct mp_perf_writer *writer)
{
	struct mp_perf_header header = {
		.size = sizeof(header),
		.attr_size = MP_PERF_ATTR_SIZE + sizeof(struct mp_perf_section),
		.data = { sizeof(header), writer->data_size },
	};
	struct mp_perf_section section = {
		.offset = sizeof(header) + writer->data_size,
	};
	size_t i, nr = sizeof(writer->features) / sizeof(writer->features[0]);
	int err = add_build_ids(writer) ?: add_times(writer);

	if (err)
		return err;
	memcpy(header.magic, MP_PERF_MAGIC, sizeof(header.magic));
	for (i = 0; i < nr; i++)
		section.offset += writer->features[i].data ? sizeof(section) :
							     0;
	for (i = 0; i < nr; i++) {
		if (!writer->features[i].data)
			continue;
		header.features[0] |= 1ULL << i;
		section.size = writer->features[i].size;
		write_all(writer, &section, sizeof(section));
		section.offset += section.size;
	}
	for (i = 0; i < nr; i++)
		write_all(writer, writer->features[i].data,
			  writer->features[i].size);
	err = write_events(writer, &header, section.offset);
	return err ? err : write_header(writer, &header);
}

int mp_perf_writer_flush(struct mp_perf_writer *writer)
{
	errno = 0;
	if (!writer->err && fflush(writer->file))
		writer->err = errno ? -errno : -EIO;
	return writer->err;
}

int mp_perf_writer_finish(struct mp_perf_writer *writer)
{
	size_t i;
	int err = writer->err ? writer->err : complete(writer);

	if (fflush(writer->file) && !err)
		err = -errno;
	for (i = 0; i < writer->nr_build_ids; i++)
		free(writer->build_ids[i].path);
	free(writer->build_ids);
	mp_map_free(&writer->by_build_id);
	free(writer->room);
	for (i = 0; i < sizeof(writer->features) / sizeof(writer->features[0]);
	     i++)
		free(writer->features[i].data);
	return err;
}

int mp_perf_writer_close(struct mp_perf_writer *writer)
{
	int err;

	if (!writer->file)
		return 0;
	err = mp_perf_writer_finish(writer);
	if (fclose(writer->file) && !err)
		err = -errno;
	writer->file = NULL;
	free(writer->buffer);
	writer->buffer = NULL;
	return err;
}

/* There is a file with the final name at any time, if the file system has links. */
static int keep_old(const char *path)
{
	char old[PATH_MAX];

	if (snprintf(old, sizeof(old), "%s.old", path) >= (int)sizeof(old))
		return -ENAMETOOLONG;
	unlink(old);
	return !link(path, old) || !rename(path, old) || errno == ENOENT ? 0 : -errno;
}

int mp_perf_writer_place(struct mp_perf_writer *writer)
{
	int err;

	if (!writer->place[0])
		return 0;
	err = writer->keeps_old ? keep_old(writer->place) : 0;
	if (err)
		return err;
	if (rename(writer->path, writer->place))
		return -errno;
	strcpy(writer->path, writer->place);
	writer->place[0] = '\0';
	return 0;
}

void mp_perf_writer_drop(struct mp_perf_writer *writer)
{
	unlink(writer->path);
}

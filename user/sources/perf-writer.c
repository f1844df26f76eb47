// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf-writer: header, records, and the rest when all is known
 *
 * The header is written first, with a size of 0 for the data, and again at the
 * end. Attributes are 128 bytes: older perfs refuse more.
 */
#include "perf-writer.h"
#include "metric.h"
#include "uprobe-events.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define ATTR_SIZE	PERF_ATTR_SIZE_VER7
#define PIECE_BYTES	32768
#define MAX_BUILD_IDS	65536

/* Bytes that grow. */
struct blob {
	char *data;
	size_t size, room;
	bool failed;
};

static void put(struct blob *blob, const void *data, size_t size)
{
	size_t room = (blob->size + size) * 2 + 256;
	char *more;

	if (!size)
		return;
	if (blob->size + size > blob->room) {
		more = realloc(blob->data, room);
		if (!more) {
			blob->failed = true;
			return;
		}
		blob->data = more;
		blob->room = room;
	}
	memcpy(blob->data + blob->size, data, size);
	blob->size += size;
}

static void put_u32(struct blob *blob, uint32_t value)
{
	put(blob, &value, sizeof(value));
}

static void put_u64(struct blob *blob, uint64_t value)
{
	put(blob, &value, sizeof(value));
}

/* As perf writes texts: length first, padded to 64 bytes. */
static void put_text(struct blob *blob, const char *text)
{
	static const char zeros[64];
	size_t len = strlen(text) + 1, padded = (len + 63) & ~63UL;

	put_u32(blob, (uint32_t)padded);
	put(blob, text, len);
	put(blob, zeros, padded - len);
}

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

int mp_perf_writer_open(struct mp_perf_writer *writer, const char *path,
			bool force)
{
	struct mp_perf_header header = {
		.size = sizeof(header),
		.attr_size = ATTR_SIZE + sizeof(struct mp_perf_section),
		.data.offset = sizeof(header),
	};
	struct stat st;
	int fd;

	*writer = (struct mp_perf_writer){ 0 };
	if (force && !lstat(path, &st)) {
		/* a device is nothing to be replaced */
		if (!S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode))
			return -EINVAL;
		if (unlink(path))
			return -errno;
	}
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	writer->file = fdopen(fd, "w+e");
	if (!writer->file) {
		close(fd);
		return -ENOMEM;
	}
	setvbuf(writer->file, NULL, _IOFBF, 1 << 20);
	memcpy(header.magic, MP_PERF_MAGIC, sizeof(header.magic));
	return write_all(writer, &header, sizeof(header));
}

/* PERF_RECORD_MMAP2 with a build-id, as far as it matters here. */
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

static void note_time(struct mp_perf_writer *writer,
		      const struct mp_perf_events *events,
		      const struct perf_event_header *record)
{
	struct mp_perf_sample sample;

	if (record->type != PERF_RECORD_SAMPLE ||
	    !mp_perf_sample_parse(events, record, &sample))
		return;
	writer->nr_samples++;
	if (!writer->first_ns || sample.time_ns < writer->first_ns)
		writer->first_ns = sample.time_ns;
	if (sample.time_ns > writer->last_ns)
		writer->last_ns = sample.time_ns;
}

int mp_perf_writer_put(struct mp_perf_writer *writer,
		       const struct mp_perf_events *events,
		       const struct perf_event_header *record)
{
	note_build_id(writer, record);
	note_time(writer, events, record);
	if (!write_all(writer, record, record->size))
		writer->data_size += record->size;
	return writer->err;
}

static int keep_feature(struct mp_perf_writer *writer, uint32_t what,
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
	static const char zeros[8];
	struct mp_perf_piece piece = {
		.header.type = MP_PERF_RECORD_SKIPPED, .what = what,
		.total = size,
	};
	size_t padded;
	int err = 0;

	memcpy(piece.magic, MP_PERF_PIECE_MAGIC, sizeof(piece.magic));
	if (what < sizeof(writer->features) / sizeof(writer->features[0]))
		err = keep_feature(writer, what, data, size);
	for (; !err && piece.offset < size; piece.offset += piece.bytes) {
		piece.bytes = (uint32_t)(size - piece.offset < PIECE_BYTES ?
					 size - piece.offset : PIECE_BYTES);
		padded = (piece.bytes + 7) & ~7UL;
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

static int describe(struct mp_perf_writer *writer, uint32_t what,
		    struct blob *blob)
{
	int err = blob->failed ? -ENOMEM :
		  mp_perf_writer_piece(writer, what, blob->data, blob->size);

	free(blob->data);
	*blob = (struct blob){ 0 };
	return err;
}

static void put_ids(struct blob *blob, const struct mp_perf_events *events,
		    uint32_t number)
{
	size_t i;

	for (i = 0; i < events->by_id.nr_slots; i++)
		if (events->by_id.slots[i].used &&
		    events->by_id.slots[i].value == number)
			put_u64(blob, events->by_id.slots[i].a);
}

static void put_events(struct blob *blob, const struct mp_perf_events *events)
{
	struct perf_event_attr attr;
	struct blob ids;
	uint32_t i;

	put_u32(blob, (uint32_t)events->nr);
	put_u32(blob, ATTR_SIZE);
	for (i = 0; i < events->nr; i++) {
		ids = (struct blob){ 0 };
		attr = events->list[i].attr;
		attr.size = ATTR_SIZE;
		put_ids(&ids, events, i);
		put(blob, &attr, ATTR_SIZE);
		put_u32(blob, (uint32_t)(ids.size / sizeof(uint64_t)));
		put_text(blob, events->list[i].name);
		put(blob, ids.data, ids.size);
		blob->failed |= ids.failed;
		free(ids.data);
	}
}

/* With its length first; an empty one where there is none. */
static void put_file(struct blob *blob, char *text)
{
	put_u64(blob, text ? strlen(text) : 0);
	if (text)
		put(blob, text, strlen(text));
	free(text);
}

char *mp_perf_format_text(const char *name)
{
	uint32_t id = !strcmp(name, "site") ? MP_PERF_ID_SITE :
					      MP_PERF_ID_PROCESS;
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	int i;

	if (!file)
		return NULL;
	fprintf(file, "name: %s\nID: %u\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n",
		name, id);
	for (i = 0; i < MP_NR_METRICS; i++)
		fprintf(file, "\tfield:%s %s;\toffset:%d;\tsize:8;\tsigned:%d;\n",
			mp_metrics[i].is_signed ? "s64" : "u64",
			mp_metrics[i].key, 8 + 8 * i, mp_metrics[i].is_signed);
	fputs("\nprint fmt: \"live=%llu peak=%llu allocs=%llu allocated=%llu growth=%lld touched=%llu\", REC->inuse_space, REC->peak_space, REC->alloc_objects, REC->alloc_space, REC->growth_space, REC->touched_space\n",
	      file);
	if (fclose(file)) {
		free(text);
		return NULL;
	}
	return text;
}

static char *format_text(const struct mp_perf_event *event)
{
	char system[MP_PERF_NAME_SIZE];
	const char *colon = strchr(event->name, ':');

	if (event->attr.config == MP_PERF_ID_SITE ||
	    event->attr.config == MP_PERF_ID_PROCESS)
		return mp_perf_format_text(colon + 1);
	snprintf(system, sizeof(system), "%.*s", (int)(colon - event->name),
		 event->name);
	return mp_tracepoint_text(system, colon + 1);
}

static bool is_tracepoint(const struct mp_perf_event *event)
{
	return event->attr.type == PERF_TYPE_TRACEPOINT &&
	       strchr(event->name, ':');
}

/* Each event is a system of its own: it need not be sorted, and may come twice. */
static void put_formats(struct blob *blob, const struct mp_perf_events *events)
{
	static const char magic[] = { 0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i',
				      'n', 'g', '0', '.', '6', 0,
				      0 /* little */, sizeof(long) };
	uint32_t i, nr = 0;

	put(blob, magic, sizeof(magic));
	put_u32(blob, (uint32_t)sysconf(_SC_PAGESIZE));
	put(blob, "header_page", sizeof("header_page"));
	put_file(blob, mp_tracing_text("events/header_page"));
	put(blob, "header_event", sizeof("header_event"));
	put_file(blob, mp_tracing_text("events/header_event"));
	put_u32(blob, 0);
	for (i = 0; i < events->nr; i++)
		nr += is_tracepoint(&events->list[i]);
	put_u32(blob, nr);
	for (i = 0; i < events->nr; i++) {
		const struct mp_perf_event *event = &events->list[i];

		if (!is_tracepoint(event))
			continue;
		put(blob, event->name,
		    (size_t)(strchr(event->name, ':') - event->name));
		put(blob, "", 1);
		put_u32(blob, 1);
		put_file(blob, format_text(event));
	}
	/* no kernel symbols, no formats of printk, no names of commands */
	put_u32(blob, 0);
	put_u32(blob, 0);
	put_u64(blob, 0);
}

/* The first "KEY : VALUE" of /proc/cpuinfo. */
static void cpu_info(const char *key, char *value, size_t size)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[256], *colon;

	snprintf(value, size, "unknown");
	while (file && fgets(line, sizeof(line), file)) {
		colon = strchr(line, ':');
		if (!colon || strncmp(line, key, strlen(key)) ||
		    (line[strlen(key)] != '\t' && line[strlen(key)] != ' '))
			continue;
		line[strcspn(line, "\n")] = '\0';
		snprintf(value, size, "%s", colon + 1 + (colon[1] == ' '));
		break;
	}
	if (file)
		fclose(file);
}

static int describe_text(struct mp_perf_writer *writer, uint32_t what,
			 const char *text)
{
	struct blob blob = { 0 };

	put_text(&blob, text);
	return describe(writer, what, &blob);
}

static int describe_cpu(struct mp_perf_writer *writer)
{
	char vendor[64], family[16], model[16], stepping[16], text[160];
	struct blob blob = { 0 };
	int err;

	cpu_info("model name", text, sizeof(text));
	err = describe_text(writer, MP_PERF_CPUDESC, text);
	cpu_info("vendor_id", vendor, sizeof(vendor));
	cpu_info("cpu family", family, sizeof(family));
	cpu_info("model", model, sizeof(model));
	cpu_info("stepping", stepping, sizeof(stepping));
	snprintf(text, sizeof(text), "%s-%s-%X-%s", vendor, family,
		 atoi(model), stepping);
	put_u32(&blob, (uint32_t)sysconf(_SC_NPROCESSORS_CONF));
	put_u32(&blob, (uint32_t)sysconf(_SC_NPROCESSORS_ONLN));
	return err ?: describe_text(writer, MP_PERF_CPUID, text) ?:
	       describe(writer, MP_PERF_NRCPUS, &blob);
}

static int describe_clock(struct mp_perf_writer *writer)
{
	struct timespec wall, mono;
	struct blob blob = { 0 };
	int err;

	clock_gettime(CLOCK_REALTIME, &wall);
	clock_gettime(CLOCK_MONOTONIC, &mono);
	put_u32(&blob, 1);
	put_u32(&blob, CLOCK_MONOTONIC);
	put_u64(&blob, wall.tv_sec * 1000000000ULL + wall.tv_nsec);
	put_u64(&blob, mono.tv_sec * 1000000000ULL + mono.tv_nsec);
	err = describe(writer, MP_PERF_CLOCK_DATA, &blob);
	/* resolution in ns */
	put_u64(&blob, 1);
	return err ?: describe(writer, MP_PERF_CLOCKID, &blob);
}

static int describe_machine(struct mp_perf_writer *writer, char * const *argv,
			    int argc)
{
	struct blob blob = { 0 };
	struct utsname uts;
	int i, err;

	uname(&uts);
	put_u32(&blob, (uint32_t)argc);
	for (i = 0; i < argc; i++)
		put_text(&blob, argv[i]);
	err = describe(writer, MP_PERF_CMDLINE, &blob);
	put_u64(&blob, (uint64_t)sysconf(_SC_PHYS_PAGES) *
		(uint64_t)sysconf(_SC_PAGESIZE) / 1024);
	return err ?: describe(writer, MP_PERF_TOTAL_MEM, &blob) ?:
	       describe_text(writer, MP_PERF_HOSTNAME, uts.nodename) ?:
	       describe_text(writer, MP_PERF_OSRELEASE, uts.release) ?:
	       describe_text(writer, MP_PERF_VERSION, "memprofctl") ?:
	       describe_text(writer, MP_PERF_ARCH, uts.machine) ?:
	       describe_cpu(writer) ?: describe_clock(writer);
}

int mp_perf_writer_describe(struct mp_perf_writer *writer,
			    const struct mp_perf_events *events,
			    char * const *argv, int argc)
{
	struct blob blob = { 0 };
	int err = 0;

	if (!writer->features[MP_PERF_CMDLINE].data)
		err = describe_machine(writer, argv, argc);
	if (err)
		return err;
	put_events(&blob, events);
	err = describe(writer, MP_PERF_EVENT_DESC, &blob);
	if (err)
		return err;
	put_formats(&blob, events);
	return describe(writer, MP_PERF_TRACING_DATA, &blob);
}

/* As perf has it: a record with the build-id and the padded path of a file. */
static int add_build_ids(struct mp_perf_writer *writer)
{
	static const char zeros[64];
	struct blob blob = { 0 };
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
		put(&blob, &to, sizeof(to));
		put(&blob, from->path, len);
		put(&blob, zeros, padded - len);
	}
	if (blob.failed)
		return -ENOMEM;
	i = blob.size ? keep_feature(writer, MP_PERF_BUILD_ID, blob.data,
				     blob.size) : 0;
	free(blob.data);
	return (int)i;
}

static int add_times(struct mp_perf_writer *writer)
{
	uint64_t times[2] = { writer->first_ns, writer->last_ns };

	if (!writer->first_ns)
		return 0;
	return keep_feature(writer, MP_PERF_SAMPLE_TIME, times, sizeof(times));
}

/* Ids and attributes from the description, as the header wants them. */
static int write_events(struct mp_perf_writer *writer,
			struct mp_perf_header *header, uint64_t at)
{
	const struct mp_perf_blob *desc = &writer->features[MP_PERF_EVENT_DESC];
	struct mp_perf_section section = { .offset = at };
	struct blob ids = { 0 }, attrs = { 0 };
	uint32_t i, nr, nr_ids, len;
	const char *from = desc->data;

	if (!from)
		return -ENODATA;
	memcpy(&nr, from, sizeof(nr));
	from += 2 * sizeof(uint32_t);
	for (i = 0; i < nr; i++) {
		memcpy(&nr_ids, from + ATTR_SIZE, sizeof(nr_ids));
		memcpy(&len, from + ATTR_SIZE + 4, sizeof(len));
		section.size = nr_ids * sizeof(uint64_t);
		put(&attrs, from, ATTR_SIZE);
		put(&attrs, &section, sizeof(section));
		from += ATTR_SIZE + 8 + len;
		put(&ids, from, section.size);
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
 * Behind the data: perf finds the features there, so that everything else comes
 * after them.
 */
static int complete(struct mp_perf_writer *writer)
{
	struct mp_perf_header header = {
		.size = sizeof(header),
		.attr_size = ATTR_SIZE + sizeof(struct mp_perf_section),
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

int mp_perf_writer_close(struct mp_perf_writer *writer)
{
	size_t i;
	int err;

	if (!writer->file)
		return 0;
	err = writer->err ? writer->err : complete(writer);
	if (fclose(writer->file) && !err)
		err = -errno;
	writer->file = NULL;
	for (i = 0; i < writer->nr_build_ids; i++)
		free(writer->build_ids[i].path);
	free(writer->build_ids);
	mp_map_free(&writer->by_build_id);
	for (i = 0; i < sizeof(writer->features) / sizeof(writer->features[0]);
	     i++)
		free(writer->features[i].data);
	return err;
}

#define NR_PIECES	32

/*
 * Pieces that are being put together again, and whole ones. A description of
 * events without their formats is of no use, and the formats come last: all that
 * is whole by then is kept, together.
 */
struct pieces {
	struct blob more[NR_PIECES];
	bool is_whole[NR_PIECES];
	struct blob features[NR_PIECES];
};

static void keep_pieces(struct pieces *pieces)
{
	size_t i;

	for (i = 0; i < NR_PIECES; i++) {
		if (!pieces->is_whole[i])
			continue;
		free(pieces->features[i].data);
		pieces->features[i] = pieces->more[i];
		pieces->more[i] = (struct blob){ 0 };
		pieces->is_whole[i] = false;
	}
}

static void take_piece(struct pieces *pieces, const struct perf_event_header *h)
{
	const struct mp_perf_piece *piece = (const void *)h;
	struct blob *blob;

	if (h->size < sizeof(*piece) || piece->what >= NR_PIECES ||
	    memcmp(piece->magic, MP_PERF_PIECE_MAGIC, sizeof(piece->magic)) ||
	    piece->bytes > h->size - sizeof(*piece))
		return;
	blob = &pieces->more[piece->what];
	if (!piece->offset)
		blob->size = 0;
	if (blob->size == piece->offset)
		put(blob, piece + 1, piece->bytes);
	pieces->is_whole[piece->what] = blob->size == piece->total &&
					!blob->failed;
	if (pieces->is_whole[piece->what] &&
	    piece->what == MP_PERF_TRACING_DATA)
		keep_pieces(pieces);
}

/* Sizes in a description, which is from a file, add up. */
static bool is_sound(const struct blob *desc)
{
	size_t at = 8, nr_ids, len;
	uint32_t nr, value[2];

	if (desc->size < at)
		return false;
	memcpy(&nr, desc->data, sizeof(nr));
	for (; nr; nr--) {
		if (desc->size - at < ATTR_SIZE + 8)
			return false;
		memcpy(value, desc->data + at + ATTR_SIZE, sizeof(value));
		nr_ids = value[0];
		len = value[1];
		at += ATTR_SIZE + 8;
		if (len > desc->size - at ||
		    nr_ids > (desc->size - at - len) / sizeof(uint64_t))
			return false;
		at += len + nr_ids * sizeof(uint64_t);
	}
	return true;
}

int mp_perf_recover(FILE *from, struct mp_perf_writer *writer,
		    uint64_t *nr_lost_bytes)
{
	static uint64_t words[65536 / sizeof(uint64_t)];
	static const struct mp_perf_events none;
	struct perf_event_header *record = (void *)words;
	struct mp_perf_header header;
	struct pieces pieces = { 0 };
	off_t size, at = sizeof(header);
	bool sound;
	int err = 0;
	size_t i;

	if (fseeko(from, 0, SEEK_END))
		return -ENODATA;
	size = ftello(from);
	if (size < 0 || fseeko(from, 0, SEEK_SET) ||
	    fread(&header, sizeof(header), 1, from) != 1 ||
	    memcmp(header.magic, MP_PERF_MAGIC, sizeof(header.magic)))
		return -ENODATA;
	/* whole files end before their features */
	if (header.data.size && header.data.offset == sizeof(header) &&
	    header.data.size < (uint64_t)size)
		size = at + (off_t)header.data.size;
	while (!err && size - at >= (off_t)sizeof(*record) &&
	       fread(record, sizeof(*record), 1, from) == 1 &&
	       record->size >= sizeof(*record) && !(record->size % 8) &&
	       record->size <= size - at &&
	       (record->size == sizeof(*record) ||
		fread(record + 1, record->size - sizeof(*record), 1, from))) {
		if (record->type == MP_PERF_RECORD_SKIPPED)
			take_piece(&pieces, record);
		err = mp_perf_writer_put(writer, &none, record);
		at += record->size;
	}
	*nr_lost_bytes = (uint64_t)(size - at);
	sound = is_sound(&pieces.features[MP_PERF_EVENT_DESC]);
	for (i = 0; i < NR_PIECES; i++) {
		struct blob *blob = &pieces.features[i];

		free(pieces.more[i].data);
		if (!err && sound && blob->size)
			err = keep_feature(writer, (uint32_t)i, blob->data,
					   blob->size);
		free(blob->data);
	}
	return err ? err : sound ? 0 : -ENODATA;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * export-pprof: writes a compressed profile.proto
 *
 * Each frame is a location of pprof, with a line for each inlined function and an
 * address. Each binary gets its own range of addresses, beginning with file offset 0.
 * So pprof can find sources and code. The message is built in memory: about 60 bytes
 * per stack and 20 bytes per frame. If memory is short, -ENOMEM is returned.
 */
#include "export.h"
#include "frame-text.h"
#include "protobuf.h"
#include "text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Numbers of the fields in profile.proto that are written. */
enum {
	PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE = 2, PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4, PROFILE_FUNCTION = 5, PROFILE_STRING = 6,
	PROFILE_DURATION_NS = 10, PROFILE_PERIOD_TYPE = 11, PROFILE_PERIOD = 12,
	PROFILE_COMMENT = 13, PROFILE_DEFAULT_TYPE = 14,
	TYPE_NAME = 1, TYPE_UNIT = 2,
	SAMPLE_LOCATIONS = 1, SAMPLE_VALUES = 2, SAMPLE_LABEL = 3,
	LABEL_KEY = 1, LABEL_TEXT = 2, LABEL_NUMBER = 3,
	MAPPING_ID = 1, MAPPING_START = 2, MAPPING_LIMIT = 3, MAPPING_FILE = 5,
	MAPPING_BUILD_ID = 6, MAPPING_HAS_FUNCTIONS = 7,
	MAPPING_HAS_FILES = 8, MAPPING_HAS_LINES = 9, MAPPING_HAS_INLINES = 10,
	LOCATION_ID = 1, LOCATION_MAPPING = 2, LOCATION_ADDRESS = 3,
	LOCATION_LINE = 4,
	LINE_FUNCTION = 1, LINE_NUMBER = 2,
	FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_FILE = 4,
};

/* Distance between the address ranges of binaries: larger than any file. */
#define MAPPING_DISTANCE	(1ULL << 40)

#define MAX_TYPES		8

/*
 * A message under construction. The maps find the number of a location by its frame
 * or its name, and the number of a function by its name and file.
 */
struct making {
	const struct mp_profile *profile;
	struct mp_blob message;
	struct mp_blob inner, deeper;
	struct mp_names strings;
	struct mp_map functions;
	struct mp_map locations;
	struct mp_map lone;
	uint64_t *limits;		/* per binary: highest offset in use */
	uint32_t nr_locations;
	enum mp_metric types[MAX_TYPES];
	uint32_t nr_types;
	bool failed;
};

static uint64_t string_of(struct making *making, const char *text)
{
	uint32_t number = mp_names_add(&making->strings, text);

	making->failed |= number == MP_NAMES_NONE;
	return number;
}

static uint64_t function_of(struct making *making, const char *name,
			    const char *file)
{
	uint64_t name_string = string_of(making, name);
	uint64_t file_string = string_of(making, file ? file : "");
	uint32_t *known = mp_map_add(&making->functions, name_string,
				     file_string);

	if (!known) {
		making->failed = true;
		return 0;
	}
	if (*known != MP_MAP_NEW)
		return *known;
	*known = (uint32_t)making->functions.nr;
	mp_protobuf_number(&making->deeper, FUNCTION_ID, *known);
	mp_protobuf_number(&making->deeper, FUNCTION_NAME, name_string);
	/* no system_name: if both names are equal, pprof shortens them */
	mp_protobuf_number(&making->deeper, FUNCTION_FILE, file_string);
	mp_protobuf_message(&making->message, PROFILE_FUNCTION,
			    &making->deeper);
	return *known;
}

static void put_line(struct making *making, const char *name, const char *file,
		     uint32_t line)
{
	uint64_t function = function_of(making, name, file);

	mp_protobuf_number(&making->deeper, LINE_FUNCTION, function);
	mp_protobuf_number(&making->deeper, LINE_NUMBER, line);
	mp_protobuf_message(&making->inner, LOCATION_LINE, &making->deeper);
}

static void put_lines(struct making *making, const struct mp_frame *frame)
{
	const struct mp_symbols *symbols = &making->profile->symbols;
	const struct mp_line *line = &symbols->lines[frame->first];
	const char *name;
	char text[256];
	uint32_t i;

	mp_frame_text(making->profile, frame, text, sizeof(text));
	for (i = 0; i < frame->nr; i++) {
		name = mp_symbols_text(symbols, line[i].function);
		put_line(making, name ? name : text,
			 mp_symbols_text(symbols, line[i].file), line[i].line);
	}
	if (!frame->nr)
		put_line(making, text, NULL, 0);
}

/* Adds the address of a frame: the return address minus 1, inside the call. */
static void put_address(struct making *making, const struct mp_frame *frame)
{
	uint64_t *limit;

	if (mp_frame_is_mark(frame))
		return;
	if (!frame->binary) {
		mp_protobuf_number(&making->inner, LOCATION_ADDRESS,
				   frame->offset - 1);
		return;
	}
	limit = &making->limits[frame->binary - 1];
	if (frame->offset > *limit)
		*limit = frame->offset;
	mp_protobuf_number(&making->inner, LOCATION_MAPPING, frame->binary);
	mp_protobuf_number(&making->inner, LOCATION_ADDRESS,
			   frame->binary * MAPPING_DISTANCE +
			   frame->offset - 1);
}

/*
 * Finds a location, or begins a new one, which put_location() must end. NULL if memory
 * is short.
 */
static uint32_t *find_location(struct making *making, struct mp_map *map,
			       uint64_t key, bool *is_new)
{
	uint32_t *known = mp_map_add(map, key, 0);

	*is_new = known && *known == MP_MAP_NEW;
	making->failed |= !known;
	if (*is_new) {
		*known = ++making->nr_locations;
		mp_protobuf_number(&making->inner, LOCATION_ID, *known);
	}
	return known;
}

static void put_location(struct making *making)
{
	mp_protobuf_message(&making->message, PROFILE_LOCATION, &making->inner);
}

static uint64_t location_of_frame(struct making *making, uint32_t number)
{
	const struct mp_frame *frame = &making->profile->frames.list[number];
	bool is_new;
	uint32_t *known = find_location(making, &making->locations, number, &is_new);

	if (is_new) {
		put_address(making, frame);
		put_lines(making, frame);
		put_location(making);
	}
	return known ? *known : 0;
}

/* Finds or adds a location for a name that is not a function, such as "[dropped]". */
static uint64_t location_of_name(struct making *making, const char *name)
{
	bool is_new;
	uint32_t *known = find_location(making, &making->lone,
					string_of(making, name), &is_new);

	if (is_new) {
		put_line(making, name, NULL, 0);
		put_location(making);
	}
	return known ? *known : 0;
}

/* Lists the locations of a stack, innermost first; adds new ones to the message. */
static void list_locations(struct making *making, const struct mp_row *row,
			   struct mp_blob *list)
{
	const char *name = mp_stack_sample_name(row);
	struct mp_frames_stack stack;
	uint32_t i;

	if (name) {
		mp_protobuf_varint(list, location_of_name(making, name));
		return;
	}
	stack = mp_frames_stack(&making->profile->frames, row->location.stack - 1);
	for (i = 0; i < stack.nr; i++)
		mp_protobuf_varint(list, location_of_frame(making,
			(uint32_t)stack.list[i] - MP_FRAMES_FIRST));
	if (stack.end == MP_STACKS_CUT)
		mp_protobuf_varint(list, location_of_name(making,
							  MP_FRAME_TRUNCATED));
}

static void put_text_label(struct making *making, struct mp_blob *sample,
			   const char *key, const char *text)
{
	if (!text[0])
		return;
	mp_protobuf_number(&making->deeper, LABEL_KEY, string_of(making, key));
	mp_protobuf_number(&making->deeper, LABEL_TEXT,
			   string_of(making, text));
	mp_protobuf_message(sample, SAMPLE_LABEL, &making->deeper);
}

static void put_labels(struct making *making, const struct mp_row *row,
		       struct mp_blob *sample)
{
	char id[MP_CGROUP_ID_SIZE];
	const char *text;
	int what;

	if (row->pid) {
		mp_protobuf_number(&making->deeper, LABEL_KEY,
				   string_of(making, "pid"));
		mp_protobuf_number(&making->deeper, LABEL_NUMBER, row->pid);
		mp_protobuf_message(sample, SAMPLE_LABEL, &making->deeper);
	}
	put_text_label(making, sample, "comm", row->comm);
	put_text_label(making, sample, "cgroup",
		       mp_profile_cgroup(making->profile, row->cgroup, id));
	for (what = MP_CONTAINER_NAME; what < MP_NR_CONTAINER_TEXTS; what++) {
		text = mp_containers_find(&making->profile->containers, row->cgroup, what);
		if (text)
			put_text_label(making, sample, mp_container_key(what), text);
	}
}

static void put_sample(struct making *making, const struct mp_row *row)
{
	struct mp_blob sample = { 0 }, list = { 0 };
	uint32_t i;

	list_locations(making, row, &list);
	mp_protobuf_message(&sample, SAMPLE_LOCATIONS, &list);
	for (i = 0; i < making->nr_types; i++)
		mp_protobuf_varint(&list, row->value[making->types[i]]);
	mp_protobuf_message(&sample, SAMPLE_VALUES, &list);
	put_labels(making, row, &sample);
	mp_protobuf_message(&making->message, PROFILE_SAMPLE, &sample);
	free(list.data);
	free(sample.data);
}

static void put_build_id(struct making *making, const struct mp_binary *binary)
{
	char hex[2 * MP_BUILD_ID_SIZE + 1] = "";
	uint32_t i;

	for (i = 0; i < binary->build_id_size; i++)
		sprintf(hex + 2 * i, "%02x", binary->build_id[i]);
	mp_protobuf_number(&making->inner, MAPPING_BUILD_ID,
			   string_of(making, hex));
}

static void put_mapping(struct making *making, size_t number)
{
	const struct mp_binary *binary = &making->profile->binaries[number];
	char path[4 * MEMPROF_PATH_LEN + 1];
	uint64_t start = (number + 1) * MAPPING_DISTANCE;

	if (!making->limits[number])
		return;
	mp_text_escape(path, sizeof(path), binary->path, sizeof(binary->path));
	mp_protobuf_number(&making->inner, MAPPING_ID, number + 1);
	mp_protobuf_number(&making->inner, MAPPING_START, start);
	mp_protobuf_number(&making->inner, MAPPING_LIMIT,
			   start + ((making->limits[number] | 0xfff) + 1));
	mp_protobuf_number(&making->inner, MAPPING_FILE,
			   string_of(making, path));
	put_build_id(making, binary);
	mp_protobuf_number(&making->inner, MAPPING_HAS_FUNCTIONS, 1);
	mp_protobuf_number(&making->inner, MAPPING_HAS_FILES, 1);
	mp_protobuf_number(&making->inner, MAPPING_HAS_LINES, 1);
	mp_protobuf_number(&making->inner, MAPPING_HAS_INLINES, 1);
	mp_protobuf_message(&making->message, PROFILE_MAPPING, &making->inner);
}

/*
 * Returns the binary of the first stack's outermost frame: usually the program or the
 * C library. pprof takes the first mapping as the main binary.
 */
static size_t main_binary(const struct mp_export *export)
{
	const struct mp_frames *frames = &export->profile->frames;
	const struct mp_frame *frame;
	struct mp_frames_stack stack;
	size_t i;

	for (i = 0; i < export->samples.nr; i++) {
		const struct mp_location *location = &export->samples.rows[i]->location;

		if (!location->stack)
			continue;
		stack = mp_frames_stack(frames, location->stack - 1);
		frame = stack.nr ? mp_frames_at(frames, location->stack - 1,
						stack.nr - 1) : NULL;
		if (frame && frame->binary)
			return frame->binary - 1;
	}
	return 0;
}

static void put_mappings(struct making *making, const struct mp_export *export)
{
	size_t i, first = main_binary(export);

	if (first < making->profile->nr_binaries)
		put_mapping(making, first);
	for (i = 0; i < making->profile->nr_binaries; i++)
		if (i != first)
			put_mapping(making, i);
}

static void put_type(struct making *making, uint32_t field, const char *name,
		     enum mp_unit unit)
{
	mp_protobuf_number(&making->inner, TYPE_NAME, string_of(making, name));
	mp_protobuf_number(&making->inner, TYPE_UNIT,
			   string_of(making, unit == MP_UNIT_BYTES ? "bytes" :
								     "count"));
	mp_protobuf_message(&making->message, field, &making->inner);
}

/*
 * Chooses the sample types. The first four types are always written, because
 * other heap profilers write them, too. The other types are written if they are
 * not 0.
 */
static void choose_types(struct making *making, const struct mp_export *export)
{
	static const enum mp_metric all[MAX_TYPES - 1] = {
		MP_ALLOC_OBJECTS, MP_ALLOC_SPACE, MP_INUSE_OBJECTS,
		MP_INUSE_SPACE, MP_TOUCHED, MP_GROWTH, MP_PEAK_SPACE,
	};
	bool chosen = false;
	size_t i;

	for (i = 0; i < MAX_TYPES - 1; i++) {
		if (i >= 4 && all[i] != export->metric &&
		    !mp_stack_samples_have(&export->samples, all[i]))
			continue;
		chosen |= all[i] == export->metric;
		making->types[making->nr_types++] = all[i];
	}
	if (!chosen)
		making->types[making->nr_types++] = export->metric;
}

static void put_types(struct making *making, const struct mp_export *export)
{
	const struct mp_metric_info *info;
	uint32_t i;

	for (i = 0; i < making->nr_types; i++) {
		info = &mp_metrics[making->types[i]];
		put_type(making, PROFILE_SAMPLE_TYPE, info->key, info->unit);
	}
	mp_protobuf_number(&making->message, PROFILE_DEFAULT_TYPE,
			   string_of(making, mp_metrics[export->metric].key));
}

static void put_comments(struct making *making, const struct mp_export *export)
{
	const struct mp_profile *profile = making->profile;
	struct mp_blob list = { 0 };
	size_t i;

	mp_protobuf_varint(&list, string_of(making, export->exporter));
	mp_protobuf_varint(&list, string_of(making, export->title));
	for (i = 0; i < profile->nr_warnings; i++)
		mp_protobuf_varint(&list, string_of(making,
						    profile->warnings[i]));
	mp_protobuf_message(&making->message, PROFILE_COMMENT, &list);
	free(list.data);
}

static void put_meta(struct making *making, const struct mp_export *export)
{
	const struct mp_meta *meta = &making->profile->meta;
	const struct memprof_status *status = &meta->status;

	if (status->now_ns > status->reset_ns)
		mp_protobuf_number(&making->message, PROFILE_DURATION_NS,
				   status->now_ns - status->reset_ns);
	if (meta->alloc.rate) {
		put_type(making, PROFILE_PERIOD_TYPE, "space", MP_UNIT_BYTES);
		mp_protobuf_number(&making->message, PROFILE_PERIOD,
				   meta->alloc.rate);
	}
	put_comments(making, export);
}

static void make_message(struct making *making, const struct mp_export *export)
{
	const struct mp_stack_samples *samples = &export->samples;
	size_t i;

	string_of(making, "");
	choose_types(making, export);
	put_types(making, export);
	for (i = 0; i < samples->nr; i++)
		if (mp_row_has_any(samples->rows[i], making->types, making->nr_types))
			put_sample(making, samples->rows[i]);
	put_mappings(making, export);
	put_meta(making, export);
	for (i = 0; i < making->strings.nr; i++)
		mp_protobuf_bytes(&making->message, PROFILE_STRING,
				  making->strings.list[i],
				  strlen(making->strings.list[i]));
}

/* Writes the message compressed with zlib, in the format of gzip. */
static int compress_to(FILE *file, const struct mp_blob *message)
{
	z_stream stream = {
		.next_in = (unsigned char *)message->data,
	};
	unsigned char piece[65536];
	size_t left = message->size;
	int done;

	if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return -ENOMEM;
	do {
		/* the counter avail_in has 32 bits, so pass on at most 1 GiB at a time */
		if (!stream.avail_in) {
			stream.avail_in = left < 1 << 30 ? (unsigned int)left :
							   1 << 30;
			left -= stream.avail_in;
		}
		stream.next_out = piece;
		stream.avail_out = sizeof(piece);
		done = deflate(&stream, left ? Z_NO_FLUSH : Z_FINISH);
		fwrite(piece, 1, sizeof(piece) - stream.avail_out, file);
	} while (done == Z_OK || (done == Z_BUF_ERROR && left));
	deflateEnd(&stream);
	return done == Z_STREAM_END ? 0 : -EIO;
}

static int write_pprof(struct mp_export *export)
{
	struct making making = {
		.profile = export->profile,
		.limits = calloc(export->profile->nr_binaries + 1,
				 sizeof(*making.limits)),
	};
	int err = -ENOMEM;

	if (making.limits) {
		make_message(&making, export);
		if (!making.failed && !making.message.failed)
			err = compress_to(export->file, &making.message);
	}
	free(making.limits);
	free(making.message.data);
	free(making.inner.data);
	free(making.deeper.data);
	mp_names_free(&making.strings);
	mp_map_free(&making.functions);
	mp_map_free(&making.locations);
	mp_map_free(&making.lone);
	return err;
}

const struct mp_export_ops mp_export_pprof = {
	.name = "pprof",
	.summary = "for go tool pprof, Pyroscope and others: several metrics at once",
	.shape = MP_EXPORT_STACKS,
	.binary = true,
	.differs = true,
	.labels = true,
	.write = write_pprof,
};

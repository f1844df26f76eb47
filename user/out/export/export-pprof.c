// SPDX-License-Identifier: GPL-2.0-only
/*
 * export-pprof: writes a compressed profile.proto
 *
 * Frames are in location-table. The message is built in memory: about 60 bytes per stack
 * and 20 bytes per frame. If memory is short, -ENOMEM is returned.
 */
#include "export.h"
#include "location-table.h"
#include "owner-labels.h"
#include "protobuf.h"
#include "sample-types.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Numbers of the fields in profile.proto that are written. */
enum {
	PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE = 2, PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4, PROFILE_FUNCTION = 5, PROFILE_STRING = 6,
	PROFILE_TIME_NS = 9, PROFILE_DURATION_NS = 10, PROFILE_PERIOD_TYPE = 11, PROFILE_PERIOD = 12,
	PROFILE_COMMENT = 13, PROFILE_DEFAULT_TYPE = 14,
	TYPE_NAME = 1, TYPE_UNIT = 2,
	SAMPLE_LOCATIONS = 1, SAMPLE_VALUES = 2, SAMPLE_LABEL = 3,
	LABEL_KEY = 1, LABEL_TEXT = 2, LABEL_NUMBER = 3,
	MAPPING_ID = 1, MAPPING_START = 2, MAPPING_LIMIT = 3, MAPPING_FILE = 5,
	MAPPING_BUILD_ID = 6, MAPPING_HAS_FUNCTIONS = 7,
	MAPPING_HAS_FILES = 8, MAPPING_HAS_LINES = 9, MAPPING_HAS_INLINES = 10,
	LOCATION_ID = 1, LOCATION_MAPPING = 2, LOCATION_ADDRESS = 3,
	LOCATION_LINE = 4,
	FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_FILE = 4,
};

/* Longest command name of the kernel */
#define COMM_MAX	15

static const struct mp_location_fields fields = {
	.location = PROFILE_LOCATION, .function = PROFILE_FUNCTION,
	.location_id = LOCATION_ID, .location_mapping = LOCATION_MAPPING,
	.location_address = LOCATION_ADDRESS, .location_line = LOCATION_LINE,
	.function_id = FUNCTION_ID, .function_name = FUNCTION_NAME,
	.function_file = FUNCTION_FILE,
};

/* A message under construction */
struct making {
	const struct mp_profile *profile;
	struct mp_location_table table;
	struct mp_blob message;
	struct mp_blob inner, deeper;
	enum mp_metric types[MP_SAMPLE_MAX_TYPES];
	uint32_t nr_types;
};

static uint64_t string_of(struct making *making, const char *text)
{
	return mp_location_table_string(&making->table, text);
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
	struct mp_owner_label labels[MP_MAX_OWNER_LABELS];
	size_t i, nr = mp_owner_labels(making->profile, row->cgroup, labels);

	if (row->pid) {
		mp_protobuf_number(&making->deeper, LABEL_KEY,
				   string_of(making, "pid"));
		mp_protobuf_number(&making->deeper, LABEL_NUMBER, row->pid);
		mp_protobuf_message(sample, SAMPLE_LABEL, &making->deeper);
	}
	put_text_label(making, sample, "comm", row->comm);
	for (i = 0; i < nr; i++)
		put_text_label(making, sample, labels[i].name, labels[i].value);
}

static void put_sample(struct making *making, const struct mp_row *row)
{
	struct mp_blob sample = { 0 }, list = { 0 };
	uint32_t i;

	mp_location_table_list(&making->table, row, &list);
	mp_protobuf_message(&sample, SAMPLE_LOCATIONS, &list);
	for (i = 0; i < making->nr_types; i++)
		mp_protobuf_varint(&list, row->value[making->types[i]]);
	mp_protobuf_message(&sample, SAMPLE_VALUES, &list);
	put_labels(making, row, &sample);
	mp_protobuf_message(&making->message, PROFILE_SAMPLE, &sample);
	free(list.data);
	free(sample.data);
}

static void put_mapping(struct making *making, uint32_t number)
{
	struct mp_location_mapping mapping;

	mp_location_table_describe(&making->table, number, &mapping);
	mp_protobuf_number(&making->inner, MAPPING_ID, number);
	mp_protobuf_number(&making->inner, MAPPING_START, mapping.start);
	mp_protobuf_number(&making->inner, MAPPING_LIMIT, mapping.limit);
	mp_protobuf_number(&making->inner, MAPPING_FILE, string_of(making, mapping.file));
	mp_protobuf_number(&making->inner, MAPPING_BUILD_ID,
			   string_of(making, mapping.build_id));
	mp_protobuf_number(&making->inner, MAPPING_HAS_FUNCTIONS, 1);
	mp_protobuf_number(&making->inner, MAPPING_HAS_FILES, 1);
	mp_protobuf_number(&making->inner, MAPPING_HAS_LINES, 1);
	mp_protobuf_number(&making->inner, MAPPING_HAS_INLINES, 1);
	mp_protobuf_message(&making->message, PROFILE_MAPPING, &making->inner);
}

/* Returns the mapping of the file whose name is that of the first stack's command, or 0. */
static uint32_t named_mapping(struct making *making, const struct mp_export *export)
{
	const char *comm = export->samples.nr ? export->samples.rows[0]->comm : "";
	struct mp_location_mapping mapping;
	const char *name;
	uint32_t i;

	for (i = 1; comm[0] && i <= making->table.nr_mappings; i++) {
		mp_location_table_describe(&making->table, i, &mapping);
		name = strrchr(mapping.file, '/');
		/* a long name is cut in a command */
		if (name && !strncmp(name + 1, comm, strlen(comm)) &&
		    (strlen(comm) == COMM_MAX || !name[1 + strlen(comm)]))
			return i;
	}
	return 0;
}

/*
 * Returns the mapping of the first stack's outermost frame that has one: usually the
 * program or the C library.
 */
static uint32_t outermost_mapping(struct making *making, const struct mp_export *export)
{
	const struct mp_frames *frames = &export->profile->frames;
	struct mp_frames_stack stack;
	uint32_t number;
	size_t i;

	for (i = 0; i < export->samples.nr; i++) {
		const struct mp_location *location = &export->samples.rows[i]->location;

		if (!location->stack)
			continue;
		stack = mp_frames_stack(frames, location->stack - 1);
		number = stack.nr ? mp_location_table_find(&making->table,
				mp_frames_at(frames, location->stack - 1, stack.nr - 1)) : 0;
		if (number)
			return number;
	}
	return 0;
}

static void put_mappings(struct making *making, const struct mp_export *export)
{
	/* pprof takes the first mapping as the main binary */
	uint32_t i, first = named_mapping(making, export) ?: outermost_mapping(making, export);

	if (first)
		put_mapping(making, first);
	for (i = 1; i <= making->table.nr_mappings; i++)
		if (i != first)
			put_mapping(making, i);
}

static void put_type(struct making *making, uint32_t field, const char *name,
		     enum mp_unit unit)
{
	mp_protobuf_number(&making->inner, TYPE_NAME, string_of(making, name));
	mp_protobuf_number(&making->inner, TYPE_UNIT,
			   string_of(making, mp_sample_unit(unit)));
	mp_protobuf_message(&making->message, field, &making->inner);
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

	if (meta->origin.zero_ns)
		mp_protobuf_number(&making->message, PROFILE_TIME_NS,
				   meta->origin.zero_ns + status->reset_ns);
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
	const struct mp_names *strings = &making->table.strings;
	size_t i;

	string_of(making, "");
	making->nr_types = mp_sample_types(export, making->types);
	put_types(making, export);
	for (i = 0; i < samples->nr; i++)
		if (mp_row_has_any(samples->rows[i], making->types, making->nr_types))
			put_sample(making, samples->rows[i]);
	put_mappings(making, export);
	put_meta(making, export);
	for (i = 0; i < strings->nr; i++)
		mp_protobuf_bytes(&making->message, PROFILE_STRING,
				  strings->list[i], strlen(strings->list[i]));
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
	struct making making = { .profile = export->profile };
	int err = mp_location_table_init(&making.table, export->profile, &fields,
					 &making.message);

	if (!err) {
		make_message(&making, export);
		err = making.table.failed || making.message.failed ? -ENOMEM :
		      compress_to(export->file, &making.message);
	}
	mp_location_table_free(&making.table);
	free(making.message.data);
	free(making.inner.data);
	free(making.deeper.data);
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

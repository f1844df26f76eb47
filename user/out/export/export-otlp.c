// SPDX-License-Identifier: GPL-2.0-only
/*
 * export-otlp: writes the request by which OpenTelemetry's collectors take profiles
 *
 * It is an ExportProfilesServiceRequest of opentelemetry.proto.collector.profiles.v1development,
 * with the fields of release 1.10 of the definitions. The signal is in development: releases
 * until 1.9 number the fields of Sample and Profile in other ways. Each cgroup is a resource
 * with a profile for each metric, because a profile has one type of values. What profiles
 * have in common is in one dictionary, whose tables begin with an empty element. The message
 * is built in memory: about 30 bytes per stack and metric, and 20 bytes per frame. If memory
 * is short, -ENOMEM is returned.
 */
#include "export.h"
#include "frame-language.h"
#include "location-table.h"
#include "owner-labels.h"
#include "protobuf.h"
#include "sample-types.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	REQUEST_RESOURCES = 1, REQUEST_DICTIONARY = 2,
	RESOURCES_RESOURCE = 1, RESOURCES_SCOPES = 2,
	RESOURCE_ATTRIBUTE = 1,
	SCOPES_SCOPE = 1, SCOPES_PROFILE = 2,
	SCOPE_NAME = 1, SCOPE_VERSION = 2,
	PAIR_KEY = 1, PAIR_VALUE = 2,
	VALUE_TEXT = 1, VALUE_NUMBER = 3,
	PROFILE_TYPE = 1, PROFILE_SAMPLE = 2, PROFILE_TIME = 3, PROFILE_DURATION = 4,
	PROFILE_PERIOD_TYPE = 5, PROFILE_PERIOD = 6, PROFILE_ID = 7,
	TYPE_NAME = 1, TYPE_UNIT = 2,
	SAMPLE_STACK = 1, SAMPLE_ATTRIBUTES = 2, SAMPLE_VALUES = 4,
	TABLE_MAPPING = 1, TABLE_LOCATION = 2, TABLE_FUNCTION = 3, TABLE_LINK = 4,
	TABLE_STRING = 5, TABLE_ATTRIBUTE = 6, TABLE_STACK = 7,
	MAPPING_START = 1, MAPPING_LIMIT = 2, MAPPING_FILE = 4, MAPPING_ATTRIBUTES = 5,
	STACK_LOCATIONS = 1,
};

#define PROFILE_ID_SIZE		16

static const struct mp_location_fields fields = {
	.location = TABLE_LOCATION, .function = TABLE_FUNCTION,
	.location_mapping = 1, .location_address = 2, .location_line = 3,
	.location_attributes = 4,
	.function_name = 1, .function_file = 3,
};

/*
 * A request under construction. The maps find the number of an attribute by its key and
 * value, and the number of a stack.
 */
struct making {
	const struct mp_export *export;
	const struct mp_profile *profile;
	struct mp_location_table table;
	struct mp_blob request, dictionary;
	struct mp_blob resource, scope, one;	/* levels of messages inside of the request */
	struct mp_blob sample, list, value;
	struct mp_map attributes, stacks;
	uint32_t type_attributes[MP_NR_LANGUAGES];
	enum mp_metric types[MP_SAMPLE_MAX_TYPES];
	uint32_t nr_types;
};

static void put_text(struct mp_blob *to, uint32_t field, const char *text)
{
	mp_protobuf_bytes(to, field, text, strlen(text));
}

static uint32_t type_attribute(void *context, const struct mp_frame *frame)
{
	const struct making *making = context;

	return mp_frame_is_mark(frame) ? 0 :
	       making->type_attributes[mp_frame_language(making->profile, frame)];
}

/* The element that stands for "none" in each table */
static void begin_tables(struct making *making)
{
	uint32_t field;

	mp_location_table_string(&making->table, "");
	for (field = TABLE_MAPPING; field <= TABLE_STACK; field++)
		if (field != TABLE_STRING)
			mp_protobuf_bytes(&making->dictionary, field, "", 0);
}

/* Finds or adds an attribute; @text is NULL for a number. */
static uint32_t attribute_of(struct making *making, const char *key, const char *text,
			     uint64_t number)
{
	uint64_t key_string = mp_location_table_string(&making->table, key);
	uint64_t value = text ? mp_location_table_string(&making->table, text) : number;
	uint32_t *known = mp_map_add(&making->attributes, key_string << 1 | !text, value);

	if (!known) {
		making->table.failed = true;
		return 0;
	}
	if (*known != MP_MAP_NEW)
		return *known;
	*known = (uint32_t)making->attributes.nr;
	if (text)
		put_text(&making->value, VALUE_TEXT, text);
	else
		mp_protobuf_number(&making->value, VALUE_NUMBER, number);
	mp_protobuf_number(&making->list, PAIR_KEY, key_string);
	mp_protobuf_message(&making->list, PAIR_VALUE, &making->value);
	mp_protobuf_message(&making->dictionary, TABLE_ATTRIBUTE, &making->list);
	return *known;
}

static uint32_t stack_of(struct making *making, const struct mp_row *row)
{
	const char *name = mp_stack_sample_name(row);
	uint32_t *known = mp_map_add(&making->stacks, !!name,
				     name ? mp_location_table_string(&making->table, name) :
					    row->location.stack);

	if (!known) {
		making->table.failed = true;
		return 0;
	}
	if (*known != MP_MAP_NEW)
		return *known;
	*known = (uint32_t)making->stacks.nr;
	mp_location_table_list(&making->table, row, &making->value);
	mp_protobuf_message(&making->list, STACK_LOCATIONS, &making->value);
	mp_protobuf_message(&making->dictionary, TABLE_STACK, &making->list);
	return *known;
}

static void put_sample(struct making *making, const struct mp_row *row, enum mp_metric type)
{
	struct mp_blob *sample = &making->sample, numbers = { 0 };

	mp_protobuf_number(sample, SAMPLE_STACK, stack_of(making, row));
	if (row->pid)
		mp_protobuf_varint(&numbers, attribute_of(making, "process.pid", NULL,
							  row->pid));
	if (row->comm[0])
		mp_protobuf_varint(&numbers, attribute_of(making, "process.executable.name",
							  row->comm, 0));
	if (numbers.size)
		mp_protobuf_message(sample, SAMPLE_ATTRIBUTES, &numbers);
	mp_protobuf_varint(&numbers, row->value[type]);
	mp_protobuf_message(sample, SAMPLE_VALUES, &numbers);
	mp_protobuf_message(&making->one, PROFILE_SAMPLE, sample);
	free(numbers.data);
}

static void put_type(struct making *making, uint32_t field, const char *name,
		     enum mp_unit unit)
{
	mp_protobuf_number(&making->value, TYPE_NAME,
			   mp_location_table_string(&making->table, name));
	mp_protobuf_number(&making->value, TYPE_UNIT,
			   mp_location_table_string(&making->table, mp_sample_unit(unit)));
	mp_protobuf_message(&making->one, field, &making->value);
}

/* The time, and an id, which is made of the time, the cgroup and the metric */
static void put_meta(struct making *making, uint64_t cgroup, enum mp_metric type)
{
	const struct mp_meta *meta = &making->profile->meta;
	const struct memprof_status *status = &meta->status;
	uint64_t id[PROFILE_ID_SIZE / sizeof(uint64_t)] = {
		mp_map_hash(status->now_ns, cgroup), mp_map_hash(cgroup, type) | 1,
	};

	if (meta->origin.zero_ns)
		mp_protobuf_fixed64(&making->one, PROFILE_TIME,
				    meta->origin.zero_ns + status->reset_ns);
	if (status->now_ns > status->reset_ns)
		mp_protobuf_number(&making->one, PROFILE_DURATION,
				   status->now_ns - status->reset_ns);
	if (meta->alloc.rate && mp_metrics[type].sampled & MP_FROM_ALLOC) {
		put_type(making, PROFILE_PERIOD_TYPE, "space", MP_UNIT_BYTES);
		mp_protobuf_number(&making->one, PROFILE_PERIOD, meta->alloc.rate);
	}
	mp_protobuf_bytes(&making->one, PROFILE_ID, id, sizeof(id));
}

/* Adds the profile of a metric, if any of @nr rows of the cgroup has it. */
static void put_profile(struct making *making, const struct mp_row **rows, size_t nr,
			enum mp_metric type)
{
	bool any = false;
	size_t i;

	for (i = 0; i < nr && !any; i++)
		any = rows[i]->value[type];
	if (!any)
		return;
	put_type(making, PROFILE_TYPE, mp_metrics[type].key, mp_metrics[type].unit);
	for (i = 0; i < nr; i++)
		if (rows[i]->value[type])
			put_sample(making, rows[i], type);
	put_meta(making, rows[0]->cgroup, type);
	mp_protobuf_message(&making->scope, SCOPES_PROFILE, &making->one);
}

static void put_attribute(struct making *making, const char *key, const char *text)
{
	if (!text[0])
		return;
	put_text(&making->value, VALUE_TEXT, text);
	put_text(&making->list, PAIR_KEY, key);
	mp_protobuf_message(&making->list, PAIR_VALUE, &making->value);
	mp_protobuf_message(&making->one, RESOURCE_ATTRIBUTE, &making->list);
}

static void put_resource(struct making *making, uint64_t cgroup)
{
	const struct mp_origin *origin = &making->profile->meta.origin;
	struct mp_owner_label labels[MP_MAX_OWNER_LABELS];
	size_t i, nr = mp_owner_labels(making->profile, cgroup, labels);
	char service[MP_OWNER_LABEL_SIZE];

	mp_owner_service(labels, nr, making->export->service ?: "memprof", service);
	put_attribute(making, "service.name", service);
	put_attribute(making, "host.name", origin->host);
	put_attribute(making, "os.type", "linux");
	put_attribute(making, "os.version", origin->kernel);
	for (i = 0; i < nr; i++)
		put_attribute(making, labels[i].attribute, labels[i].value);
	mp_protobuf_message(&making->resource, RESOURCES_RESOURCE, &making->one);
}

static void put_scope(struct making *making)
{
	const char *version = strchr(making->export->exporter, ' ');

	put_text(&making->value, SCOPE_NAME, "memprof");
	if (version)
		put_text(&making->value, SCOPE_VERSION, version + 1);
	mp_protobuf_message(&making->scope, SCOPES_SCOPE, &making->value);
}

static void put_cgroup(struct making *making, const struct mp_row **rows, size_t nr)
{
	uint32_t i;

	put_resource(making, rows[0]->cgroup);
	put_scope(making);
	for (i = 0; i < making->nr_types; i++)
		put_profile(making, rows, nr, making->types[i]);
	mp_protobuf_message(&making->resource, RESOURCES_SCOPES, &making->scope);
	mp_protobuf_message(&making->request, REQUEST_RESOURCES, &making->resource);
}

static int compare_cgroups(const void *a, const void *b)
{
	const struct mp_row *x = *(const struct mp_row *const *)a;
	const struct mp_row *y = *(const struct mp_row *const *)b;

	return x->cgroup < y->cgroup ? -1 : x->cgroup > y->cgroup;
}

static int put_cgroups(struct making *making)
{
	const struct mp_stack_samples *samples = &making->export->samples;
	const struct mp_row **rows = reallocarray(NULL, samples->nr + 1, sizeof(*rows));
	size_t i, nr = 0, end;

	if (!rows)
		return -ENOMEM;
	for (i = 0; i < samples->nr; i++)
		if (mp_row_has_any(samples->rows[i], making->types, making->nr_types))
			rows[nr++] = samples->rows[i];
	qsort(rows, nr, sizeof(*rows), compare_cgroups);
	for (i = 0; i < nr; i = end) {
		for (end = i + 1; end < nr && rows[end]->cgroup == rows[i]->cgroup; end++)
			;
		put_cgroup(making, rows + i, end - i);
	}
	free(rows);
	return 0;
}

static void put_mapping(struct making *making, uint32_t number)
{
	struct mp_location_mapping mapping;
	struct mp_blob list = { 0 };

	mp_location_table_describe(&making->table, number, &mapping);
	if (mapping.build_id[0])
		mp_protobuf_varint(&list, attribute_of(making,
				   "process.executable.build_id.gnu", mapping.build_id, 0));
	mp_protobuf_number(&making->one, MAPPING_START, mapping.start);
	mp_protobuf_number(&making->one, MAPPING_LIMIT, mapping.limit);
	mp_protobuf_number(&making->one, MAPPING_FILE,
			   mp_location_table_string(&making->table, mapping.file));
	if (list.size)
		mp_protobuf_message(&making->one, MAPPING_ATTRIBUTES, &list);
	mp_protobuf_message(&making->dictionary, TABLE_MAPPING, &making->one);
	free(list.data);
}

static int make_request(struct making *making)
{
	const struct mp_names *strings = &making->table.strings;
	size_t i;
	int err;

	begin_tables(making);
	/* all of them first: stacks are being made when frames need them */
	for (i = 0; i < MP_NR_LANGUAGES; i++)
		making->type_attributes[i] = attribute_of(making, "profile.frame.type",
							  mp_languages[i].frame_type, 0);
	making->table.attribute = type_attribute;
	making->table.context = making;
	making->nr_types = mp_sample_types(making->export, making->types);
	err = put_cgroups(making);
	for (i = 1; i <= making->table.nr_mappings; i++)
		put_mapping(making, (uint32_t)i);
	for (i = 0; i < strings->nr; i++)
		put_text(&making->dictionary, TABLE_STRING, strings->list[i]);
	mp_protobuf_message(&making->request, REQUEST_DICTIONARY, &making->dictionary);
	return err ?: making->table.failed || making->request.failed ? -ENOMEM : 0;
}

static void free_making(struct making *making)
{
	struct mp_blob *const blobs[] = {
		&making->request, &making->dictionary, &making->resource, &making->scope,
		&making->one, &making->sample, &making->list, &making->value,
	};
	size_t i;

	for (i = 0; i < sizeof(blobs) / sizeof(blobs[0]); i++)
		free(blobs[i]->data);
	mp_map_free(&making->attributes);
	mp_map_free(&making->stacks);
	mp_location_table_free(&making->table);
}

static int write_otlp(struct mp_export *export)
{
	struct making making = { .export = export, .profile = export->profile };
	int err;

	export->with_sizes = true;
	err = mp_location_table_init(&making.table, export->profile, &fields,
				     &making.dictionary);
	if (!err)
		err = make_request(&making);
	if (!err)
		fwrite(making.request.data, 1, making.request.size, export->file);
	free_making(&making);
	return err;
}

const struct mp_export_ops mp_export_otlp = {
	.name = "otlp",
	.summary = "for OpenTelemetry's collectors: the request of the profiles signal",
	.shape = MP_EXPORT_STACKS,
	.binary = true,
	.labels = true,
	.write = write_otlp,
};

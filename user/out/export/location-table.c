// SPDX-License-Identifier: GPL-2.0-only
/*
 * location-table: numbers frames, functions and texts in the order in which stacks use them
 *
 * It costs about 20 bytes per frame. If memory is short, the table is marked as failed.
 */
#include "location-table.h"
#include "frame-language.h"
#include "frame-text.h"
#include "protobuf.h"
#include "stack-samples.h"
#include "text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The same in both formats */
enum { LINE_FUNCTION = 1, LINE_NUMBER = 2 };

int mp_location_table_init(struct mp_location_table *table, const struct mp_profile *profile,
			   const struct mp_location_fields *fields, struct mp_blob *message)
{
	const size_t nr = profile->nr_binaries + MP_NR_LANGUAGES;

	*table = (struct mp_location_table){
		.profile = profile, .fields = fields, .message = message,
		.order = calloc(nr, sizeof(*table->order)),
		.numbers = calloc(nr, sizeof(*table->numbers)),
		.limits = calloc(nr, sizeof(*table->limits)),
	};
	return table->order && table->numbers && table->limits ? 0 : -ENOMEM;
}

uint64_t mp_location_table_string(struct mp_location_table *table, const char *text)
{
	uint32_t number = mp_names_add(&table->strings, text);

	table->failed |= number == MP_NAMES_NONE;
	return number;
}

/* What has a mapping: a binary, or behind all binaries a language. UINT32_MAX: nothing */
static uint32_t mapped_of(const struct mp_location_table *table, const struct mp_frame *frame)
{
	const enum mp_language language = mp_frame_is_mark(frame) ? MP_LANGUAGE_NATIVE :
					  mp_frame_language(table->profile, frame);

	if (mp_languages[language].binary)
		return (uint32_t)table->profile->nr_binaries + language;
	return frame->binary ? frame->binary - 1 : UINT32_MAX;
}

uint32_t mp_location_table_find(const struct mp_location_table *table,
				const struct mp_frame *frame)
{
	const uint32_t mapped = mapped_of(table, frame);

	return mapped == UINT32_MAX ? 0 : table->numbers[mapped];
}

void mp_location_table_describe(const struct mp_location_table *table, uint32_t number,
				struct mp_location_mapping *mapping)
{
	const uint32_t mapped = table->order[number - 1];
	const struct mp_profile *profile = table->profile;
	const struct mp_binary *binary;
	uint32_t i;

	*mapping = (struct mp_location_mapping){ .build_id = "" };
	if (mapped >= profile->nr_binaries) {
		snprintf(mapping->file, sizeof(mapping->file), "%s",
			 mp_languages[mapped - profile->nr_binaries].binary);
		return;
	}
	binary = &profile->binaries[mapped];
	mapping->start = (mapped + 1) * MP_MAPPING_DISTANCE;
	mapping->limit = mapping->start + ((table->limits[mapped] | 0xfff) + 1);
	mp_text_escape(mapping->file, sizeof(mapping->file), binary->path, sizeof(binary->path));
	for (i = 0; i < binary->build_id_size; i++)
		sprintf(mapping->build_id + 2 * i, "%02x", binary->build_id[i]);
}

static void put_number(struct mp_blob *message, uint32_t field, uint64_t value)
{
	if (field)
		mp_protobuf_number(message, field, value);
}

static uint64_t function_of(struct mp_location_table *table, const char *name,
			    const char *file)
{
	const struct mp_location_fields *fields = table->fields;
	uint64_t name_string = mp_location_table_string(table, name);
	uint64_t file_string = mp_location_table_string(table, file ? file : "");
	uint32_t *known = mp_map_add(&table->functions, name_string, file_string);

	if (!known) {
		table->failed = true;
		return 0;
	}
	if (*known != MP_MAP_NEW)
		return *known;
	*known = (uint32_t)table->functions.nr;
	put_number(&table->deeper, fields->function_id, *known);
	put_number(&table->deeper, fields->function_name, name_string);
	/* no system_name: if both names are equal, pprof shortens them */
	put_number(&table->deeper, fields->function_file, file_string);
	mp_protobuf_message(table->message, fields->function, &table->deeper);
	return *known;
}

static void put_line(struct mp_location_table *table, const char *name, const char *file,
		     uint32_t line)
{
	uint64_t function = function_of(table, name, file);

	mp_protobuf_number(&table->deeper, LINE_FUNCTION, function);
	mp_protobuf_number(&table->deeper, LINE_NUMBER, line);
	mp_protobuf_message(&table->inner, table->fields->location_line, &table->deeper);
}

static void put_lines(struct mp_location_table *table, const struct mp_frame *frame)
{
	const struct mp_symbols *symbols = &table->profile->symbols;
	const struct mp_line *line = &symbols->lines[frame->first];
	const char *name;
	char text[256];
	uint32_t i;

	mp_frame_text(table->profile, frame, text, sizeof(text));
	for (i = 0; i < frame->nr; i++) {
		name = mp_symbols_text(symbols, line[i].function);
		put_line(table, name ? name : text,
			 mp_symbols_text(symbols, line[i].file), line[i].line);
	}
	if (!frame->nr)
		put_line(table, text, NULL, 0);
}

static void put_mapping(struct mp_location_table *table, uint32_t mapped)
{
	if (!table->numbers[mapped]) {
		table->order[table->nr_mappings] = mapped;
		table->numbers[mapped] = ++table->nr_mappings;
	}
	put_number(&table->inner, table->fields->location_mapping, table->numbers[mapped]);
}

/* Adds mapping and address of a frame: the return address minus 1, inside the call. */
static void put_address(struct mp_location_table *table, const struct mp_frame *frame)
{
	const uint32_t field = table->fields->location_address;
	const uint32_t mapped = mapped_of(table, frame);

	if (mapped != UINT32_MAX)
		put_mapping(table, mapped);
	if (mapped < table->profile->nr_binaries) {
		if (frame->offset > table->limits[mapped])
			table->limits[mapped] = frame->offset;
		put_number(&table->inner, field,
			   frame->binary * MP_MAPPING_DISTANCE + frame->offset - 1);
	} else if (mapped == UINT32_MAX && !mp_frame_is_mark(frame)) {
		put_number(&table->inner, field, frame->offset - 1);
	}
}

/* Adds a list of one attribute. */
static void put_attribute(struct mp_location_table *table, const struct mp_frame *frame)
{
	const uint32_t number = table->attribute ? table->attribute(table->context, frame) : 0;

	if (!number)
		return;
	mp_protobuf_varint(&table->deeper, number);
	mp_protobuf_message(&table->inner, table->fields->location_attributes, &table->deeper);
}

/*
 * Finds a location, or begins a new one, which put_location() must end. NULL if memory
 * is short.
 */
static uint32_t *find_location(struct mp_location_table *table, struct mp_map *map,
			       uint64_t key, bool *is_new)
{
	uint32_t *known = mp_map_add(map, key, 0);

	*is_new = known && *known == MP_MAP_NEW;
	table->failed |= !known;
	if (*is_new) {
		*known = ++table->nr_locations;
		put_number(&table->inner, table->fields->location_id, *known);
	}
	return known;
}

static void put_location(struct mp_location_table *table)
{
	mp_protobuf_message(table->message, table->fields->location, &table->inner);
}

static uint64_t location_of_frame(struct mp_location_table *table, uint32_t number)
{
	const struct mp_frame *frame = &table->profile->frames.list[number];
	bool is_new;
	uint32_t *known = find_location(table, &table->locations, number, &is_new);

	if (is_new) {
		put_address(table, frame);
		put_lines(table, frame);
		put_attribute(table, frame);
		put_location(table);
	}
	return known ? *known : 0;
}

/* Finds or adds a location for a name that is not a function, such as "[dropped]". */
static uint64_t location_of_name(struct mp_location_table *table, const char *name)
{
	bool is_new;
	uint32_t *known = find_location(table, &table->lone,
					mp_location_table_string(table, name), &is_new);

	if (is_new) {
		put_line(table, name, NULL, 0);
		put_location(table);
	}
	return known ? *known : 0;
}

void mp_location_table_list(struct mp_location_table *table, const struct mp_row *row,
			    struct mp_blob *list)
{
	const char *name = mp_stack_sample_name(row);
	struct mp_frames_stack stack;
	uint32_t i;

	if (name) {
		mp_protobuf_varint(list, location_of_name(table, name));
		return;
	}
	stack = mp_frames_stack(&table->profile->frames, row->location.stack - 1);
	for (i = 0; i < stack.nr; i++)
		mp_protobuf_varint(list, location_of_frame(table,
			(uint32_t)stack.list[i] - MP_FRAMES_FIRST));
	if (stack.end == MP_STACKS_CUT)
		mp_protobuf_varint(list, location_of_name(table, MP_FRAME_TRUNCATED));
}

void mp_location_table_free(struct mp_location_table *table)
{
	free(table->order);
	free(table->numbers);
	free(table->limits);
	free(table->inner.data);
	free(table->deeper.data);
	mp_names_free(&table->strings);
	mp_map_free(&table->functions);
	mp_map_free(&table->locations);
	mp_map_free(&table->lone);
}

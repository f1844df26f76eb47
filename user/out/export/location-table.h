/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * location-table: the locations, functions, mappings and strings of a profile, for pprof
 * and for OTLP, which descends from it
 *
 * Each frame is a location, with a line for each inlined function and an address. Each
 * binary is a mapping with its own range of addresses, beginning with file offset 0. So
 * readers can find sources and code. Functions of an interpreter have no address, and each
 * language that has such functions is a mapping.
 */
#ifndef MP_LOCATION_TABLE_H
#define MP_LOCATION_TABLE_H

#include "blob.h"
#include "map.h"
#include "names.h"
#include "profile.h"

#include <stdbool.h>

/* Distance between the address ranges of binaries: larger than any file. */
#define MP_MAPPING_DISTANCE	(1ULL << 40)

/**
 * struct mp_location_fields - numbers of the fields of a format; 0: it has no such field
 * @location, @function: of the message that has both
 * @location_id, @location_mapping, @location_address, @location_line: of a location
 * @location_attributes: of a location, a list with what mp_location_table.attribute returns
 * @function_id, @function_name, @function_file: of a function
 */
struct mp_location_fields {
	uint32_t location, function;
	uint32_t location_id, location_mapping, location_address, location_line;
	uint32_t location_attributes;
	uint32_t function_id, function_name, function_file;
};

/**
 * struct mp_location_mapping - a binary, or a language
 * @start, @limit: its addresses; 0 of a language
 * @file: path of the binary, or the language in brackets: "[python]"
 * @build_id: hexadecimal digits; empty if it is not known
 */
struct mp_location_mapping {
	uint64_t start, limit;
	char file[4 * MEMPROF_PATH_LEN + 1];
	char build_id[2 * MP_BUILD_ID_SIZE + 1];
};

/**
 * struct mp_location_table - tables under construction
 * @profile: whose frames they are
 * @fields: of the format
 * @message: gets locations and functions, in the order of their numbers, which begin at 1
 * @strings: the texts, by number; the caller adds "" first
 * @order: binaries and languages, in the order of their numbers as mappings, which begin at 1
 * @numbers: numbers of the mappings: of the binaries of the profile, then of the languages;
 *	0: none
 * @nr_mappings: number of elements in @order
 * @limits: highest offset in use, by binary
 * @attribute: number of a frame's attribute, or 0; set by the caller, if there is such a field
 * @context: for @attribute
 * @failed: memory was short
 *
 * Maps find the number of a location by its frame or its name, and the number of a function
 * by its name and file.
 */
struct mp_location_table {
	const struct mp_profile *profile;
	const struct mp_location_fields *fields;
	struct mp_blob *message;
	struct mp_names strings;
	uint32_t *order, *numbers;
	uint32_t nr_mappings;
	uint64_t *limits;
	uint32_t (*attribute)(void *context, const struct mp_frame *frame);
	void *context;
	bool failed;
	struct mp_blob inner, deeper;
	struct mp_map functions, locations, lone;
	uint32_t nr_locations;
};

/**
 * mp_location_table_init - begin the tables
 *
 * Return: 0, or -ENOMEM. The caller frees them also then.
 */
int mp_location_table_init(struct mp_location_table *table, const struct mp_profile *profile,
			   const struct mp_location_fields *fields, struct mp_blob *message);

/** mp_location_table_string - number of a text, which is added if it is new */
uint64_t mp_location_table_string(struct mp_location_table *table, const char *text);

/** mp_location_table_find - number of the mapping of a frame; 0: it has none so far */
uint32_t mp_location_table_find(const struct mp_location_table *table,
				const struct mp_frame *frame);

/** mp_location_table_describe - what is known of the mapping with a number */
void mp_location_table_describe(const struct mp_location_table *table, uint32_t number,
				struct mp_location_mapping *mapping);

/**
 * mp_location_table_list - append the locations of a row, innermost first, as packed numbers
 *
 * Locations and functions that are new are added to the message.
 */
void mp_location_table_list(struct mp_location_table *table, const struct mp_row *row,
			    struct mp_blob *list);

/** mp_location_table_free - free all but the message */
void mp_location_table_free(struct mp_location_table *table);

#endif

// SPDX-License-Identifier: GPL-2.0-only
/*
 * listing: writes binaries as text or JSON
 *
 * Each binary is written when it is found, so columns have fixed widths. The
 * caller checks the stream for errors.
 */
#include "listing.h"
#include "json-object.h"
#include "json.h"
#include "demangle.h"
#include "text.h"

#include <json-c/json.h>
#include <limits.h>
#include <string.h>

#define PATH_SIZE	(4 * PATH_MAX)
#define NAME_WIDTH	40

static const char *shown_path(char *to, const char *path)
{
	mp_text_escape(to, PATH_SIZE, path, strlen(path));
	return to;
}

void mp_listing_begin(FILE *file)
{
	fprintf(file, "%-*s  %-14s  %-26s  %s\n", NAME_WIDTH, "FUNCTION",
		"KIND", "POINT", "COST");
}

static void print_point(FILE *file, const struct mp_point *point)
{
	unsigned int ns = mp_point_cost_ns(point);
	char name[NAME_WIDTH - 1], where[MP_POINT_INSN_SIZE + 16];

	mp_demangle(name, sizeof(name), point->name);
	snprintf(where, sizeof(where), "+%u %.*s", point->distance,
		 MP_POINT_INSN_SIZE, point->insn);
	fprintf(file, "  %-*s  %-14s  %-26s  ", NAME_WIDTH - 2, name,
		mp_func_name(point->func), where);
	if (ns)
		fprintf(file, "about %u.%u us, %s\n", ns / 1000,
			ns % 1000 / 100, mp_trap_name(point->trap));
	else
		fprintf(file, "%s\n", mp_trap_name(point->trap));
}

/*
 * Writes the layers of a binary, if there are several: then a call may pass several
 * probes. It is counted once, but each probe costs time.
 */
static void print_layers(FILE *file, unsigned int layers)
{
	const char *between = "  layers: ";
	int i;

	if (!(layers & (layers - 1)))
		return;
	for (i = 0; i < MP_NR_LAYERS; i++) {
		if (!(layers & 1U << i))
			continue;
		fprintf(file, "%s%s", between, mp_layer_name(i));
		between = ", ";
	}
	fputs("; a call through several counts once, at the outermost\n", file);
}

void mp_listing_print(FILE *file, const char *path, const struct mp_scan *scan)
{
	const struct mp_remark *remark;
	char shown[PATH_SIZE];
	uint32_t i;

	fprintf(file, "%s\n", shown_path(shown, path));
	for (i = 0; i < scan->nr_points; i++)
		print_point(file, &scan->points[i]);
	print_layers(file, mp_scan_layers(scan));
	for (remark = scan->remarks;
	     remark < scan->remarks + scan->nr_remarks; remark++)
		fprintf(file, "  %s: %s\n", remark->warning ? "warning" : "note",
			remark->text);
	if (scan->nr_left_out)
		fprintf(file, "  warning: %u more functions, beyond %d a binary: not probed\n",
			scan->nr_left_out, MP_SCAN_MAX_POINTS);
	if (!scan->nr_points && !scan->nr_remarks)
		fputs("  no allocator\n", file);
}

void mp_listing_skipped(FILE *file, const char *path, const char *why)
{
	char shown[PATH_SIZE];

	fprintf(file, "%s\n  skipped: %s\n", shown_path(shown, path), why);
}

static struct json_object *point_object(const struct mp_point *point)
{
	struct json_object *object = json_object_new_object();
	char name[4 * MP_POINT_NAME_SIZE];

	if (!object)
		return NULL;
	mp_json_add_text(object, "symbol", point->name);
	mp_json_add_text(object, "function",
			 mp_demangle(name, sizeof(name), point->name));
	mp_json_add_text(object, "kind", mp_func_name(point->func));
	mp_json_add_text(object, "layer", mp_layer_name(point->layer));
	mp_json_add_number(object, "offset", point->offset);
	mp_json_add_number(object, "distance", point->distance);
	mp_json_add_text(object, "instruction", point->insn);
	mp_json_add_text(object, "trap", mp_trap_name(point->trap));
	mp_json_add_number(object, "cost_ns", mp_point_cost_ns(point));
	return object;
}

static void add_remarks(struct json_object *line, const char *key,
			const struct mp_scan *scan, bool warning)
{
	struct json_object *list = json_object_new_array();
	uint32_t i;

	for (i = 0; list && i < scan->nr_remarks; i++)
		if (scan->remarks[i].warning == warning)
			json_object_array_add(list, json_object_new_string(
				scan->remarks[i].text));
	mp_json_add(line, key, list);
}

void mp_listing_json(FILE *file, const char *path, const struct mp_scan *scan)
{
	struct json_object *line = mp_json_open("binary");
	struct json_object *list = json_object_new_array();
	char shown[PATH_SIZE];
	uint32_t i;

	for (i = 0; list && i < scan->nr_points; i++)
		json_object_array_add(list, point_object(&scan->points[i]));
	if (!line) {
		json_object_put(list);
		return mp_json_close(file, NULL);
	}
	mp_json_add_text(line, "path", shown_path(shown, path));
	mp_json_add(line, "points", list);
	mp_json_add_number(line, "points_left_out", scan->nr_left_out);
	add_remarks(line, "notes", scan, false);
	add_remarks(line, "warnings", scan, true);
	mp_json_close(file, line);
}

void mp_listing_json_skipped(FILE *file, const char *path, const char *why)
{
	struct json_object *line = mp_json_open("skipped");
	char shown[PATH_SIZE];

	if (line) {
		mp_json_add_text(line, "path", shown_path(shown, path));
		mp_json_add_text(line, "why", why);
	}
	mp_json_close(file, line);
}

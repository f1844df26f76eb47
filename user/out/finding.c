// SPDX-License-Identifier: GPL-2.0-only
/*
 * finding: a line for a check
 *
 * Errors of the stream stay with the stream; without memory a line of JSON
 * reads null.
 */
#include "finding.h"

#include <json-c/json.h>

static const char * const levels[MP_NR_LEVELS] = {
	[MP_LEVEL_OK] = "ok",
	[MP_LEVEL_WARNING] = "warning",
	[MP_LEVEL_MISSING] = "missing",
};

void mp_finding_print(FILE *file, const struct mp_finding *finding)
{
	fprintf(file, "%-8s %-13s %s", levels[finding->level], finding->name,
		finding->text);
	if (finding->fix)
		fprintf(file, " (%s)", finding->fix);
	fputc('\n', file);
}

static void print_line(FILE *file, struct json_object *line)
{
	const char *text;

	text = json_object_to_json_string_ext(line, JSON_C_TO_STRING_PLAIN |
					      JSON_C_TO_STRING_NOSLASHESCAPE);
	fprintf(file, "%s\n", text ? text : "null");
	json_object_put(line);
}

static void add_string(struct json_object *line, const char *key,
		       const char *text)
{
	json_object_object_add(line, key, json_object_new_string(text));
}

void mp_finding_json(FILE *file, const struct mp_finding *finding)
{
	struct json_object *line = json_object_new_object();

	if (line) {
		add_string(line, "type", "check");
		add_string(line, "name", finding->name);
		add_string(line, "level", levels[finding->level]);
		add_string(line, "text", finding->text);
		if (finding->fix)
			add_string(line, "fix", finding->fix);
	}
	print_line(file, line);
}

void mp_finding_json_verdict(FILE *file, bool can_start)
{
	struct json_object *line = json_object_new_object();

	if (line) {
		add_string(line, "type", "verdict");
		json_object_object_add(line, "can_start",
				       json_object_new_boolean(can_start));
	}
	print_line(file, line);
}

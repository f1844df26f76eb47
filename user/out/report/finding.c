// SPDX-License-Identifier: GPL-2.0-only
/*
 * finding: writes a line per check
 *
 * The caller checks the stream for errors. If memory is short, a JSON line is null.
 */
#include "finding.h"
#include "json-object.h"
#include "json.h"

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

void mp_finding_json(FILE *file, const char *type, const struct mp_finding *finding)
{
	struct json_object *line = mp_json_open(type);

	if (line) {
		mp_json_add_text(line, "name", finding->name);
		mp_json_add_text(line, "level", levels[finding->level]);
		mp_json_add_text(line, "text", finding->text);
		if (finding->fix)
			mp_json_add_text(line, "fix", finding->fix);
	}
	mp_json_close(file, line);
}

void mp_finding_json_verdict(FILE *file, bool can_start)
{
	struct json_object *line = mp_json_open("verdict");

	if (line)
		mp_json_add_flag(line, "can_start", can_start);
	mp_json_close(file, line);
}

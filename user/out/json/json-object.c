// SPDX-License-Identifier: GPL-2.0-only
/*
 * json-object: begins and ends a line
 *
 * An object is built in memory, and written at the end. The caller checks the stream
 * for errors.
 */
#include "json-object.h"

struct json_object *mp_json_open(const char *type)
{
	struct json_object *object = json_object_new_object();

	if (object)
		mp_json_add_text(object, "type", type);
	return object;
}

void mp_json_close(FILE *file, struct json_object *object)
{
	const char *text;

	text = json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN |
					      JSON_C_TO_STRING_NOSLASHESCAPE);
	fprintf(file, "%s\n", text ? text : "null");
	json_object_put(object);
}

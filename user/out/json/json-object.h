/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * json-object: adds members to JSON objects of the library json-c
 *
 * A key must be a constant string that the object does not have yet. If memory is
 * short, the member is left out.
 */
#ifndef MP_JSON_OBJECT_H
#define MP_JSON_OBJECT_H

#include "metric.h"

#include <json-c/json.h>
#include <stdbool.h>
#include <stdio.h>

/** mp_json_add - add a member; the object then owns @value */
static inline void mp_json_add(struct json_object *object, const char *key,
			       struct json_object *value)
{
	json_object_object_add_ex(object, key, value,
				  JSON_C_OBJECT_ADD_KEY_IS_NEW |
				  JSON_C_OBJECT_ADD_CONSTANT_KEY);
}

/** mp_json_add_number - add an unsigned number */
static inline void mp_json_add_number(struct json_object *object,
				      const char *key, uint64_t value)
{
	mp_json_add(object, key, json_object_new_uint64(value));
}

/** mp_json_add_text - add a string; if @text is NULL, nothing is added */
static inline void mp_json_add_text(struct json_object *object,
				    const char *key, const char *text)
{
	if (text)
		mp_json_add(object, key, json_object_new_string(text));
}

/** mp_json_add_flag - add a member with the value true or false */
static inline void mp_json_add_flag(struct json_object *object,
				    const char *key, bool value)
{
	mp_json_add(object, key, json_object_new_boolean(value));
}

/** mp_json_add_metric - add the value of a metric; the metric's key is the member's */
static inline void mp_json_add_metric(struct json_object *object,
				      enum mp_metric metric, uint64_t value)
{
	const struct mp_metric_info *info = &mp_metrics[metric];

	mp_json_add(object, info->key, info->is_signed ?
		    json_object_new_int64((int64_t)value) :
		    json_object_new_uint64(value));
}

/**
 * mp_json_open - begin a line of JSON
 * @type: value of the line's member "type"; NULL: no such member
 *
 * Return: the line's object, or NULL if memory is short.
 */
struct json_object *mp_json_open(const char *type);

/** mp_json_close - write a line and free its object; writes "null" if @object is NULL */
void mp_json_close(FILE *file, struct json_object *object);

#endif

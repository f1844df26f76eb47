/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * json-frames: stacks in lines of JSON
 *
 * Between programs a frame is a line of its own and a stack a list of their
 * numbers; for users a stack is a list of frames.
 */
#ifndef MP_JSON_FRAMES_H
#define MP_JSON_FRAMES_H

#include "call-tree.h"
#include "profile.h"

#include <json-c/json.h>

/** mp_json_add_binary - add what a binary is known by, see struct mp_binary */
void mp_json_add_binary(struct json_object *line,
			const struct mp_binary *binary);

/** mp_json_add_frame - add a frame's number and what it is */
void mp_json_add_frame(struct json_object *line,
		       const struct mp_profile *profile, size_t number);

/** mp_json_add_stack - add the stack of a place, if it has one, as numbers */
void mp_json_add_stack(struct json_object *line,
		       const struct mp_profile *profile,
		       const struct mp_location *location);

/**
 * mp_json_add_point - add what a function in a stack is called and where it is
 */
void mp_json_add_point(struct json_object *object,
		       const struct mp_profile *profile,
		       const struct mp_call_point *point);

/** mp_json_add_points - the same for all of a stack, as a list */
void mp_json_add_points(struct json_object *line,
			const struct mp_profile *profile,
			const struct mp_location *location);

/**
 * mp_json_read_binary - take in a binary
 * @number: out, for struct mp_location; unchanged where the object has none
 *
 * Return: 0, -EBADMSG or -ENOMEM; so do those below.
 */
int mp_json_read_binary(struct mp_profile *profile, struct json_object *object,
			uint32_t *number);

/** mp_json_read_frame - take in a frame: the next one, by its number */
int mp_json_read_frame(struct mp_profile *profile, struct json_object *object);

/** mp_json_read_stack - take in the stack of a place, of frames that are known */
int mp_json_read_stack(struct mp_profile *profile, struct json_object *object,
		       struct mp_location *location);

/**
 * mp_json_read_number - take in a number that must not be negative
 * @value: out; unchanged where the key is missing
 */
int mp_json_read_number(struct json_object *object, const char *key,
			uint64_t max, uint64_t *value);

/** mp_json_read_string - a text; NULL where the key is missing or no string */
const char *mp_json_read_string(struct json_object *object, const char *key);

#endif

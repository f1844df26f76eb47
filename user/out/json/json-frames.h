/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * json-frames: stacks in lines of JSON
 *
 * Between programs a frame has a line of its own, and a stack is a list of the numbers of
 * its frames. For users a stack is a list of frames.
 */
#ifndef MP_JSON_FRAMES_H
#define MP_JSON_FRAMES_H

#include "call-tree.h"
#include "profile.h"

#include <json-c/json.h>

/** mp_json_add_binary - add the path and the identity of a binary, see struct mp_binary */
void mp_json_add_binary(struct json_object *line,
			const struct mp_binary *binary);

/** mp_json_add_frame - add a frame with its number */
void mp_json_add_frame(struct json_object *line,
		       const struct mp_profile *profile, size_t number);

/** mp_json_add_stack - add the stack of a location as numbers, if it has one */
void mp_json_add_stack(struct json_object *line,
		       const struct mp_profile *profile,
		       const struct mp_location *location);

/** mp_json_add_point - add the name and the location of a function in a stack */
void mp_json_add_point(struct json_object *object,
		       const struct mp_profile *profile,
		       const struct mp_call_point *point);

/** mp_json_add_points - add all functions of a stack, as a list */
void mp_json_add_points(struct json_object *line,
			const struct mp_profile *profile,
			const struct mp_location *location);

/**
 * mp_json_read_binary - read a binary
 * @number: out, for struct mp_location; unchanged where the object has none
 *
 * Return: 0, -EBADMSG or -ENOMEM; so do the functions below.
 */
int mp_json_read_binary(struct mp_profile *profile, struct json_object *object,
			uint32_t *number);

/** mp_json_read_frame - read a frame, whose number has to be the next one */
int mp_json_read_frame(struct mp_profile *profile, struct json_object *object);

/** mp_json_read_stack - read the stack of a location; its frames are known */
int mp_json_read_stack(struct mp_profile *profile, struct json_object *object,
		       struct mp_location *location);

/**
 * mp_json_read_number - read a number that must not be negative
 * @value: out; unchanged where the key is missing
 */
int mp_json_read_number(struct json_object *object, const char *key,
			uint64_t max, uint64_t *value);

/** mp_json_read_string - a text; NULL where the key is missing or not a string */
const char *mp_json_read_string(struct json_object *object, const char *key);

#endif

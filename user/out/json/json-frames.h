/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * json-frames: writes and reads stacks in lines of JSON
 *
 * In JSON for other memprof programs, a frame has its own line, and a stack is a list
 * of frame numbers. In JSON for users, a stack is a list of functions.
 */
#ifndef MP_JSON_FRAMES_H
#define MP_JSON_FRAMES_H

#include "call-tree.h"
#include "profile.h"

#include <json-c/json.h>

/** mp_json_add_binary - add path, inode, device and build-id of a binary */
void mp_json_add_binary(struct json_object *line,
			const struct mp_binary *binary);

/** mp_json_add_frame - add the members of a frame, and its number */
void mp_json_add_frame(struct json_object *line,
		       const struct mp_profile *profile, size_t number);

/** mp_json_add_stack - add the stack of a location, if any, as a list of frame numbers */
void mp_json_add_stack(struct json_object *line,
		       const struct mp_profile *profile,
		       const struct mp_location *location);

/** mp_json_add_point - add the name and the location of a function in a stack */
void mp_json_add_point(struct json_object *object,
		       const struct mp_profile *profile,
		       const struct mp_call_point *point);

/** mp_json_add_points - add the stack of a location, as a list of functions */
void mp_json_add_points(struct json_object *line,
			const struct mp_profile *profile,
			const struct mp_location *location);

/**
 * mp_json_read_binary - read the members of a binary, and add the binary to a profile
 * @number: out: value for mp_location.binary; unchanged if the object has no binary
 *
 * This and the following functions return 0; -EBADMSG if a value is not valid; or
 * -ENOMEM.
 */
int mp_json_read_binary(struct mp_profile *profile, struct json_object *object,
			uint32_t *number);

/** mp_json_read_frame - read a frame; frames must come in the order of their numbers */
int mp_json_read_frame(struct mp_profile *profile, struct json_object *object);

/** mp_json_read_stack - read the stack of a location; its frames must be read before */
int mp_json_read_stack(struct mp_profile *profile, struct json_object *object,
		       struct mp_location *location);

/**
 * mp_json_read_number - read a number that must not be negative
 * @max: highest valid number
 * @value: out: the number; unchanged if the key is missing
 */
int mp_json_read_number(struct json_object *object, const char *key,
			uint64_t max, uint64_t *value);

/** mp_json_read_string - get a string; NULL if the key is missing or has no string */
const char *mp_json_read_string(struct json_object *object, const char *key);

#endif

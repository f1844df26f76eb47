// SPDX-License-Identifier: GPL-2.0-only
/*
 * json-frames: writes stacks, and checks them when they are read
 *
 * The input is untrusted. A stack must only have numbers of frames that were read
 * before.
 */
#include "json-frames.h"
#include "json-object.h"
#include "sites.h"
#include "text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

void mp_json_add_binary(struct json_object *line,
			const struct mp_binary *binary)
{
	char path[4 * MEMPROF_PATH_LEN + 1], hex[2 * MP_BUILD_ID_SIZE + 1];
	uint32_t i;

	mp_text_escape(path, sizeof(path), binary->path, sizeof(binary->path));
	mp_json_add_text(line, "binary", path);
	mp_json_add_number(line, "inode", binary->inode);
	mp_json_add_number(line, "dev", binary->dev);
	if (!binary->build_id_size)
		return;
	for (i = 0; i < binary->build_id_size; i++)
		sprintf(hex + 2 * i, "%02x", binary->build_id[i]);
	mp_json_add_text(line, "build_id", hex);
}

void mp_json_add_frame(struct json_object *line,
		       const struct mp_profile *profile, size_t number)
{
	const struct mp_frame *frame = &profile->frames.list[number];

	mp_json_add_number(line, "number", number);
	mp_json_add_number(line, "offset", frame->offset);
	if (frame->binary)
		mp_json_add_binary(line, &profile->binaries[frame->binary - 1]);
	else
		mp_json_add_number(line, "pid", frame->pid);
}

void mp_json_add_stack(struct json_object *line,
		       const struct mp_profile *profile,
		       const struct mp_location *location)
{
	struct json_object *list;
	struct mp_frames_stack stack;
	uint32_t i;

	if (!location->stack)
		return;
	stack = mp_frames_stack(&profile->frames, location->stack - 1);
	list = json_object_new_array();
	for (i = 0; list && i < stack.nr; i++)
		json_object_array_add(list, json_object_new_uint64(
			stack.list[i] - MP_FRAMES_FIRST));
	mp_json_add(line, "stack", list);
	mp_json_add_number(line, "end", stack.end);
	mp_json_add_number(line, "level", location->level);
}

static void add_line(struct json_object *object,
		     const struct mp_profile *profile,
		     const struct mp_frame *frame, uint32_t number)
{
	const struct mp_symbols *symbols = &profile->symbols;
	const struct mp_line *line = &symbols->lines[frame->first + number];

	mp_json_add_text(object, "function", mp_symbols_text(symbols, line->function));
	mp_json_add_text(object, "file", mp_symbols_text(symbols, line->file));
	if (line->line)
		mp_json_add_number(object, "line", line->line);
	if (number + 1 < frame->nr)
		mp_json_add_flag(object, "inlined", true);
	else
		mp_json_add_number(object, "distance", line->distance);
}

void mp_json_add_point(struct json_object *object,
		       const struct mp_profile *profile,
		       const struct mp_call_point *point)
{
	char path[4 * MEMPROF_PATH_LEN + 1];
	const struct mp_frame *frame;
	const struct mp_binary *binary;

	if (point->frame == MP_FRAMES_NONE) {
		mp_json_add_flag(object, "truncated", true);
		return;
	}
	frame = &profile->frames.list[point->frame];
	if (mp_frame_is_gap(frame)) {
		mp_json_add_flag(object, "missing", true);
		return;
	}
	if (mp_frame_is_mapping(frame)) {
		mp_json_add_flag(object, "mapping", true);
		return;
	}
	if (point->line < frame->nr)
		add_line(object, profile, frame, point->line);
	if (frame->binary) {
		binary = &profile->binaries[frame->binary - 1];
		mp_text_escape(path, sizeof(path), binary->path,
			       sizeof(binary->path));
		mp_json_add_text(object, "binary", path);
	}
	if (mp_frame_is_kernel(frame))
		mp_json_add_flag(object, "kernel", true);
	mp_json_add_number(object, "offset", frame->offset);
}

void mp_json_add_points(struct json_object *line,
			const struct mp_profile *profile,
			const struct mp_location *location)
{
	struct mp_call_point points[MP_CALL_DEPTH];
	struct json_object *list = json_object_new_array(), *one;
	size_t i, callsite;
	size_t nr = mp_call_points(profile, location, points, &callsite);

	for (i = 0; list && i < nr; i++) {
		one = json_object_new_object();
		if (one)
			mp_json_add_point(one, profile, &points[i]);
		if (one && i < callsite)
			mp_json_add_flag(one, "wrapper", true);
		json_object_array_add(list, one);
	}
	mp_json_add(line, "frames", list);
}

int mp_json_read_number(struct json_object *object, const char *key,
			uint64_t max, uint64_t *value)
{
	struct json_object *found;
	uint64_t number;

	if (!json_object_object_get_ex(object, key, &found))
		return 0;
	/* json-c converts a negative number to the uint64_t 0, so check the sign */
	if (!json_object_is_type(found, json_type_int) ||
	    (json_object_get_int64(found) < 0))
		return -EBADMSG;
	number = json_object_get_uint64(found);
	if (number > max)
		return -EBADMSG;
	*value = number;
	return 0;
}

const char *mp_json_read_string(struct json_object *object, const char *key)
{
	struct json_object *found;

	if (!json_object_object_get_ex(object, key, &found) ||
	    !json_object_is_type(found, json_type_string))
		return NULL;
	return json_object_get_string(found);
}

static int read_build_id(struct json_object *object, struct mp_binary *binary)
{
	const char *hex = mp_json_read_string(object, "build_id");
	size_t i, size = hex ? strlen(hex) / 2 : 0;

	if (size > sizeof(binary->build_id))
		return -EBADMSG;
	for (i = 0; i < size; i++)
		if (sscanf(hex + 2 * i, "%2hhx", &binary->build_id[i]) != 1)
			return -EBADMSG;
	binary->build_id_size = size;
	return 0;
}

int mp_json_read_binary(struct mp_profile *profile, struct json_object *object,
			uint32_t *number)
{
	const char *path = mp_json_read_string(object, "binary");
	struct mp_binary binary = { 0 };
	int err;

	if (!path)
		return 0;
	/* a path that is longer than the kernel's limit is cut */
	mp_text_escape(binary.path, sizeof(binary.path), path, strlen(path));
	err = mp_json_read_number(object, "inode", UINT64_MAX,
				  &binary.inode) ?:
	      mp_json_read_number(object, "dev", UINT64_MAX, &binary.dev) ?:
	      read_build_id(object, &binary);
	return err ?: mp_sites_binary(profile, &binary, number);
}

int mp_json_read_frame(struct mp_profile *profile, struct json_object *object)
{
	uint64_t number = UINT64_MAX, pid = 0, offset = 0;
	uint32_t binary = 0;
	int err;

	err = mp_json_read_number(object, "number", UINT32_MAX, &number) ?:
	      mp_json_read_number(object, "offset", UINT64_MAX, &offset) ?:
	      mp_json_read_number(object, "pid", UINT32_MAX, &pid) ?:
	      mp_json_read_binary(profile, object, &binary);
	if (err)
		return err;
	if (number != profile->frames.nr)
		return -EBADMSG;
	/* append: if paths were cut, two frames may have become equal */
	return mp_frames_append(&profile->frames, binary, (uint32_t)pid,
				offset) == MP_FRAMES_NONE ? -ENOMEM : 0;
}

/* Reads a frame number of a list, plus MP_FRAMES_FIRST; 0 if it is not valid. */
static uint64_t frame_at(const struct mp_profile *profile,
			 struct json_object *list, size_t i)
{
	struct json_object *one = json_object_array_get_idx(list, i);
	uint64_t number;

	if (!json_object_is_type(one, json_type_int) ||
	    json_object_get_int64(one) < 0)
		return 0;
	number = json_object_get_uint64(one);
	return number < profile->frames.nr ? number + MP_FRAMES_FIRST : 0;
}

static int read_frames(struct mp_profile *profile, struct json_object *list,
		       uint64_t end, uint32_t *stack)
{
	uint64_t frames[MP_STACKS_DEPTH];
	uint32_t nr;
	size_t i;

	if (!json_object_is_type(list, json_type_array) ||
	    json_object_array_length(list) + !!end > MP_STACKS_DEPTH)
		return -EBADMSG;
	for (i = 0; i < json_object_array_length(list); i++) {
		frames[i] = frame_at(profile, list, i);
		if (!frames[i])
			return -EBADMSG;
	}
	if (end)
		frames[i++] = end;
	nr = mp_stacks_add(&profile->frames.stacks, frames, (uint32_t)i);
	*stack = nr + 1;
	return nr == MP_STACKS_NONE ? -ENOMEM : 0;
}

int mp_json_read_stack(struct mp_profile *profile, struct json_object *object,
		       struct mp_location *location)
{
	uint64_t end = 0, level = 0;
	struct json_object *list;
	int err;

	if (!json_object_object_get_ex(object, "stack", &list))
		return 0;
	err = mp_json_read_number(object, "end", MP_STACKS_CUT, &end) ?:
	      mp_json_read_number(object, "level", MP_STACKS_DEPTH, &level);
	location->level = (uint32_t)level;
	return err ?: read_frames(profile, list, end, &location->stack);
}

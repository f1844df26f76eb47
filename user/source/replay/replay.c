// SPDX-License-Identifier: GPL-2.0-only
/*
 * replay: replays a log in which each line is one allocator event of one
 * process
 *
 * Unknown keys are ignored. A line takes about 3 us, mostly in json-c. See
 * log.c for errors.
 */
#include "replay.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#define PROCESS		1

static int wrong(struct mp_replay *replay, const char *what, const char *key)
{
	return mp_log_wrong(&replay->log, what, key);
}

/* Reads an address, which is a text of hexadecimal digits, or a number. */
static int read_value(struct mp_replay *replay, struct json_object *line,
		      const char *key, bool address, uint64_t *value)
{
	struct json_object *found;
	const char *text;
	char *end;

	if (!json_object_object_get_ex(line, key, &found))
		return wrong(replay, "'%s' is missing", key);
	if (!address) {
		if (!json_object_is_type(found, json_type_int) ||
		    json_object_get_int64(found) < 0)
			return wrong(replay, "'%s' is not a number from 0 on",
				     key);
		*value = json_object_get_uint64(found);
		return 0;
	}
	text = json_object_is_type(found, json_type_string) ?
	       json_object_get_string(found) : "";
	errno = 0;
	*value = strtoull(text, &end, 16);
	if (strncmp(text, "0x", 2) || !text[2] || text[2] == '-' ||
	    text[2] == '+' || text[2] == ' ' || *end || errno)
		return wrong(replay, "'%s' is not an address like \"0x10\"",
			     key);
	return 0;
}

static int read_callsite(struct mp_replay *replay, struct json_object *line,
			 uint32_t *stack)
{
	struct json_object *found;

	if (!json_object_object_get_ex(line, "callsite", &found))
		return wrong(replay, "'%s' is missing", "callsite");
	if (!json_object_is_type(found, json_type_string))
		return wrong(replay, "'%s' is not a text", "callsite");
	*stack = mp_names_add(&replay->callsites, json_object_get_string(found));
	return *stack == MP_NAMES_NONE ? -ENOMEM : 0;
}

/* The parsed values of a line. The operation determines which ones are needed. */
struct values {
	struct mp_who who;
	struct mp_call call;
	uint64_t ptr;
};

#define HAS_PTR		(1 << 0)
#define HAS_NEW_PTR	(1 << 1)
#define HAS_SIZE	(1 << 2)
#define HAS_NEW_SIZE	(1 << 3)
#define HAS_OLD		(1 << 4)
#define HAS_CALLSITE	(1 << 5)

static int read_values(struct mp_replay *replay, struct json_object *line,
		       unsigned int has, struct values *v)
{
	uint64_t tid = 0, old_size;
	int err = read_value(replay, line, "tid", false, &tid);

	if (!err && tid > UINT32_MAX)
		err = wrong(replay, "'%s' is too large", "tid");
	v->who = (struct mp_who){
		.pid = PROCESS, .tid = (uint32_t)tid,
		.time_ns = replay->log.line,
	};
	if (!err && has & HAS_PTR)
		err = read_value(replay, line, "ptr", true, &v->ptr);
	if (!err && has & HAS_NEW_PTR)
		err = read_value(replay, line, "new_ptr", true, &v->ptr);
	if (!err && has & HAS_SIZE)
		err = read_value(replay, line, "size", false, &v->call.size);
	if (!err && has & HAS_NEW_SIZE)
		err = read_value(replay, line, "new_size", false, &v->call.size);
	if (!err && has & HAS_OLD)
		err = read_value(replay, line, "old_ptr", true, &v->call.old);
	if (!err && has & HAS_OLD)
		err = read_value(replay, line, "old_size", false, &old_size);
	if (!err && has & HAS_CALLSITE)
		err = read_callsite(replay, line, &v->call.stack);
	v->call.callsite = v->call.stack;
	return err;
}

static int op_alloc(struct mp_heap *heap, struct values *v)
{
	return mp_heap_alloc(heap, &v->who, &v->call, v->ptr, MP_HEAP_ONE,
			     v->call.size);
}

static int op_dealloc(struct mp_heap *heap, struct values *v)
{
	return mp_heap_dealloc(heap, &v->who, v->ptr, 0, 0);
}

static int op_realloc(struct mp_heap *heap, struct values *v)
{
	return mp_heap_realloc(heap, &v->who, &v->call, v->ptr);
}

static int op_enter(struct mp_heap *heap, struct values *v)
{
	return mp_heap_enter(heap, &v->who, &v->call);
}

static int op_leave(struct mp_heap *heap, struct values *v)
{
	return mp_heap_leave(heap, &v->who, v->call.func, NULL, v->ptr,
			     0);
}

static const struct {
	const char *name;
	uint32_t func;
	unsigned int has;
	int (*run)(struct mp_heap *heap, struct values *values);
} ops[] = {
	{ "alloc", MEMPROF_FUNC_MALLOC, HAS_PTR | HAS_SIZE | HAS_CALLSITE,
	  op_alloc },
	{ "dealloc", MEMPROF_FUNC_FREE, HAS_PTR, op_dealloc },
	{ "realloc", MEMPROF_FUNC_REALLOC,
	  HAS_NEW_PTR | HAS_NEW_SIZE | HAS_OLD | HAS_CALLSITE, op_realloc },
	{ "alloc_enter", MEMPROF_FUNC_MALLOC, HAS_SIZE | HAS_CALLSITE,
	  op_enter },
	{ "alloc_exit", MEMPROF_FUNC_MALLOC, HAS_PTR, op_leave },
	{ "realloc_enter", MEMPROF_FUNC_REALLOC,
	  HAS_NEW_SIZE | HAS_OLD | HAS_CALLSITE, op_enter },
	{ "realloc_exit", MEMPROF_FUNC_REALLOC, HAS_NEW_PTR, op_leave },
};

static int replay_operation(struct mp_replay *replay, struct json_object *line)
{
	struct json_object *found = NULL;
	struct values values = { 0 };
	const char *name;
	size_t i;
	int err;

	json_object_object_get_ex(line, "op", &found);
	name = json_object_is_type(found, json_type_string) ?
	       json_object_get_string(found) : NULL;
	if (!name)
		return wrong(replay, "'%s' is missing, or no text", "op");
	for (i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		if (strcmp(name, ops[i].name))
			continue;
		values.call.func = ops[i].func;
		err = read_values(replay, line, ops[i].has, &values);
		return err ? err : ops[i].run(&replay->heap, &values);
	}
	return wrong(replay, "no operation is called '%s'", name);
}

int mp_replay_heap(struct mp_replay *replay, FILE *file)
{
	struct json_object *line;
	int err = mp_log_open(&replay->log, file);

	while (!err && !(err = mp_log_next(&replay->log, &line))) {
		err = replay_operation(replay, line);
		json_object_put(line);
	}
	return err == -ENODATA ? 0 : err;
}

void mp_replay_free(struct mp_replay *replay)
{
	mp_heap_free(&replay->heap);
	mp_names_free(&replay->callsites);
	mp_log_close(&replay->log);
}

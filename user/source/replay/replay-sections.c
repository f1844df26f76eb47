// SPDX-License-Identifier: GPL-2.0-only
/*
 * replay-sections: replays a log in which each line is one operation of one
 * thread
 *
 * Memory grows with the number of open sections and of sections that wait for a
 * flush. See log.c for errors.
 */
#include "replay-sections.h"
#include "section-line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A log may contain deeper nesting than the kernel module allows a task. */
static const struct mp_sections_limits limits = {
	.depth = 1 << 16, .open = 1 << 20, .completed = 1 << 22,
};

static void *resize(void *context, void *old, size_t old_size, size_t size)
{
	(void)context;
	(void)old_size;
	if (size)
		return realloc(old, size);
	free(old);
	return NULL;
}

/* Reports an error of the engine, after which the replay continues. */
static int report_error(struct mp_replay_sections *replay, int err, const char *op,
			const char *id, size_t len)
{
	char text[MP_SECTION_ID_SIZE];

	if (!err || err == -ENOMEM)
		return err;
	mp_section_id(text, id, len);
	replay->complain(replay, err, op, text);
	return 0;
}

static int replay_section(struct mp_replay_sections *replay,
			  struct json_object *line, const char *op,
			int (*run)(struct mp_sections *sections, const char *id,
				   size_t id_len,
				   const struct mp_section_value *value))
{
	struct mp_section_value value = { 0 };
	size_t len;
	const char *id = mp_log_text(&replay->log, line, "id", &len);
	int err;

	if (!id)
		return -EBADMSG;
	err = mp_log_number(&replay->log, line, "cu", &value.cu);
	if (err == -ENODATA)
		return mp_log_wrong(&replay->log, "'%s' is missing", "cu");
	if (!err)
		err = mp_log_number(&replay->log, line, "heap", &value.heap);
	if (err == -EBADMSG)
		return err;
	return report_error(replay, run(&replay->sections, id, len, &value), op, id, len);
}

static int op_start(struct mp_replay_sections *replay, struct json_object *line)
{
	return replay_section(replay, line, "start", mp_sections_start);
}

static int op_end(struct mp_replay_sections *replay, struct json_object *line)
{
	return replay_section(replay, line, "end", mp_sections_end);
}

static int op_flush(struct mp_replay_sections *replay, struct json_object *line)
{
	const struct mp_section *list;
	size_t nr;
	int err;

	(void)line;
	list = mp_sections_completed(&replay->sections, &nr);
	err = nr ? replay->flush(list, nr) : 0;
	mp_sections_clear(&replay->sections);
	return err;
}

static int op_invoke(struct mp_replay_sections *replay, struct json_object *line)
{
	(void)line;
	return report_error(replay, mp_sections_invoke(&replay->sections), "invoke", "",
			    0);
}

static int op_leave(struct mp_replay_sections *replay, struct json_object *line)
{
	int err = op_flush(replay, line);

	mp_sections_leave(&replay->sections);
	return err;
}

static const struct {
	const char *name;
	int (*run)(struct mp_replay_sections *replay, struct json_object *line);
} ops[] = {
	{ "start", op_start }, { "end", op_end }, { "flush", op_flush },
	{ "invoke", op_invoke }, { "return", op_leave }, { "fail", op_leave },
};

static int replay_operation(struct mp_replay_sections *replay,
			    struct json_object *line)
{
	size_t i, len;
	const char *name = mp_log_text(&replay->log, line, "op", &len);

	if (!name)
		return -EBADMSG;
	for (i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		if (len == strlen(ops[i].name) && !strcmp(name, ops[i].name))
			return ops[i].run(replay, line);
	return mp_log_wrong(&replay->log, "no operation is called '%s'",
			    name);
}

int mp_replay_sections(struct mp_replay_sections *replay, FILE *file)
{
	static const struct mp_sections_memory memory = { .resize = resize };
	struct json_object *line;
	int err = mp_log_open(&replay->log, file);

	mp_sections_init(&replay->sections, &limits, &memory);
	while (!err && !(err = mp_log_next(&replay->log, &line))) {
		err = replay_operation(replay, line);
		json_object_put(line);
	}
	return err == -ENODATA ? 0 : err;
}

void mp_replay_sections_free(struct mp_replay_sections *replay)
{
	mp_sections_free(&replay->sections);
	mp_log_close(&replay->log);
}

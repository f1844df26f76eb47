// SPDX-License-Identifier: GPL-2.0-only
/*
 * replay-calls: replays a log in which each line is one event of one thread
 *
 * See log.c for cost and errors.
 */
#include "replay-calls.h"

#include <errno.h>
#include <string.h>

static int read_time(struct mp_replay_calls *replay, struct json_object *line,
		     struct mp_calls_time *now)
{
	int err = mp_log_number(&replay->log, line, "tick", &now->tick);

	if (err == -ENODATA)
		return mp_log_wrong(&replay->log, "'%s' is missing", "tick");
	if (!err)
		err = mp_log_number(&replay->log, line, "time_ns", &now->ns);
	now->known = !err;
	return err == -ENODATA ? 0 : err;
}

static int explain_error(struct mp_replay_calls *replay, int err)
{
	if (err == -ERANGE)
		return mp_log_wrong(&replay->log, "'%s' goes back", "tick");
	if (err == -E2BIG)
		return mp_log_wrong(&replay->log, "%s calls inside of calls",
				    "too many");
	return err;
}

static int ev_enter(struct mp_replay_calls *replay, struct json_object *line)
{
	struct mp_calls_time now = { 0 };
	size_t len;
	const char *name = mp_log_text(&replay->log, line, "name", &len);
	int err = name ? read_time(replay, line, &now) : -EBADMSG;

	if (err)
		return err;
	return explain_error(replay, mp_calls_enter(&replay->calls, name, len,
						    &now));
}

static int ev_exit(struct mp_replay_calls *replay, struct json_object *line)
{
	struct mp_calls_time now = { 0 };
	int err = read_time(replay, line, &now);

	return err ? err : explain_error(replay, mp_calls_exit(&replay->calls,
							       &now));
}

static int ev_end_run(struct mp_replay_calls *replay, struct json_object *line)
{
	int err;

	(void)line;
	if (replay->calls.nr_frames)
		replay->complain(replay, replay->calls.nr_frames);
	err = mp_calls_close(&replay->calls);
	if (!err && replay->end_run)
		err = replay->end_run(&replay->calls);
	mp_calls_end_run(&replay->calls);
	return err;
}

static const struct {
	const char *name;
	int (*run)(struct mp_replay_calls *replay, struct json_object *line);
} events[] = {
	{ "enter", ev_enter }, { "exit", ev_exit }, { "end_run", ev_end_run },
};

static int replay_event(struct mp_replay_calls *replay, struct json_object *line)
{
	size_t i, len;
	const char *name = mp_log_text(&replay->log, line, "ev", &len);

	if (!name)
		return -EBADMSG;
	for (i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		if (len == strlen(events[i].name) &&
		    !strcmp(name, events[i].name))
			return events[i].run(replay, line);
	return mp_log_wrong(&replay->log, "no event is called '%s'", name);
}

int mp_replay_calls(struct mp_replay_calls *replay, FILE *file)
{
	struct json_object *line;
	int err = mp_log_open(&replay->log, file), end_err = 0;

	while (!err && !(err = mp_log_next(&replay->log, &line))) {
		err = replay_event(replay, line);
		json_object_put(line);
	}
	/* events before the end or before an invalid line also form a run: end it */
	if ((err == -ENODATA || err == -EBADMSG) &&
	    (replay->calls.nr_frames || replay->calls.nr_top))
		end_err = ev_end_run(replay, NULL);
	return err == -ENODATA ? end_err : err;
}

void mp_replay_calls_free(struct mp_replay_calls *replay)
{
	mp_calls_free(&replay->calls);
	mp_log_close(&replay->log);
}

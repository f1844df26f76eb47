// SPDX-License-Identifier: GPL-2.0-only
/*
 * postmortem: what happened when memory was short, by a capture of the agent
 *
 * At most MP_CAPTURES_SNAPSHOTS snapshots are read, each at the cost of a report.
 */
#include "agent-folder.h"
#include "capture-reason.h"
#include "captures.h"
#include "choice.h"
#include "command.h"
#include "grouping.h"
#include "growth.h"
#include "history-range.h"
#include "human.h"
#include "json-text.h"
#include "location-text.h"
#include "message.h"
#include "moment.h"
#include "pager.h"
#include "postmortem-table.h"
#include "text.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_LIMIT	10

/* A killed process has no LIVE in the last snapshot: what it had is AT-EXIT. */
enum {
	COMMANDS, SITES, TOUCHED, KILLED, KILLED_TOUCHED, NR_TABLES,
};

static const struct {
	enum mp_row_kind kind;
	enum mp_metric metric;
	const char *title, *json_type;
} tables[NR_TABLES] = {
	[COMMANDS] = { MP_ROW_PROCESS, MP_RESIDENT, "who held memory, and who grew", "held" },
	[SITES] = { MP_ROW_SITE, MP_INUSE_SPACE, "and where it was allocated", "held" },
	[TOUCHED] = { MP_ROW_SITE, MP_TOUCHED, "and who touched it first", "held" },
	[KILLED] = { MP_ROW_SITE, MP_AT_EXIT,
		"where what ended had allocated its memory", "ended" },
	[KILLED_TOUCHED] = { MP_ROW_SITE, MP_TOUCHED,
		"where what ended touched its memory first", "ended" },
};

static bool is_of_killed(int table) { return table >= KILLED; }

struct postmortem {
	const char *folder;
	uint64_t number;
	bool numbered, list, json, limited;
	size_t limit;
	struct mp_choice choice;
	struct mp_capture capture;
	char name[MP_CAPTURES_NAME_SIZE];
	char path[2 * PATH_MAX];	/* of the capture */
	struct mp_growth tables[NR_TABLES];
	/* of the processes that were killed; points to the text */
	struct mp_filter killed;
	char killed_text[(MP_OOM_LOG_MAX + 1) * sizeof("pid=4294967295,")];
	uint64_t from_s, to_s;
};

static const struct mp_option options[] = {
	{ 'l', "list", NULL, NULL, "only list the captures", MP_FLAG(struct postmortem, list) },
	{ 0, "capture", "N", NULL, "this one, by its number in the list; default the last one",
	  MP_NUMBER(struct postmortem, number, 0, UINT32_MAX),
	  MP_GIVEN(struct postmortem, numbered) },
	{ 0, "history-folder", "FOLDER", NULL,
	  "the agent's folder; default that of the agent that ran last",
	  MP_TEXT(struct postmortem, folder), MP_RARE },
	{ 'n', "limit", "N", "0 10 20 50",
	  "rows of each table, 0 for all; default 10, with --json all",
	  MP_NUMBER(struct postmortem, limit, 0, INT_MAX), MP_GIVEN(struct postmortem, limited) },
	MP_CHOICE_SYMBOLS(struct postmortem),
	{ 'j', "json", NULL, NULL, "one JSON object a line", MP_FLAG(struct postmortem, json) },
	MP_CHOICE_QUIET(struct postmortem),
	MP_OPTION_HELP,
	MP_OPTION_HELP_ALL,
	{ 0 },
};

static const char *cgroup_of(const struct mp_capture *capture, char *text, size_t size)
{
	if (!capture->trouble.cgroup[0])
		return "the machine";
	mp_text_escape(text, size, capture->trouble.cgroup, sizeof(capture->trouble.cgroup));
	return text;
}

static void put_text(const char *key, const char *text)
{
	printf(",\"%s\":", key);
	mp_json_text(stdout, text);
}

static void put_object(const struct postmortem *post)
{
	const struct mp_capture *capture = &post->capture;
	char text[4 * 256];
	size_t i;

	printf("{\"type\":\"capture\",\"capture\":%" PRIu64 ",\"time_s\":%" PRIu64,
	       (uint64_t)strtoull(post->name, NULL, 10), capture->time_s);
	put_text("event", mp_memory_event_name(capture->trouble.event));
	put_text("cgroup", capture->trouble.cgroup[0] ?
		 cgroup_of(capture, text, sizeof(text)) : "");
	mp_capture_reason(capture, text, sizeof(text));
	put_text("reason", text);
	if (capture->max)
		printf(",\"memory_current\":%" PRIu64 ",\"memory_max\":%" PRIu64,
		       capture->current, capture->max);
	fputs(",\"killed\":[", stdout);
	for (i = 0; i < capture->nr_victims; i++) {
		printf("%s{\"pid\":%" PRIu32, i ? "," : "", capture->victims[i].pid);
		put_text("comm", capture->victims[i].comm);
		put_text("cgroup", capture->victims[i].cgroup);
		put_text("limit", capture->victims[i].limit);
		if (capture->victims[i].resident)
			printf(",\"resident_space\":%" PRIu64, capture->victims[i].resident);
		putchar('}');
	}
	printf("],\"log_unread\":%s}\n", capture->log_unread ? "true" : "false");
}

static void put_line(const struct postmortem *post)
{
	char text[4 * 256], when[MP_MOMENT_SIZE];

	printf("%6" PRIu64 "  %s  %-9s %s\n", (uint64_t)strtoull(post->name, NULL, 10),
	       mp_moment_write(when, post->capture.time_s),
	       mp_memory_event_name(post->capture.trouble.event),
	       cgroup_of(&post->capture, text, sizeof(text)));
}

/* Name of the event's container, or NULL; the snapshots have it. */
static const char *container_of_event(const struct postmortem *post)
{
	const struct mp_growth *growth = &post->tables[COMMANDS];
	const struct mp_growth_row *row;

	for (row = growth->rows; row < growth->rows + growth->nr_rows; row++)
		if (row->shown != row->cgroup && !strcmp(growth->names.list[row->cgroup],
							 post->capture.trouble.cgroup))
			return growth->names.list[row->shown];
	return NULL;
}

static void put_victim(const struct mp_oom_victim *victim)
{
	char resident[MP_HUMAN_SIZE];

	printf("the kernel killed %s, process %" PRIu32, victim->comm, victim->pid);
	if (victim->cgroup[0])
		printf(" of %s, at the limit of %s", victim->cgroup,
		       victim->limit[0] ? victim->limit : "the machine");
	if (victim->resident)
		printf("; its RSS was %s", mp_human_bytes(resident, victim->resident));
	putchar('\n');
}

/* RSS of what was killed first, or ended; 0: not known. */
static uint64_t size_of_killed(const struct postmortem *post)
{
	const struct mp_capture *capture = &post->capture;

	if (capture->nr_victims)
		return capture->victims[0].resident;
	return capture->trouble.event == MP_MEMORY_EXIT ? capture->trouble.cause.value : 0;
}

/* The callsite that had most of what was killed. */
static void put_culprit(const struct postmortem *post)
{
	const bool allocated = post->tables[KILLED].nr_rows;
	const struct mp_growth *growth = &post->tables[allocated ? KILLED : KILLED_TOUCHED];
	char bytes[MP_HUMAN_SIZE];
	uint64_t most;

	if (!growth->nr_rows)
		return;
	most = (uint64_t)mp_postmortem_most(growth);
	printf("%s %s %s%s\n", mp_human_bytes(bytes, most),
	       allocated ? "of it was allocated by" : "was touched by",
	       growth->names.list[growth->rows->name],
	       allocated && most < size_of_killed(post) / 2 ?
	       "; the rest is older than the agent's session, or was not allocated by malloc" :
	       "");
}

static void put_head(const struct postmortem *post)
{
	const struct mp_capture *capture = &post->capture;
	char text[4 * 256], when[MP_MOMENT_SIZE], reason[MP_CAPTURE_REASON_SIZE];
	const char *container = container_of_event(post);
	size_t i;

	mp_capture_reason(capture, reason, sizeof(reason));
	printf("%s: %s %s\n", mp_moment_write(when, capture->time_s),
	       container ?: cgroup_of(capture, text, sizeof(text)), reason);
	for (i = 0; i < capture->nr_victims; i++)
		put_victim(&capture->victims[i]);
	put_culprit(post);
	if (!capture->nr_victims && capture->trouble.event == MP_MEMORY_OOM_KILL)
		printf("whom the kernel killed is not known: %s\n", capture->log_unread ?
		       "the agent may not read its log (CAP_SYSLOG)" : "its log does not say");
}

static bool has_rows_of(int table, int other)
{
	return tables[table].kind == tables[other].kind &&
	       is_of_killed(table) == is_of_killed(other);
}

/* Arranges the rows of a table once, for it and for those that follow with the same rows. */
static int add(struct postmortem *post, int table, struct mp_profile *profile,
	       const struct mp_sizes *sizes)
{
	const struct mp_filter filter = post->choice.arrange.filter;
	const struct mp_out out = { .kind = tables[table].kind, .sort = tables[table].metric };
	struct mp_profile rows = { 0 };
	struct mp_growth *growth;
	int i, err;

	post->choice.arrange.keys = out.kind == MP_ROW_SITE ?
		MP_GROUP_COMM | MP_GROUP_CGROUP | MP_GROUP_LINE : MP_GROUP_DEFAULT;
	if (is_of_killed(table))
		post->choice.arrange.filter = post->killed;
	err = mp_choice_rows(&post->choice, &out, sizes, profile, &rows);
	post->choice.arrange.filter = filter;
	for (i = table; !err && i < NR_TABLES && has_rows_of(i, table); i++) {
		growth = &post->tables[i];
		growth->kind = out.kind;
		growth->metric = tables[i].metric;
		growth->max = MP_CAPTURES_SNAPSHOTS;
		err = mp_growth_add(growth, &rows, mp_location_row, MP_LOCATION_TEXT_SIZE);
	}
	mp_profile_free(&rows);
	return err;
}

static int take(void *context, uint64_t time_s, struct mp_profile *profile,
		const struct mp_sizes *sizes)
{
	struct postmortem *post = context;
	int err = 0, i;

	for (i = 0; i < NR_TABLES && !err; i++)
		if ((!i || !has_rows_of(i, i - 1)) && (!is_of_killed(i) || post->killed.nr))
			err = add(post, i, profile, sizes);
	if (!post->from_s)
		post->from_s = time_s;
	post->to_s = time_s;
	return err ? mp_fail(err, NULL, "cannot compare the snapshots") : 0;
}

/* Only the processes that were killed, or exited, by pid: they may have left the cgroup. */
static int choose_killed(struct postmortem *post)
{
	const struct mp_memory_trouble *trouble = &post->capture.trouble;
	char why[MP_FILTER_WHY_SIZE];
	size_t i, len = 0;

	if (trouble->event == MP_MEMORY_EXIT && trouble->cause.pid)
		len = (size_t)snprintf(post->killed_text, sizeof(post->killed_text),
				       "pid=%" PRIu32, (uint32_t)trouble->cause.pid);

	for (i = 0; i < post->capture.nr_victims; i++)
		len += (size_t)snprintf(post->killed_text + len,
					sizeof(post->killed_text) - len, "%spid=%" PRIu32,
					len ? "," : "", post->capture.victims[i].pid);
	return !len || mp_filter_add(&post->killed, post->killed_text, why) ? 0 :
	       mp_fail(0, NULL, "cannot choose what was killed: %s", why);
}

/* Only the cgroup of the event, if it was one. */
static int choose_cgroup(struct postmortem *post, char *filter, size_t size)
{
	char why[MP_FILTER_WHY_SIZE];
	const char *cgroup = post->capture.trouble.cgroup;

	/* a path with a comma cannot be in a filter: then all rows are shown */
	if (!*cgroup || strchr(cgroup, ','))
		return 0;
	snprintf(filter, size, "cgroup=%s", cgroup);
	return mp_filter_add(&post->choice.arrange.filter, filter, why) ? 0 :
	       mp_fail(0, NULL, "cannot choose the cgroup: %s", why);
}

static bool put_table(const struct postmortem *post, int table)
{
	if (!post->tables[table].nr_rows)
		return false;
	printf("\n%s:\n", tables[table].title);
	mp_postmortem_table(stdout, &post->tables[table], post->limit);
	return true;
}

static void put_tables(const struct postmortem *post)
{
	char from[MP_MOMENT_SIZE], to[MP_MOMENT_SIZE];
	bool has_sites;

	mp_pager_start();
	put_head(post);
	put_table(post, COMMANDS);
	has_sites = put_table(post, KILLED) || put_table(post, KILLED_TOUCHED);
	has_sites |= put_table(post, SITES);
	if (!has_sites)
		put_table(post, TOUCHED);
	printf("\n%zu snapshots from %s to %s\n", post->tables[COMMANDS].nr,
	       mp_moment_write(from, post->from_s), mp_moment_write(to, post->to_s));
	printf("memprofctl report --history --history-folder %s shows them, with stacks\n", post->path);
}

/*
 * The kernel says what a process had when it was killed: more than in any snapshot, and there
 * may be none of a process that lived shortly. The last snapshot is of the time after that.
 */
static int add_victims(struct postmortem *post)
{
	struct mp_growth *growth = &post->tables[COMMANDS];
	const struct mp_oom_victim *victim = post->capture.victims;
	size_t i;
	int err = 0;

	for (i = 0; growth->nr > 1 && i < post->capture.nr_victims && !err; i++, victim++)
		if (victim->resident && victim->cgroup[0])
			err = mp_growth_raise(growth, growth->nr - 2, victim->comm,
					      victim->cgroup, (double)victim->resident);
	return err ? mp_fail(err, NULL, "cannot compare the snapshots") : 0;
}

static int show(struct postmortem *post)
{
	const struct mp_history_range range = { .given = true, .folder = post->path };
	const struct mp_input input = {
		.locations = true, .wrappers = &post->choice.wrappers,
		.quiet = post->choice.quiet,
	};
	char filter[PATH_MAX + 16];
	int i, status = choose_cgroup(post, filter, sizeof(filter)) ?: choose_killed(post) ?:
		     mp_history_range_walk("postmortem", &range, &input,
					   MP_CAPTURES_SNAPSHOTS, take, post) ?:
		     add_victims(post);

	if (status)
		return status;
	for (i = 0; i < NR_TABLES; i++)
		mp_postmortem_rank(&post->tables[i]);
	if (post->json) {
		put_object(post);
		for (i = 0; i < NR_TABLES; i++)
			mp_postmortem_json(stdout, &post->tables[i], tables[i].json_type,
					   post->limit);
	} else {
		put_tables(post);
	}
	return 0;
}

static int read_one(struct postmortem *post, const char *name)
{
	int err;

	strcpy(post->name, name);
	snprintf(post->path, sizeof(post->path), "%s/" MP_CAPTURES_FOLDER "/%s", post->folder,
		 name);
	err = mp_captures_read(post->folder, name, &post->capture);
	return err ? mp_fail(err, NULL, "cannot read %s/" MP_CAPTURES_FILE, post->path) : 0;
}

static int list_all(struct postmortem *post, struct mp_capture_name *names, long nr)
{
	int status = 0;
	long i;

	for (i = 0; i < nr && !status; i++) {
		status = read_one(post, names[i].text);
		if (!status && post->json)
			put_object(post);
		else if (!status)
			put_line(post);
	}
	return status;
}

static int find(struct postmortem *post, struct mp_capture_name *names, long nr)
{
	long i;

	for (i = nr - 1; i >= 0; i--)
		if (!post->numbered || strtoull(names[i].text, NULL, 10) == post->number)
			return read_one(post, names[i].text) ?: show(post);
	return mp_fail(0, "memprofctl postmortem --list shows them",
		       "there is no capture %" PRIu64 " in %s", post->number, post->folder);
}

static int run_all(struct postmortem *post)
{
	struct mp_capture_name *names;
	long nr;
	int status;

	if (!post->folder)
		post->folder = mp_agent_folder();
	if (!post->limited && !post->json)
		post->limit = DEFAULT_LIMIT;
	nr = access(post->folder, R_OK | X_OK) ? -errno : mp_captures_list(post->folder, &names);
	if (nr < 0)
		return mp_fail((int)nr, "memprofctl agent writes them",
			       "cannot read the captures in %s", post->folder);
	status = post->list ? list_all(post, names, nr) :
		 nr ? find(post, names, nr) :
		 mp_fail(0, "the agent makes one when memory is short",
			 "there are no captures in %s", post->folder);
	free(names);
	return status;
}

static int run(const struct mp_command *command, int argc, char **argv)
{
	/* static, because it is too large for the stack */
	static struct postmortem post;
	int i, status = mp_command_parse(command, argc, argv, &post);

	if (status == MP_PARSED)
		status = run_all(&post);
	for (i = 0; i < NR_TABLES; i++)
		mp_growth_free(&post.tables[i]);
	mp_filter_free(&post.killed);
	mp_choice_free(&post.choice);
	return status;
}

const struct mp_command mp_cmd_postmortem = {
	.name = "postmortem",
	.summary = "show who held memory when it was short, by a capture of memprofctl agent",
	.usage = "[--list | --capture N] [OPTION]...",
	.options = options,
	.run = run,
};

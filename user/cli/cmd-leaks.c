// SPDX-License-Identifier: GPL-2.0-only
/*
 * leaks: which callsites, commands or cgroups of the agent's history keep growing
 *
 * At most POINTS snapshots are read, each at the cost of a report.
 */
#include "cgroup-memory.h"
#include "choice.h"
#include "command.h"
#include "grouping.h"
#include "growth.h"
#include "history-range.h"
#include "leaks-table.h"
#include "location-text.h"
#include "message.h"
#include "pager.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#define POINTS		48
#define DEFAULT_LIMIT	20
#define DEFAULT_LEAST	(64 << 10)

struct leaks {
	struct mp_history_range range;
	struct mp_choice choice;
	bool followed;			/* allocations */
	struct mp_growth growth;
	struct mp_leaks_view view;
	uint64_t times_s[POINTS];
	enum { BY_CALLSITE, BY_COMMAND, BY_CGROUP } by;
	bool by_given, limited, json;
};

static int set_least(void *to, const struct mp_argument *argument)
{
	return mp_command_bytes(argument->value, 1, INT64_MAX, to) ? 0 :
	       mp_misuse(argument->verb, "--min takes bytes such as 64K, not '%s'",
			 argument->value);
}

static const struct mp_option options[] = {
	{ 0, "by", "callsite|command|cgroup", "callsite command cgroup",
	  "what a row stands for; default callsite, where allocations were sampled",
	  MP_WORD(struct leaks, by), MP_GIVEN(struct leaks, by_given) },
	MP_HISTORY_OPTIONS(struct leaks, range),
	{ 0, "min", "BYTES", "64K 1M 16M", "growth in all that a row must have; default 64K",
	  MP_SET(struct leaks, view.least, set_least) },
	{ 'n', "limit", "N", "0 10 20 50",
	  "rows to show, 0 for all; default 20, with --json all",
	  MP_NUMBER(struct leaks, view.limit, 0, INT_MAX), MP_GIVEN(struct leaks, limited) },
	MP_CHOICE_FILTER(struct leaks),
	MP_CHOICE_SYMBOLS(struct leaks),
	{ 0, "bytes", NULL, NULL, "exact numbers without units",
	  MP_FLAG(struct leaks, view.exact), MP_RARE },
	{ 'j', "json", NULL, NULL, "one JSON object a line", MP_FLAG(struct leaks, json) },
	MP_CHOICE_QUIET(struct leaks),
	MP_OPTION_HELP,
	MP_OPTION_HELP_ALL,
	{ 0 },
};

/* With the first snapshot: what its rows can be. */
static void choose_rows(struct leaks *leaks, const struct mp_profile *profile)
{
	struct mp_growth *growth = &leaks->growth;

	if (!leaks->by_given && !mp_choice_has(profile, MP_INUSE_SPACE) &&
	    profile->meta.alloc.rate == 0)
		leaks->by = BY_COMMAND;
	growth->max = POINTS;
	growth->kind = leaks->by == BY_CALLSITE ? MP_ROW_SITE :
		       leaks->by == BY_CGROUP ? MP_ROW_CGROUP : MP_ROW_PROCESS;
	growth->metric = leaks->by == BY_CALLSITE ? MP_INUSE_SPACE : MP_RESIDENT;
}

static int take(void *context, uint64_t time_s, struct mp_profile *profile,
		const struct mp_sizes *sizes)
{
	struct leaks *leaks = context;
	struct mp_growth *growth = &leaks->growth;
	struct mp_profile rows = { 0 };
	struct mp_out out;
	int err;

	if (!growth->nr)
		choose_rows(leaks, profile);
	out = (struct mp_out){ .kind = growth->kind, .sort = growth->metric };
	leaks->choice.arrange.keys = growth->kind == MP_ROW_SITE ?
				     MP_GROUP_COMM | MP_GROUP_CGROUP | MP_GROUP_LINE :
				     MP_GROUP_DEFAULT;
	leaks->followed |= profile->meta.alloc.rate;
	leaks->times_s[growth->nr] = time_s;
	err = mp_choice_rows(&leaks->choice, &out, sizes, profile, &rows) ?:
	      mp_growth_add(growth, &rows, mp_location_row, MP_LOCATION_TEXT_SIZE);
	mp_profile_free(&rows);
	return err ? mp_fail(err, NULL, "cannot compare the snapshots") : 0;
}

static int show(struct leaks *leaks)
{
	struct mp_growth *growth = &leaks->growth;
	uint64_t *rooms = calloc(growth->nr_rows + 1, sizeof(*rooms));
	bool *limited = calloc(growth->nr_rows + 1, sizeof(*limited));
	int status = rooms && limited ? 0 : mp_fail(ENOMEM, NULL, "cannot show the rows");
	size_t i;

	for (i = 0; !status && i < growth->nr_rows; i++)
		limited[i] = mp_cgroup_memory_room(
			growth->names.list[growth->rows[i].cgroup], &rooms[i]);
	leaks->view.times_s = leaks->times_s;
	leaks->view.rooms = rooms;
	leaks->view.limited = limited;
	if (!status && leaks->json) {
		mp_leaks_json(stdout, growth, &leaks->view);
	} else if (!status) {
		mp_pager_start();
		mp_leaks_table(stdout, growth, &leaks->view);
	}
	free(rooms);
	free(limited);
	return status;
}

static int find_leaks(struct leaks *leaks)
{
	const struct mp_input input = {
		.locations = !leaks->by_given || leaks->by == BY_CALLSITE,
		.wrappers = &leaks->choice.wrappers,
		.quiet = leaks->choice.quiet,
	};
	int err, status = mp_history_range_walk("leaks", &leaks->range, &input, POINTS, take,
						leaks);

	if (status)
		return status;
	if (leaks->growth.kind == MP_ROW_SITE && !leaks->followed)
		return mp_fail(0, "alloc and inject in its configuration; --by command is about RSS",
			       "the agent follows no allocations: what callsites have is not known");
	if (leaks->growth.nr < MP_TREND_MIN)
		return mp_fail(0, leaks->range.since ?
			       "a longer range, with an earlier --since" :
			       "wait; a session begins when the agent does, and at SIGHUP",
			       "a trend needs %d snapshots of one session, and there are %zu",
			       MP_TREND_MIN, leaks->growth.nr);
	err = mp_growth_find(&leaks->growth, (double)leaks->view.least);
	return err ? mp_fail(err, NULL, "cannot find what grows") : show(leaks);
}

static int run(const struct mp_command *command, int argc, char **argv)
{
	/* static, because it is too large for the stack */
	static struct leaks leaks = { .view.least = DEFAULT_LEAST };
	int status = mp_command_parse(command, argc, argv, &leaks);

	if (status == MP_PARSED) {
		if (!leaks.limited && !leaks.json)
			leaks.view.limit = DEFAULT_LIMIT;
		status = find_leaks(&leaks);
	}
	mp_growth_free(&leaks.growth);
	mp_choice_free(&leaks.choice);
	return status;
}

const struct mp_command mp_cmd_leaks = {
	.name = "leaks",
	.summary = "show what keeps growing, by the history of memprofctl agent",
	.usage = "[--by callsite|command|cgroup] [--since TIME] [OPTION]...",
	.options = options,
	.run = run,
};

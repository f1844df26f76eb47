// SPDX-License-Identifier: GPL-2.0-only
/*
 * replay: passes a text log to an engine and prints the result
 *
 * See log.c for the cost.
 */
#include "command.h"
#include "folded.h"
#include "heap-json.h"
#include "message.h"
#include "replay.h"
#include "replay-calls.h"
#include "replay-sections.h"
#include "section-log.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum kind { HEAP, SECTIONS, CALLS };

struct choice {
	enum kind kind;
	const char *path;
	uint64_t max_depth;
	bool kind_chosen;
	bool json;
	bool collapse;
	bool aggregate;
	bool calls_only;		/* an option that only applies to calls was given */
};

static const struct mp_option options[] = {
	{ 'k', "kind", "heap|sections|calls", "heap sections calls",
	  "what the log contains",
	  MP_WORD(struct choice, kind), MP_GIVEN(struct choice, kind_chosen) },
	{ 'j', "json", NULL, NULL,
	  "sections: a JSON list per flush (heap: always JSON)",
	  MP_FLAG(struct choice, json) },
	{ 0, "collapse", NULL, NULL,
	  "calls: add up equal stacks: a flame graph",
	  MP_FLAG(struct choice, collapse), MP_GIVEN(struct choice, calls_only) },
	{ 0, "no-collapse", NULL, NULL,
	  "calls: one line per call: a flame chart (default)",
	  MP_FLAG_OFF(struct choice, collapse), MP_GIVEN(struct choice, calls_only) },
	{ 0, "max-depth", "N", NULL,
	  "calls: leave out calls deeper than N; default 100",
	  MP_NUMBER(struct choice, max_depth, 0, MP_CALLS_LIMIT),
	  MP_GIVEN(struct choice, calls_only) },
	{ 0, "aggregate", NULL, NULL,
	  "calls: sums of each toplevel call, and of all",
	  MP_FLAG(struct choice, aggregate), MP_GIVEN(struct choice, calls_only) },
	MP_OPTION_HELP,
	{ 0 },
};

/* Reports the error that ended a replay. */
static int report_end(const char *path, int err, size_t line, const char *why)
{
	if (!err)
		return 0;
	fflush(stdout);
	if (err == -EBADMSG)
		return mp_fail(0, NULL, "%s, line %zu: %s", path, line, why);
	return mp_fail(err, NULL, "cannot replay %s", path);
}

static int replay_heap(const struct choice *choice, FILE *file)
{
	struct mp_replay replay = { 0 };
	int err, status;

	mp_heap_init(&replay.heap);
	err = mp_replay_heap(&replay, file);
	if (!err)
		err = mp_heap_json(stdout, &replay.heap, &replay.callsites);
	status = report_end(choice->path, err, replay.log.line, replay.log.why);
	mp_replay_free(&replay);
	return status;
}

static int flush_lines(const struct mp_section *sections, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		mp_section_log(stdout, &sections[i]);
	return 0;
}

static int flush_json(const struct mp_section *sections, size_t nr)
{
	return mp_section_json(stdout, sections, nr);
}

static const char *cause_of(int err)
{
	switch (err) {
	case -ENOENT:
		return "no such section is open";
	case -ENAMETOOLONG:
		return "its id has more than 255 bytes";
	case -EMFILE:
		return "too many are open";
	case -ENOSPC:
		return "too many wait for a flush; it is lost";
	case -ELOOP:
		return "too many nested invocations";
	}
	return strerror(-err);
}

static void report_refused(const struct mp_replay_sections *replay, int err,
			   const char *op, const char *id)
{
	bool named = strcmp(op, "invoke");

	fflush(stdout);
	mp_fail(0, NULL, "line %zu: cannot %s%s%s%s: %s", replay->log.line, op,
		named ? " section '" : "", id, named ? "'" : "", cause_of(err));
}

static int replay_sections(const struct choice *choice, FILE *file)
{
	struct mp_replay_sections replay = {
		.flush = choice->json ? flush_json : flush_lines,
		.complain = report_refused,
	};
	int err = mp_replay_sections(&replay, file), status;
	size_t nr;

	status = report_end(choice->path, err, replay.log.line, replay.log.why);
	mp_sections_completed(&replay.sections, &nr);
	if (nr) {
		fflush(stdout);
		mp_warn("no flush follows",
			"completed sections that are not shown: %zu", nr);
	}
	mp_replay_sections_free(&replay);
	return status;
}

static void warn_open_calls(const struct mp_replay_calls *replay, size_t nr_open)
{
	fflush(stdout);
	mp_warn("they end with the run", "line %zu: calls that have no exit: %zu",
		replay->log.line, nr_open);
}

static int replay_calls(const struct choice *choice, FILE *file)
{
	struct mp_replay_calls replay = {
		.complain = warn_open_calls,
	};
	int status, err;

	mp_calls_init(&replay.calls);
	replay.calls.context = stdout;
	replay.calls.max_depth = (uint32_t)choice->max_depth;
	if (choice->aggregate) {
		replay.calls.top = mp_folded_top;
		replay.end_run = mp_folded_total;
	} else if (choice->collapse) {
		replay.end_run = mp_folded_graph;
	} else {
		replay.calls.top = mp_folded_chart;
		replay.calls.chart = true;
	}
	err = mp_replay_calls(&replay, file);
	status = report_end(choice->path, err, replay.log.line, replay.log.why);
	mp_replay_calls_free(&replay);
	return status;
}

static int replay_kind(const struct choice *choice, FILE *file)
{
	switch (choice->kind) {
	case SECTIONS:
		return replay_sections(choice, file);
	case CALLS:
		return replay_calls(choice, file);
	default:
		return replay_heap(choice, file);
	}
}

static int check_options(const struct choice *choice)
{
	if (!choice->kind_chosen)
		return mp_misuse("replay", "--kind is needed");
	if (choice->calls_only && choice->kind != CALLS)
		return mp_misuse("replay",
				 "--collapse, --no-collapse, --max-depth and --aggregate need --kind calls");
	if (choice->json && choice->kind == CALLS)
		return mp_misuse("replay", "--json needs --kind sections or heap");
	return 0;
}

static int run(const struct mp_command *command, int argc, char **argv)
{
	struct choice choice = { .max_depth = MP_CALLS_MAX_DEPTH };
	int status = mp_command_parse(command, argc, argv, &choice);
	FILE *file;

	if (status != MP_PARSED)
		return status;
	choice.path = optind < argc ? argv[optind] : "-";
	status = check_options(&choice);
	if (status)
		return status;
	file = strcmp(choice.path, "-") ? fopen(choice.path, "re") : stdin;
	if (!file)
		return mp_fail(-errno, NULL, "cannot open %s", choice.path);
	status = replay_kind(&choice, file);
	if (file != stdin)
		fclose(file);
	return status;
}

const struct mp_command mp_cmd_replay = {
	.name = "replay",
	.summary = "feed a text log to an engine and print the result",
	.usage = "--kind KIND [--json] [--collapse|--no-collapse]\n"
		 "                         [--max-depth N] [--aggregate] FILE|-",
	.options = options,
	.nr_operands = 1,
	.run = run,
};

// SPDX-License-Identifier: GPL-2.0-only
/*
 * sections: shows named parts of programs when the programs flush them
 *
 * The sections are from running processes or from a recording. Sections that
 * were not flushed are not shown. A section takes a few microseconds; lost
 * events are reported.
 */
#include "command.h"
#include "folded.h"
#include "message.h"
#include "record-arguments.h"
#include "section-calls.h"
#include "section-log.h"
#include "section-record.h"
#include "section-source.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

enum shape { LOG, JSON, GRAPH, CHART, AGGREGATE };

struct request {
	struct mp_targets targets;
	struct mp_section_source source;
	struct mp_section_flushes flushes;
	struct mp_calls calls;
	enum shape shape;
	uint64_t max_depth;
	uint64_t nr, nr_cut;
	uint32_t tid;
	int meter;
	bool json, flamegraph, aggregate, chart, mixed;
	bool graph_only;		/* an option that only applies to --flamegraph was given */
};

static const struct mp_option options[] = {
	MP_TARGET_ALL(struct request, targets),
	MP_TARGET_PROCESS(struct request, targets),
	{ 'F', "follow", NULL, NULL, "continue after the first flush",
	  MP_FLAG(struct request, source.follow) },
	{ 'i', "input", "FILE", NULL, "read a recording instead",
	  MP_TEXT(struct request, source.path) },
	{ 'j', "json", NULL, NULL, "a JSON object per flush and line",
	  MP_FLAG(struct request, json) },
	{ 0, "flamegraph", NULL, NULL,
	  "folded stacks of sections, with their own units",
	  MP_FLAG(struct request, flamegraph) },
	{ 0, "collapse", NULL, NULL,
	  "flamegraph: add up equal stacks (default)",
	  MP_FLAG_OFF(struct request, chart), MP_GIVEN(struct request, graph_only) },
	{ 0, "no-collapse", NULL, NULL,
	  "flamegraph: one line per section: a flame chart",
	  MP_FLAG(struct request, chart), MP_GIVEN(struct request, graph_only) },
	{ 0, "max-depth", "N", NULL,
	  "flamegraph: leave out sections deeper than N; default 100",
	  MP_NUMBER(struct request, max_depth, 0, MP_CALLS_LIMIT),
	  MP_GIVEN(struct request, graph_only) },
	{ 0, "aggregate", NULL, NULL,
	  "sums of each outermost section, and of all",
	  MP_FLAG(struct request, aggregate) },
	MP_READY_OPTION(struct request, source.ready_fd),
	MP_OPTION_HELP,
	MP_OPTION_HELP_ALL,
	{ 0 },
};

static int check_options(struct request *request)
{
	struct mp_diag diag = { 0 };

	if (request->json + request->flamegraph + request->aggregate > 1)
		return mp_misuse("sections",
				 "--json, --flamegraph and --aggregate exclude each other");
	if (request->graph_only && !request->flamegraph)
		return mp_misuse("sections",
				 "--collapse, --no-collapse and --max-depth need --flamegraph");
	if (request->source.path && request->source.follow)
		return mp_misuse("sections", "a recording cannot be followed");
	if (request->source.path && request->source.ready_fd)
		return mp_misuse("sections",
				 "--ready-fd is for running processes, not for a recording");
	if (request->json)
		request->shape = JSON;
	else if (request->aggregate)
		request->shape = AGGREGATE;
	else if (request->flamegraph)
		request->shape = request->chart ? CHART : GRAPH;
	mp_targets_check(&request->targets, &diag);
	return mp_message_diag(&diag, "sections");
}

static void print_log(struct request *request, struct mp_section_flush *flush)
{
	struct mp_section section;
	size_t i;

	if (!request->nr || request->tid != flush->tid)
		printf("process %u, thread %u:\n", flush->pid, flush->tid);
	request->tid = flush->tid;
	for (i = 0; i < flush->nr; i++) {
		mp_section_of_record(&section, &flush->records[i]);
		mp_section_log(stdout, &section);
		mp_section_seen(stdout, &flush->records[i]);
	}
}

/*
 * Notes whether sections were measured with different meters: then their values
 * have different units and cannot be added up.
 */
static void compare_meters(struct request *request,
			   const struct mp_section_flush *flush)
{
	size_t i;

	for (i = 0; i < flush->nr; i++) {
		if (request->meter < 0)
			request->meter = (int)flush->records[i].meter;
		request->mixed |= request->meter != (int)flush->records[i].meter;
	}
}

static int show_flush(void *context, struct mp_section_flush *flush)
{
	struct request *request = context;
	int err = 0;

	request->nr_cut += !flush->whole;
	switch (request->shape) {
	case LOG:
		print_log(request, flush);
		break;
	case JSON:
		err = mp_section_flush_json(stdout, flush);
		break;
	default:
		compare_meters(request, flush);
		err = mp_section_calls(&request->calls, flush,
				       request->shape == AGGREGATE);
	}
	request->nr++;
	fflush(stdout);
	return err;
}

static void print_warnings(const struct request *request)
{
	if (request->mixed)
		mp_warn("use -p to show one process",
			"the sections have different meters, but their units are added up");
	if (request->source.nr_lost)
		mp_warn(NULL, "%" PRIu64 " events were lost: the rings were full",
			request->source.nr_lost);
	if (request->nr_cut)
		mp_warn("sections are missing",
			"%" PRIu64 " flushes are incomplete", request->nr_cut);
}

static int show_sections(struct request *request)
{
	struct mp_diag diag = { 0 };
	int status, err = 0;

	if (request->source.path) {
		mp_section_read(&request->source, &diag);
	} else {
		if (isatty(STDERR_FILENO))
			fputs("memprofctl sections: waits for a program to flush its sections (Ctrl-C ends)\n",
			      stderr);
		mp_section_listen(&request->source, &diag);
	}

	if (request->shape == GRAPH)
		err = mp_folded_graph(&request->calls);
	else if (request->shape == AGGREGATE && request->nr)
		mp_folded_total(&request->calls);
	fflush(stdout);
	status = mp_message_diag(&diag, "sections");
	if (err)
		status = mp_fail(err, NULL, "cannot fold the sections");
	print_warnings(request);
	return status;
}

static int run(const struct mp_command *command, int argc, char **argv)
{
	struct request request = {
		.max_depth = MP_CALLS_MAX_DEPTH, .meter = -1,
	};
	int status = mp_command_parse(command, argc, argv, &request);

	if (status == MP_PARSED)
		status = check_options(&request);
	else
		return status;
	if (status)
		return status;
	request.targets.children = true;
	request.source.targets = &request.targets;
	request.source.flushes = &request.flushes;
	request.source.nr = &request.nr;
	request.flushes.take = show_flush;
	request.flushes.context = &request;
	mp_calls_init(&request.calls);
	request.calls.context = stdout;
	request.calls.max_depth = (uint32_t)request.max_depth;
	request.calls.chart = request.shape == CHART;
	if (request.shape == CHART)
		request.calls.top = mp_folded_chart;
	else if (request.shape == AGGREGATE)
		request.calls.top = mp_folded_top;
	status = show_sections(&request);
	mp_section_flushes_free(&request.flushes);
	mp_calls_free(&request.calls);
	return status;
}

const struct mp_command mp_cmd_sections = {
	.name = "sections",
	.summary = "show the units and memory of named parts of programs",
	.usage = "[-a | -p PID...] [--follow] [--json] [-i FILE]\n"
		 "                           [--flamegraph [--collapse|--no-collapse] [--max-depth N]]\n"
		 "                           [--aggregate] [--ready-fd FD]",
	.options = options,
	.run = run,
};

// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz-log: any lines as a log of sections, or of calls
 */
#include "folded.h"
#include "input.h"
#include "replay-calls.h"
#include "replay-sections.h"
#include "section-log.h"

static int flush_lines(const struct mp_section *sections, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		mp_section_log(input_null(), &sections[i]);
	return mp_section_json(input_null(), sections, nr);
}

static void ignore_refusal(const struct mp_replay_sections *replay, int err,
			   const char *op, const char *id)
{
	(void)replay;
	fprintf(input_null(), "%d%s%s", err, op, id);
}

static void replay_sections(FILE *file)
{
	struct mp_replay_sections replay = {
		.flush = flush_lines, .complain = ignore_refusal,
	};

	mp_replay_sections(&replay, file);
	mp_replay_sections_free(&replay);
}

static void ignore_open(const struct mp_replay_calls *replay, size_t nr_open)
{
	(void)replay;
	(void)nr_open;
}

static void replay_calls(FILE *file, uint8_t choice)
{
	struct mp_replay_calls replay = { .complain = ignore_open };

	mp_calls_init(&replay.calls);
	replay.calls.context = input_null();
	replay.calls.max_depth = choice & 4 ? 2 : MP_CALLS_MAX_DEPTH;
	if (choice & 1) {
		replay.end_run = choice & 2 ? mp_folded_total : mp_folded_graph;
		replay.calls.top = choice & 2 ? mp_folded_top : NULL;
	} else {
		replay.calls.top = mp_folded_chart;
		replay.calls.chart = true;
	}
	mp_replay_calls(&replay, file);
	mp_replay_calls_free(&replay);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = { data, size };
	uint8_t choice = input_byte(&input);
	FILE *file = input_stream(&input);

	if (choice % 2)
		replay_sections(file);
	else
		replay_calls(file, choice >> 1);
	fclose(file);
	return 0;
}

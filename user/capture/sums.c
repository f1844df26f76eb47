// SPDX-License-Identifier: GPL-2.0-only
/*
 * sums: writes the values of rows as samples, and their description as a piece
 */
#include "sums.h"
#include "clock.h"
#include "json.h"
#include "perf-synth.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

uint64_t mp_sums_event_id(const struct mp_perf_events *events, uint32_t number)
{
	size_t i;

	for (i = 0; i < events->by_id.nr_slots; i++)
		if (events->by_id.slots[i].used &&
		    events->by_id.slots[i].value == number)
			return events->by_id.slots[i].a;
	return 0;
}

int mp_sums_invent(struct mp_sums *sums, struct mp_perf_rings *rings)
{
	int process, site;

	process = mp_perf_rings_invent(rings, "memprof:process",
				       MP_PERF_ID_PROCESS);
	if (process < 0)
		return process;
	site = mp_perf_rings_invent(rings, "memprof:site", MP_PERF_ID_SITE);
	if (site < 0)
		return site;
	sums->process_event = (uint32_t)process;
	sums->site_event = (uint32_t)site;
	return 0;
}

/*
 * Returns the value by which perf sorts: current bytes, or the peak if the
 * process exited.
 */
static uint64_t period_of(const struct mp_row *row)
{
	bool ended = kill((pid_t)row->pid, 0) && errno == ESRCH;

	if (mp_row_has_location(row))
		return row->value[ended ? MP_PEAK_SPACE : MP_INUSE_SPACE];
	return row->value[ended ? MP_PEAK_RESIDENT : MP_RESIDENT];
}

struct putting {
	const struct mp_sums *sums;
	uint64_t time_ns;
};

static int put_record(void *context, const struct perf_event_header *record)
{
	const struct putting *putting = context;

	return mp_perf_writer_put(putting->sums->writer,
				  putting->sums->events, record);
}

static int put_row(struct putting *putting, const struct mp_row *row)
{
	bool site = mp_row_has_location(row);
	const struct mp_sums *sums = putting->sums;
	struct mp_perf_synth synth = {
		.put = put_record, .context = putting,
		.id = mp_sums_event_id(sums->events, site ?
				       sums->site_event : sums->process_event),
	};

	return mp_perf_synth_row(&synth, site ? MP_PERF_ID_SITE :
				 MP_PERF_ID_PROCESS,
				 putting->time_ns, period_of(row), row);
}

/* Writes what the samples do not contain: names, frames, histograms, counters. */
static int put_description(const struct mp_sums *sums,
		    const struct mp_profile *profile)
{
	char *text = NULL;
	size_t size, i;
	FILE *file = open_memstream(&text, &size);
	int err;

	if (!file)
		return -ENOMEM;
	for (i = 0; i < mp_json_nr_lines(profile); i++)
		mp_json_line_bare(file, profile, i);
	mp_json_summary(file, profile, MP_ROW_PROCESS, 0);
	err = fclose(file) ? -ENOMEM :
	      mp_perf_writer_piece(sums->writer, MP_PERF_PIECE_ROWS, text,
				   size);
	free(text);
	return err;
}

int mp_sums_put(const struct mp_sums *sums, const struct mp_profile *profile)
{
	struct putting putting = { .sums = sums };
	size_t i;
	int err = 0;

	putting.time_ns = mp_clock_ns();
	for (i = 0; !err && i < profile->nr_rows; i++)
		if (profile->rows[i].kind != MP_ROW_CGROUP)
			err = put_row(&putting, &profile->rows[i]);
	return err ?: put_description(sums, profile);
}

int mp_sums_write(struct mp_perf_writer *writer, const struct mp_profile *profile,
		  char * const *argv, int argc)
{
	struct mp_perf_rings rings = { 0 };
	struct mp_sums sums = { .writer = writer, .events = &rings.events };
	int err = mp_sums_invent(&sums, &rings);

	if (!err)
		err = mp_perf_writer_describe(writer, &rings.events, argv, argc);
	if (!err)
		err = mp_sums_put(&sums, profile);
	mp_perf_rings_close(&rings);
	return err;
}

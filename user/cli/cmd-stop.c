// SPDX-License-Identifier: GPL-2.0-only
/*
 * stop: ends the session
 *
 * It returns after all probes are removed and the collector has closed the
 * device. Then another session can start. What the session has seen is kept until the
 * next one is stopped, for report and export.
 */
#include "command.h"
#include "counter.h"
#include "human.h"
#include "message.h"
#include "record.h"
#include "request.h"
#include "session-save.h"

#include <inttypes.h>
#include <stdio.h>

struct request {
	struct mp_preload file;
	bool quiet;
};

static const struct mp_option options[] = {
	{ 0, "save", "FILE", NULL, "write what the session has seen, for report -i",
	  MP_TEXT(struct request, file.output) },
	{ 'f', "force", NULL, NULL, "with --save, replace an existing file",
	  MP_FLAG(struct request, file.force), MP_RARE },
	MP_OPTION_QUIET(struct request, quiet),
	MP_OPTION_HELP,
	{ 0 },
};

static uint64_t count_lost(const struct mp_profile *profile)
{
	const struct mp_counter *counter;
	uint64_t sum = 0;

	for (counter = profile->counters;
	     counter < profile->counters + profile->nr_counters; counter++)
		if (mp_counter_info(counter->name)->class == MP_COUNTER_LOSS)
			sum += counter->value;
	return sum;
}

static void print_metric(enum mp_metric metric, const struct mp_total *total)
{
	char buf[MP_HUMAN_SIZE];

	printf(", %s %s", mp_metrics[metric].heading,
	       mp_human_metric(buf, metric, total->value[metric], false));
}

static void print_stopped(struct mp_profile *profile, bool quiet)
{
	const struct memprof_status *status = &profile->meta.status;
	struct mp_total total;
	char span[MP_HUMAN_SIZE];

	if (quiet)
		return;
	mp_profile_merge(profile);
	mp_profile_total(profile, MP_ROW_PROCESS, &total);
	printf("stopped session %u after %s: %zu process%s", status->session,
	       mp_human_span(span, status->stop_ns > status->start_ns ?
			     status->stop_ns - status->start_ns : 0),
	       total.nr_named, total.nr_named == 1 ? "" : "es");
	if (status->streams & MEMPROF_START_FAULTS) {
		print_metric(MP_MINOR_FAULTS, &total);
		print_metric(MP_MAJOR_FAULTS, &total);
	}
	if (status->streams & MEMPROF_START_ALLOC) {
		print_metric(MP_ALLOC_OBJECTS, &total);
		print_metric(MP_ALLOC_SPACE, &total);
		print_metric(MP_INUSE_SPACE, &total);
	}
	if (status->streams & MEMPROF_START_GROWTH) {
		print_metric(MP_BRK_UP, &total);
		print_metric(MP_MMAP_UP, &total);
		print_metric(MP_GROWTH, &total);
	}
	printf(", lost %" PRIu64 "\n", count_lost(profile));
}

/*
 * Saves, or keeps where report looks. Recording stops first, because the session may
 * follow this process, too. A collector of an older version cannot do that: what it
 * keeps has the cost of saving in it.
 */
static int save(const struct request *request)
{
	const char *output = request->file.output;
	struct mp_profile empty = { 0 };
	struct mp_diag unused = { 0 }, diag = { 0 };
	char size[MP_HUMAN_SIZE];
	uint64_t bytes;

	if (output && mp_record_check_output(output, request->file.force, &diag))
		return mp_message_diag(&diag, "stop");
	mp_request("halt", &empty, &unused);
	mp_profile_free(&empty);
	if (!output) {
		mp_session_keep(request->file.argc, request->file.argv);
		return 0;
	}
	if (!mp_session_save(&request->file, &bytes, &diag) && !request->quiet)
		fprintf(stderr, "[ memprofctl stop: wrote %s to %s ]\n",
			mp_human_bytes(size, bytes), output);
	return mp_message_diag(&diag, "stop");
}

static int run(const struct mp_command *command, int argc, char **argv)
{
	struct request request = { .file = { .argc = argc, .argv = argv } };
	struct mp_profile profile = { 0 };
	struct mp_diag diag = { 0 };
	int status = mp_command_parse(command, argc, argv, &request);

	if (status != MP_PARSED)
		return status;
	if (request.file.force && !request.file.output)
		return mp_misuse("stop", "-f goes with --save");
	status = save(&request);
	if (!status) {
		mp_request("stop", &profile, &diag);
		status = mp_message_diag(&diag, "stop");
	}
	if (!status)
		print_stopped(&profile, request.quiet);
	mp_profile_free(&profile);
	return status;
}

const struct mp_command mp_cmd_stop = {
	.name = "stop",
	.summary = "end the session; report still shows what it saw",
	.usage = "[--save FILE [-f]] [-q]",
	.options = options,
	.run = run,
};

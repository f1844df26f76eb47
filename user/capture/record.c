// SPDX-License-Identifier: GPL-2.0-only
/*
 * record: begins a session and a file, runs the loop, and ends both
 *
 * Steps that can fail are done before the command begins, if possible. An
 * incomplete recording can be completed: see perf-recover.c.
 */
#include "record.h"
#include "clock.h"
#include "isolate.h"
#include "loop.h"
#include "program-copies.h"
#include "recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* Between two looks at the pages of a command, if the user chose nothing */
#define DEFAULT_MOMENT_MS	1000

/* State of a recording that is being made. */
struct mp_recording {
	struct mp_record *record;
	struct mp_session session;
	struct mp_recorder recorder;
	int64_t start_ms, next_ms;
};

int mp_record_cannot_make(const char *output, int err, struct mp_diag *diag)
{
	return mp_diag_fail(diag, err, abs(err) == EEXIST ?
			    "-f replaces it, -o names another" : NULL,
			    "cannot make %s", output);
}

/* Makes and removes a file beside the output. Returns 0 or a negative errno. */
static int try_folder(const char *output)
{
	char path[PATH_MAX];
	int fd;

	if (snprintf(path, sizeof(path), "%s.%d.try", output, (int)getpid()) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	close(fd);
	unlink(path);
	return 0;
}

int mp_record_check_output(const char *output, bool force,
			   struct mp_diag *diag)
{
	const bool is_there = !access(output, F_OK);
	const int err = is_there ? force ? 0 : -EEXIST : try_folder(output);

	return err ? mp_record_cannot_make(output, err, diag) : 0;
}

static bool is_over(const struct mp_recording *recording)
{
	const struct mp_record *record = recording->record;

	return record->launch.ended ||
	       (record->duration_ms && mp_clock_ms() - recording->start_ms >=
		(int64_t)record->duration_ms);
}

static int take_turn(void *sink)
{
	struct mp_recording *recording = sink;
	struct mp_record *record = recording->record;
	int err = mp_recorder_work(&recording->recorder);

	mp_launch_reap(&record->launch, WNOHANG);
	if (err || is_over(recording))
		return err ? err : 1;
	if (!record->interval_ms || mp_clock_ms() < recording->next_ms)
		return 0;
	recording->next_ms += (int64_t)record->interval_ms;
	return mp_recorder_snapshot(&recording->recorder);
}

static int run_loop(struct mp_recording *recording, int signals)
{
	struct mp_record *record = recording->record;
	const struct mp_loop loop = {
		.session = &recording->session,
		.targets = &record->options.targets,
		.turn = take_turn, .sink = recording,
		.ready_fd = record->ready_fd,
	};
	int err = record->launch.pid ? mp_launch_go(&record->launch) : 0;

	recording->start_ms = mp_clock_ms();
	recording->next_ms = recording->start_ms +
			     (int64_t)record->interval_ms;
	if (!err)
		err = mp_loop_run(&loop, signals);
	if (!err && record->launch.ended && !record->times)
		err = mp_recorder_ended(&recording->recorder, record->launch.pid,
					record->launch.max_rss, record->launch.signal);
	return err;
}

/*
 * Reports an error. The message names the file with the data recorded so far.
 */
static int cannot_record(const struct mp_recorder *recorder, int err,
			 struct mp_diag *diag)
{
	return mp_diag_fail(diag, err, abs(err) == EFBIG ?
			    "see ulimit -f; memprofctl recover brings back what is there" :
			    "memprofctl recover brings back what is there",
			    "cannot record to %s", recorder->writer.path);
}

/*
 * A command whose calls are followed from outside does not keep its pages at its end: so they
 * are looked at while it runs.
 */
static uint64_t moment_ms_of(const struct mp_record *record)
{
	return record->moment_ms ?: record->launch.pid && !record->times &&
	       record->options.start.alloc_rate == 1 ? DEFAULT_MOMENT_MS : 0;
}

/* Opens the file and begins to record; the session has begun before. */
static int begin_file(struct mp_recording *recording, struct mp_diag *diag)
{
	struct mp_record *record = recording->record;
	struct mp_recorder *recorder = &recording->recorder;
	struct mp_session *session = &recording->session;
	int err;

	recorder->session = session;
	recorder->argv = record->argv;
	recorder->argc = record->argc;
	recorder->pages.regions = record->regions;
	recorder->pages.interval_ns = moment_ms_of(record) * 1000000;
	recorder->launched = record->times ? 0 : record->launch.pid;
	err = mp_perf_writer_open(&recorder->writer, record->output,
				  record->force);
	if (err)
		return mp_record_cannot_make(record->output, err, diag);
	recorder->writer.keeps_old = record->keeps_old;
	/* the other sources already have rings */
	if (session->source == MP_SOURCE_SMAPS)
		err = mp_session_open_rings(session);
	/* a module without sections has no such event: ignore the error */
	if (!err)
		mp_tracer_sections(&session->tracer);
	if (!err)
		err = mp_recorder_begin(recorder);
	if (!err)
		return 0;
	mp_perf_writer_close(&recorder->writer);
	return cannot_record(recorder, err, diag);
}

static void free_recording(struct mp_recording *recording)
{
	/* the file is complete, and who waits for the command need not wait longer */
	mp_session_end_later(&recording->session);
	recording->record->recording = NULL;
	free(recording);
}

int mp_record_begin(struct mp_record *record, struct mp_diag *diag)
{
	struct mp_recording *recording = calloc(1, sizeof(*recording));
	int err;

	if (!recording)
		return mp_diag_fail(diag, ENOMEM, NULL, "cannot record to %s",
				    record->output);
	recording->record = record;
	record->recording = recording;
	record->options.sections = true;
	mp_isolate_begin();
	err = mp_session_begin(&recording->session, &record->options,
			       record->launch.pid > 0 && !record->times, diag);
	if (!err)
		err = begin_file(recording, diag);
	if (err)
		free_recording(recording);
	return err;
}

int mp_record_run(struct mp_record *record, int signals, struct mp_diag *diag)
{
	struct mp_recording *recording = record->recording;
	struct mp_recorder *recorder = &recording->recorder;
	struct mp_program_copies copies;
	int err = run_loop(recording, signals), last;

	recorder->ended_ns = recorder->launched ? record->launch.ended_ns : 0;
	last = mp_recorder_end(recorder);
	err = err ? err : last;
	mp_program_copies_note(&copies, &recorder->writer);
	last = mp_perf_writer_close(&recorder->writer);
	err = err ? err : last;
	if (!err && record->launch.ended && mp_launch_error(&record->launch))
		mp_perf_writer_drop(&recorder->writer);
	else if (!err)
		err = mp_perf_writer_place(&recorder->writer);
	mp_program_copies_keep(&copies);
	if (err)
		err = cannot_record(recorder, err, diag);
	else if (recording->session.prober.nr_lost)
		mp_diag_warn(diag, NULL, "a cgroup was removed and made anew, and could not be followed after that (%zu times)",
			     recording->session.prober.nr_lost);
	record->source = recording->session.source;
	record->nr_bytes = recorder->writer.data_size;
	record->nr_samples = recorder->writer.nr_samples;
	record->nr_lost = recorder->nr_lost;
	record->nr_moments = recorder->pages.nr_moments;
	if (!err && recorder->pages.nr_late && record->moment_ms)
		mp_diag_warn(diag, "a longer --interval, or fewer targets",
			     "pages were looked at less often than --interval says (%" PRIu64 " looks were late): looks may take 2 %% of a CPU",
			     recorder->pages.nr_late);
	free_recording(recording);
	return err;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * preload: sets the environment, runs the command, and collects its samples
 *
 * No privileges are needed. Each process keeps its samples in a file (a region)
 * in a temporary folder, which is read when the command has exited. Processes
 * that the command left running continue; the recording has the samples that
 * they took before the command's exit.
 */
#include "preload.h"
#include "clock.h"
#include "counter.h"
#include "launch.h"
#include "library.h"
#include "loader.h"
#include "privileged-exec.h"
#include "program-copies.h"
#include "record.h"
#include "region.h"
#include "region-folder.h"
#include "regions.h"
#include "sums.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Bytes of a region. */
#define REGION_BYTES	122000000

/* Shortest and longest pause between two checks of the command's processes. */
#define WATCH_MIN_NS	10000000L
#define WATCH_MAX_NS	320000000L

/* Environment for the command, set in its process before it waits. */
struct environment {
	const struct mp_preload *preload;
	const char *library;
	const char *folder;
	const sigset_t *signals;
};

static void prepare_command(void *context)
{
	const struct environment *environment = context;

	sigprocmask(SIG_SETMASK, environment->signals, NULL);
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	mp_library_preload(environment->library, environment->folder,
			   environment->preload->rate, 0, false);
}

/* Checks the command's processes, at first often, then less often. */
static void watch_command(struct mp_launch *launch,
			  struct mp_privileged_exec *privileged,
			  const sigset_t *signals)
{
	struct timespec pause = { .tv_nsec = WATCH_MIN_NS };
	int number;

	for (;;) {
		mp_launch_reap(launch, WNOHANG);
		if (launch->ended)
			return;
		mp_privileged_exec_watch(privileged, launch->pid);
		number = sigtimedwait(signals, NULL, &pause);
		/*
		 * pass the signal to the command; the library writes its
		 * samples at exit
		 */
		if (number == SIGTERM || number == SIGHUP)
			kill(launch->pid, number);
		if (pause.tv_nsec < WATCH_MAX_NS)
			pause.tv_nsec *= 2;
	}
}

/* Ctrl-C ends only the command, which writes its samples; we ignore it. */
static int run_command(const struct mp_preload *preload, const char *library,
		       const char *folder, struct mp_launch *launch,
		       struct mp_privileged_exec *privileged,
		       struct mp_diag *diag)
{
	sigset_t ends, before;
	struct environment environment = {
		preload, library, folder, &before,
	};
	int err;

	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	sigemptyset(&ends);
	sigaddset(&ends, SIGCHLD);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGHUP);
	sigprocmask(SIG_BLOCK, &ends, &before);
	err = mp_launch_fork(launch, preload->command, prepare_command,
			     &environment, diag);
	if (!err)
		err = mp_launch_go(launch);
	if (!err)
		watch_command(launch, privileged, &ends);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return err;
}

int mp_region_of(pid_t pid, char *path, struct mp_diag *diag)
{
	int err = mp_region_find(pid, path);

	if (err == -ESRCH)
		return mp_diag_fail(diag, 0, NULL, "there is no process %d", (int)pid);
	if (err == -ECHILD)
		return mp_diag_fail(diag, 0, "its parent has some",
			       "process %d has no samples: it has sampled nothing since it was forked",
				    (int)pid);
	if (err == -ENODATA)
		return mp_diag_fail(diag, 0, "a recording's are, when it has ended",
			       "process %d has the library, but its region was removed or renamed",
				    (int)pid);
	if (err == -ESTALE)
		return mp_diag_fail(diag, 0, "memprofctl inject -p PID puts it in again",
				    "process %d does not have the library any more: it was taken out",
				    (int)pid);
	if (err == -ENOENT)
		return mp_diag_fail(diag, 0, "memprofctl inject -p PID puts it in",
				    "process %d does not have the library",
				    (int)pid);
	return err ? mp_diag_fail(diag, err, NULL, "cannot look into process %d",
				  (int)pid) : 0;
}

int mp_preload_write(const struct mp_preload *preload,
		     const struct mp_profile *profile, uint64_t *nr_bytes,
		     struct mp_diag *diag)
{
	struct mp_program_copies copies;
	struct mp_perf_writer writer;
	int err = mp_perf_writer_open(&writer, preload->output,
				      preload->force), last;

	if (err)
		return mp_record_cannot_make(preload->output, err, diag);
	writer.keeps_old = preload->keeps_old;
	err = mp_sums_write(&writer, profile, preload->argv, preload->argc);
	last = mp_perf_writer_close(&writer);
	*nr_bytes = writer.data_size;
	err = err ? err : last;
	if (!err)
		err = mp_perf_writer_place(&writer);
	if (!err) {
		mp_program_copies_note_of(&copies, profile);
		mp_program_copies_keep(&copies);
		return 0;
	}
	mp_perf_writer_drop(&writer);
	return mp_diag_fail(diag, err, NULL, "cannot write %s", preload->output);
}

/* Warns that the loader does not preload libraries into programs that gain privileges. */
static void warn_of_privileged(const struct mp_privileged_exec *privileged,
			       const char *command, struct mp_diag *diag)
{
	char path[PATH_MAX];
	size_t i;

	if (mp_loader_find(command, path) && mp_privileged_exec_gained(path))
		mp_diag_warn(diag, NULL, "%s gains privileges: it is not followed",
			     path);
	for (i = 0; i < privileged->nr; i++)
		mp_diag_warn(diag, NULL, "%s gained privileges: it was not followed",
			     privileged->names[i]);
}

void mp_preload_warn_losses(const struct mp_profile *profile, struct mp_diag *diag)
{
	const struct mp_counter_info *info;
	size_t i;

	for (i = 0; i < profile->nr_counters; i++) {
		info = mp_counter_info(profile->counters[i].name);
		if (info->class == MP_COUNTER_MISTAKE)
			mp_diag_warn(diag, NULL, "%s", info->meaning);
		else if (info->class == MP_COUNTER_LOSS)
			mp_diag_warn(diag, NULL, "%" PRIu64 " %s",
				     profile->counters[i].value, info->meaning);
	}
}

uint64_t mp_preload_samples(const struct mp_profile *profile)
{
	uint64_t samples = 0;
	size_t i;

	for (i = 0; i < profile->nr_rows; i++)
		if (profile->rows[i].kind == MP_ROW_PROCESS)
			samples += profile->rows[i].value[MP_ALLOC_SAMPLES];
	return samples;
}

static bool is_limited(int resource, rlim_t to)
{
	struct rlimit limit;

	return !getrlimit(resource, &limit) && limit.rlim_cur < to;
}

/* Reports the reason why there are no samples, if it can be found. */
static int explain_nothing(const char *command,
			   const struct mp_regions *regions,
			   struct mp_diag *diag)
{
	if (regions->nr_bad)
		return mp_diag_fail(diag, 0, NULL, "cannot read the samples of %s: %s", command,
				    regions->why);
	if (is_limited(RLIMIT_AS, REGION_BYTES))
		return mp_diag_fail(diag, 0, "it needs 122 MB of addresses: see ulimit -v",
			       "the library could not begin in %s", command);
	if (is_limited(RLIMIT_FSIZE, REGION_BYTES))
		return mp_diag_fail(diag, 0, "it needs a file of 122 MB, most of it a hole: see ulimit -f",
			       "the library could not begin in %s", command);
	return mp_diag_fail(diag, 0, is_limited(RLIMIT_AS, RLIM_INFINITY) ?
		       "it is not loaded into static programs and into programs that gain privileges; or ulimit -v is too small for it" :
		       "it is not loaded into static programs and into programs that gain privileges by setuid",
			    "the library was not loaded into %s", command);
}

/*
 * Reads the library's default folder. The library writes to that folder if it
 * cannot write to the folder that we requested.
 */
static int read_strays(struct mp_regions *regions, uint64_t since_ns,
		       struct mp_diag *diag)
{
	const char *folder = getenv("XDG_RUNTIME_DIR");
	size_t before = regions->nr;
	int err;

	if (!folder || *folder != '/' || strchr(folder, '%') ||
	    access(folder, W_OK | X_OK))
		folder = "/tmp";
	err = mp_regions_strays(regions, folder, since_ns);
	if (regions->nr_others)
		mp_diag_warn(diag, "TMPDIR=FOLDER names one that everybody can enter",
			"%s/memprof.* of %zu process%s of other users are left out: they could not reach the recording's folder",
			     folder, regions->nr_others,
			     regions->nr_others == 1 ? "" : "es");
	if (regions->nr > before)
		mp_diag_warn(diag, "TMPDIR=FOLDER names one that has room",
			"%s/memprof.* of %zu process%s stay there: their own folder had no room",
			     folder, regions->nr - before,
			     regions->nr - before == 1 ? "" : "es");
	return err;
}

/* Keeps the folder with the regions, which are the only copy of the samples. */
static void keep_folder(const char *folder, struct mp_preload_result *result,
			struct mp_diag *diag)
{
	result->kept = true;
	snprintf(diag->hint, sizeof(diag->hint),
		 "the samples are in %.*s, which report -i can read", 160, folder);
}

/*
 * The library's last look at RSS was before the end, and maybe before the peak. The kernel's
 * peak may be that of a child, so it is only used if there was none.
 */
static void raise_peak(struct mp_profile *profile, const struct mp_launch *launch)
{
	struct mp_row *row, *only = NULL;

	for (row = profile->rows; row < profile->rows + profile->nr_rows; row++) {
		if (row->kind != MP_ROW_PROCESS)
			continue;
		if (only || row->pid != (uint32_t)launch->pid)
			return;
		only = row;
	}
	if (only && only->value[MP_PEAK_RESIDENT] < launch->max_rss)
		only->value[MP_PEAK_RESIDENT] = launch->max_rss;
}

/*
 * The library of a command that was killed cannot tell it. Of programs that executed each other,
 * it was the last one.
 */
static void note_signal(struct mp_profile *profile, const struct mp_launch *launch)
{
	struct mp_row *row, *last = NULL;

	for (row = profile->rows; row < profile->rows + profile->nr_rows; row++)
		if (row->kind == MP_ROW_PROCESS && row->pid == (uint32_t)launch->pid &&
		    (!last || row->start_ns > last->start_ns))
			last = row;
	if (last)
		last->signal = (uint32_t)launch->signal;
}

static int collect(const struct mp_preload *preload, const char *folder,
		   uint64_t since_ns, const struct mp_launch *launch,
		   struct mp_preload_result *result, struct mp_diag *diag)
{
	struct mp_profile profile = { 0 };
	struct mp_regions regions = { .profile = &profile };
	int err = mp_regions_read(&regions, folder), strays;

	strays = read_strays(&regions, since_ns, diag);
	err = strays ? strays : regions.nr && err == -EBADMSG ? 0 : err;
	snprintf(profile.meta.targets, sizeof(profile.meta.targets), "%s",
		 preload->command[0]);
	if (err == -EBADMSG)
		err = explain_nothing(preload->command[0], &regions, diag);
	else if (err)
		err = mp_diag_fail(diag, err, NULL,
				   "cannot read the samples of %s",
				   preload->command[0]);
	if (!err) {
		raise_peak(&profile, launch);
		note_signal(&profile, launch);
		/* the last event may be older, and a program that was killed tells no end */
		if (launch->ended_ns > mp_status_end_ns(&profile.meta.status))
			profile.meta.status.stop_ns = launch->ended_ns;
		err = mp_preload_write(preload, &profile, &result->nr_bytes,
				       diag);
		if (err)
			keep_folder(folder, result, diag);
	}
	if (!err)
		mp_preload_warn_losses(&profile, diag);
	result->nr_samples = mp_preload_samples(&profile);
	result->nr_processes = regions.nr;
	mp_profile_free(&profile);
	return err;
}

static int run_and_collect(const struct mp_preload *preload,
			   const char *library, const char *folder,
			   struct mp_preload_result *result,
			   struct mp_diag *diag)
{
	const uint64_t since_ns = mp_clock_ns();
	struct mp_privileged_exec privileged = { 0 };
	struct mp_launch launch;
	int err = run_command(preload, library, folder, &launch, &privileged,
			      diag), failed;

	if (err)
		return err;
	warn_of_privileged(&privileged, preload->command[0], diag);
	result->status = launch.status;
	result->signal = launch.signal;
	failed = mp_launch_error(&launch);
	mp_launch_close(&launch);
	return failed ? mp_diag_fail(diag, failed, NULL, "cannot run %s",
				     preload->command[0]) :
			collect(preload, folder, since_ns, &launch, result, diag);
}

int mp_preload_record(const struct mp_preload *preload,
		      struct mp_preload_result *result, struct mp_diag *diag)
{
	struct mp_region_folder folder = { 0 };
	char library[PATH_MAX];
	int err;

	*result = (struct mp_preload_result){ 0 };
	err = mp_library_find(library, diag);
	/* check this before the command is run */
	if (!err)
		err = mp_record_check_output(preload->output, preload->force,
					     diag);
	if (!err)
		err = mp_region_folder_make(&folder, diag);
	if (err)
		return err;
	err = run_and_collect(preload, library, folder.regions, result, diag);
	if (!result->kept)
		mp_region_folder_remove(&folder);
	return err;
}

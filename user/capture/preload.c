// SPDX-License-Identifier: GPL-2.0-only
/*
 * preload: environment, wait, collect
 *
 * No right is needed but that to run the command. Each process keeps its numbers
 * in a file of a folder of ours, which is read when the command has ended; what it
 * left running goes on, and is in the recording as it is then.
 */
#include "preload.h"
#include "counter.h"
#include "human.h"
#include "library.h"
#include "loader.h"
#include "message.h"
#include "region.h"
#include "regions.h"
#include "privileged-exec.h"
#include "sums.h"

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

/* Of a region's file: all, and what has to be there at first. */
#define REGION_BYTES	109000000
#define FIRST_BYTES	(192ULL << 10)

/* What a shell says of commands that it cannot run. */
#define EXIT_NOT_FOUND	127
#define EXIT_CANNOT_RUN	126

/* Between two looks at what it has started. */
#define WATCH_MIN_NS	10000000L
#define WATCH_MAX_NS	320000000L

/* The folder's name is none of the library's patterns. */
static void name_regions(char *to, const char *folder)
{
	for (; *folder; folder++) {
		if (*folder == '%')
			*to++ = '%';
		*to++ = *folder;
	}
	strcpy(to, "/%p");
}

/* Before those that are there already. */
static void set_environment(const struct mp_preload *preload,
			    const char *library, const char *folder)
{
	const char *others = getenv("LD_PRELOAD");
	char text[2 * PATH_MAX + 4], *all = NULL;

	if (asprintf(&all, "%s%s%s", library, others ? ":" : "",
		     others ? others : "") > 0)
		setenv("LD_PRELOAD", all, 1);
	free(all);
	name_regions(text, folder);
	setenv("MEMPROF_OUT", text, 1);
	if (!preload->rate)
		return;
	snprintf(text, sizeof(text), "%" PRIu64, preload->rate);
	setenv("MEMPROF_RATE", text, 1);
}

static void child(const struct mp_preload *preload, const char *library,
		  const char *folder)
{
	int status;

	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	set_environment(preload, library, folder);
	execvp(preload->command[0], preload->command);
	status = errno == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
	mp_fail(errno, NULL, "cannot run %s", preload->command[0]);
	_exit(status);
}

static int status_of(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) :
				   128 + WTERMSIG(status);
}

static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) != pid)
		if (errno != EINTR)
			return MP_EXIT_FAILURE;
	return status_of(status);
}

/* What the command runs is looked at now and then, at first more often. */
static int watch(pid_t pid, const sigset_t *ends)
{
	struct timespec pause = { .tv_nsec = WATCH_MIN_NS };
	struct mp_privileged_exec rights = { 0 };
	int status, number;
	pid_t got;

	for (;;) {
		got = waitpid(pid, &status, WNOHANG);
		if (got == pid)
			return status_of(status);
		if (got < 0 && errno != EINTR)
			return MP_EXIT_FAILURE;
		mp_privileged_exec_watch(&rights, pid);
		number = sigtimedwait(ends, NULL, &pause);
		/* who ends us ends the command: what it did is written then */
		if (number == SIGTERM || number == SIGHUP)
			kill(pid, number);
		if (pause.tv_nsec < WATCH_MAX_NS)
			pause.tv_nsec *= 2;
	}
}

/* A terminal's interrupt is for the command; what is there is written then. */
static int run(const struct mp_preload *preload, const char *library,
	       const char *folder)
{
	sigset_t ends, before;
	pid_t pid;
	int status;

	fflush(NULL);
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	sigemptyset(&ends);
	sigaddset(&ends, SIGCHLD);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGHUP);
	sigprocmask(SIG_BLOCK, &ends, &before);
	pid = fork();
	if (!pid) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		child(preload, library, folder);
	}
	status = pid < 0 ? mp_fail(errno, NULL, "cannot run %s",
				   preload->command[0]) : watch(pid, &ends);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return status;
}

int mp_region_of(pid_t pid, char *path)
{
	int err = mp_region_find(pid, path);

	if (err == -ESRCH)
		return mp_fail(0, NULL, "there is no process %d", (int)pid);
	if (err == -ECHILD)
		return mp_fail(0, "its parent has some",
			       "process %d has no numbers: it has sampled nothing since it was forked",
			       (int)pid);
	if (err == -ENODATA)
		return mp_fail(0, "a recording's are, when it has ended",
			       "process %d has the library, but its region was removed or renamed",
			       (int)pid);
	if (err == -ENOENT)
		return mp_fail(0, "memprofctl record --preload runs programs with it",
			       "process %d does not have the library",
			       (int)pid);
	return err ? mp_fail(err, NULL, "cannot look into process %d",
			     (int)pid) : 0;
}

static int write_sums(struct mp_perf_writer *writer,
		      const struct mp_preload *preload,
		      const struct mp_profile *profile)
{
	struct mp_perf_rings rings = { 0 };
	struct mp_sums sums = { .writer = writer, .events = &rings.events };
	int err = mp_sums_invent(&sums, &rings);

	if (!err)
		err = mp_perf_writer_describe(writer, &rings.events,
					      preload->argv, preload->argc);
	if (!err)
		err = mp_sums_put(&sums, profile);
	mp_perf_rings_close(&rings);
	return err;
}

int mp_preload_write(const struct mp_preload *preload,
		     const struct mp_profile *profile, uint64_t *nr_bytes)
{
	struct mp_perf_writer writer;
	int err = mp_perf_writer_open(&writer, preload->output,
				      preload->force), last;

	if (err)
		return mp_fail(err, err == -EEXIST ?
			       "-f replaces it, -o names another" : NULL,
			       "cannot make %s", preload->output);
	err = write_sums(&writer, preload, profile);
	last = mp_perf_writer_close(&writer);
	*nr_bytes = writer.data_size;
	err = err ? err : last;
	if (!err)
		return 0;
	unlink(preload->output);
	return mp_fail(err, NULL, "cannot write %s", preload->output);
}

/* Of those who gain rights by exec the loader leaves the library out. */
static void warn_of_privileged(const char *command)
{
	char path[PATH_MAX];

	if (mp_loader_find(command, path) && mp_privileged_exec_gained(path))
		mp_warn(NULL, "%s gains rights: where it does it is left alone",
			path);
}

static void warn_of_losses(const struct mp_profile *profile)
{
	const struct mp_counter_info *info;
	size_t i;

	for (i = 0; i < profile->nr_counters; i++) {
		info = mp_counter_info(profile->counters[i].name);
		if (info->class == MP_COUNTER_MISTAKE)
			mp_warn(NULL, "%s", info->meaning);
		else if (info->class == MP_COUNTER_LOSS)
			mp_warn(NULL, "%" PRIu64 " %s",
				profile->counters[i].value, info->meaning);
	}
}

static void tell(const struct mp_preload *preload,
		 const struct mp_profile *profile, size_t nr, uint64_t bytes)
{
	uint64_t samples = 0;
	char size[MP_HUMAN_SIZE];
	size_t i;

	warn_of_losses(profile);
	for (i = 0; i < profile->nr_rows; i++)
		if (profile->rows[i].kind == MP_ROW_PROCESS)
			samples += profile->rows[i].value[MP_ALLOC_SAMPLES];
	if (!preload->quiet)
		fprintf(stderr, "[ memprofctl record: wrote %s to %s, %" PRIu64
			" samples of %zu process%s, source preload ]\n",
			mp_human_bytes(size, bytes), preload->output, samples,
			nr, nr == 1 ? "" : "es");
}

static bool is_limited(int resource, rlim_t to)
{
	struct rlimit limit;

	return !getrlimit(resource, &limit) && limit.rlim_cur < to;
}

/* The reasons that can be told apart. */
static int tell_nothing(const char *command, const struct mp_regions *regions)
{
	if (regions->nr_bad)
		return mp_fail(0, NULL, "cannot read what %s left: %s", command,
			       regions->why);
	if (is_limited(RLIMIT_AS, REGION_BYTES))
		return mp_fail(0, "it needs 108 MB of addresses: see ulimit -v",
			       "the library could not begin in %s", command);
	if (is_limited(RLIMIT_FSIZE, REGION_BYTES))
		return mp_fail(0, "it needs a file of 108 MB, most of it a hole: see ulimit -f",
			       "the library could not begin in %s", command);
	return mp_fail(0, is_limited(RLIMIT_AS, RLIM_INFINITY) ?
		       "nor into static programs, and those that gain rights; or ulimit -v is too small for it" :
		       "static programs, and those that gain rights by setuid, are not",
		       "the library was not loaded into %s", command);
}

/* Where the library goes when the folder has become full. */
static int read_strays(struct mp_regions *regions, uint64_t since_ns)
{
	const char *folder = getenv("XDG_RUNTIME_DIR");
	size_t before = regions->nr;
	int err;

	if (!folder || *folder != '/' || strchr(folder, '%') ||
	    access(folder, W_OK | X_OK))
		folder = "/tmp";
	err = mp_regions_strays(regions, folder, since_ns);
	if (regions->nr > before)
		mp_warn("TMPDIR=FOLDER names one that has room",
			"%s/memprof.* of %zu process%s stay there: their own folder had no room",
			folder, regions->nr - before,
			regions->nr - before == 1 ? "" : "es");
	return err;
}

static int collect(const struct mp_preload *preload, const char *folder,
		   uint64_t since_ns)
{
	struct mp_profile profile = { 0 };
	struct mp_regions regions = { .profile = &profile };
	uint64_t bytes = 0;
	int err = mp_regions_read(&regions, folder), strays, status = 0;

	strays = read_strays(&regions, since_ns);
	err = strays ? strays : regions.nr && err == -EBADMSG ? 0 : err;
	snprintf(profile.meta.targets, sizeof(profile.meta.targets), "%s",
		 preload->command[0]);
	if (err == -EBADMSG)
		status = tell_nothing(preload->command[0], &regions);
	else if (err)
		status = mp_fail(err, NULL, "cannot read what %s left",
				 preload->command[0]);
	if (!status)
		status = mp_preload_write(preload, &profile, &bytes);
	if (!status)
		tell(preload, &profile, regions.nr, bytes);
	mp_profile_free(&profile);
	return status;
}

/* Regions of ours only; what is left running keeps its own by its mapping. */
static void remove_folder(const char *folder)
{
	pid_t pid = fork();

	if (!pid) {
		execl("/bin/rm", "rm", "-rf", "--", folder, NULL);
		_exit(1);
	}
	if (pid > 0)
		wait_for(pid);
}

/* Before the command has run for nothing. */
static int check_room(const char *folder)
{
	static const char zeros[4096];
	char path[PATH_MAX + 8];
	uint64_t size = 0;
	int fd, err = 0;

	snprintf(path, sizeof(path), "%s/room", folder);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	while (!err && size < FIRST_BYTES) {
		err = write(fd, zeros, sizeof(zeros)) == sizeof(zeros) ?
		      0 : errno ? -errno : -ENOSPC;
		size += sizeof(zeros);
	}
	close(fd);
	unlink(path);
	return err;
}

/* Of ours alone. Return: 0, or an exit status and a message was printed. */
static int make_folder(char *folder, size_t size)
{
	const char *tmp = getenv("TMPDIR");
	int err;

	snprintf(folder, size, "%s/memprof-XXXXXX",
		 tmp && tmp[0] == '/' ? tmp : "/tmp");
	if (!mkdtemp(folder))
		return mp_fail(errno, NULL, "cannot make a folder like %s",
			       folder);
	err = check_room(folder);
	if (!err)
		return 0;
	rmdir(folder);
	return mp_fail(err, "TMPDIR=FOLDER names another",
		       "there is no room for a process's numbers in %s", folder);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

int mp_preload_record(const struct mp_preload *preload)
{
	const uint64_t since_ns = now_ns();
	char library[PATH_MAX], folder[PATH_MAX];
	int status, ours;

	status = mp_library_find(library);
	if (status)
		return status;
	/* before the command has run for nothing */
	if (!preload->force && !access(preload->output, F_OK))
		return mp_fail(EEXIST, "-f replaces it, -o names another",
			       "cannot make %s", preload->output);
	status = make_folder(folder, sizeof(folder));
	if (status)
		return status;
	warn_of_privileged(preload->command[0]);
	status = run(preload, library, folder);
	ours = status == EXIT_NOT_FOUND || status == EXIT_CANNOT_RUN ?
	       0 : collect(preload, folder, since_ns);
	remove_folder(folder);
	return ours ? ours : status;
}

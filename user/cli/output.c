// SPDX-License-Identifier: GPL-2.0-only
/*
 * output: writes to a temporary file and renames it at the end
 *
 * Only one output can be open, because the signal handler can remove only one
 * file. After SIGKILL the temporary file remains; its name begins with a dot.
 */
#include "output.h"
#include "message.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Path of the temporary file that the signal handler removes; NULL: none. Set
 * by mp_output_open(), mp_output_close() and mp_output_drop().
 */
static const char * volatile unfinished;

static void remove_and_end(int number)
{
	if (unfinished)
		unlink(unfinished);
	signal(number, SIG_DFL);
	raise(number);
}

static const int ending_signals[] = { SIGINT, SIGTERM, SIGHUP };
#define NR_ENDING_SIGNALS (sizeof(ending_signals) / sizeof(ending_signals[0]))

static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = remove_and_end };
	struct sigaction before;
	size_t i;

	for (i = 0; i < NR_ENDING_SIGNALS; i++)
		if (!sigaction(ending_signals[i], NULL, &before) &&
		    before.sa_handler != SIG_IGN)
			sigaction(ending_signals[i], &action, NULL);
}

/* No signal comes between the creation of the file and the handler that removes it. */
static int create_temporary(struct mp_output *output)
{
	sigset_t ending, before;
	size_t i;
	int fd;

	sigemptyset(&ending);
	for (i = 0; i < NR_ENDING_SIGNALS; i++)
		sigaddset(&ending, ending_signals[i]);
	sigprocmask(SIG_BLOCK, &ending, &before);
	fd = mkostemp(output->temporary, O_CLOEXEC);
	if (fd >= 0) {
		unfinished = output->temporary;
		catch_signals();
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return fd;
}

static int report_cannot_create(const struct mp_output *output, int err)
{
	return mp_fail(err, err == EEXIST ?
		       "-f replaces it, -o names another" : NULL,
		       "cannot create %s", output->path);
}

static int name_temporary(struct mp_output *output)
{
	const char *base = strrchr(output->path, '/');
	size_t folder = base ? (size_t)(base + 1 - output->path) : 0;
	int len = snprintf(output->temporary, sizeof(output->temporary),
			   "%.*s.%.200s.XXXXXX", (int)folder, output->path,
			   output->path + folder);

	return len < (int)sizeof(output->temporary) ? 0 : ENAMETOOLONG;
}

static int open_file(struct mp_output *output)
{
	struct stat st;
	int fd, err;

	if (!lstat(output->path, &st)) {
		if (S_ISDIR(st.st_mode))
			return report_cannot_create(output, EISDIR);
		/* do not replace a device or a link to one */
		if (S_ISLNK(st.st_mode) ?
		    !stat(output->path, &st) && !S_ISREG(st.st_mode) :
		    !S_ISREG(st.st_mode))
			return report_cannot_create(output, EINVAL);
		if (!output->force)
			return report_cannot_create(output, EEXIST);
	}
	err = name_temporary(output);
	if (err)
		return report_cannot_create(output, err);
	fd = create_temporary(output);
	if (fd < 0)
		return report_cannot_create(output, errno);
	output->file = fdopen(fd, "w");
	if (output->file)
		return 0;
	close(fd);
	mp_output_drop(output);
	return report_cannot_create(output, ENOMEM);
}

int mp_output_open(struct mp_output *output, const char *path, bool force,
		   bool binary)
{
	*output = (struct mp_output){
		.file = path ? NULL : stdout, .path = path, .force = force,
	};
	signal(SIGPIPE, SIG_IGN);
	if (path)
		return open_file(output);
	return binary && isatty(STDOUT_FILENO) ?
	       mp_fail(0, "-o FILE, or a pipe",
		       "this format is nothing for a terminal") : 0;
}

static int rename_output(const struct mp_output *output)
{
	if (output->force)
		return rename(output->temporary, output->path) ? errno : 0;
	/* another process may have created the file meanwhile */
	if (!renameat2(AT_FDCWD, output->temporary, AT_FDCWD, output->path,
		       RENAME_NOREPLACE))
		return 0;
	/* EINVAL: the file system does not support RENAME_NOREPLACE */
	if (errno != EINVAL)
		return errno;
	return link(output->temporary, output->path) ||
	       unlink(output->temporary) ? errno : 0;
}

/* Reports the error and redirects standard output, so main() does not report it again. */
static int fail_stdout(int err)
{
	int status = mp_fail(err, NULL, "cannot write standard output");

	return freopen("/dev/null", "w", stdout) ? status : MP_EXIT_FAILURE;
}

int mp_output_fail(struct mp_output *output, int err)
{
	if (!output->path)
		return fail_stdout(err);
	mp_output_drop(output);
	return mp_fail(err, NULL, "cannot write %s", output->path);
}

/* A stream stores that an error happened, but not errno. So write again to get errno. */
static int flush_stream(FILE *file)
{
	errno = 0;
	if (!fflush(file) && !ferror(file))
		return 0;
	if (!errno) {
		putc('\n', file);
		fflush(file);
	}
	return errno ? errno : EIO;
}

int mp_output_close(struct mp_output *output)
{
	int err = flush_stream(output->file);

	if (err)
		return mp_output_fail(output, err);
	if (!output->path)
		return 0;
	err = fclose(output->file) ? errno : 0;
	output->file = NULL;
	if (err)
		return mp_output_fail(output, err);
	err = rename_output(output);
	if (err) {
		mp_output_drop(output);
		return report_cannot_create(output, err);
	}
	unfinished = NULL;
	output->temporary[0] = '\0';
	return 0;
}

void mp_output_drop(struct mp_output *output)
{
	if (output->path && output->file)
		fclose(output->file);
	if (output->temporary[0])
		unlink(output->temporary);
	unfinished = NULL;
	output->file = NULL;
	output->temporary[0] = '\0';
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * isolate: runs each piece of work in a new child process
 *
 * A run costs a fork, a pipe and a system call filter: about a millisecond. The
 * child has limits of address space and CPU time, and is killed after a time
 * limit. It exits without running exit handlers.
 *
 * The child keeps one file open and drops all capabilities except those to read
 * any file. A seccomp filter lets it read files, manage its memory and write
 * its result. It cannot open a file for writing, create executable memory, run
 * a program, send a signal, or use the network. Its user id stays the same,
 * because another user could not read debug files in private folders.
 */
#include "isolate.h"
#include "clock.h"
#include "write-all.h"

#include <cap-ng.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <seccomp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_BYTES	(4UL << 30)
#define MAX_SECONDS	10

/* Limit for the exit of the child, after it closed the pipe or was killed. */
#define EXIT_MS		2000

static void set_limit(int resource, rlim_t soft, rlim_t hard)
{
	struct rlimit limit = { soft, hard };

	setrlimit(resource, &limit);
}

/*
 * Closes the file descriptors from @from up to @to - 1, except the standard
 * ones.
 */
static void close_between(int from, int to)
{
	if (from <= STDERR_FILENO)
		from = STDERR_FILENO + 1;
	if (from < to)
		close_range(from, to - 1, 0);
}

static void close_others(int fd, int to)
{
	int low = fd < to ? fd : to, high = fd < to ? to : fd;

	close_between(0, low);
	close_between(low + 1, high);
	close_between(high + 1, INT_MAX);
}

/* Capabilities that the child keeps: to read any file, and to use /proc/PID/root. */
static const unsigned int kept_caps[] = { CAP_DAC_READ_SEARCH, CAP_SYS_PTRACE };
static bool has_cap[sizeof(kept_caps) / sizeof(kept_caps[0])];

/*
 * Runs in the parent, whose capabilities do not change: libcap-ng reads them
 * from /proc in 0.1 ms, so they are read only once.
 */
static void find_capabilities(void)
{
	size_t i;

	for (i = 0; i < sizeof(kept_caps) / sizeof(kept_caps[0]); i++)
		has_cap[i] = capng_have_capability(CAPNG_EFFECTIVE, kept_caps[i]);
}

/* Drops all capabilities except those of kept_caps that the parent has. */
static void drop_capabilities(void)
{
	size_t i;

	capng_clear(CAPNG_SELECT_CAPS);
	for (i = 0; i < sizeof(kept_caps) / sizeof(kept_caps[0]); i++)
		if (has_cap[i])
			capng_update(CAPNG_ADD, CAPNG_EFFECTIVE |
				     CAPNG_PERMITTED, kept_caps[i]);
	capng_apply(CAPNG_SELECT_CAPS);
}

/* Calls for reading, memory and exit. All other calls fail with EPERM. */
static const int allowed_calls[] = {
	SCMP_SYS(read), SCMP_SYS(pread64), SCMP_SYS(readv), SCMP_SYS(lseek),
	SCMP_SYS(close), SCMP_SYS(dup), SCMP_SYS(fcntl), SCMP_SYS(fadvise64),
	SCMP_SYS(fstat), SCMP_SYS(stat), SCMP_SYS(lstat), SCMP_SYS(newfstatat),
	SCMP_SYS(statx), SCMP_SYS(statfs), SCMP_SYS(fstatfs),
	SCMP_SYS(access), SCMP_SYS(faccessat), SCMP_SYS(faccessat2),
	SCMP_SYS(readlink), SCMP_SYS(readlinkat), SCMP_SYS(getdents64),
	SCMP_SYS(getcwd),
	SCMP_SYS(brk), SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise),
	SCMP_SYS(futex), SCMP_SYS(getrandom), SCMP_SYS(sched_yield),
	SCMP_SYS(clock_gettime), SCMP_SYS(gettimeofday), SCMP_SYS(sysinfo),
	SCMP_SYS(sched_getaffinity), SCMP_SYS(getrlimit), SCMP_SYS(getuid),
	SCMP_SYS(geteuid), SCMP_SYS(getgid), SCMP_SYS(getegid),
	SCMP_SYS(getpid), SCMP_SYS(gettid),
	SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn),
	SCMP_SYS(restart_syscall), SCMP_SYS(exit), SCMP_SYS(exit_group),
};

/* Flags of open() that can change or create a file. */
#define OPEN_CHANGES	(O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND)

static int add_rules(scmp_filter_ctx rules, int to)
{
	size_t i;
	int err = 0;

	for (i = 0; !err && i < sizeof(allowed_calls) / sizeof(allowed_calls[0]);
	     i++)
		err = seccomp_rule_add(rules, SCMP_ACT_ALLOW,
				       allowed_calls[i], 0);
	return err ?:
	       seccomp_rule_add(rules, SCMP_ACT_ALLOW, SCMP_SYS(openat), 1,
				SCMP_A2(SCMP_CMP_MASKED_EQ, OPEN_CHANGES,
					O_RDONLY)) ?:
	       seccomp_rule_add(rules, SCMP_ACT_ALLOW, SCMP_SYS(open), 1,
				SCMP_A1(SCMP_CMP_MASKED_EQ, OPEN_CHANGES,
					O_RDONLY)) ?:
	       seccomp_rule_add(rules, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1,
				SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)) ?:
	       seccomp_rule_add(rules, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1,
				SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)) ?:
	       /* glibc's getrlimit(), and setrlimit() of this process, use prlimit64() */
	       seccomp_rule_add(rules, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 1,
				SCMP_A2(SCMP_CMP_EQ, 0)) ?:
	       seccomp_rule_add(rules, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 2,
				SCMP_A0(SCMP_CMP_EQ, 0),
				SCMP_A1(SCMP_CMP_EQ, RLIMIT_DATA)) ?:
	       seccomp_rule_add(rules, SCMP_ACT_ALLOW, SCMP_SYS(write), 1,
				SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)to));
}

/*
 * The filter for the descriptor @to of the result pipe. Making a filter takes a
 * millisecond and @to is nearly always the same, so the last one is kept. Used
 * by one thread only.
 */
static struct {
	int to;
	struct sock_fprog program;
} filter = { .to = -1 };

static void export_filter(scmp_filter_ctx rules, int fd)
{
	struct stat st;
	void *code;

	if (seccomp_export_bpf(rules, fd) || fstat(fd, &st))
		return;
	code = malloc((size_t)st.st_size);
	if (!code || pread(fd, code, (size_t)st.st_size, 0) != st.st_size) {
		free(code);
		return;
	}
	filter.program.filter = code;
	filter.program.len = (unsigned short)((size_t)st.st_size /
					      sizeof(struct sock_filter));
}

/* Runs in the parent. If it fails, the child runs without a filter. */
static void make_filter(int to)
{
	scmp_filter_ctx rules;
	int fd;

	if (filter.to == to)
		return;
	free(filter.program.filter);
	filter.program = (struct sock_fprog){ 0 };
	filter.to = to;
	rules = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	fd = memfd_create("memprof-filter", MFD_CLOEXEC);
	/*
	 * use a binary tree: when the filter is installed, the kernel runs it
	 * for each system call number, which takes 90 us with a list and 30 us
	 * with a tree
	 */
	if (rules)
		seccomp_attr_set(rules, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	if (rules && fd >= 0 && !add_rules(rules, to))
		export_filter(rules, fd);
	if (fd >= 0)
		close(fd);
	if (rules)
		seccomp_release(rules);
}

/* Without seccomp support the child runs without a filter. */
static void filter_calls(void)
{
	if (filter.program.len)
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter.program);
}

/* Returns the bytes of private memory that this process has, and its child inherits. */
static size_t data_bytes(void)
{
	unsigned long pages = 0;
	FILE *file = fopen("/proc/self/statm", "re");

	if (file && fscanf(file, "%*u %*u %*u %*u %*u %lu", &pages) != 1)
		pages = 0;
	if (file)
		fclose(file);
	return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* Sets RLIMIT_DATA; mapped files count, so it includes the size of @isolate->fd. */
static void limit_data(const struct mp_isolate *isolate)
{
	struct stat st = { 0 };

	if (!isolate->data)
		return;
	if (isolate->fd >= 0 && (fstat(isolate->fd, &st) || st.st_size < 0))
		st.st_size = 0;
	set_limit(RLIMIT_DATA, data_bytes() + isolate->data + (size_t)st.st_size,
		  RLIM_INFINITY);
}

void mp_isolate_allow(size_t bytes)
{
	struct rlimit limit;

	if (!getrlimit(RLIMIT_DATA, &limit) && limit.rlim_cur != RLIM_INFINITY)
		set_limit(RLIMIT_DATA, limit.rlim_cur + bytes, limit.rlim_max);
}

/* Limits that an old kernel or a sandbox refuses are ignored. */
static void confine(const struct mp_isolate *isolate, int to)
{
	size_t bytes = isolate->bytes ? isolate->bytes : MAX_BYTES;
	int seconds = isolate->seconds ? isolate->seconds : MAX_SECONDS;

	close_others(isolate->fd, to);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	set_limit(RLIMIT_CORE, 0, 0);
	/* this limit does not affect pipes */
	set_limit(RLIMIT_FSIZE, 0, 0);
	set_limit(RLIMIT_AS, bytes, bytes);
	limit_data(isolate);
	/* SIGXCPU shows the reason; the hard limit would raise SIGKILL */
	set_limit(RLIMIT_CPU, seconds, seconds + 1);
	drop_capabilities();
	filter_calls();
}

static void prepare(const struct mp_isolate *isolate, int to)
{
	sigset_t none;

	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGXCPU, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	confine(isolate, to);
	/* no library may use the network because of an untrusted file */
	unsetenv("DEBUGINFOD_URLS");
}

static void run_child(const struct mp_isolate *isolate, int to)
{
	prepare(isolate, to);
	isolate->work(isolate->context, isolate->result);
	_exit(!!mp_write_all(to, isolate->result, isolate->size));
}

static void run_stream_child(const struct mp_isolate_stream *stream, int to)
{
	FILE *file;

	prepare(&stream->isolate, to);
	file = fdopen(to, "w");
	_exit(!file || !stream->send(stream->isolate.context, file) ||
	      fflush(file));
}

/* Returns the number of bytes, 0 at the end, or -ETIME or -EPIPE. */
static ssize_t read_some(int fd, void *data, size_t size, int64_t end_ms)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	int64_t left_ms;
	ssize_t got;

	do {
		left_ms = end_ms - mp_clock_ms();
		if (left_ms <= 0)
			return -ETIME;
	} while (poll(&wait, 1, (int)left_ms) <= 0);
	got = read(fd, data, size);
	return got < 0 ? -EPIPE : got;
}

/* Returns 0, -ETIME, or -EPIPE if the child closed the pipe too early. */
static int read_all(int fd, void *data, size_t size, int64_t end_ms)
{
	char *at = data, *end = at + size;
	ssize_t got;

	for (; at < end; at += got) {
		got = read_some(fd, at, end - at, end_ms);
		if (got <= 0)
			return got ? (int)got : -EPIPE;
	}
	return 0;
}

static bool grow(struct mp_isolate_answer *answer, size_t *room, size_t max)
{
	size_t size = *room ? *room * 2 : 65536;
	char *data;

	if (answer->size < *room)
		return true;
	if (*room >= max)
		return false;
	size = size < max ? size : max;
	data = realloc(answer->data, size);
	if (data) {
		answer->data = data;
		*room = size;
	}
	return data;
}

/*
 * Returns 0, -ETIME, -EPIPE, or -EFBIG. The result must be smaller than @max.
 */
static int read_stream(int fd, struct mp_isolate_answer *answer, size_t max,
		       int64_t end_ms)
{
	size_t room = 0;
	ssize_t got;

	do {
		if (!grow(answer, &room, max))
			return -EFBIG;
		got = read_some(fd, answer->data + answer->size,
				room - answer->size, end_ms);
		if (got > 0)
			answer->size += got;
	} while (got > 0);
	return (int)got;
}

/*
 * Returns the child's exit status. Returns -1 if the child does not exit in
 * time, because it is blocked in the kernel and no signal interrupts it. Then
 * this process stops waiting for the child.
 */
static int reap(pid_t pid)
{
	/* if pidfd_open() fails, waitpid() is tried each millisecond */
	struct pollfd exited = { .fd = pidfd_open(pid, 0), .events = POLLIN };
	int64_t end_ms = mp_clock_ms() + EXIT_MS;
	int status;
	pid_t got;

	do {
		poll(&exited, 1, 1);
		got = waitpid(pid, &status, WNOHANG);
	} while ((!got || (got < 0 && errno == EINTR)) && mp_clock_ms() < end_ms);
	if (exited.fd >= 0)
		close(exited.fd);
	return got == pid ? status : -1;
}

static bool is_done(int status, int seconds, char *why)
{
	if (status < 0)
		snprintf(why, MP_ISOLATE_WHY_SIZE, "the process that reads it does not exit");
	else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
		snprintf(why, MP_ISOLATE_WHY_SIZE, "it takes more than %d s to read",
			 seconds ? seconds : MAX_SECONDS);
	else if (WIFSIGNALED(status))
		snprintf(why, MP_ISOLATE_WHY_SIZE,
			 "reading it failed (%s): corrupt, or changed meanwhile",
			 strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status))
		snprintf(why, MP_ISOLATE_WHY_SIZE, "reading it failed");
	return status >= 0 && WIFEXITED(status) && !WEXITSTATUS(status);
}

static int patience_ms(const struct mp_isolate *isolate)
{
	return isolate->patience_ms ? isolate->patience_ms : MP_ISOLATE_PATIENCE_MS;
}

static int64_t end_ms(const struct mp_isolate *isolate)
{
	return mp_clock_ms() + patience_ms(isolate);
}

/*
 * Returns whether the child succeeded, from its status and the transfer's @err;
 * sets @why.
 */
static bool get_outcome(const struct mp_isolate *isolate, pid_t pid, int err, char *why)
{
	int ms = patience_ms(isolate);
	bool done;

	if (err == -ETIME || err == -EFBIG)
		kill(pid, SIGKILL);
	done = is_done(reap(pid), isolate->seconds, why);
	if (err == -ETIME)
		snprintf(why, MP_ISOLATE_WHY_SIZE,
			 "it was not read within %d.%d s",
			 ms / 1000, ms % 1000 / 100);
	else if (err == -EFBIG)
		snprintf(why, MP_ISOLATE_WHY_SIZE, "its result is too large");
	else if (err && done)
		snprintf(why, MP_ISOLATE_WHY_SIZE, "it gave no result");
	return done && !err;
}

/*
 * Forks. Returns the child's pid, 0 in the child, or -1. The caller closes
 * @ends[0].
 */
static pid_t fork_child(int ends[2], char *why)
{
	pid_t pid = -1;

	if (!pipe(ends)) {
		make_filter(ends[1]);
		find_capabilities();
		fflush(NULL);
		pid = fork();
		if (pid)
			close(ends[1]);
		if (pid < 0)
			close(ends[0]);
	}
	if (pid < 0)
		snprintf(why, MP_ISOLATE_WHY_SIZE, "%s", strerror(errno));
	return pid;
}

bool mp_isolate_run(const struct mp_isolate *isolate, char *why)
{
	int ends[2], err;
	pid_t pid = fork_child(ends, why);

	if (pid < 0)
		return false;
	if (!pid)
		run_child(isolate, ends[1]);
	err = read_all(ends[0], isolate->result, isolate->size, end_ms(isolate));
	close(ends[0]);
	return get_outcome(isolate, pid, err, why);
}

bool mp_isolate_stream(const struct mp_isolate_stream *stream,
		       struct mp_isolate_answer *answer, char *why)
{
	int ends[2], err;
	pid_t pid = fork_child(ends, why);

	*answer = (struct mp_isolate_answer){ 0 };
	if (pid < 0)
		return false;
	if (!pid)
		run_stream_child(stream, ends[1]);
	err = read_stream(ends[0], answer, stream->max, end_ms(&stream->isolate));
	close(ends[0]);
	if (get_outcome(&stream->isolate, pid, err, why))
		return true;
	free(answer->data);
	*answer = (struct mp_isolate_answer){ 0 };
	return false;
}

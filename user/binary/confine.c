// SPDX-License-Identifier: GPL-2.0-only
/*
 * confine: takes from a child all that reading files does not need
 *
 * The child keeps one file open and drops all capabilities except those to read
 * any file. A seccomp filter lets it read files, manage its memory and write
 * its result. It cannot open a file for writing, create executable memory, run
 * a program, send a signal, or use the network. Its user id stays the same,
 * because another user could not read debug files in private folders.
 */
#include "confine.h"

#include <cap-ng.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_BYTES	(4UL << 30)

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

void mp_confine_files(int fd, int to)
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

	/* libcap-ng remembers the process in which it was used first */
	capng_setpid(getpid());
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

void mp_confine_prepare(int to)
{
	make_filter(to);
	find_capabilities();
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
void mp_confine(const struct mp_isolate *isolate, int to)
{
	size_t bytes = isolate->bytes ? isolate->bytes : MAX_BYTES;
	int seconds = isolate->seconds ? isolate->seconds : MP_ISOLATE_SECONDS;

	mp_confine_files(isolate->fd, to);
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

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the isolated child: what it may do, and that it always ends.
 */
#include "isolate.h"

#include "kselftest_harness.h"

#include <fcntl.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>

static void work_never(void *context, void *result)
{
	(void)context;
	(void)result;
	for (;;)
		sched_yield();
}

TEST(work_that_never_ends_is_ended)
{
	struct mp_isolate isolate = {
		.work = work_never, .fd = -1, .patience_ms = 300,
	};
	char why[MP_ISOLATE_WHY_SIZE] = "";
	int result = 7;
	sigset_t all, before;

	isolate.result = &result;
	isolate.size = sizeof(result);
	/* as in a collector, which takes its signals from a file */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	EXPECT_FALSE(mp_isolate_run(&isolate, why));
	sigprocmask(SIG_SETMASK, &before, NULL);
	EXPECT_STREQ("it was not read within 0.3 s", why);
	EXPECT_EQ(7, result);
}

/* Whether there is a filter of system calls, and no capability except to read files. */
static bool has_few_rights(void)
{
	const uint64_t kept = 1 << CAP_DAC_READ_SEARCH | 1 << CAP_SYS_PTRACE;
	FILE *file = fopen("/proc/self/status", "re");
	char line[256];
	int mode = 0, privileges = 1;
	uint64_t caps = ~0ULL;

	while (file && fgets(line, sizeof(line), file)) {
		sscanf(line, "Seccomp: %d", &mode);
		sscanf(line, "NoNewPrivs: %d", &privileges);
		sscanf(line, "CapPrm: %" SCNx64, &caps);
	}
	if (file)
		fclose(file);
	return mode == 2 && privileges == 1 && !(caps & ~kept);
}

/* Work of a child: sets a bit in the result for each right that it should not have. */
static void work_confined(void *context, void *result)
{
	int *spool = context, *found = result;
	struct rlimit size;
	sigset_t blocked;
	int fd, nr = 0;

	for (fd = 3; fd < 100; fd++)
		nr += fcntl(fd, F_GETFD) >= 0;
	/* the file, and the pipe */
	*found = nr != 2 || fcntl(*spool, F_GETFD) < 0;
	/* the kernel takes a filter with no_new_privs only */
	*found |= !has_few_rights() << 1;
	getrlimit(RLIMIT_FSIZE, &size);
	*found |= (size.rlim_max != 0) << 2;
	sigprocmask(SIG_SETMASK, NULL, &blocked);
	*found |= sigismember(&blocked, SIGTERM) << 3;
	*found |= !!getenv("DEBUGINFOD_URLS") << 4;
	/* nothing is written, run, signalled, connected or made executable */
	*found |= (open("/dev/null", O_WRONLY) >= 0) << 5;
	*found |= (socket(AF_UNIX, SOCK_STREAM, 0) >= 0) << 6;
	*found |= (fork() >= 0) << 7;
	*found |= !kill(getppid(), 0) << 8;
	*found |= (write(STDERR_FILENO, "", 0) >= 0) << 9;
	*found |= (mmap(NULL, 4096, PROT_READ | PROT_EXEC,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED) << 10;
	*found |= (execl("/bin/true", "true", NULL) >= 0) << 11;
}

TEST(work_has_one_file_and_few_rights)
{
	struct mp_isolate isolate = { .work = work_confined };
	char why[MP_ISOLATE_WHY_SIZE] = "";
	int fds[3], result = -1;
	size_t i;
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	setenv("DEBUGINFOD_URLS", "http://localhost", 1);
	for (i = 0; i < 3; i++)
		fds[i] = open("/dev/null", O_RDONLY);
	isolate.fd = fds[1];
	isolate.context = &fds[1];
	isolate.result = &result;
	isolate.size = sizeof(result);
	ASSERT_TRUE(mp_isolate_run(&isolate, why)) {
		TH_LOG("%s", why);
	}
	EXPECT_EQ(0, result);
	for (i = 0; i < 3; i++)
		close(fds[i]);
}

/* Work of a child: tries to write 64 MiB, raises its limit, and tries again. */
static void work_large(void *context, void *result)
{
	const size_t size = 64 << 20;
	int *found = result;
	char *data = malloc(size);

	(void)context;
	*found = !!data;
	free(data);
	mp_isolate_allow(size);
	data = malloc(size);
	*found |= !!data << 1;
	free(data);
}

TEST(memory_of_its_own_is_bounded)
{
	int found = 7;
	struct mp_isolate isolate = {
		.work = work_large, .fd = -1, .data = 48 << 20,
		.result = &found, .size = sizeof(found),
	};
	char why[MP_ISOLATE_WHY_SIZE];

	ASSERT_TRUE(mp_isolate_run(&isolate, why));
	EXPECT_EQ(2, found);
	isolate.data = 0;
	ASSERT_TRUE(mp_isolate_run(&isolate, why));
	EXPECT_EQ(3, found);
}

TEST_HARNESS_MAIN

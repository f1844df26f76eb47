// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the isolated child: what it may do, and that it always ends.
 */
#include "isolate.h"
#include "zygote.h"

#include "kselftest_harness.h"

#include <fcntl.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* Runs it by a fork of this process, or with @context_size of the zygote. */
static int confine_by(size_t context_size)
{
	struct mp_isolate isolate = { .work = work_confined, .context_size = context_size };
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
	if (!mp_isolate_run(&isolate, why)) {
		printf("# %s\n", why);
		result = -1;
	}
	for (i = 0; i < 3; i++)
		close(fds[i]);
	return result;
}

TEST(work_has_one_file_and_few_rights)
{
	EXPECT_EQ(0, confine_by(0));
	EXPECT_EQ(0, mp_zygote_pid());
}

TEST(work_of_the_zygote_has_no_more)
{
	mp_isolate_begin();
	EXPECT_EQ(0, confine_by(sizeof(int)));
	EXPECT_LT(0, mp_zygote_pid());
}

/* Whether it runs: where nobody reaps, it stays as a zombie. */
static bool is_running(pid_t pid)
{
	char path[64], state = 'Z';
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (file && fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
		state = 'Z';
	if (file)
		fclose(file);
	return state != 'Z';
}

struct parents {
	pid_t parent;
	char text[64];
};

static void work_parent(void *context, void *result)
{
	struct parents *parents = result;
	FILE *file = fopen("/proc/self/stat", "re");

	/* getppid() is not allowed */
	if (!file || fscanf(file, "%*d (%*[^)]) %*c %d", &parents->parent) != 1)
		parents->parent = -1;
	memcpy(parents->text, context, sizeof(parents->text));
}

static bool send_text(void *context, FILE *to)
{
	return fputs(context, to) >= 0;
}

TEST(the_zygote_forks_children_of_its_parent)
{
	struct parents parents;
	char text[64] = "not there when the zygote began", why[MP_ISOLATE_WHY_SIZE] = "";
	struct mp_isolate isolate = {
		.work = work_parent, .fd = -1, .context = text, .context_size = sizeof(text),
		.result = &parents, .size = sizeof(parents),
	};
	const struct mp_isolate_stream stream = {
		.isolate = isolate, .send = send_text, .max = 1000,
	};
	struct mp_isolate_answer answer;
	pid_t zygote, child;
	int i;

	mp_isolate_begin();
	for (i = 0; i < 3; i++) {
		text[0] = (char)('0' + i);
		parents = (struct parents){ 0 };
		ASSERT_TRUE(mp_isolate_run(&isolate, why)) {
			TH_LOG("%s", why);
		}
		EXPECT_EQ(getpid(), parents.parent);
		EXPECT_STREQ(text, parents.text);
	}
	ASSERT_TRUE(mp_isolate_stream(&stream, &answer, why));
	ASSERT_EQ(strlen(text), answer.size);
	EXPECT_EQ(0, memcmp(text, answer.data, answer.size));
	free(answer.data);
	/* another process has none, or another one */
	zygote = mp_zygote_pid();
	child = fork();
	if (!child) {
		i = mp_isolate_run(&isolate, why) && !mp_zygote_pid() &&
		    parents.parent == getpid();
		mp_isolate_begin();
		_exit(i && mp_isolate_run(&isolate, why) && mp_zygote_pid() > 0 &&
		      mp_zygote_pid() != zygote && parents.parent == getpid() ? 0 : 1);
	}
	ASSERT_EQ(child, waitpid(child, &i, 0));
	EXPECT_EQ(0, i);
	/* and without one it goes on */
	kill(zygote, SIGKILL);
	for (i = 0; i < 3; i++)
		EXPECT_TRUE(mp_isolate_run(&isolate, why));
	EXPECT_EQ(0, mp_zygote_pid());
}

TEST(the_zygote_ends_with_its_parent)
{
	char text[64] = "", why[MP_ISOLATE_WHY_SIZE];
	struct parents parents;
	const struct mp_isolate isolate = {
		.work = work_parent, .fd = -1, .context = text, .context_size = sizeof(text),
		.result = &parents, .size = sizeof(parents),
	};
	int ends[2], i;
	pid_t child, zygote = 0;

	ASSERT_EQ(0, pipe(ends));
	child = fork();
	if (!child) {
		mp_isolate_begin();
		mp_isolate_run(&isolate, why);
		zygote = mp_zygote_pid();
		i = write(ends[1], &zygote, sizeof(zygote)) == sizeof(zygote);
		pause();
		_exit(i);
	}
	ASSERT_EQ(sizeof(zygote), read(ends[0], &zygote, sizeof(zygote)));
	ASSERT_LT(0, zygote);
	EXPECT_EQ(0, kill(zygote, 0));
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	for (i = 0; i < 500 && is_running(zygote); i++)
		usleep(10000);
	EXPECT_FALSE(is_running(zygote));
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

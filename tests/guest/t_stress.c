// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads allocate; processes fork, exec and are killed meanwhile; sessions
 * start and stop. The sums must be consistent, and the kernel must report
 * nothing.
 */
#include "session.h"
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "kselftest_harness.h"

#define TEST_TIMEOUT 600
#define CHILDREN 4
#define SESSIONS (getenv("STRESS_SESSIONS") ? atoi(getenv("STRESS_SESSIONS")) :	\
		  getenv("TEST_SLOW_KERNEL") ? 20 : 200)

static void *churn(void *arg)
{
	unsigned int seed = (long)arg;
	void *p[64] = { 0 };

	for (;;) {
		int i = rand_r(&seed) % 64, size = rand_r(&seed) % 5000;

		switch (rand_r(&seed) % 4) {
		case 0:
			free(p[i]);
			p[i] = NULL;
			break;
		case 1:
			p[i] = realloc(p[i], size + 1);
			break;
		default:
			free(p[i]);
			p[i] = rand_r(&seed) % 2 ? malloc(size) :
						   calloc(1, size);
		}
		/* the child only calls exec: it must not use the arenas of the threads */
		if (arg && rand_r(&seed) % 512 == 0) {
			pid_t pid = fork();

			if (!pid) {
				execl("/bin/true", "true", NULL);
				_exit(1);
			}
			waitpid(pid, NULL, 0);
		}
	}
	return NULL;
}

static pid_t victim(long seed)
{
	pid_t pid = fork();
	pthread_t t;

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	pthread_create(&t, NULL, churn, (void *)(seed + 1));
	churn((void *)(seed + 2));
	_exit(1);
}

static int add_probe(int fd, const char *name, uint32_t func)
{
	return session_probe(fd, dlsym(RTLD_DEFAULT, name), func);
}

static int begin(uint64_t rate)
{
	struct memprof_start a = {
		.size = sizeof(a), .flags = MEMPROF_START_ALLOC |
		MEMPROF_START_FAULTS | MEMPROF_START_GROWTH,
		.minor_period = 1, .alloc_rate = rate, .max_live = 1 << 14,
		.max_processes = 256, .max_sites = 512,
	};
	int fd = session_open(), err;

	if (fd < 0)
		return fd;
	err = session_target_pid(fd, getpid(), MEMPROF_TARGET_CHILDREN) ?:
	      add_probe(fd, "malloc", MEMPROF_FUNC_MALLOC) ?:
	      add_probe(fd, "calloc", MEMPROF_FUNC_CALLOC) ?:
	      add_probe(fd, "realloc", MEMPROF_FUNC_REALLOC) ?:
	      add_probe(fd, "free", MEMPROF_FUNC_FREE) ?:
	      session_ioctl(fd, MEMPROF_IOC_START, &a);
	if (!err)
		return fd;
	close(fd);
	return err;
}

FIXTURE(stress) {
	pid_t pids[CHILDREN];
};

FIXTURE_SETUP(stress)
{
	long i;

	for (i = 0; i < CHILDREN; i++)
		self->pids[i] = victim(i * 100);
}

FIXTURE_TEARDOWN(stress)
{
	int i;

	for (i = 0; i < CHILDREN; i++) {
		kill(self->pids[i], SIGKILL);
		waitpid(self->pids[i], NULL, 0);
	}
}

static int end_and_replace(struct __test_metadata *_metadata, pid_t *pid,
			   long seed)
{
	kill(*pid, SIGKILL);
	if (waitpid(*pid, NULL, 0) != *pid)
		return -1;
	*pid = victim(seed);
	return *pid < 0 ? -1 : 0;
}

TEST_F_TIMEOUT(stress, sessions_come_and_go, TEST_TIMEOUT)
{
	struct memprof_status st;
	long i;
	int fd;

	for (i = 0; i < SESSIONS; i++) {
		fd = begin(i % 2 ? 1 : 4096);
		ASSERT_GE(fd, 0);
		usleep(i % 7 * 3000);
		ASSERT_EQ(0, session_snapshot(fd, i % 3 == 0));
		if (i % 4 == 0)
			ASSERT_EQ(0, end_and_replace(_metadata,
						     &self->pids[i / 4 % CHILDREN],
						     i));
		if (i % 5 == 0)
			ASSERT_EQ(0, session_stop(fd));
		ASSERT_EQ(0, session_status(fd, &st));
		ASSERT_EQ(0, st.flags);
		close(fd);
	}
}

TEST_F_TIMEOUT(stress, when_all_are_dead_nothing_is_in_use, TEST_TIMEOUT)
{
	struct memprof_cgroup g;
	struct memprof_site site;
	struct memprof_status st;
	uint64_t allocated = 0;
	int fd = begin(1), i, j;

	ASSERT_GE(fd, 0);
	for (i = 0; i < 5; i++) {
		usleep(300000);
		for (j = 0; j < CHILDREN; j++)
			ASSERT_EQ(0, end_and_replace(_metadata,
						     &self->pids[j], j));
	}
	for (j = 0; j < CHILDREN; j++) {
		kill(self->pids[j], SIGKILL);
		waitpid(self->pids[j], NULL, 0);
		self->pids[j] = fork();		/* for the teardown */
		if (!self->pids[j])
			_exit(0);
	}
	usleep(500000);
	ASSERT_EQ(0, session_snapshot(fd, 0));
	ASSERT_EQ(0, session_status(fd, &st));
	EXPECT_EQ(0, st.flags);
	ASSERT_EQ(0, session_cgroup(fd, 1, &g));
	EXPECT_LT(1000, g.alloc.alloc_objects);
	EXPECT_EQ(0, g.alloc.inuse_objects);
	EXPECT_EQ(0, g.alloc.inuse_space);
	for (i = 0; ; i++) {
		struct memprof_read r = {
			.size = sizeof(r), .table = MEMPROF_READ_SITES,
			.first = i, .nr = 1, .entry_size = sizeof(site),
			.entries = (uintptr_t)&site,
		};

		ASSERT_EQ(0, session_ioctl(fd, MEMPROF_IOC_READ, &r));
		if (!r.nr)
			break;
		EXPECT_EQ(0, site.alloc.inuse_space);
		allocated += site.alloc.alloc_objects;
	}
	/* each allocation is in the sum of the cgroup and of one callsite */
	EXPECT_EQ(g.alloc.alloc_objects, allocated);
	close(fd);
}

/* Instructions that never run: as many places for probes as a session may have. */
extern const char many_places[];
asm(".pushsection .text\n"
    ".globl many_places\n"
    "many_places: .rept 512\n"
    "nop\n"
    ".endr\n"
    ".popsection");

#ifdef __x86_64__
#define PLACE_BYTES 1
#else
#define PLACE_BYTES 4
#endif

/*
 * Processes move in and out of the target while it has all its probes. Requests
 * to the session must be answered meanwhile, and not after hundreds of grace
 * periods.
 */
TEST_F_TIMEOUT(stress, processes_move_while_all_probes_are_there, TEST_TIMEOUT)
{
	static const char cgroup[] = "/sys/fs/cgroup/t_stress_moves";
	int fd = session_open(), i, probes, moves = SESSIONS / 4;
	struct memprof_start a = {
		.size = sizeof(a), .flags = MEMPROF_START_ALLOC,
		.alloc_rate = 1, .max_live = 1 << 16,
	};
	struct memprof_status status;
	struct stat st;
	pid_t pid[8];

	mkdir(cgroup, 0755);
	ASSERT_EQ(0, stat(cgroup, &st));
	ASSERT_EQ(0, session_target_cgroup(fd, st.st_ino));
	for (probes = 0; probes < 512; probes++)
		if (session_probe(fd, (void *)&many_places[probes * PLACE_BYTES],
				  MEMPROF_FUNC_FREE))
			break;
	EXPECT_EQ(MEMPROF_MAX_PROBES, probes);
	for (i = 0; i < 8; i++) {
		pid[i] = fork();
		if (!pid[i])
			churn(NULL);
	}
	ASSERT_EQ(0, session_ioctl(fd, MEMPROF_IOC_START, &a));
	for (i = 0; i < moves; i++) {
		ASSERT_EQ(0, session_move(cgroup, pid[i % 8]));
		ASSERT_EQ(0, session_status(fd, &status));
		ASSERT_EQ(0, session_snapshot(fd, 0));
		usleep(20000);
		ASSERT_EQ(0, session_move("/sys/fs/cgroup", pid[i % 8]));
	}
	for (i = 0; i < 8; i++) {
		kill(pid[i], SIGKILL);
		waitpid(pid[i], NULL, 0);
	}
	EXPECT_EQ(0, session_stop(fd));
	close(fd);
	rmdir(cgroup);
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the prober: which processes are targets, and how it notices new binaries.
 * The module is not needed: the session is a file that knows no ioctl.
 */
#include "exec-maps.h"
#include "follower.h"
#include "injected.h"
#include "prober.h"

#include "kselftest_harness.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/wait.h>

FIXTURE(prober)
{
	struct mp_prober prober;
	int device;
};

FIXTURE_SETUP(prober)
{
	self->prober = (struct mp_prober){ 0 };
	self->device = open("/dev/null", O_RDWR | O_CLOEXEC);
}

FIXTURE_TEARDOWN(prober)
{
	mp_finder_free(&self->prober.finder);
	close(self->device);
}

/* Opens the prober with one target. */
static void watch(FIXTURE_DATA(prober) *self, uint32_t kind, const char *text,
		  uint64_t number, bool children)
{
	struct mp_targets targets = {
		.list = { { .kind = kind, .text = text, .number = number } },
		.nr = 1,
		.children = children,
	};

	self->prober.attach = mp_prober_attach_kmod;
	self->prober.session = &self->device;
	mp_prober_open(&self->prober, &targets);
}

/* Forks a child, which forks a grandchild. Both wait. */
static pid_t fork_family(pid_t *grandchild)
{
	int ends[2];
	pid_t pid;

	if (pipe(ends))
		abort();
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pid = fork();
		if (!pid)
			pause();
		prctl(PR_SET_NAME, "family");
		if (write(ends[1], &pid, sizeof(pid)) != sizeof(pid))
			abort();
		pause();
	}
	if (read(ends[0], grandchild, sizeof(*grandchild)) !=
	    sizeof(*grandchild))
		abort();
	close(ends[0]);
	close(ends[1]);
	return pid;
}

static void end_family(pid_t child, pid_t grandchild)
{
	kill(grandchild, SIGKILL);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

TEST_F(prober, descendants_are_targets_if_asked)
{
	pid_t grandchild, child = fork_family(&grandchild);

	watch(self, MEMPROF_TARGET_PROCESS, "", child, true);
	EXPECT_TRUE(mp_prober_wants(&self->prober, child));
	EXPECT_TRUE(mp_prober_wants(&self->prober, grandchild));
	EXPECT_FALSE(mp_prober_wants(&self->prober, getpid()));
	EXPECT_FALSE(mp_prober_wants(&self->prober, 1));
	self->prober.filters[0].children = false;
	EXPECT_TRUE(mp_prober_wants(&self->prober, child));
	EXPECT_FALSE(mp_prober_wants(&self->prober, grandchild));
	end_family(child, grandchild);
	EXPECT_FALSE(mp_prober_wants(&self->prober, 1 << 29));
}

TEST_F(prober, commands_are_targets_by_name)
{
	pid_t grandchild, child = fork_family(&grandchild);

	watch(self, MEMPROF_TARGET_COMM, "family", 0, false);
	EXPECT_TRUE(mp_prober_wants(&self->prober, child));
	EXPECT_FALSE(mp_prober_wants(&self->prober, getpid()));
	end_family(child, grandchild);
}

TEST_F(prober, targets_are_told)
{
	pid_t grandchild, child = fork_family(&grandchild);
	struct mp_profile profile = { 0 };

	watch(self, MEMPROF_TARGET_PROCESS, "", child, true);
	EXPECT_EQ(0, mp_prober_targets(&self->prober, &profile));
	ASSERT_EQ(2, profile.nr_rows);
	EXPECT_EQ(child + grandchild,
		  profile.rows[0].pid + profile.rows[1].pid);
	mp_profile_free(&profile);
	end_family(child, grandchild);
}

TEST_F(prober, refused_probes_are_an_error_that_says_why)
{
	struct mp_diag diag = { 0 };

	/* /dev/null takes no probes */
	watch(self, MEMPROF_TARGET_PROCESS, "", getpid(), false);
	EXPECT_EQ(-ENOTTY, mp_prober_begin(&self->prober, &diag));
	EXPECT_TRUE(diag.failed);
	EXPECT_EQ(ENOTTY, diag.err);
	EXPECT_NE(NULL, strstr(diag.text, self->prober.refused));
	EXPECT_EQ(0, self->prober.nr_probes);
	EXPECT_LT(0, self->prober.nr_failed);
	EXPECT_EQ(-ENOTTY, self->prober.err);
	EXPECT_NE('\0', self->prober.refused[0]);
}

/* Builds and starts a new static program. Returns its pid; 0 if it cannot be built. */
static pid_t run_static(char *dir)
{
	char text[256];
	int ends[2];
	pid_t pid;

	snprintf(text, sizeof(text), "cd %s && printf '%%s\\n' "
		 "'#include <stdlib.h>' '#include <unistd.h>' "
		 "'int main(void) { free(malloc(7)); return pause(); }' >a.c && "
		 "gcc -static -o a a.c 2>log", dir);
	if (system(text) || pipe2(ends, O_CLOEXEC))
		return 0;
	snprintf(text, sizeof(text), "%s/a", dir);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execl(text, "a", NULL);
		_exit(1);
	}
	close(ends[1]);
	/* closed by exec */
	if (read(ends[0], text, 1))
		abort();
	close(ends[0]);
	return pid;
}

TEST_F(prober, our_own_library_comes_before_binaries_of_strangers)
{
	char dir[] = "/tmp/memprof-prober-XXXXXX", line[64];
	struct mp_diag diag = { 0 };
	pid_t pid;

	ASSERT_NE(NULL, mkdtemp(dir));
	pid = run_static(dir);
	if (pid) {
		watch(self, MEMPROF_TARGET_PROCESS, "", pid, false);
		EXPECT_NE(0, mp_prober_begin(&self->prober, &diag));
		EXPECT_NE(NULL, strstr(self->prober.refused, "/libc.so")) {
			TH_LOG("%s", self->prober.refused);
		}
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	snprintf(line, sizeof(line), "rm -rf %s", dir);
	EXPECT_EQ(0, system(line));
	if (!pid)
		SKIP(return, "no static C library");
}

static void take_map(void *context, const struct mp_exec_map *map)
{
	pid_t *wanted = context;

	if (map->pid == *wanted && map->inode)
		*wanted = 0;
}

static pid_t run_true(void)
{
	pid_t pid = fork();

	if (!pid) {
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	waitpid(pid, NULL, 0);
	return pid;
}

TEST(executable_mappings_are_announced)
{
	struct mp_exec_maps maps;
	struct pollfd wait;
	int err = mp_exec_maps_open(&maps, true);
	pid_t pid;

	if (err)
		SKIP(return, "perf_event_open is refused: %s", strerror(-err));
	pid = run_true();
	wait = (struct pollfd){ .fd = maps.poll_fd, .events = POLLIN };
	EXPECT_EQ(1, poll(&wait, 1, 5000));
	mp_exec_maps_drain(&maps, take_map, &pid);
	EXPECT_EQ(0, pid);
	mp_exec_maps_close(&maps);
}

TEST(many_mappings_wrap_around_the_ring)
{
	struct mp_exec_maps maps;
	int i, err = mp_exec_maps_open(&maps, true);
	pid_t pid = 0;

	if (err)
		SKIP(return, "perf_event_open is refused: %s", strerror(-err));
	for (i = 0; i < 400 && !pid; i++) {
		pid = run_true();
		mp_exec_maps_drain(&maps, take_map, &pid);
	}
	EXPECT_EQ(400, i);
	EXPECT_EQ(0, pid);
	mp_exec_maps_close(&maps);
}

TEST_F(prober, binaries_of_new_targets_are_examined)
{
	struct mp_follower follower;
	struct pollfd wait = { .events = POLLIN };
	size_t before;
	pid_t pid;
	int i;

	/* a program of our own: others may run sleep, too */
	ASSERT_EQ(0, system("cp $(command -v sleep) /tmp/prober-sleeps"));
	watch(self, MEMPROF_TARGET_COMM, "prober-sleeps", 0, false);
	mp_follower_open(&follower, &self->prober, true);
	ASSERT_LE(0, follower.fd);
	before = self->prober.finder.seen.files.nr;
	pid = fork();
	if (!pid) {
		execl("/tmp/prober-sleeps", "prober-sleeps", "30", NULL);
		_exit(1);
	}
	wait.fd = follower.fd;
	for (i = 0; i < 100 && self->prober.finder.seen.files.nr == before; i++)
		if (poll(&wait, 1, 100) > 0)
			mp_follower_work(&follower);
	EXPECT_LT(before, self->prober.finder.seen.files.nr);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	mp_follower_close(&follower);
	unlink("/tmp/prober-sleeps");
}

/* Forks a process that maps and unmaps the code of a file each time it gets a command. */
static pid_t fork_mapper(const char *path, int *commands, int *answers)
{
	int to[2], from[2], fd = open(path, O_RDONLY | O_CLOEXEC);
	void *at = MAP_FAILED;
	char byte;
	pid_t pid;

	if (fd < 0 || pipe(to) || pipe(from))
		abort();
	pid = fork();
	if (pid) {
		close(fd);
		close(to[0]);
		close(from[1]);
		*commands = to[1];
		*answers = from[0];
		return pid;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (read(to[0], &byte, 1) == 1) {
		if (byte == 'm')
			at = mmap(NULL, 4096, PROT_READ | PROT_EXEC,
				  MAP_PRIVATE, fd, 0);
		else
			munmap(at, 4096);
		if (write(from[1], &byte, 1) != 1)
			break;
	}
	_exit(0);
}

/* Makes a program at @path, which mkstemp() completes. */
static bool make_program(char *path, struct stat *st)
{
	const int fd = mkstemp(path);
	char line[128];
	bool is;

	if (fd < 0)
		return false;
	snprintf(line, sizeof(line), "cp /bin/true %s", path);
	is = !system(line) && !fstat(fd, st);
	close(fd);
	return is;
}

static void command(int commands, int answers, const char *letters)
{
	char byte;

	for (; *letters; letters++)
		if (write(commands, letters, 1) != 1 ||
		    read(answers, &byte, 1) != 1)
			abort();
}

TEST_F(prober, binaries_that_were_gone_are_examined_when_they_come_back)
{
	char path[] = "/tmp/memprof-prober-XXXXXX";
	struct mp_file_set *seen = &self->prober.finder.seen;
	struct mp_follower follower;
	int commands, answers;
	struct stat st;
	pid_t pid;

	ASSERT_TRUE(make_program(path, &st));
	pid = fork_mapper(path, &commands, &answers);
	watch(self, MEMPROF_TARGET_PROCESS, "", pid, false);
	mp_follower_open(&follower, &self->prober, true);
	if (follower.err)
		SKIP(goto end, "perf_event_open is refused: %s",
		     strerror(-follower.err));
	/* gone again before it is looked for */
	command(commands, answers, "mu");
	mp_follower_work(&follower);
	EXPECT_FALSE(mp_file_set_has(seen, st.st_dev, st.st_ino));
	EXPECT_TRUE(follower.behind);
	EXPECT_EQ(1, follower.nr_missed);
	command(commands, answers, "m");
	mp_follower_work(&follower);
	EXPECT_TRUE(mp_file_set_has(seen, st.st_dev, st.st_ino));
	/* dealt with: no more looks */
	command(commands, answers, "umu");
	mp_follower_work(&follower);
	EXPECT_EQ(1, follower.nr_missed);
end:
	mp_follower_close(&follower);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	unlink(path);
}

TEST_F(prober, mappings_that_need_not_be_seen_at_once_are_seen_soon)
{
	char path[] = "/tmp/memprof-prober-XXXXXX";
	struct mp_file_set *seen = &self->prober.finder.seen;
	struct mp_follower follower;
	struct pollfd ready = { .events = POLLIN };
	int i, commands, answers;
	struct stat st;
	pid_t pid;

	ASSERT_TRUE(make_program(path, &st));
	pid = fork_mapper(path, &commands, &answers);
	watch(self, MEMPROF_TARGET_PROCESS, "", pid, false);
	mp_follower_open(&follower, &self->prober, false);
	if (follower.err)
		SKIP(goto end, "perf_event_open is refused: %s",
		     strerror(-follower.err));
	command(commands, answers, "m");
	ready.fd = follower.fd;
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(1, poll(&ready, 1, 10000));
		mp_follower_work(&follower);
	}
	EXPECT_TRUE(mp_file_set_has(seen, st.st_dev, st.st_ino));
end:
	mp_follower_close(&follower);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	unlink(path);
}

TEST_F(prober, looks_for_binaries_that_are_gone_are_bounded)
{
	char path[] = "/tmp/memprof-prober-XXXXXX";
	struct mp_file_set *seen = &self->prober.finder.seen;
	struct mp_follower follower;
	int i, commands, answers;
	struct stat st;
	pid_t pid;

	ASSERT_TRUE(make_program(path, &st));
	pid = fork_mapper(path, &commands, &answers);
	watch(self, MEMPROF_TARGET_PROCESS, "", pid, false);
	mp_follower_open(&follower, &self->prober, true);
	if (follower.err)
		SKIP(goto end, "perf_event_open is refused: %s",
		     strerror(-follower.err));
	for (i = 0; i < 40; i++)
		command(commands, answers, "mu");
	mp_follower_work(&follower);
	EXPECT_EQ(40, follower.nr_missed);
	/* there, but it has to wait */
	command(commands, answers, "m");
	mp_follower_work(&follower);
	EXPECT_FALSE(mp_file_set_has(seen, st.st_dev, st.st_ino));
	/* the look at all targets finds it, and looks are free again */
	sleep(1);
	usleep(100000);
	mp_follower_work(&follower);
	EXPECT_EQ(0, follower.nr_missed);
	EXPECT_TRUE(mp_file_set_has(seen, st.st_dev, st.st_ino));
end:
	mp_follower_close(&follower);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	unlink(path);
}

/* Where programs begin all the time, those before them still get the library. */
TEST_F(prober, later_programs_do_not_put_off_an_injection)
{
	struct mp_injected injected = {
		.filter = &self->prober,
		.timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK),
	};
	pid_t first, second = fork_family(&first);
	uint64_t ticks;
	int i;

	watch(self, MEMPROF_TARGET_PROCESS, NULL, (uint64_t)second, true);
	mp_injected_expect(&injected, first);
	EXPECT_GT(0, read(injected.timer, &ticks, sizeof(ticks)));
	for (i = 0; i < 30; i++) {
		poll(NULL, 0, 10);
		mp_injected_expect(&injected, second);
	}
	EXPECT_EQ(2, injected.nr_waiting);
	EXPECT_EQ(sizeof(ticks), read(injected.timer, &ticks, sizeof(ticks)));
	close(injected.timer);
	kill(first, SIGKILL);
	kill(second, SIGKILL);
	waitpid(second, NULL, 0);
}

#define NR_MANY	12

static void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Where very many begin, as in a build, most end soon: they are not worth an injection. */
TEST_F(prober, where_many_programs_begin_they_have_to_run_for_a_while)
{
	struct mp_injected injected = {
		.filter = &self->prober,
		.timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK),
		/* there is no such library, so each process is refused when its turn comes */
		.options.library = "/nonexistent",
	};
	pid_t pids[NR_MANY];
	int i;

	watch(self, MEMPROF_TARGET_ALL, NULL, 0, false);
	for (i = 0; i < NR_MANY; i++) {
		pids[i] = fork();
		if (!pids[i]) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			for (;;)
				pause();
		}
		mp_injected_expect(&injected, pids[i]);
	}
	poll(NULL, 0, 300);
	mp_injected_work(&injected);
	EXPECT_EQ(NR_MANY, injected.nr_waiting);
	EXPECT_EQ(0, injected.nr_refused);
	for (i = 0; i < NR_MANY / 2; i++)
		end_child(pids[i]);
	poll(NULL, 0, 200);
	mp_injected_work(&injected);
	EXPECT_EQ(NR_MANY / 2, injected.nr_waiting);
	EXPECT_EQ(NR_MANY / 2, injected.nr_brief);
	poll(NULL, 0, 2000);
	mp_injected_work(&injected);
	EXPECT_LT(0, injected.nr_refused);
	for (i = NR_MANY / 2; i < NR_MANY; i++)
		end_child(pids[i]);
	close(injected.timer);
}

TEST_HARNESS_MAIN

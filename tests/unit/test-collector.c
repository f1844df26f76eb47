// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the collector: it detaches, serves and cleans up. The session only reads
 * sizes from /proc, because other sources need the module or perf events.
 */
#include "collector.h"
#include "serving.h"
#include "title.h"

#include "kselftest_harness.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/mman.h>

FIXTURE(collector)
{
	struct serving serving;
	struct mp_profile profile;
	struct mp_json_line line;
};

/* Does what main() of memprofctl does; TEST_HARNESS_MAIN defines the main() here. */
__attribute__((constructor))
static void remember_title(int argc, char **argv)
{
	mp_title_init(argc, argv);
}

FIXTURE_SETUP(collector)
{
	struct mp_collector collector = { 0 };
	struct mp_record_options options;
	struct mp_diag diag = { 0 };
	char pid[16];

	ASSERT_EQ(0, serving_init(&self->serving));
	self->profile = (struct mp_profile){ 0 };
	collector.control = self->serving.control;
	collector.lock = mp_control_lock(&collector.control);
	ASSERT_LE(0, collector.lock);
	collector.listen = mp_control_listen(&collector.control);
	ASSERT_LE(0, collector.listen);
	mp_record_options_init(&options);
	options.source = MP_SOURCE_SMAPS;
	options.targets.children = false;
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	ASSERT_EQ(0, mp_targets_add_option(&options.targets,
					   MEMPROF_TARGET_PROCESS, pid, &diag));
	ASSERT_EQ(0, mp_record_options_check(&options, &diag));
	ASSERT_EQ(0, mp_collector_spawn(&collector, &options,
					&self->serving.pid, &diag));
	ASSERT_FALSE(diag.failed);
	ASSERT_LT(0, self->serving.pid);
	EXPECT_EQ(-1, collector.lock);
}

FIXTURE_TEARDOWN(collector)
{
	serving_end(&self->serving);
	mp_profile_free(&self->profile);
}

static int ask(FIXTURE_DATA(collector) *self, const char *verb)
{
	int fd = mp_control_connect(&self->serving.control, 5000);
	int err;

	if (fd < 0)
		return fd;
	err = mp_control_ask(fd, verb, &self->profile, &self->line);
	if (!strcmp(verb, "stop"))
		mp_control_drain(fd);
	close(fd);
	return err;
}

static int wait_exit(FIXTURE_DATA(collector) *self)
{
	int status = -1;

	waitpid(self->serving.pid, &status, 0);
	self->serving.pid = 0;
	return status;
}

static void read_proc(FIXTURE_DATA(collector) *self, const char *name,
		      char *text, size_t size)
{
	char path[64];
	FILE *file;
	size_t len;

	snprintf(path, sizeof(path), "/proc/%d/%s", self->serving.pid, name);
	file = fopen(path, "r");
	len = file ? fread(text, 1, size - 1, file) : 0;
	text[len] = '\0';
	if (file)
		fclose(file);
}

static void read_proc_link(FIXTURE_DATA(collector) *self, const char *name,
			   char *text, size_t size)
{
	char path[64];
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/%d/%s", self->serving.pid, name);
	len = readlink(path, text, size - 1);
	text[len < 0 ? 0 : len] = '\0';
}

TEST_F(collector, answers_are_of_the_session)
{
	EXPECT_EQ(0, ask(self, "status"));
	EXPECT_EQ(MEMPROF_STATE_RUNNING, self->profile.meta.status.state);
	EXPECT_EQ(0, ask(self, "report"));
	ASSERT_EQ(1, self->profile.nr_rows);
	EXPECT_EQ(getpid(), self->profile.rows[0].pid);
	EXPECT_LT(100000, self->profile.rows[0].value[MP_RESIDENT]);
	EXPECT_EQ(1, self->profile.nr_warnings);
	EXPECT_EQ(0, ask(self, "reset"));
}

TEST_F(collector, errors_reach_the_client)
{
	EXPECT_EQ(-EREMOTEIO, ask(self, "nonsense"));
	EXPECT_EQ(EINVAL, self->line.err);
}

/* A client hands over ages of pages in a file that it has open. */
TEST_F(collector, files_of_ages_are_checked)
{
	const struct mp_cold_range range = { 4096, 8192, 1, 1 };
	struct mp_cold cold = { .least_ns = 1 };
	int fd = memfd_create("cold", MFD_CLOEXEC);
	char request[64];

	ASSERT_GE(fd, 0);
	snprintf(request, sizeof(request), "cold %d %d report", (int)getpid(), fd);
	EXPECT_EQ(-EREMOTEIO, ask(self, request));
	EXPECT_EQ(EBADMSG, self->line.err);
	ASSERT_EQ(0, mp_cold_add(&cold, &range));
	ASSERT_EQ(0, mp_cold_write(&cold, fd));
	EXPECT_EQ(0, ask(self, request));
	mp_cold_free(&cold);
	close(fd);
	snprintf(request, sizeof(request), "cold %d %d report", (int)getpid(), 1000);
	EXPECT_EQ(-EREMOTEIO, ask(self, request));
	EXPECT_EQ(ENOENT, self->line.err);
	EXPECT_EQ(-EREMOTEIO, ask(self, "cold 1 2"));
	EXPECT_EQ(EINVAL, self->line.err);
}

TEST_F(collector, stop_ends_it)
{
	int lock;

	EXPECT_EQ(0, ask(self, "stop"));
	EXPECT_EQ(MEMPROF_STATE_STOPPED, self->profile.meta.status.state);
	EXPECT_EQ(-ENOENT, ask(self, "status"));
	lock = mp_control_lock(&self->serving.control);
	EXPECT_LE(0, lock);
	close(lock);
	EXPECT_EQ(0, wait_exit(self));
}

TEST_F(collector, it_holds_the_lock_while_it_lives)
{
	EXPECT_EQ(-EWOULDBLOCK, mp_control_lock(&self->serving.control));
}

TEST_F(collector, signals_end_it_and_remove_the_socket)
{
	/* an answer says that it is past its start */
	EXPECT_EQ(0, ask(self, "status"));
	kill(self->serving.pid, SIGTERM);
	EXPECT_EQ(0, wait_exit(self));
	EXPECT_NE(0, access(self->serving.control.socket.sun_path, F_OK));
}

TEST_F(collector, a_hangup_does_not_end_it)
{
	EXPECT_EQ(0, ask(self, "status"));
	kill(self->serving.pid, SIGHUP);
	EXPECT_EQ(0, ask(self, "status"));
}

/*
 * A helper that the collector has just forked has its socket until it runs, sees that its parent
 * is dead, and ends: then a client is not refused, but reset.
 */
static int ask_the_dead(FIXTURE_DATA(collector) *self)
{
	int i, err = ask(self, "status");

	for (i = 0; err == -ECONNRESET && i < 500; i++) {
		usleep(10000);
		err = ask(self, "status");
	}
	return err;
}

TEST_F(collector, a_killed_one_leaves_room_for_the_next)
{
	int fd;

	EXPECT_EQ(0, ask(self, "status"));
	kill(self->serving.pid, SIGKILL);
	wait_exit(self);
	EXPECT_EQ(-ECONNREFUSED, ask_the_dead(self));
	fd = mp_control_lock(&self->serving.control);
	EXPECT_LE(0, fd);
	close(fd);
	fd = mp_control_listen(&self->serving.control);
	EXPECT_LE(0, fd);
	close(fd);
}

TEST_F(collector, it_is_detached_and_bears_its_name)
{
	char text[PATH_MAX];

	EXPECT_EQ(0, ask(self, "status"));
	read_proc(self, "cmdline", text, sizeof(text));
	EXPECT_STREQ("memprofctl: collector", text);
	read_proc(self, "comm", text, sizeof(text));
	EXPECT_STREQ("memprof-collect\n", text);
	read_proc_link(self, "cwd", text, sizeof(text));
	EXPECT_STREQ("/", text);
	read_proc_link(self, "fd/1", text, sizeof(text));
	EXPECT_STREQ("/dev/null", text);
	EXPECT_EQ(self->serving.pid, getsid(self->serving.pid));
}

TEST_HARNESS_MAIN

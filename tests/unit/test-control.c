// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the control socket: client and server must withstand hostile peers. */
#include "serving.h"

#include "kselftest_harness.h"

#include <sys/stat.h>

#define PATIENCE_MS	SERVING_PATIENCE_MS

FIXTURE(control)
{
	struct serving serving;
	struct mp_profile profile;
	struct mp_json_line line;
};

FIXTURE_SETUP(control)
{
	ASSERT_EQ(0, serving_init(&self->serving));
	self->profile = (struct mp_profile){ 0 };
}

FIXTURE_TEARDOWN(control)
{
	serving_end(&self->serving);
	mp_profile_free(&self->profile);
}

static int connect_to(FIXTURE_DATA(control) *self)
{
	return mp_control_connect(&self->serving.control, PATIENCE_MS);
}

static int ask(FIXTURE_DATA(control) *self, const char *verb)
{
	int fd = connect_to(self), err;

	if (fd < 0)
		return fd;
	err = mp_control_ask(fd, verb, &self->profile, &self->line);
	close(fd);
	return err;
}

static int start_impatient(FIXTURE_DATA(control) *self)
{
	self->serving.idle_ms = SERVING_IDLE_MS;
	self->serving.total_ms = SERVING_TOTAL_MS;
	return serving_start(&self->serving);
}

/* Waits until the other end closes the socket. Returns 0 then. */
static int wait_close(int fd)
{
	return mp_control_drain(fd);
}

TEST_F(control, a_report_arrives_whole)
{
	struct mp_profile sample;

	ASSERT_EQ(0, serving_start(&self->serving));
	ASSERT_EQ(0, ask(self, "report"));
	sample_profile(&sample);
	ASSERT_EQ(sample.nr_rows, self->profile.nr_rows);
	EXPECT_EQ(0, memcmp(sample.rows, self->profile.rows,
			    sample.nr_rows * sizeof(struct mp_row)));
	EXPECT_EQ(0, memcmp(&sample.meta, &self->profile.meta,
			    sizeof(sample.meta)));
	EXPECT_EQ(sample.nr_counters, self->profile.nr_counters);
	mp_profile_free(&sample);
}

TEST_F(control, a_report_beyond_any_buffer_arrives_whole)
{
	struct mp_row *last;

	ASSERT_EQ(0, serving_start(&self->serving));
	ASSERT_EQ(0, ask(self, "big"));
	ASSERT_EQ(SERVING_BIG + 8, self->profile.nr_rows);
	last = &self->profile.rows[SERVING_BIG + 7];
	EXPECT_EQ(1000 + SERVING_BIG - 1, last->pid);
	EXPECT_EQ(last->pid, last->value[MP_MINOR_FAULTS]);
}

TEST_F(control, an_unknown_request_is_answered_with_an_error)
{
	ASSERT_EQ(0, serving_start(&self->serving));
	EXPECT_EQ(-EREMOTEIO, ask(self, "nonsense"));
	EXPECT_EQ(EINVAL, self->line.err);
	EXPECT_STREQ("unknown request", self->line.message);
	EXPECT_EQ(-EREMOTEIO, ask(self, ""));
	EXPECT_EQ(-EREMOTEIO, ask(self, "\xff\033[2J"));
}

TEST_F(control, a_request_that_never_ends_is_dropped)
{
	char flood[4096];
	int fd;

	memset(flood, 'x', sizeof(flood));
	ASSERT_EQ(0, serving_start(&self->serving));
	fd = connect_to(self);
	ASSERT_LE(0, fd);
	send(fd, flood, sizeof(flood), MSG_NOSIGNAL);
	EXPECT_EQ(0, wait_close(fd));
	close(fd);
	EXPECT_EQ(0, ask(self, "status"));
}

TEST_F(control, a_silent_client_is_dropped_long_before_a_slow_one)
{
	int fd;

	ASSERT_EQ(0, start_impatient(self));
	fd = mp_control_connect(&self->serving.control, SERVING_TOTAL_MS / 2);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, wait_close(fd));
	close(fd);
}

TEST_F(control, a_dripping_client_is_dropped_in_the_end)
{
	int fd, i;

	ASSERT_EQ(0, start_impatient(self));
	fd = connect_to(self);
	ASSERT_LE(0, fd);
	/* each byte in time, all together too late */
	for (i = 0; i < 40 && send(fd, "x", 1, MSG_NOSIGNAL) == 1; i++)
		usleep(SERVING_IDLE_MS / 3 * 1000);
	EXPECT_GT(40, i);
	close(fd);
	EXPECT_EQ(0, ask(self, "status"));
}

TEST_F(control, a_client_that_does_not_read_holds_up_nobody)
{
	int fd, i;

	ASSERT_EQ(0, serving_start(&self->serving));
	for (i = 0; i < 3; i++) {
		fd = connect_to(self);
		ASSERT_LE(0, fd);
		ASSERT_EQ(4, send(fd, "big\n", 4, MSG_NOSIGNAL));
	}
	EXPECT_EQ(0, ask(self, "status"));
}

TEST_F(control, more_silent_clients_than_slots_only_delay_others)
{
	int i;

	ASSERT_EQ(0, start_impatient(self));
	for (i = 0; i < 2 * MP_SERVER_MAX_CLIENTS; i++)
		ASSERT_LE(0, connect_to(self));
	EXPECT_EQ(0, ask(self, "status"));
}

/* A report on a busy machine takes longer than a client may be idle. */
TEST_F(control, work_on_an_answer_is_not_a_clients_idle_time)
{
	int waiting, status;
	pid_t pid;

	self->serving.idle_ms = SERVING_IDLE_MS;
	self->serving.slow_ms = 2 * SERVING_IDLE_MS;
	ASSERT_EQ(0, serving_start(&self->serving));
	waiting = connect_to(self);
	ASSERT_LE(0, waiting);
	pid = fork();
	if (!pid)
		_exit(ask(self, "report") ? 1 : 0);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, mp_control_ask(waiting, "report", &self->profile, &self->line));
}

TEST_F(control, clients_that_hang_up_at_once_do_no_harm)
{
	int fd, i;

	ASSERT_EQ(0, serving_start(&self->serving));
	for (i = 0; i < 100; i++) {
		fd = connect_to(self);
		ASSERT_LE(0, fd);
		if (i & 1)
			send(fd, "big\n", 4, MSG_NOSIGNAL);
		close(fd);
	}
	EXPECT_EQ(0, ask(self, "report"));
}

TEST_F(control, another_user_is_dropped_unread)
{
	int status;
	pid_t pid;

	if (geteuid())
		SKIP(return, "needs root to become another user");
	ASSERT_EQ(0, serving_start(&self->serving));
	/* let the peer check decide, not the permissions */
	ASSERT_EQ(0, chmod(self->serving.dir, 0755));
	ASSERT_EQ(0, chmod(self->serving.control.socket.sun_path, 0666));
	pid = fork();
	if (!pid) {
		if (setuid(65534))
			_exit(2);
		status = ask(self, "status");
		_exit(status == -ECONNRESET || status == -EPIPE ? 0 : 1);
	}
	waitpid(pid, &status, 0);
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, ask(self, "status"));
}

TEST_F(control, the_socket_is_for_its_owner_only)
{
	struct stat st;

	ASSERT_EQ(0, serving_start(&self->serving));
	ASSERT_EQ(0, stat(self->serving.control.socket.sun_path, &st));
	EXPECT_EQ(0600, st.st_mode & 0777);
}

TEST_F(control, a_quitting_server_tells_the_client_last)
{
	int fd, status;

	ASSERT_EQ(0, serving_start(&self->serving));
	fd = connect_to(self);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, mp_control_ask(fd, "stop", &self->profile, &self->line));
	EXPECT_EQ(0, wait_close(fd));
	EXPECT_EQ(-ENOENT, connect_to(self));
	waitpid(self->serving.pid, &status, 0);
	self->serving.pid = 0;
	EXPECT_EQ(0, status);
}

TEST_F(control, the_lock_is_held_once)
{
	int lock = mp_control_lock(&self->serving.control);

	ASSERT_LE(0, lock);
	EXPECT_EQ(-EWOULDBLOCK, mp_control_lock(&self->serving.control));
	close(lock);
	lock = mp_control_lock(&self->serving.control);
	EXPECT_LE(0, lock);
	close(lock);
}

TEST_F(control, the_folder_is_made_for_its_owner_only)
{
	struct mp_control *control = &self->serving.control;
	struct stat st;
	int lock;

	ASSERT_EQ(0, rmdir(self->serving.dir));
	lock = mp_control_lock(control);
	ASSERT_LE(0, lock);
	close(lock);
	ASSERT_EQ(0, stat(self->serving.dir, &st));
	EXPECT_EQ(0700, st.st_mode & 0777);
}

TEST_F(control, a_folder_that_others_may_write_is_refused)
{
	ASSERT_EQ(0, chmod(self->serving.dir, 0777));
	EXPECT_EQ(-EPERM, mp_control_lock(&self->serving.control));
}

TEST_F(control, a_folder_that_is_a_link_is_refused)
{
	ASSERT_EQ(0, rmdir(self->serving.dir));
	ASSERT_EQ(0, symlink("/root", self->serving.dir));
	EXPECT_EQ(-ENOTDIR, mp_control_lock(&self->serving.control));
	unlink(self->serving.dir);
}

TEST_F(control, a_dead_collectors_socket_is_replaced)
{
	ASSERT_EQ(0, serving_start(&self->serving));
	kill(self->serving.pid, SIGKILL);
	waitpid(self->serving.pid, NULL, 0);
	close(self->serving.listen);
	EXPECT_EQ(-ECONNREFUSED, connect_to(self));
	ASSERT_EQ(0, serving_start(&self->serving));
	EXPECT_EQ(0, ask(self, "status"));
}

TEST_F(control, a_folder_must_be_absolute_and_short)
{
	char path[200];

	setenv(MP_CONTROL_DIR_ENV, "run", 1);
	EXPECT_EQ(-EINVAL, mp_control_init(&self->serving.control));
	memset(path, '/', sizeof(path));
	path[199] = '\0';
	setenv(MP_CONTROL_DIR_ENV, path, 1);
	EXPECT_EQ(-ENAMETOOLONG, mp_control_init(&self->serving.control));
	path[107 - strlen("/control")] = '\0';
	setenv(MP_CONTROL_DIR_ENV, path, 1);
	EXPECT_EQ(0, mp_control_init(&self->serving.control));
	setenv(MP_CONTROL_DIR_ENV, "", 1);
	EXPECT_EQ(0, mp_control_init(&self->serving.control));
	EXPECT_STREQ("/run/memprof/control",
		     self->serving.control.socket.sun_path);
	setenv(MP_CONTROL_DIR_ENV, self->serving.dir, 1);
	mp_control_init(&self->serving.control);
}

TEST_F(control, no_collector_is_an_error_of_its_own)
{
	EXPECT_EQ(-ENOENT, connect_to(self));
}

TEST_F(control, garbage_for_an_answer_is_refused)
{
	ASSERT_EQ(0, serving_hostile(&self->serving, "\033[2J\n", 5, 1, 0));
	EXPECT_EQ(-EBADMSG, ask(self, "status"));
}

TEST_F(control, a_line_that_never_ends_is_refused)
{
	ASSERT_EQ(0, serving_hostile(&self->serving, "[[[[", 4, 1 << 20, 0));
	EXPECT_EQ(-EBADMSG, ask(self, "status"));
}

TEST_F(control, an_answer_cut_short_is_no_answer)
{
	const char *line = "{\"type\":\"process\",\"pid\":1}\n";

	ASSERT_EQ(0, serving_hostile(&self->serving, line, strlen(line), 3, 0));
	EXPECT_EQ(-ECONNRESET, ask(self, "report"));
}

TEST_F(control, a_silent_collector_is_given_up)
{
	int fd;

	ASSERT_EQ(0, serving_hostile(&self->serving, "", 0, 0, 10000));
	fd = mp_control_connect(&self->serving.control, 200);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-EAGAIN, mp_control_ask(fd, "status", &self->profile,
					  &self->line));
	close(fd);
}

TEST_HARNESS_MAIN

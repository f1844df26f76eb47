// SPDX-License-Identifier: GPL-2.0-only
/*
 * captures: what is kept when memory is short, and the kernel's line on whom it killed
 */
#include "captures.h"
#include "kselftest_harness.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

FIXTURE(captures)
{
	char folder[64];
	struct mp_history history;
	struct mp_diag diag;
};

FIXTURE_SETUP(captures)
{
	strcpy(self->folder, "/tmp/test-captures-XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->folder));
}

FIXTURE_TEARDOWN(captures)
{
	char command[128];

	mp_history_free(&self->history);
	snprintf(command, sizeof(command), "rm -rf %s", self->folder);
	ASSERT_EQ(0, system(command));
}

/* Adds a snapshot of 1000 bytes, which are no numbers: only its file matters here. */
static int add_snapshot(const char *folder, struct mp_history *history, uint64_t number,
			uint64_t time_s, uint64_t session)
{
	struct mp_history_entry entry = { number, time_s, session, 0, "" };
	struct mp_diag diag = { 0 };
	char path[PATH_MAX], bytes[1000];
	FILE *file;

	mp_history_draft(folder, path);
	file = fopen(path, "w");
	fwrite(bytes, sizeof(bytes), 1, file);
	fclose(file);
	return mp_history_add(history, folder, &entry, &diag);
}

static long nr_captures(const char *folder)
{
	struct mp_capture_name *names;
	long nr = mp_captures_list(folder, &names);

	free(names);
	return nr;
}

TEST_F(captures, are_read_as_they_were_written)
{
	const struct mp_captures_limits limits = { 5, 1 << 20 };
	struct mp_capture capture = {
		.time_s = 1000, .current = 5, .max = 6, .nr_victims = 1,
		.trouble = { MP_MEMORY_OOM_KILL, "/a\"b", { [MP_MEMORY_OOM_KILL] = 3 }, { 0 } },
		.victims = { { 42, "hog", "/a/b", "/a", 5 << 20 } },
	}, again;
	struct mp_capture_name *names;
	char path[200];

	EXPECT_EQ(0, nr_captures(self->folder));
	EXPECT_NE(0, mp_captures_add(self->folder, &self->history, &capture, &limits,
				     &self->diag));
	ASSERT_EQ(0, add_snapshot(self->folder, &self->history, 1, 100, 50));
	ASSERT_EQ(0, add_snapshot(self->folder, &self->history, 2, 900, 800));
	ASSERT_EQ(0, add_snapshot(self->folder, &self->history, 3, 1000, 800));
	self->diag = (struct mp_diag){ 0 };
	ASSERT_EQ(0, mp_captures_add(self->folder, &self->history, &capture, &limits,
				     &self->diag));
	ASSERT_EQ(1, mp_captures_list(self->folder, &names));
	ASSERT_EQ(0, mp_captures_read(self->folder, names[0].text, &again));
	EXPECT_EQ(1000, again.time_s);
	EXPECT_EQ(MP_MEMORY_OOM_KILL, again.trouble.event);
	EXPECT_STREQ("/a\"b", again.trouble.cgroup);
	EXPECT_EQ(3, again.trouble.counts[MP_MEMORY_OOM_KILL]);
	EXPECT_EQ(1, again.nr_victims);
	EXPECT_EQ(42, again.victims[0].pid);
	EXPECT_STREQ("/a", again.victims[0].limit);
	EXPECT_EQ(5 << 20, again.victims[0].resident);
	/* of its session only */
	snprintf(path, sizeof(path), "%s/captures/%s/0000000001-100-50.data.zst", self->folder,
		 names[0].text);
	EXPECT_NE(0, access(path, F_OK));
	snprintf(path, sizeof(path), "%s/captures/%s/0000000002-900-800.data.zst", self->folder,
		 names[0].text);
	EXPECT_EQ(0, access(path, F_OK));
	free(names);
}

TEST_F(captures, have_what_a_trigger_noticed)
{
	const struct mp_captures_limits limits = { 5, 1 << 20 };
	struct mp_capture capture = {
		.time_s = 1000,
		.trouble = {
			MP_MEMORY_EXIT, "/a", { [MP_MEMORY_EXIT] = 2 },
			{ 5, 4, 3, true, 2, 42, "a\"b" },
		},
	}, again;
	struct mp_capture_name *names;

	ASSERT_EQ(0, add_snapshot(self->folder, &self->history, 1, 100, 50));
	ASSERT_EQ(0, mp_captures_add(self->folder, &self->history, &capture, &limits,
				     &self->diag));
	ASSERT_EQ(1, mp_captures_list(self->folder, &names));
	ASSERT_EQ(0, mp_captures_read(self->folder, names[0].text, &again));
	EXPECT_EQ(MP_MEMORY_EXIT, again.trouble.event);
	EXPECT_EQ(2, again.trouble.counts[MP_MEMORY_EXIT]);
	EXPECT_EQ(5, again.trouble.cause.value);
	EXPECT_EQ(4, again.trouble.cause.bound);
	EXPECT_EQ(3, again.trouble.cause.limit);
	EXPECT_TRUE(again.trouble.cause.is_high);
	EXPECT_EQ(2, again.trouble.cause.window_s);
	EXPECT_EQ(42, again.trouble.cause.pid);
	EXPECT_STREQ("a\"b", again.trouble.cause.comm);
	free(names);
}

TEST_F(captures, are_bounded)
{
	const struct mp_captures_limits few = { 3, 1 << 20 }, small = { 3, 1 };
	struct mp_capture capture = { .trouble.event = MP_MEMORY_MAX };
	uint64_t i;

	for (i = 1; i < 8; i++) {
		capture.time_s = i;
		ASSERT_EQ(0, add_snapshot(self->folder, &self->history, i, i, 1));
		ASSERT_EQ(0, mp_captures_add(self->folder, &self->history, &capture, &few,
					     &self->diag));
		EXPECT_EQ(i < 3 ? (long)i : 3, nr_captures(self->folder));
	}
	ASSERT_EQ(0, add_snapshot(self->folder, &self->history, 9, 9, 1));
	ASSERT_EQ(0, mp_captures_add(self->folder, &self->history, &capture, &small,
				     &self->diag));
	EXPECT_EQ(1, nr_captures(self->folder));
}

TEST_F(captures, that_are_damaged_are_refused)
{
	static const char * const texts[] = { "", "x", "[]", "{\"time_s\":" };
	struct mp_capture capture;
	char path[200];
	FILE *file;
	size_t i;

	snprintf(path, sizeof(path), "%s/captures", self->folder);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/captures/0000000001-1", self->folder);
	mkdir(path, 0700);
	EXPECT_GT(0, mp_captures_read(self->folder, "0000000001-1", &capture));
	strcat(path, "/capture.json");
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		file = fopen(path, "w");
		fputs(texts[i], file);
		fclose(file);
		EXPECT_EQ(-EBADMSG, mp_captures_read(self->folder, "0000000001-1", &capture));
	}
}

TEST(the_kernels_lines_name_who_was_killed)
{
	struct mp_oom_victim victims[MP_OOM_LOG_MAX];
	char line[200];
	size_t nr = 0, i;

	mp_oom_log_parse("6,1,2,-;oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),"
			 "cpuset=/,mems_allowed=0,oom_memcg=/a,task_memcg=/a/b,"
			 "task=hog,pid=123,uid=0\n", victims, &nr);
	ASSERT_EQ(1, nr);
	EXPECT_EQ(123, victims[0].pid);
	EXPECT_STREQ("hog", victims[0].comm);
	EXPECT_STREQ("/a/b", victims[0].cgroup);
	EXPECT_STREQ("/a", victims[0].limit);
	EXPECT_EQ(0, victims[0].resident);
	/* the machine's memory, and a name that has commas */
	mp_oom_log_parse("oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),"
			 "cpuset=/,mems_allowed=0,global_oom,task_memcg=/x,"
			 "task=a,pid=7,b,pid=9,uid=0", victims, &nr);
	ASSERT_EQ(2, nr);
	EXPECT_EQ(9, victims[1].pid);
	EXPECT_STREQ("", victims[1].limit);
	/* what it had; a name can look like it */
	mp_oom_log_parse("3,1,2,-;Memory cgroup out of memory: Killed process 123 (hog) "
			 "total-vm:99kB, anon-rss:30kB, file-rss:2kB, shmem-rss:1kB, UID:0 "
			 "pgtables:80kB oom_score_adj:0\n", victims, &nr);
	ASSERT_EQ(2, nr);
	EXPECT_EQ(33 << 10, victims[0].resident);
	/* the kernel wrote only this line */
	mp_oom_log_parse("Out of memory: Killed process 5 (a anon-rss:7kB) total-vm:99kB, "
			 "anon-rss:30kB, file-rss:0kB, shmem-rss:0kB, UID:0", victims, &nr);
	ASSERT_EQ(3, nr);
	EXPECT_EQ(5, victims[2].pid);
	EXPECT_STREQ("a anon-rss:7kB", victims[2].comm);
	EXPECT_EQ(30 << 10, victims[2].resident);
	EXPECT_STREQ("", victims[2].cgroup);
	mp_oom_log_parse("", victims, &nr);
	mp_oom_log_parse("oom-kill:constraint=", victims, &nr);
	mp_oom_log_parse("oom-kill:constraint=X,task_memcg=/,task=x", victims, &nr);
	mp_oom_log_parse("6,1,2,-;usb 1-1: new device\n", victims, &nr);
	mp_oom_log_parse("Killed process", victims, &nr);
	mp_oom_log_parse("Killed process 0 (a) total-vm:1kB", victims, &nr);
	EXPECT_EQ(3, nr);
	for (i = 10; i < 30; i++) {
		snprintf(line, sizeof(line), "Killed process %zu (a) total-vm:1kB", i);
		mp_oom_log_parse(line, victims, &nr);
	}
	EXPECT_EQ(MP_OOM_LOG_MAX, nr);
}

TEST_HARNESS_MAIN

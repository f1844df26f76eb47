// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of what waits for a far end: the order and the limits of the queue, and headers.
 */
#include "push.h"
#include "kselftest_harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

FIXTURE(push)
{
	char folder[64], path[PATH_MAX];
	struct mp_push_queue queue;
	struct mp_diag diag;
	uint64_t nr_removed;
};

FIXTURE_SETUP(push)
{
	memset(self, 0, sizeof(*self));
	strcpy(self->folder, "/tmp/test-push.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->folder));
	snprintf(self->path, sizeof(self->path), "%s/push", self->folder);
}

FIXTURE_TEARDOWN(push)
{
	char command[128];

	mp_push_queue_free(&self->queue);
	snprintf(command, sizeof(command), "rm -r %s", self->folder);
	EXPECT_EQ(0, system(command));
}

static int open_as(FIXTURE_DATA(push) *self, const char *format)
{
	mp_push_queue_free(&self->queue);
	return mp_push_queue_open(&self->queue, self->path, format, &self->nr_removed,
				  &self->diag);
}

static void write_file(const char *path, size_t size)
{
	FILE *file = fopen(path, "w");

	while (size--)
		fputc('x', file);
	fclose(file);
}

static int add(FIXTURE_DATA(push) *self, size_t size, bool pack)
{
	char draft[PATH_MAX];

	mp_push_queue_draft(&self->queue, draft);
	write_file(draft, size);
	return mp_push_queue_add(&self->queue, pack, 100, 160);
}

TEST_F(push, files_are_found_again_in_their_order)
{
	int i;

	ASSERT_EQ(0, open_as(self, "otlp"));
	for (i = 0; i < 12; i++)
		ASSERT_EQ(0, add(self, 10, false));
	ASSERT_EQ(0, open_as(self, "otlp"));
	ASSERT_EQ(12, self->queue.nr);
	EXPECT_EQ(120, self->queue.bytes);
	for (i = 0; i < 12; i++) {
		EXPECT_EQ(i + 1, self->queue.entries[i].number);
		EXPECT_EQ(100, self->queue.entries[i].from_s);
		EXPECT_EQ(160, self->queue.entries[i].until_s);
	}
	/* numbers go on */
	ASSERT_EQ(0, add(self, 10, false));
	EXPECT_EQ(13, self->queue.entries[12].number);
}

TEST_F(push, oldest_files_make_room_but_not_the_one_in_flight)
{
	int i;

	ASSERT_EQ(0, open_as(self, "otlp"));
	for (i = 0; i < 5; i++)
		ASSERT_EQ(0, add(self, 10, false));
	EXPECT_EQ(0, mp_push_queue_prune(&self->queue, 50, 1));
	EXPECT_EQ(2, mp_push_queue_prune(&self->queue, 30, 1));
	ASSERT_EQ(3, self->queue.nr);
	EXPECT_EQ(1, self->queue.entries[0].number);
	EXPECT_EQ(4, self->queue.entries[1].number);
	EXPECT_EQ(30, self->queue.bytes);
	/* one that is larger than the limit goes, too */
	EXPECT_EQ(3, mp_push_queue_prune(&self->queue, 5, 0));
	ASSERT_EQ(0, open_as(self, "otlp"));
	EXPECT_EQ(0, self->queue.nr);
}

TEST_F(push, files_of_another_format_and_drafts_are_removed)
{
	char path[PATH_MAX + 32];

	ASSERT_EQ(0, open_as(self, "otlp"));
	ASSERT_EQ(0, add(self, 10, true));
	mp_push_queue_draft(&self->queue, path);
	write_file(path, 1);
	ASSERT_EQ(0, open_as(self, "parca"));
	EXPECT_EQ(1, self->nr_removed);
	EXPECT_EQ(0, self->queue.nr);
	EXPECT_NE(0, access(path, F_OK));
	/* what has another name is somebody else's */
	snprintf(path, sizeof(path), "%s/note-of-mine", self->path);
	write_file(path, 1);
	ASSERT_EQ(0, open_as(self, "otlp"));
	EXPECT_EQ(0, self->nr_removed);
	EXPECT_EQ(0, access(path, F_OK));
}

TEST_F(push, files_are_for_their_owner)
{
	struct stat st;

	ASSERT_EQ(0, open_as(self, "otlp"));
	ASSERT_EQ(0, stat(self->path, &st));
	EXPECT_EQ(0700, st.st_mode & 0777);
	ASSERT_EQ(0, add(self, 1000, true));
	EXPECT_GT(200, self->queue.bytes);
}

TEST_F(push, a_file_that_is_gone_does_not_stop_the_queue)
{
	char path[PATH_MAX + 64];

	ASSERT_EQ(0, open_as(self, "otlp"));
	ASSERT_EQ(0, add(self, 10, false));
	snprintf(path, sizeof(path), "%s/0000000001-100-160.otlp", self->path);
	ASSERT_EQ(0, unlink(path));
	EXPECT_GT(0, mp_push_queue_read(&self->queue, &self->queue.entries[0]));
	mp_push_queue_remove(&self->queue, 1);
	EXPECT_EQ(0, self->queue.nr);
	EXPECT_EQ(0, self->queue.bytes);
}

TEST(headers_are_lines_of_names_and_values)
{
	EXPECT_TRUE(mp_push_headers_are_valid("A: b"));
	EXPECT_TRUE(mp_push_headers_are_valid("A: b\n\nB-C:d e\n"));
	EXPECT_TRUE(mp_push_headers_are_valid(""));
	EXPECT_FALSE(mp_push_headers_are_valid("A"));
	EXPECT_FALSE(mp_push_headers_are_valid(": b"));
	EXPECT_FALSE(mp_push_headers_are_valid("A b: c"));
	EXPECT_FALSE(mp_push_headers_are_valid("A: b\r\nB: c"));
	EXPECT_FALSE(mp_push_headers_are_valid("A: b\x01"));
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: GPL-2.0-only
/*
 * history: snapshots are added, listed in their order, and pruned
 */
#include "history.h"
#include "gzip.h"
#include "packed.h"
#include "kselftest_harness.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT	"what a session has seen\n"

FIXTURE(history) {
	char folder[64];
	struct mp_history history;
	struct mp_diag diag;
};

FIXTURE_SETUP(history)
{
	strcpy(self->folder, "/tmp/test-history.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->folder));
	ASSERT_EQ(0, mp_history_prepare(self->folder, &self->diag));
}

FIXTURE_TEARDOWN(history)
{
	char path[PATH_MAX];
	struct dirent *file;
	DIR *dir = opendir(self->folder);

	while (dir && (file = readdir(dir))) {
		snprintf(path, sizeof(path), "%s/%s", self->folder, file->d_name);
		unlink(path);
	}
	closedir(dir);
	rmdir(self->folder);
	mp_history_free(&self->history);
}

static int put_file(const char *folder, const char *name, const char *text)
{
	char path[PATH_MAX];
	int fd, n;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	n = (int)write(fd, text, strlen(text));
	close(fd);
	return n == (int)strlen(text) ? 0 : -1;
}

static int draft(const char *folder)
{
	char path[PATH_MAX];

	mp_history_draft(folder, path);
	return put_file(folder, strrchr(path, '/') + 1, TEXT);
}

static int add(struct mp_history *history, const char *folder, uint64_t number,
	       uint64_t time_s)
{
	struct mp_history_entry entry = {
		.number = number, .time_s = time_s, .session = 77,
	};
	struct mp_diag diag = { 0 };

	return draft(folder) ?: mp_history_add(history, folder, &entry, &diag);
}

TEST_F(history, snapshots_are_listed_by_number_whatever_the_clock_says)
{
	struct mp_history again = { 0 };
	size_t i;

	ASSERT_EQ(0, add(&self->history, self->folder, 1, 1000));
	ASSERT_EQ(0, add(&self->history, self->folder, 2, 5000));
	ASSERT_EQ(0, add(&self->history, self->folder, 3, 900));
	ASSERT_EQ(0, mp_history_read(&again, self->folder, &self->diag));
	ASSERT_EQ(3, again.nr);
	ASSERT_EQ(3, self->history.nr);
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(i + 1, again.entries[i].number);
		EXPECT_EQ(77, again.entries[i].session);
		EXPECT_STREQ(self->history.entries[i].name, again.entries[i].name);
		EXPECT_EQ(self->history.entries[i].bytes, again.entries[i].bytes);
	}
	EXPECT_EQ(5000, again.entries[1].time_s);
	mp_history_free(&again);
}

TEST_F(history, other_files_are_left_alone)
{
	ASSERT_EQ(0, put_file(self->folder, "notes", "mine"));
	ASSERT_EQ(0, put_file(self->folder, "1-2-3.data.gz", "short"));
	ASSERT_EQ(0, put_file(self->folder, "0000000001-2-3.data.gz.old", "mine"));
	ASSERT_EQ(0, put_file(self->folder, "00000000x1-2-3.data.gz", "mine"));
	ASSERT_EQ(0, add(&self->history, self->folder, 5, 1000));
	mp_history_free(&self->history);
	ASSERT_EQ(0, mp_history_read(&self->history, self->folder, &self->diag));
	EXPECT_EQ(1, self->history.nr);
}

TEST_F(history, what_an_interrupted_writer_left_is_removed)
{
	char path[PATH_MAX];

	ASSERT_EQ(0, draft(self->folder));
	mp_history_draft(self->folder, path);
	ASSERT_EQ(0, access(path, F_OK));
	ASSERT_EQ(0, mp_history_prepare(self->folder, &self->diag));
	EXPECT_NE(0, access(path, F_OK));
}

TEST_F(history, the_oldest_are_removed_until_the_limits_hold)
{
	struct mp_history_limits limits = { .bytes = UINT64_MAX, .age_s = 250 };
	char path[PATH_MAX];
	int i;

	for (i = 1; i <= 5; i++)
		ASSERT_EQ(0, add(&self->history, self->folder, i, 100 * i));
	/* at 500, those of 100 and 200 are too old */
	EXPECT_EQ(2, mp_history_prune(&self->history, self->folder, &limits, 500));
	ASSERT_EQ(3, self->history.nr);
	EXPECT_EQ(3, self->history.entries[0].number);
	snprintf(path, sizeof(path), "%s/0000000002-200-77.data.gz", self->folder);
	EXPECT_NE(0, access(path, F_OK));
	/* room for one */
	limits.bytes = self->history.entries[0].bytes;
	EXPECT_EQ(2, mp_history_prune(&self->history, self->folder, &limits, 500));
	/* the newest stays, whatever its size and age */
	limits.bytes = 0;
	EXPECT_EQ(0, mp_history_prune(&self->history, self->folder, &limits, 100000));
	ASSERT_EQ(1, self->history.nr);
	EXPECT_EQ(5, self->history.entries[0].number);
}

TEST_F(history, a_snapshot_is_what_the_draft_was)
{
	char path[PATH_MAX], text[64] = "";
	int from, to;

	ASSERT_EQ(0, add(&self->history, self->folder, 1, 1000));
	snprintf(path, sizeof(path), "%s/%s", self->folder, self->history.entries[0].name);
	from = open(path, O_RDONLY);
	to = open("/tmp", O_TMPFILE | O_RDWR, 0600);
	ASSERT_LE(0, to);
	EXPECT_TRUE(mp_packed_is(from));
	EXPECT_FALSE(mp_packed_is(to));
	ASSERT_EQ(0, mp_packed_read(from, to, 1024));
	EXPECT_EQ((ssize_t)strlen(TEXT), pread(to, text, sizeof(text) - 1, 0));
	EXPECT_STREQ(TEXT, text);
	EXPECT_EQ(-EFBIG, mp_packed_read(from, to, strlen(TEXT) - 1));
	/* a part of it */
	ASSERT_EQ(0, truncate(path, (off_t)self->history.entries[0].bytes - 5));
	EXPECT_EQ(-EBADMSG, mp_packed_read(from, to, 1024));
	close(from);
	close(to);
}

TEST_F(history, snapshots_of_earlier_versions_are_read)
{
	static const char name[] = "0000000007-1000-900.data.gz";
	char path[PATH_MAX], text[64] = "";
	int from = open("/tmp", O_TMPFILE | O_RDWR, 0600);
	int old, to = open("/tmp", O_TMPFILE | O_RDWR, 0600);

	ASSERT_EQ((ssize_t)strlen(TEXT), write(from, TEXT, strlen(TEXT)));
	snprintf(path, sizeof(path), "%s/%s", self->folder, name);
	old = open(path, O_RDWR | O_CREAT, 0600);
	ASSERT_EQ(0, mp_gzip_pack(from, old));
	ASSERT_EQ(0, put_file(self->folder, "0000000008-1000-900.data.gz.zst", TEXT));
	ASSERT_EQ(0, mp_history_read(&self->history, self->folder, &self->diag));
	ASSERT_EQ(1, self->history.nr);
	EXPECT_STREQ(name, self->history.entries[0].name);
	EXPECT_TRUE(mp_packed_is(old));
	ASSERT_EQ(0, mp_packed_read(old, to, 1024));
	EXPECT_EQ((ssize_t)strlen(TEXT), pread(to, text, sizeof(text) - 1, 0));
	EXPECT_STREQ(TEXT, text);
	close(from);
	close(old);
	close(to);
}

/* A window of 128 MB, which the reader would have to allocate. */
TEST_F(history, files_that_need_much_memory_are_refused)
{
	unsigned char large[] = {
		0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x88, 0x01, 0x00, 0x00,
	};
	int from = open("/tmp", O_TMPFILE | O_RDWR, 0600);
	int to = open("/tmp", O_TMPFILE | O_RDWR, 0600);

	ASSERT_EQ((ssize_t)sizeof(large), write(from, large, sizeof(large)));
	EXPECT_TRUE(mp_packed_is(from));
	EXPECT_EQ(-EBADMSG, mp_packed_read(from, to, 1024));
	/* 1 MB */
	large[5] = 0x50;
	ASSERT_EQ(1, pwrite(from, &large[5], 1, 5));
	EXPECT_EQ(0, mp_packed_read(from, to, 1024));
	close(from);
	close(to);
}

/* Whatever is left when the file that is unpacked ends with a whole piece. */
TEST_F(history, files_of_any_length_are_unpacked_as_they_were)
{
	static const size_t sizes[] = { 0, 1, 65535, 65536, 65537, 131072, 1 << 20 };
	unsigned char bytes[1 << 10], again[1 << 10];
	size_t i, at;

	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)random();
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		int from = open("/tmp", O_TMPFILE | O_RDWR, 0600);
		int packed = open("/tmp", O_TMPFILE | O_RDWR, 0600);
		int to = open("/tmp", O_TMPFILE | O_RDWR, 0600);

		for (at = 0; at < sizes[i]; at += sizeof(bytes))
			ASSERT_LT(0, write(from, bytes, sizeof(bytes)));
		ASSERT_EQ(0, ftruncate(from, (off_t)sizes[i]));
		ASSERT_EQ(0, mp_packed_write(from, packed));
		ASSERT_EQ(0, mp_packed_read(packed, to, sizes[i]));
		ASSERT_EQ((off_t)sizes[i], lseek(to, 0, SEEK_END));
		for (at = 0; at + sizeof(bytes) <= sizes[i]; at += sizeof(bytes)) {
			ASSERT_EQ((ssize_t)sizeof(again),
				  pread(to, again, sizeof(again), (off_t)at));
			ASSERT_EQ(0, memcmp(bytes, again, sizeof(again)));
		}
		close(from);
		close(packed);
		close(to);
	}
}

/* More than one piece in, and much more out. */
TEST_F(history, long_files_are_unpacked_as_they_were)
{
	const size_t size = 3 << 20;
	unsigned char *bytes = malloc(size), *again = malloc(size);
	int from = open("/tmp", O_TMPFILE | O_RDWR, 0600);
	int packed = open("/tmp", O_TMPFILE | O_RDWR, 0600);
	int to = open("/tmp", O_TMPFILE | O_RDWR, 0600);
	size_t i;

	for (i = 0; i < size; i++)
		bytes[i] = i < size / 2 ? 0 : (unsigned char)random();
	ASSERT_EQ((ssize_t)size, write(from, bytes, size));
	ASSERT_EQ(0, mp_packed_write(from, packed));
	EXPECT_GT(size * 2 / 3, lseek(packed, 0, SEEK_END));
	EXPECT_EQ(-EFBIG, mp_packed_read(packed, to, size - 1));
	lseek(to, 0, SEEK_SET);
	ASSERT_EQ(0, mp_packed_read(packed, to, size));
	ASSERT_EQ((ssize_t)size, pread(to, again, size, 0));
	EXPECT_EQ(0, memcmp(bytes, again, size));
	free(bytes);
	free(again);
	close(from);
	close(packed);
	close(to);
}

TEST_F(history, without_a_draft_nothing_is_added)
{
	struct mp_history_entry entry = { .number = 1, .time_s = 1, .session = 1 };

	EXPECT_EQ(-ENOENT, mp_history_add(&self->history, self->folder, &entry,
					  &self->diag));
	EXPECT_TRUE(self->diag.failed);
	EXPECT_EQ(0, self->history.nr);
	EXPECT_NE(0, mp_history_read(&self->history, "/nonexistent", &self->diag));
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the finder: it examines the files of executable mappings, each file once.
 */
#include "examining.h"
#include "file-set.h"
#include "finder.h"
#include "exec-mapping.h"

#include "kselftest_harness.h"

#include <signal.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

static void count_skipped(void *context, const char *path, const char *why)
{
	(void)path;
	*(unsigned int *)context += !strcmp(why, "not a regular file");
}

TEST_F(binary, what_is_no_regular_file_is_never_opened)
{
	unsigned int nr = 0;
	struct mp_finder finder = { .skipped = count_skipped, .context = &nr };
	int watch = inotify_init1(IN_NONBLOCK);
	char event[512];

	ASSERT_EQ(0, mkfifo("fifo", 0600));
	ASSERT_EQ(0, symlink("fifo", "link"));
	ASSERT_LE(0, inotify_add_watch(watch, "fifo", IN_OPEN));
	EXPECT_EQ(0, mp_finder_file(&finder, "link"));
	EXPECT_EQ(1, nr);
	EXPECT_EQ(0, mp_finder_file(&finder, "/dev/null"));
	EXPECT_EQ(2, nr);
	EXPECT_EQ(-1, read(watch, event, sizeof(event)));
	close(watch);
	mp_finder_free(&finder);
}

static bool parse(const char *text, struct mp_exec_mapping *mapping)
{
	struct mp_map_line line;

	return mp_map_line_parse(text, &line) &&
	       mp_exec_mapping_of(&line, mapping);
}

TEST(executable_mappings_of_files_are_told_from_others)
{
	struct mp_exec_mapping mapping;

	ASSERT_TRUE(parse("55d0-55f0 r-xp 00002000 fe:01 1234      "
			  "/usr/bin/a b (deleted)", &mapping));
	EXPECT_EQ(0x55d0, mapping.start);
	EXPECT_EQ(0x55f0, mapping.end);
	EXPECT_EQ(0x2000, mapping.offset);
	EXPECT_EQ(1234, mapping.inode);
	EXPECT_EQ(makedev(0xfe, 1), mapping.dev);
	EXPECT_STREQ("/usr/bin/a b (deleted)", mapping.path);
	EXPECT_FALSE(parse("1-2 r--p 0 fe:01 12 /usr/bin/a", &mapping));
	EXPECT_FALSE(parse("1-2 r-xp 0 00:00 0 [vdso]", &mapping));
	EXPECT_FALSE(parse("1-2 r-xp 0 00:00 0", &mapping));
	EXPECT_FALSE(parse("1-2 r-xp 0 fe:01 12 relative", &mapping));
	EXPECT_FALSE(parse("", &mapping));
	EXPECT_FALSE(parse("nonsense", &mapping));
}

TEST(file_set_is_bounded)
{
	struct mp_file_set set = { 0 };
	uint64_t i;

	EXPECT_EQ(1, mp_file_set_add(&set, 1, 7));
	EXPECT_EQ(0, mp_file_set_add(&set, 1, 7));
	EXPECT_EQ(1, mp_file_set_add(&set, 2, 7));
	for (i = 1; set.files.nr < MP_FILE_SET_MAX; i++)
		ASSERT_EQ(1, mp_file_set_add(&set, 3, i));
	EXPECT_EQ(-ENOSPC, mp_file_set_add(&set, 4, 1));
	EXPECT_EQ(0, mp_file_set_add(&set, 1, 7));
	EXPECT_EQ(1, set.nr_refused);
	mp_file_set_free(&set);
}

static void count_found(void *context, const struct mp_found *found)
{
	*(unsigned int *)context += found->scan->nr_points;
}

TEST(processes_are_examined_once_a_file)
{
	unsigned int nr = 0, first;
	struct mp_finder finder = { .found = count_found, .context = &nr };

	ASSERT_EQ(0, mp_finder_process(&finder, getpid()));
	/* our own C library */
	EXPECT_LT(0, nr);
	first = nr;
	ASSERT_EQ(0, mp_finder_process(&finder, getpid()));
	EXPECT_EQ(first, nr);
	EXPECT_GT(0, mp_finder_process(&finder, 1 << 29));
	EXPECT_EQ(-ENOENT, mp_finder_file(&finder, "/no/such/file"));
	mp_finder_free(&finder);
}

TEST_HARNESS_MAIN

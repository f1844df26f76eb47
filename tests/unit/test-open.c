// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests that untrusted paths are opened safely. A file that is not regular must never
 * be opened, not even for a moment: opening a watchdog starts it, and the opening of a
 * FIFO is visible at its other end.
 */
#include "region.h"
#include "regions.h"

#include "kselftest_harness.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>

FIXTURE(place) {
	char dir[32];
	char path[64];
	int watch;			/* of what is opened in the folder */
};

FIXTURE_SETUP(place)
{
	strcpy(self->dir, "/tmp/memprof-test.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	snprintf(self->path, sizeof(self->path), "%s/it", self->dir);
	self->watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	ASSERT_LE(0, self->watch);
}

FIXTURE_TEARDOWN(place)
{
	close(self->watch);
	unlink(self->path);
	rmdir(self->dir);
}

/* Whether the file was opened after the watch on it began. */
static bool was_opened(FIXTURE_DATA(place) *self)
{
	char events[4096];

	return read(self->watch, events, sizeof(events)) > 0;
}

TEST_F(place, what_is_no_file_is_not_opened_as_a_region)
{
	struct mp_profile profile = { 0 };
	struct mp_regions regions = { .profile = &profile };
	struct mp_region region;

	ASSERT_EQ(0, mkfifo(self->path, 0600));
	ASSERT_LE(0, inotify_add_watch(self->watch, self->path, IN_OPEN));
	EXPECT_FALSE(mp_region_is(self->path));
	EXPECT_EQ(-EBADMSG, mp_region_open(&region, self->path, false));
	mp_region_close(&region);
	EXPECT_EQ(-EBADMSG, mp_region_open(&region, self->path, true));
	mp_region_close(&region);
	EXPECT_EQ(-EBADMSG, mp_regions_read(&regions, self->dir));
	EXPECT_FALSE(was_opened(self));
	mp_profile_free(&profile);
}

TEST_F(place, a_file_of_the_kernel_is_no_region)
{
	struct mp_region region;

	EXPECT_EQ(-EBADMSG, mp_region_open(&region, "/proc/version", false));
	EXPECT_STREQ("no region of libmemprof", region.why);
	EXPECT_EQ(-1, region.fd < 0 ? -1 : region.fd);
	mp_region_close(&region);
}

/* A test of the watch itself: it reports that a file is opened. */
TEST_F(place, a_regular_file_is_opened)
{
	FILE *file = fopen(self->path, "we");

	ASSERT_NE(NULL, file);
	fclose(file);
	ASSERT_LE(0, inotify_add_watch(self->watch, self->path, IN_OPEN));
	EXPECT_FALSE(mp_region_is(self->path));
	EXPECT_TRUE(was_opened(self));
}

TEST_HARNESS_MAIN

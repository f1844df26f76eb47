// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the cache of names: when it is read, extended, written again and cut.
 */
#include "symbolising.h"
#include "kept-binary.h"

#include "kselftest_harness.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

/* Makes the program use a cache in the folder of the test. */
static void use_cache(FIXTURE_DATA(symbols) *self)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/cache", self->dir);
	setenv("MEMPROF_SYMBOL_CACHE", path, 1);
}

TEST_F(symbols, second_time_only_the_cache_is_read)
{
	struct stat st, again;

	if (!build_inlined(self, "g++ -O2 -g"))
		SKIP(return, "no g++");
	use_cache(self);
	expect_build(self, 0x0badcafe);
	ASSERT_TRUE(symbolise(self, "a"));
	ASSERT_EQ(0, stat("cache", &st));
	EXPECT_EQ(0700, st.st_mode & 07777);
	ASSERT_EQ(0, stat("cache/0badcafe", &st));
	EXPECT_EQ(0600, st.st_mode & 07777);
	/* nothing was searched, so nothing is written */
	ASSERT_TRUE(symbolise(self, "a"));
	expect_inlined(_metadata, self);
	ASSERT_EQ(0, stat("cache/0badcafe", &again));
	EXPECT_EQ(st.st_ino, again.st_ino);
	/* the file is gone */
	ASSERT_TRUE(symbolise(self, NULL));
	expect_inlined(_metadata, self);
	/* and is there, with nothing in it */
	ASSERT_EQ(0, system("cp a b && truncate -s 0 a && "
			    "truncate -r b a"));
	EXPECT_FALSE(symbolise(self, "a"));
	setenv("MEMPROF_SYMBOL_CACHE", "off", 1);
	EXPECT_FALSE(symbolise(self, "a"));
}

/* Makes a file with other names, but with the build-id, size and addresses of "a". */
#define LOOK_ALIKE	"sed 's/Tree/Fake/g' a >b && chmod 755 b && " \
			"test `stat -c %s a` = `stat -c %s b`"

TEST_F(symbols, a_look_alike_does_not_name_the_real_one)
{
	if (!build_inlined(self, "g++ -O2 -g"))
		SKIP(return, "no g++");
	use_cache(self);
	expect_build(self, 0x0badcafe);
	ASSERT_EQ(0, system(LOOK_ALIKE));
	ASSERT_TRUE(symbolise(self, "b"));
	EXPECT_STREQ("int deep::Fake::add<int>(int) a.cc:18", line(self, 1, 0));
	ASSERT_TRUE(symbolise(self, "a"));
	expect_inlined(_metadata, self);
	/* nor does the real one name the other */
	ASSERT_TRUE(symbolise(self, "b"));
	EXPECT_STREQ("int deep::Fake::add<int>(int) a.cc:18", line(self, 1, 0));
}

TEST_F(symbols, a_strangers_look_alike_does_not_name_what_is_gone)
{
	if (!build_inlined(self, "g++ -O2 -g"))
		SKIP(return, "no g++");
	if (geteuid())
		SKIP(return, "needs root");
	use_cache(self);
	expect_build(self, 0x0badcafe);
	ASSERT_EQ(0, system(LOOK_ALIKE " && chown 12345 b"));
	ASSERT_TRUE(symbolise(self, "b"));
	EXPECT_FALSE(symbolise(self, NULL));
	EXPECT_EQ(0, self->spots[0].nr);
	/* what is known of the real one stays */
	ASSERT_TRUE(symbolise(self, "a"));
	ASSERT_TRUE(symbolise(self, "b"));
	ASSERT_TRUE(symbolise(self, NULL));
	expect_inlined(_metadata, self);
}

TEST_F(symbols, a_strangers_file_keeps_its_names_when_it_is_gone)
{
	struct stat st;

	if (!build_inlined(self, "g++ -O2 -g"))
		SKIP(return, "no g++");
	use_cache(self);
	expect_build(self, 0x0badcafe);
	ASSERT_EQ(0, chmod("a", 0777));
	ASSERT_EQ(0, stat("a", &st));
	self->binary.dev = st.st_dev;
	self->binary.inode = st.st_ino;
	ASSERT_TRUE(symbolise(self, "a"));
	EXPECT_NE(0, access("cache/0badcafe", F_OK));
	ASSERT_TRUE(symbolise(self, NULL));
	expect_inlined(_metadata, self);
	/* the inode of another */
	self->binary.inode++;
	EXPECT_FALSE(symbolise(self, NULL));
}

TEST_F(symbols, what_the_cache_lacks_is_added)
{
	size_t nr;

	if (!build_inlined(self, "g++ -O2 -g"))
		SKIP(return, "no g++");
	use_cache(self);
	expect_build(self, 0x0badcafe);
	nr = self->nr;
	self->nr = 2;
	ASSERT_TRUE(symbolise(self, "a"));
	self->nr = nr;
	ASSERT_TRUE(symbolise(self, "a"));
	expect_inlined(_metadata, self);
	ASSERT_TRUE(symbolise(self, NULL));
	expect_inlined(_metadata, self);
}

TEST_F(symbols, files_without_build_id_are_told_apart)
{
	if (!build_inlined(self, "g++ -O2 -g"))
		SKIP(return, "no g++");
	use_cache(self);
	ASSERT_TRUE(symbolise(self, "a"));
	EXPECT_EQ(0, system("test `ls cache/file-* | wc -l` = 1"));
	/* another file at the same path */
	ASSERT_EQ(0, system("rm a && cp where.o a"));
	EXPECT_FALSE(symbolise(self, "a"));
	EXPECT_EQ(0, self->spots[0].nr);
}

TEST_F(symbols, corrupt_cache_files_are_made_again)
{
	unsigned int seed = 1;
	char *good, *bad;
	size_t size;
	int i;

	if (!build_inlined(self, "g++ -O2 -g"))
		SKIP(return, "no g++");
	use_cache(self);
	expect_build(self, 0x0badcafe);
	ASSERT_TRUE(symbolise(self, "a"));
	size = load("cache/0badcafe", &good);
	bad = malloc(size);
	for (i = 0; i < 60; i++) {
		memcpy(bad, good, size);
		bad[rand_r(&seed) % size] ^= 1 << rand_r(&seed) % 8;
		save("cache/0badcafe", bad, i < 20 ? size * i / 20 : size);
		EXPECT_FALSE(symbolise(self, NULL));
	}
	ASSERT_TRUE(symbolise(self, "a"));
	expect_inlined(_metadata, self);
	ASSERT_TRUE(symbolise(self, NULL));
	expect_inlined(_metadata, self);
	free(bad);
	free(good);
}

TEST_F(symbols, caches_that_others_can_write_are_not_used)
{
	if (!build_inlined(self, "g++ -O2 -g"))
		SKIP(return, "no g++");
	use_cache(self);
	expect_build(self, 0x0badcafe);
	ASSERT_EQ(0, mkdir("cache", 0700));
	ASSERT_EQ(0, chmod("cache", 0777));
	ASSERT_TRUE(symbolise(self, "a"));
	EXPECT_FALSE(symbolise(self, NULL));
	ASSERT_EQ(0, chmod("cache", 0700));
	ASSERT_EQ(0, system("mkdir there && mv cache there/cache && "
			    "ln -s there/cache cache"));
	ASSERT_TRUE(symbolise(self, "a"));
	EXPECT_FALSE(symbolise(self, NULL));
	/* a FIFO, and a link, in place of a file */
	ASSERT_EQ(0, system("rm cache && mkdir -m 700 cache && "
			    "mkfifo cache/0badcafe"));
	EXPECT_FALSE(symbolise(self, NULL));
	ASSERT_TRUE(symbolise(self, "a"));
	ASSERT_TRUE(symbolise(self, NULL));
	expect_inlined(_metadata, self);
}

/* Runs @command, which prepares the cache's path. Returns whether a cache was written. */
static bool is_cached_by_way(FIXTURE_DATA(symbols) *self, const char *command)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/home/.cache/memprof/symbols", self->dir);
	setenv("MEMPROF_SYMBOL_CACHE", path, 1);
	if (system("rm -rf home target && mkdir -p home target") ||
	    system(command))
		return false;
	symbolise(self, "a");
	return !system("test -n \"`find home target -name 0badcafe`\"");
}

TEST_F(symbols, a_strangers_link_does_not_lead_to_the_cache)
{
	if (!build_inlined(self, "g++ -O2 -g"))
		SKIP(return, "no g++");
	if (geteuid())
		SKIP(return, "needs root");
	expect_build(self, 0x0badcafe);
	EXPECT_TRUE(is_cached_by_way(self, "true"));
	EXPECT_TRUE(is_cached_by_way(self, "ln -s ../target home/.cache"));
	EXPECT_FALSE(is_cached_by_way(self, "ln -s ../target home/.cache && "
				      "chown -h 12345 home/.cache"));
	EXPECT_EQ(0, system("test -z \"`ls target`\""));
	/* nor is anything made in the home of another user */
	EXPECT_FALSE(is_cached_by_way(self, "chown 12345 home"));
	EXPECT_EQ(0, system("test -z \"`ls -A home`\""));
}

TEST_F(symbols, debug_files_that_come_later_are_not_hidden)
{
	if (!build_inlined(self, "g++ -O2 -g"))
		SKIP(return, "no g++");
	use_cache(self);
	expect_build(self, 0x0badcafe);
	ASSERT_EQ(0, system(STRIP " && mv a.debug later && "
			    "objcopy --add-gnu-debuglink=later a"
			    " && mv later b"));
	ASSERT_TRUE(symbolise(self, "a"));
	EXPECT_EQ(0, self->spots[0].nr);
	ASSERT_TRUE(symbolise(self, NULL));
	ASSERT_EQ(0, system("mkdir .debug && mv b .debug/later"));
	ASSERT_TRUE(symbolise(self, "a"));
	expect_inlined(_metadata, self);
	/* it is gone again, and what it told still right */
	ASSERT_EQ(0, system("rm .debug/later"));
	ASSERT_TRUE(symbolise(self, "a"));
	expect_inlined(_metadata, self);
}

TEST_F(symbols, cache_has_a_bound)
{
	char command[128];
	int i;

	if (!build_inlined(self, "g++ -O2 -g"))
		SKIP(return, "no g++");
	use_cache(self);
	ASSERT_EQ(0, mkdir("cache", 0700));
	for (i = 0; i < 5; i++) {
		snprintf(command, sizeof(command),
			 "truncate -s 240M cache/%016d && "
			 "touch -d 2000-01-0%d cache/%016d", i, i + 1, i);
		ASSERT_EQ(0, system(command));
	}
	ASSERT_EQ(0, system("truncate -s 1200M cache/notes && "
			    "touch -d 1990-01-01 cache/notes"));
	expect_build(self, 0x0badcafe);
	ASSERT_TRUE(symbolise(self, "a"));
	/* the oldest only, and only what is the cache's */
	EXPECT_NE(0, access("cache/0000000000000000", F_OK));
	EXPECT_EQ(0, access("cache/0000000000000001", F_OK));
	EXPECT_EQ(0, access("cache/notes", F_OK));
	EXPECT_EQ(0, access("cache/0badcafe", F_OK));
}

TEST_F(symbols, copies_of_programs_are_builds)
{
	uint8_t id[MP_BUILD_ID_SIZE] = { 0x0b, 0xad, 0xca, 0xfe, 1, 2, 3, 4 };
	struct mp_binary binary = { .build_id_size = 8 };
	char path[4096] = "";
	int fd;

	use_cache(self);
	memcpy(binary.build_id, id, 8);
	ASSERT_EQ(0, system("echo 'int main(void) { return 0; }' >again.c && gcc -o again "
			    "-Wl,--build-id=0x0badcafe01020304 again.c"));
	EXPECT_EQ(-1, mp_kept_binary_open(&binary, path, sizeof(path)));
	/* who can write to a file can give it any build-id */
	ASSERT_EQ(0, system("chmod 0757 again"));
	EXPECT_EQ(-1, mp_kept_binary_put("again", id, 8));
	ASSERT_EQ(0, system("chmod 0755 again"));
	ASSERT_LT(0, mp_kept_binary_put("again", id, 8));
	EXPECT_EQ(0, mp_kept_binary_put("again", id, 8));
	/* a copy that is not complete is made again */
	ASSERT_EQ(0, system("truncate -s 5000 cache/program-0badcafe01020304"));
	ASSERT_LT(0, mp_kept_binary_put("again", id, 8));
	/* what is there by now is another build, or no file */
	ASSERT_EQ(0, system("gcc -o again -Wl,--build-id=0x0badcafe05060708 again.c"));
	fd = mp_kept_binary_open(&binary, path, sizeof(path));
	ASSERT_LE(0, fd);
	close(fd);
	EXPECT_NE(NULL, strstr(path, "/program-0badcafe01020304"));
	id[4] = 9;
	EXPECT_EQ(-1, mp_kept_binary_put("again", id, 8));
	EXPECT_EQ(-1, mp_kept_binary_put("/dev/zero", id, 8));
	EXPECT_EQ(-1, mp_kept_binary_put("again", id, 0));
	/* a copy that was changed is not opened */
	ASSERT_EQ(0, system("cp again cache/program-0badcafe01020304"));
	EXPECT_EQ(-1, mp_kept_binary_open(&binary, path, sizeof(path)));
	setenv("MEMPROF_SYMBOL_CACHE", "off", 1);
	EXPECT_EQ(-1, mp_kept_binary_put("again", id, 8));
}

TEST_HARNESS_MAIN

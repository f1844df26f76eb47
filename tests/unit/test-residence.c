// SPDX-License-Identifier: GPL-2.0-only
/* Tests of residence: the parts of RSS add up to RSS, and live blocks divide HEAP. */
#include "mappings.h"
#include "residence.h"
#include "stacks-mark.h"
#include "touched.h"

#include "kselftest_harness.h"

#include <sys/mman.h>

#define KIB	1024UL
#define MIB	(1024 * KIB)

/* An smaps text with two threads, a library, an arena, and all kinds of MAP_SHARED. */
static const char sample[] =
	"555555554000-555555560000 r-xp 00000000 fe:00 42   /bin/prog\n"
	"Size:                 48 kB\nRss:                  40 kB\n"
	"Pss:                  20 kB\nAnonymous:             0 kB\n"
	"VmFlags: rd ex mr mw me\n"
	"555555560000-555555562000 rw-p 0000c000 fe:00 42   /bin/prog\n"
	"Rss:                   8 kB\nPss:                   8 kB\n"
	"Anonymous:             8 kB\n"
	"555555562000-555555572000 rw-p 00000000 00:00 0 \n"
	"Rss:                  64 kB\nPss:                  64 kB\n"
	"Anonymous:            64 kB\n"
	"555555580000-5555555a1000 rw-p 00000000 00:00 0    [heap]\n"
	"Rss:                 132 kB\nPss:                 132 kB\n"
	"Anonymous:           132 kB\nSwap:                  4 kB\n"
	"7ffff0000000-7ffff0021000 rw-p 00000000 00:00 0 \n"
	"Rss:                 100 kB\nPss:                 100 kB\n"
	"Anonymous:           100 kB\n"
	"7ffff0021000-7ffff4000000 ---p 00000000 00:00 0 \n"
	"Rss:                   0 kB\nPss:                   0 kB\n"
	"7ffff5000000-7ffff5001000 ---p 00000000 00:00 0 \n"
	"7ffff5001000-7ffff5801000 rw-p 00000000 00:00 0 \n"
	"Rss:                  12 kB\nPss:                  12 kB\n"
	"Anonymous:            12 kB\n"
	"7ffff6000000-7ffff6100000 rw-s 00000000 00:01 7    /memfd:x (deleted)\n"
	"Rss:                1024 kB\nPss:                 512 kB\n"
	"7ffff6100000-7ffff6110000 rw-p 00000000 fe:00 77   /dev/shm/on a disk\n"
	"Rss:                  64 kB\nPss:                  64 kB\n"
	"Anonymous:            16 kB\n"
	"7ffffffde000-7ffffffff000 rw-p 00000000 00:00 0    [stack]\n"
	"Rss:                  16 kB\nPss:                  16 kB\n"
	"Anonymous:            16 kB\n"
	"7fffffffe000-7ffffffff800 r-xp 00000000 00:00 0    [late]\n"
	"Rss:               99999 kB\n"
	"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]\n"
	"Rss:                   4 kB\n";

static int parse(const char *text, size_t len, struct mp_mappings *mappings)
{
	FILE *file = fmemopen((void *)text, len, "r");
	int err;

	if (!file)
		abort();
	err = mp_mappings_parse(file, mappings);
	fclose(file);
	return err;
}

static uint64_t sum(const struct mp_row *row)
{
	return row->value[MP_HEAP_RESIDENT] + row->value[MP_STACKS] +
	       row->value[MP_FILE_MAPPED] + row->value[MP_SHMEM_MAPPED] +
	       row->value[MP_UNATTRIBUTED];
}

TEST(each_mapping_is_one_part)
{
	struct mp_mappings mappings = { 0 };
	struct mp_row row = { 0 };

	ASSERT_EQ(0, parse(sample, sizeof(sample) - 1, &mappings));
	/* the one that overlaps another is left out */
	ASSERT_EQ(12, mappings.nr);
	EXPECT_EQ(MP_MAPPING_BSS, mappings.list[2].class);
	EXPECT_EQ(MP_MAPPING_HEAP, mappings.list[3].class);
	EXPECT_EQ(MP_MAPPING_ANON, mappings.list[4].class);
	EXPECT_EQ(MP_MAPPING_STACK, mappings.list[7].class);
	EXPECT_EQ(MP_MAPPING_SHMEM, mappings.list[8].class);
	EXPECT_EQ(MP_MAPPING_FILE, mappings.list[9].class);
	EXPECT_EQ(MP_MAPPING_STACK, mappings.list[10].class);
	mp_residence_fill(&row, &mappings);
	EXPECT_EQ(232 * KIB, row.value[MP_HEAP_RESIDENT]);
	EXPECT_EQ(28 * KIB, row.value[MP_STACKS]);
	EXPECT_EQ(176 * KIB, row.value[MP_FILE_MAPPED]);
	EXPECT_EQ(1 * MIB, row.value[MP_SHMEM_MAPPED]);
	EXPECT_EQ(4 * KIB, row.value[MP_UNATTRIBUTED]);
	EXPECT_EQ(1464 * KIB, row.value[MP_RESIDENT]);
	EXPECT_EQ(sum(&row), row.value[MP_RESIDENT]);
	EXPECT_EQ(348 * KIB, row.value[MP_RESIDENT_ANON]);
	EXPECT_EQ(1 * MIB, row.value[MP_RESIDENT_SHMEM]);
	EXPECT_EQ(92 * KIB, row.value[MP_RESIDENT_FILE]);
	EXPECT_EQ(928 * KIB, row.value[MP_PROPORTIONAL]);
	EXPECT_EQ(4 * KIB, row.value[MP_SWAPPED]);
	mp_mappings_free(&mappings);
}

TEST(an_address_finds_its_mapping)
{
	struct mp_mappings mappings = { 0 };

	ASSERT_EQ(0, parse(sample, sizeof(sample) - 1, &mappings));
	EXPECT_EQ(&mappings.list[0],
		  mp_mappings_at(&mappings, 0x555555554000));
	EXPECT_EQ(&mappings.list[1],
		  mp_mappings_at(&mappings, 0x555555561fff));
	EXPECT_EQ(NULL, mp_mappings_at(&mappings, 0x5555555a1000));
	EXPECT_EQ(NULL, mp_mappings_at(&mappings, 0));
	mp_mappings_free(&mappings);
}

TEST(hostile_lines_break_nothing)
{
	static const char * const lines[] = {
		"Rss: 5 kB\n", "-\n", "\n", "zz-1 rw-p 0 0:0 0\n",
		"2000-1000 rw-p 0 00:00 0\n", "1000-2000 rw 0 00:00 0\n",
		"1000-2000 rw-p 0 00:00 0\nRss: 99999999999999999999 kB\n",
		"1000-2000 rw-p 0 00:00 0 [heap]\\012Rss: 77 kB\n",
		"1000-2000 rw-p 0 00:00 0\nAnonymous: 8 kB\nRss: 4 kB\n",
		"ffffffffffffffff-fffffffffffffffe rw-p 0 0:0 0\nRss: 4 kB\n",
		"1000-2000 rw-p 0 fe:00 9 /memfd:liar (deleted)\nRss: 4 kB\n",
	};
	size_t i;

	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct mp_mappings mappings = { 0 };
		struct mp_row row = { 0 };

		EXPECT_EQ(0, parse(lines[i], strlen(lines[i]), &mappings));
		mp_residence_fill(&row, &mappings);
		EXPECT_EQ(row.value[MP_RESIDENT], sum(&row));
		EXPECT_GE(4 * KIB, row.value[MP_RESIDENT]);
		EXPECT_EQ(0, row.value[MP_SHMEM_MAPPED]);
		mp_mappings_free(&mappings);
	}
}

TEST(more_mappings_than_a_process_may_have_are_other)
{
	struct mp_mappings mappings = { 0 };
	struct mp_row row = { 0 };
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	uint64_t i;

	for (i = 1; i <= MP_MAX_MAPPINGS + 10; i++)
		fprintf(file, "%lx-%lx rw-p 0 00:00 0\nRss: 4 kB\n",
			i << 12, (i + 1) << 12);
	fclose(file);
	ASSERT_EQ(0, parse(text, size, &mappings));
	EXPECT_EQ(MP_MAX_MAPPINGS, mappings.nr);
	EXPECT_EQ(10, mappings.nr_cut);
	mp_residence_fill(&row, &mappings);
	EXPECT_EQ(40 * KIB, row.value[MP_UNATTRIBUTED]);
	EXPECT_EQ((MP_MAX_MAPPINGS + 10) * 4 * KIB, row.value[MP_RESIDENT]);
	mp_mappings_free(&mappings);
	free(text);
}

TEST(what_lives_is_cut_to_the_heap)
{
	struct mp_row row = { .value[MP_HEAP_RESIDENT] = 10 * KIB };

	mp_residence_split(&row, 4 * KIB, false);
	EXPECT_EQ(6 * KIB, row.value[MP_HELD]);
	EXPECT_EQ((unsigned int)MP_ROW_SPLIT, row.flags);
	mp_residence_split(&row, 40 * KIB, true);
	EXPECT_EQ(10 * KIB, row.value[MP_LIVE_RESIDENT]);
	EXPECT_EQ(0, row.value[MP_HELD]);
	EXPECT_EQ((unsigned int)(MP_ROW_SPLIT | MP_ROW_BOUND), row.flags);
}

/* Maps 8 pages in this process. Blocks cover some pages, and some are resident. */
TEST(blocks_count_where_pages_are)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *at = mmap(NULL, 8 * page, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct mp_blocks blocks = { 0 };
	struct mp_block block = { .process = 3 };
	struct mp_mappings mappings = { 0 };
	uint64_t live;
	bool cut;

	ASSERT_NE(MAP_FAILED, at);
	madvise(at, 8 * page, MADV_NOHUGEPAGE);
	at[0] = at[page] = at[5 * page] = 1;
	/* half of page 0; pages 1 to 4, one of them there; a bit of page 5 */
	block.ptr = (uintptr_t)at;
	block.size = page / 2;
	ASSERT_EQ(0, mp_blocks_add(&blocks, &block));
	block.ptr = (uintptr_t)at + page;
	block.size = 4 * page;
	ASSERT_EQ(0, mp_blocks_add(&blocks, &block));
	block.ptr = (uintptr_t)at + 5 * page + 100;
	block.size = 16;
	ASSERT_EQ(0, mp_blocks_add(&blocks, &block));
	/* of nothing, of another process, and at the end of all */
	block.ptr = 0x1000;
	ASSERT_EQ(0, mp_blocks_add(&blocks, &block));
	block.ptr = UINT64_MAX - 8;
	ASSERT_EQ(0, mp_blocks_add(&blocks, &block));
	block.process = 4;
	block.ptr = (uintptr_t)at;
	ASSERT_EQ(0, mp_blocks_add(&blocks, &block));
	ASSERT_EQ(0, mp_mappings_read(getpid(), &mappings));
	ASSERT_EQ(0, mp_touched(&blocks, 3, getpid(), &mappings, UINT64_MAX,
				&live, &cut));
	EXPECT_EQ(page / 2 + page + 16, live);
	EXPECT_FALSE(cut);
	EXPECT_EQ(MP_MAPPING_HEAP,
		  mp_mappings_at(&mappings, (uintptr_t)at)->class);
	/* without time all that may be */
	ASSERT_EQ(0, mp_touched(&blocks, 3, getpid(), &mappings, 0, &live,
				&cut));
	EXPECT_EQ(page / 2 + 4 * page + 16, live);
	EXPECT_TRUE(cut);
	mp_mappings_free(&mappings);
	mp_blocks_free(&blocks);
	munmap(at, 8 * page);
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: GPL-2.0-only
/* Pages in a recording are joined with the blocks that live when their process ends. */
#include "heap.h"
#include "recorded-pages.h"

#include "kselftest_harness.h"

#include <stddef.h>
#include <string.h>

#define PAGE	((uint64_t)sysconf(_SC_PAGESIZE))

static const char smaps[] = "10000000-10100000 rw-p 00000000 00:00 0\nRss: 1024 kB\n"
			    "Anonymous: 1024 kB\n";

/* A piece with all of the text, and one run of the whole mapping. */
struct piece {
	struct mp_perf_piece head;
	struct mp_pages_record record;
	struct mp_page_run run;
	char text[sizeof(smaps) - 1];
};

#define BYTES	(offsetof(struct piece, text) + sizeof(smaps) - 1 - sizeof(struct mp_perf_piece))

static struct piece piece_of(uint32_t pid)
{
	struct piece piece = {
		.head = {
			.header = { .type = 65, .size = sizeof(piece) },
			.magic = "memprof", .what = MP_PERF_PIECE_PAGES,
			.bytes = BYTES,
			.total = BYTES,
		},
		.record = { .pid = pid, .nr_runs = 1, .nr_text = sizeof(smaps) - 1 },
		.run = { 0x10000000, 0x10100000, MP_PAGE_PRESENT },
	};

	memcpy(piece.head.magic, MP_PERF_PIECE_MAGIC, sizeof(piece.head.magic));
	memcpy(piece.text, smaps, sizeof(piece.text));
	return piece;
}

static int take(struct mp_recorded_pages *pages, const struct piece *piece)
{
	return mp_recorded_pages_take(pages, (const void *)piece);
}

FIXTURE(pages) {
	struct mp_heap heap;
	struct mp_recorded_pages pages;
};

FIXTURE_SETUP(pages)
{
	const struct mp_call call = { .func = MEMPROF_FUNC_MALLOC, .callsite = 7 };
	const struct mp_who who = { .pid = 5, .tid = 5, .time_ns = 10 };

	mp_heap_init(&self->heap);
	mp_recorded_pages_begin(&self->pages, &self->heap);
	ASSERT_EQ(0, mp_heap_alloc(&self->heap, &who, &call, 0x10000000, MP_HEAP_ONE,
				   4 * PAGE));
}

FIXTURE_TEARDOWN(pages)
{
	mp_recorded_pages_free(&self->pages);
	mp_heap_free(&self->heap);
}

TEST_F(pages, blocks_at_the_exit_have_the_pages_before_it)
{
	const struct mp_who exit = { .pid = 5, .tid = 5, .time_ns = 20 };
	const struct piece piece = piece_of(5);

	ASSERT_EQ(0, take(&self->pages, &piece));
	ASSERT_EQ(0, mp_heap_exit(&self->heap, &exit, true));
	ASSERT_EQ(1, self->pages.nr_rows);
	EXPECT_EQ(20, self->pages.rows[0].exit_ns);
	EXPECT_EQ(1 << 20, self->pages.rows[0].value[MP_RESIDENT]);
	EXPECT_EQ(0, self->pages.nr_missing);
	EXPECT_EQ(0, self->pages.nr_waiting);
	EXPECT_EQ(0, self->pages.bytes);
}

TEST_F(pages, processes_without_pages_are_counted)
{
	const struct mp_who exit = { .pid = 5, .tid = 5, .time_ns = 20 };
	const struct piece piece = piece_of(6);

	ASSERT_EQ(0, take(&self->pages, &piece));
	ASSERT_EQ(0, mp_heap_exit(&self->heap, &exit, true));
	EXPECT_EQ(0, self->pages.nr_rows);
	EXPECT_EQ(1, self->pages.nr_missing);
}

TEST_F(pages, who_still_runs_is_joined_at_the_end)
{
	const struct piece piece = piece_of(5);

	ASSERT_EQ(0, take(&self->pages, &piece));
	/* the later look is valid */
	ASSERT_EQ(0, take(&self->pages, &piece));
	EXPECT_EQ(1, self->pages.nr_waiting);
	mp_recorded_pages_end(&self->pages);
	ASSERT_EQ(1, self->pages.nr_rows);
	EXPECT_EQ(0, self->pages.rows[0].exit_ns);
}

TEST_F(pages, pieces_that_contradict_themselves_are_left_out)
{
	struct piece piece = piece_of(5);

	piece.record.nr_runs = UINT64_MAX;
	EXPECT_EQ(0, take(&self->pages, &piece));
	piece = piece_of(5);
	piece.record.nr_text++;
	EXPECT_EQ(0, take(&self->pages, &piece));
	piece = piece_of(5);
	piece.head.total = UINT64_MAX;
	EXPECT_EQ(0, take(&self->pages, &piece));
	piece = piece_of(5);
	piece.head.offset = 8;
	EXPECT_EQ(0, take(&self->pages, &piece));
	EXPECT_EQ(0, self->pages.nr_waiting);
	piece = piece_of(5);
	piece.run.start++;
	EXPECT_EQ(0, take(&self->pages, &piece));
	mp_recorded_pages_end(&self->pages);
	ASSERT_EQ(1, self->pages.nr_rows);
	EXPECT_EQ(0, self->pages.rows[0].value[MP_BLOCK_RESIDENT]);
}

TEST_HARNESS_MAIN

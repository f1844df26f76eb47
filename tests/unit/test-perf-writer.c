// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the records that a recording has for memprof only. */
#include "perf-writer.h"
#include "tallies.h"

#include "kselftest_harness.h"

#include <stdio.h>
#include <string.h>

FIXTURE(writer)
{
	struct mp_perf_writer writer;
	struct mp_tallies tallies;
	FILE *file;
};

FIXTURE_SETUP(writer)
{
	memset(&self->writer, 0, sizeof(self->writer));
	memset(&self->tallies, 0, sizeof(self->tallies));
	self->file = tmpfile();
	ASSERT_NE(NULL, self->file);
	ASSERT_EQ(0, mp_perf_writer_start(&self->writer, self->file));
}

FIXTURE_TEARDOWN(writer)
{
	mp_tallies_free(&self->tallies);
	mp_perf_writer_close(&self->writer);
}

/* Reads the next record of the file into @words; its size, or 0 at the end. */
static size_t next_record(FILE *file, uint64_t *words)
{
	struct perf_event_header *record = (void *)words;

	if (fread(record, sizeof(*record), 1, file) != 1 ||
	    fread(record + 1, record->size - sizeof(*record), 1, file) != 1)
		return 0;
	return record->size;
}

TEST_F(writer, a_piece_of_any_size_comes_back_from_records_that_perf_skips)
{
	static const size_t sizes[] = { 1, 8, 39, 40, 41, 48, 70000, 200001 };
	static uint64_t words[65536 / sizeof(uint64_t)];
	static char text[200001];
	size_t i, size, at;

	for (i = 0; i < sizeof(text); i++)
		text[i] = (char)(i * 7 % 251);
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		fseek(self->file, 0, SEEK_END);
		at = ftell(self->file);
		ASSERT_EQ(0, mp_perf_writer_piece(&self->writer,
						  MP_PERF_PIECE_ROWS, text,
						  sizes[i]));
		ASSERT_EQ(0, fseek(self->file, (long)at, SEEK_SET));
		while ((size = next_record(self->file, words))) {
			EXPECT_LE(80, size);
			EXPECT_EQ(0, size % 8);
			ASSERT_EQ(0, mp_tallies_piece(&self->tallies,
						      (void *)words));
		}
		ASSERT_EQ(sizes[i], self->tallies.last.size);
		EXPECT_EQ(0, memcmp(text, self->tallies.last.text, sizes[i]));
	}
}

TEST_HARNESS_MAIN

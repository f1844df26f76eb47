// SPDX-License-Identifier: GPL-2.0-only
/*
 * titles: collects command lines until a record is full
 *
 * The cost is 10 us per process. A process that exits meanwhile has no title.
 */
#include "titles.h"
#include "process.h"

#include <string.h>

/* A record has less than 64 KiB. */
#define PIECE_SIZE	32768

struct walk {
	struct mp_perf_writer *writer;
	const struct mp_prober *filter;
	int err;
	uint32_t size;
	char piece[PIECE_SIZE];
};

static void flush(struct walk *walk)
{
	if (walk->size && !walk->err)
		walk->err = mp_perf_writer_piece(walk->writer, MP_PERF_PIECE_TITLES,
						 walk->piece, walk->size);
	walk->size = 0;
}

static void write_one(void *context, pid_t pid)
{
	struct mp_title_record record = { .pid = (uint32_t)pid };
	char title[MP_PROCESS_TITLE_SIZE];
	struct walk *walk = context;

	if (walk->err || !mp_prober_wants(walk->filter, pid))
		return;
	record.size = (uint32_t)mp_process_title(pid, title);
	if (!record.size)
		return;
	if (walk->size + sizeof(record) + record.size > sizeof(walk->piece))
		flush(walk);
	memcpy(walk->piece + walk->size, &record, sizeof(record));
	memcpy(walk->piece + walk->size + sizeof(record), title, record.size);
	walk->size += (uint32_t)sizeof(record) + record.size;
}

int mp_titles_write(struct mp_perf_writer *writer, const struct mp_prober *filter)
{
	struct walk walk = { .writer = writer, .filter = filter };
	int err = mp_process_each(write_one, &walk);

	flush(&walk);
	return err ?: walk.err;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * titles: looks at command lines while processes run, and writes the last ones
 *
 * A server changes the title of a worker, and a worker may end before the recording does. The
 * cost is 10 us per process, every 2 s, and a walk through /proc every 0.5 s, for processes
 * that are new. A process that runs for less may have no title.
 */
#include "titles.h"
#include "clock.h"
#include "process.h"
#include "process-file.h"
#include "size-record.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A record has less than 64 KiB. */
#define PIECE_SIZE	32768

#define INTERVAL_NS	500000000ULL
/* In each one of so many looks, known processes are looked at again. */
#define WHOLE		4
/* The first look: a command that begins is memprofctl for a moment. */
#define FIRST_NS	100000000ULL

struct walk {
	struct mp_titles *titles;
	bool whole;
	int err;
};

/* Whether a process is a child of this one that has not executed its command yet. */
static bool is_unborn(pid_t pid)
{
	char path[32];
	struct stat is, own;

	if (mp_process_parent(pid) != getpid())
		return false;
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	return !stat(path, &is) && !stat("/proc/self/exe", &own) &&
	       is.st_ino == own.st_ino && is.st_dev == own.st_dev;
}

static void look(void *context, pid_t pid)
{
	char title[MP_PROCESS_TITLE_SIZE + 1];
	struct walk *walk = context;
	struct mp_titles *titles = walk->titles;
	size_t size;

	if (walk->err || titles->known.nr >= MP_MAX_SIZES ||
	    (!walk->whole && mp_id_names_find(&titles->known, (uint64_t)pid)) ||
	    !mp_prober_wants(titles->filter, pid) || is_unborn(pid))
		return;
	size = mp_process_title(pid, title);
	title[size] = '\0';
	walk->err = mp_id_names_set(&titles->known, (uint64_t)pid, title);
}

static int look_at_all(struct mp_titles *titles, bool whole)
{
	struct walk walk = { .titles = titles, .whole = whole };
	int err = mp_process_each(look, &walk);

	return err ?: walk.err;
}

int mp_titles_work(struct mp_titles *titles)
{
	const uint64_t now = mp_clock_ns();

	if (now < titles->next_ns)
		return 0;
	titles->next_ns = now + INTERVAL_NS;
	return look_at_all(titles, !(titles->looks++ % WHOLE));
}

struct piece {
	struct mp_perf_writer *writer;
	uint32_t size;
	char data[PIECE_SIZE];
};

static int flush(struct piece *piece)
{
	int err = piece->size ? mp_perf_writer_piece(piece->writer, MP_PERF_PIECE_TITLES,
						     piece->data, piece->size) : 0;

	piece->size = 0;
	return err;
}

static int put(struct piece *piece, uint32_t pid, const char *title)
{
	struct mp_title_record record = {
		.pid = pid, .size = (uint32_t)strnlen(title, MP_PROCESS_TITLE_SIZE - 1),
	};
	int err = 0;

	if (piece->size + sizeof(record) + record.size > sizeof(piece->data))
		err = flush(piece);
	memcpy(piece->data + piece->size, &record, sizeof(record));
	memcpy(piece->data + piece->size + sizeof(record), title, record.size);
	piece->size += (uint32_t)sizeof(record) + record.size;
	return err;
}

static int write_known(const struct mp_titles *titles, struct mp_perf_writer *writer)
{
	struct piece piece = { .writer = writer };
	size_t i;
	int err = 0;

	for (i = 0; !err && i < titles->known.nr; i++)
		err = put(&piece, (uint32_t)titles->known.ids[i], titles->known.texts[i]);
	return err ?: flush(&piece);
}

int mp_titles_begin(struct mp_titles *titles, struct mp_perf_writer *writer, bool launched)
{
	titles->next_ns = mp_clock_ns() + FIRST_NS;
	return launched ? 0 : look_at_all(titles, true) ?: write_known(titles, writer);
}

int mp_titles_end(struct mp_titles *titles, struct mp_perf_writer *writer)
{
	int err = look_at_all(titles, true) ?: write_known(titles, writer);

	mp_id_names_free(&titles->known);
	return err;
}

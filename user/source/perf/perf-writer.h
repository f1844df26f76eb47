/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf-writer: writes a recording that perf reads
 *
 * The data holds all that a reader needs, in records that readers skip: a file whose end is
 * missing can be completed from them.
 */
#ifndef MP_PERF_WRITER_H
#define MP_PERF_WRITER_H

#include "perf-file.h"
#include "profile.h"

#include <limits.h>

/* A piece that is no feature: a profile as JSON lines. Not written any more. */
#define MP_PERF_PIECE_PROFILE	1000

/* Several struct mp_size_record of one moment; in one record. */
#define MP_PERF_PIECE_SIZES	1001

/* A profile as JSON lines, without the values that samples hold, see tallies. */
#define MP_PERF_PIECE_ROWS	1002

/* The first words of a record that holds a piece. */
struct mp_perf_piece {
	struct perf_event_header header;
	char magic[8];			/* MP_PERF_PIECE_MAGIC */
	uint32_t what;			/* enum mp_perf_feature, or above */
	uint32_t bytes;			/* of it, here */
	uint64_t offset;
	uint64_t total;
};

#define MP_PERF_PIECE_MAGIC	"memprof1"

/* Of an event in a file: older perfs refuse more. */
#define MP_PERF_ATTR_SIZE	PERF_ATTR_SIZE_VER7

struct mp_perf_blob {
	char *data;
	size_t size;
};

struct mp_perf_build_id {
	uint8_t id[MP_BUILD_ID_SIZE];
	uint32_t size;
	uint16_t misc;
	char *path;
};

/**
 * struct mp_perf_writer - a file that is being written
 * @path: of what was written so far; also after the file was closed
 * @place: of the file that it is to replace; empty if there was none
 * @data_size: bytes of records so far
 * @err: the first that happened; nothing is written after it
 */
struct mp_perf_writer {
	FILE *file;
	char path[PATH_MAX];
	char place[PATH_MAX];
	uint64_t data_size;
	int err;
	struct mp_perf_blob features[32];
	struct mp_perf_build_id *build_ids;
	size_t nr_build_ids;
	struct mp_map by_build_id;
	uint64_t first_ns, last_ns;
	uint64_t nr_samples;
};

/**
 * mp_perf_writer_open - make a file, only for its owner to read
 * @force: an existing one is replaced, by mp_perf_writer_place() at the end; until
 *	then the new one is beside it: its name has the suffix .new, or .new2 and so
 *	on, for what is there may be the rest of a recording
 *
 * Return: 0; -EEXIST; -EINVAL for what is no regular file; or another negative
 * errno.
 */
int mp_perf_writer_open(struct mp_perf_writer *writer, const char *path,
			bool force);

/**
 * mp_perf_writer_start - the same with a file that is open, empty and seekable
 *
 * Return: 0, or a negative errno.
 */
int mp_perf_writer_start(struct mp_perf_writer *writer, FILE *file);

/**
 * mp_perf_writer_put - append a record
 * @events: to find its time with
 *
 * Return: 0, or a negative errno: -ENOSPC for a full disk.
 */
int mp_perf_writer_put(struct mp_perf_writer *writer,
		       const struct mp_perf_events *events,
		       const struct perf_event_header *record);

/**
 * mp_perf_writer_piece - append something that readers skip
 * @what: a feature, which will be in the header, too; or MP_PERF_PIECE_*
 */
int mp_perf_writer_piece(struct mp_perf_writer *writer, uint32_t what,
			 const void *data, size_t size);

/**
 * mp_perf_writer_keep - remember a section for the end of the file
 * @what: enum mp_perf_feature, below 32
 *
 * Return: 0, or -ENOMEM.
 */
int mp_perf_writer_keep(struct mp_perf_writer *writer, uint32_t what,
			const void *data, size_t size);

/**
 * mp_perf_writer_describe - write what the events are; again after one was added
 * @argc, @argv: the command line
 */
int mp_perf_writer_describe(struct mp_perf_writer *writer,
			    const struct mp_perf_events *events,
			    char * const *argv, int argc);

/**
 * mp_perf_writer_finish - complete the file, which stays open
 *
 * Return: 0, or the first error that happened.
 */
int mp_perf_writer_finish(struct mp_perf_writer *writer);

/**
 * mp_perf_writer_close - complete the file, or what there is of it
 *
 * Return: 0, or the first error that happened; the file can be recovered then.
 */
int mp_perf_writer_close(struct mp_perf_writer *writer);

/**
 * mp_perf_writer_place - put a closed file in the place of the one to replace
 *
 * Return: 0, or a negative errno.
 */
int mp_perf_writer_place(struct mp_perf_writer *writer);

/** mp_perf_writer_drop - remove a closed file; what it was to replace stays */
void mp_perf_writer_drop(struct mp_perf_writer *writer);

/**
 * mp_perf_format_text - the format of an event of our own making
 * @name: "site" or "process"
 *
 * Return: text to be freed, or NULL.
 */
char *mp_perf_format_text(const char *name);

/* Numbers that no kernel gives to events. */
#define MP_PERF_ID_SITE		64001
#define MP_PERF_ID_PROCESS	64002

/**
 * mp_perf_recover - make a complete file of an incomplete one
 * @from: open; its header need not be complete
 * @nr_lost_bytes: out, bytes at its end that could not be used
 *
 * Return: 0; -ENODATA where nothing can be recovered; or a negative errno.
 */
int mp_perf_recover(FILE *from, struct mp_perf_writer *writer,
		    uint64_t *nr_lost_bytes);

#endif

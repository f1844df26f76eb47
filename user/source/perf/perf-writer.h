/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf-writer: writes a recording that perf can read
 *
 * The sections at the end of a file are also written into its data, in records
 * that perf skips. So a file whose end is missing can be completed from its
 * data. The contents of such records are called pieces. A large piece is in
 * several records.
 */
#ifndef MP_PERF_WRITER_H
#define MP_PERF_WRITER_H

#include "perf-file.h"
#include "profile.h"

#include <limits.h>
#include <string.h>

/*
 * A piece with a profile as JSON lines. memprofctl reads but does not write it.
 */
#define MP_PERF_PIECE_PROFILE	1000

/*
 * A piece with struct mp_size_record elements of one moment; always in one
 * record.
 */
#define MP_PERF_PIECE_SIZES	1001

/*
 * A piece with a profile as JSON lines. The lines do not contain the values
 * that are in samples, see tallies.h.
 */
#define MP_PERF_PIECE_ROWS	1002

/* A piece with one struct mp_alloc_record; the last one in a file is valid. */
#define MP_PERF_PIECE_ALLOC	1003

/* A piece with struct mp_base_record elements; always in one record. */
#define MP_PERF_PIECE_BASE	1004

/* A piece with one struct mp_span_record. */
#define MP_PERF_PIECE_SPAN	1005

/**
 * struct mp_span_record - when a recording began and ended
 * @begin_ns, @end_ns: CLOCK_MONOTONIC, nanoseconds; @begin_ns 0: with its first event
 */
struct mp_span_record {
	uint64_t begin_ns;
	uint64_t end_ns;
};

/*
 * A piece with struct mp_title_record elements, each with its text; always in one
 * record. The last title of a process is valid.
 */
#define MP_PERF_PIECE_TITLES	1006

/*
 * A piece with the pages of a process, see struct mp_pages_record. It comes before the
 * record of the process's exit, or at the end.
 */
#define MP_PERF_PIECE_PAGES	1007

/*
 * The same, of a moment at which the process ran on. Such pages are used only if the reader
 * stops at that moment.
 */
#define MP_PERF_PIECE_MOMENT	1009

/*
 * A piece with struct mp_container_record elements, each with its text; always in one
 * record. The first text of its kind of a cgroup is valid.
 */
#define MP_PERF_PIECE_CONTAINERS	1008

/* A piece with struct mp_chunk_record elements, of the end; always in one record. */
#define MP_PERF_PIECE_CHUNKS	1010

/**
 * struct mp_container_record - what a runtime said of a container
 * @cgroup: id of the container's cgroup
 * @what: enum mp_container_text
 * @size: bytes of the text that follows, without a NUL
 */
struct mp_container_record {
	uint64_t cgroup;
	uint32_t what;
	uint32_t size;
};

/**
 * struct mp_title_record - the command line of a process
 * @pid: the process
 * @size: bytes of the text that follows, without a NUL
 */
struct mp_title_record {
	uint32_t pid;
	uint32_t size;
};

/**
 * struct mp_alloc_record - how allocations were traced, as stored in a file
 * @rate: mean bytes between two samples; 1: every allocation
 * @nr_samplers: processes whose allocations came from a sampler inside them
 * @nr_unsampled: target processes that could not be given a sampler
 * @pace: samples a second that a thread took at most; 0: any number. Records of earlier
 *	versions end before it
 * @nr_brief: programs that ended before they could be given a sampler
 */
struct mp_alloc_record {
	uint64_t rate;
	uint32_t nr_samplers;
	uint32_t nr_unsampled;
	uint32_t pace;
	uint32_t nr_brief;
};

/* The begin of a record that contains a piece or a part of a piece. */
struct mp_perf_piece {
	struct perf_event_header header;
	char magic[8];			/* MP_PERF_PIECE_MAGIC */
	uint32_t what;			/* enum mp_perf_feature, or MP_PERF_PIECE_* */
	uint32_t bytes;			/* bytes of the piece in this record */
	uint64_t offset;
	uint64_t total;
};

#define MP_PERF_PIECE_MAGIC	"memprof1"

/**
 * mp_perf_piece_of - the piece that begins in a record
 * @record: its header->size bytes can be read
 * @what: as in struct mp_perf_piece
 *
 * Return: the piece, whose @bytes follow; or NULL if the record has none of @what.
 */
static inline const struct mp_perf_piece *
mp_perf_piece_of(const struct perf_event_header *record, uint32_t what)
{
	const struct mp_perf_piece *piece = (const void *)record;

	return record->type != MP_PERF_RECORD_SKIPPED || record->size < sizeof(*piece) ||
	       piece->what != what || piece->offset ||
	       memcmp(piece->magic, MP_PERF_PIECE_MAGIC, sizeof(piece->magic)) ||
	       piece->bytes > record->size - sizeof(*piece) ? NULL : piece;
}

/*
 * The smallest record with a piece: perf 7.3 warns of smaller ones of this type,
 * which once held the name of an event. Readers accept smaller ones, too: older versions
 * wrote them.
 */
#define MP_PERF_PIECE_MIN	80

/* Size of an event's attributes in a file: older versions of perf refuse more. */
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
 * @path: path of the new file; valid also after the file was closed
 * @place: path of the file to replace; empty if there is none
 * @keeps_old: the file to replace stays, with the suffix .old; the caller may set it
 * @data_size: bytes of records so far
 * @err: the first error; nothing is written after it
 */
struct mp_perf_writer {
	FILE *file;
	char *buffer;			/* of @file */
	char path[PATH_MAX];
	char place[PATH_MAX];
	bool keeps_old;
	uint64_t data_size;
	int err;
	struct mp_perf_blob features[32];
	struct mp_perf_build_id *build_ids;
	size_t nr_build_ids;
	struct mp_map by_build_id;
	uint64_t first_ns, last_ns;
	uint64_t nr_samples;
	void *room;			/* for a record that is changed */
};

/**
 * mp_perf_writer_open - create a file that only its owner can read
 * @force: replace an existing file; mp_perf_writer_place() does so at the end.
 *	Until then the new file has the suffix .new. If a file with that suffix
 *	exists, it may be an unfinished recording: then .new2 and so on is used
 *
 * Return: 0; -EEXIST; -EINVAL if @path is not a regular file; or another
 * negative errno.
 */
int mp_perf_writer_open(struct mp_perf_writer *writer, const char *path,
			bool force);

/**
 * mp_perf_writer_start - begin a recording in an open, empty and seekable file
 *
 * Return: 0, or a negative errno.
 */
int mp_perf_writer_start(struct mp_perf_writer *writer, FILE *file);

/**
 * mp_perf_writer_put - append a record, a sample of an allocation as mp_perf_ranked() has it
 * @events: used to find the record's time
 *
 * Return: 0, or a negative errno: -ENOSPC if the disk is full.
 */
int mp_perf_writer_put(struct mp_perf_writer *writer,
		       const struct mp_perf_events *events,
		       const struct perf_event_header *record);

/**
 * mp_perf_writer_piece - append data in records that readers skip
 * @what: a feature, which is also added to the end of the file; or
 *	MP_PERF_PIECE_*
 */
int mp_perf_writer_piece(struct mp_perf_writer *writer, uint32_t what,
			 const void *data, size_t size);

/**
 * mp_perf_writer_keep - keep a feature section for the end of the file
 * @what: enum mp_perf_feature, below 32
 *
 * Return: 0, or -ENOMEM.
 */
int mp_perf_writer_keep(struct mp_perf_writer *writer, uint32_t what,
			const void *data, size_t size);

/**
 * mp_perf_writer_describe - write the description of the events
 * @argc, @argv: the command line
 *
 * Call it again after an event was added.
 */
int mp_perf_writer_describe(struct mp_perf_writer *writer,
			    const struct mp_perf_events *events,
			    char * const *argv, int argc);

/**
 * mp_perf_writer_flush - hand what was put so far on to the file, where recover finds it
 *
 * Return: 0, or the first error that happened.
 */
int mp_perf_writer_flush(struct mp_perf_writer *writer);

/**
 * mp_perf_writer_finish - complete the file and keep it open
 *
 * Return: 0, or the first error that happened.
 */
int mp_perf_writer_finish(struct mp_perf_writer *writer);

/**
 * mp_perf_writer_close - complete the file and close it
 *
 * Return: 0, or the first error that happened; then the file can be recovered.
 */
int mp_perf_writer_close(struct mp_perf_writer *writer);

/**
 * mp_perf_writer_place - rename a closed file over the file to replace
 *
 * Return: 0, or a negative errno.
 */
int mp_perf_writer_place(struct mp_perf_writer *writer);

/** mp_perf_writer_drop - delete a closed file; the file to replace stays */
void mp_perf_writer_drop(struct mp_perf_writer *writer);

/**
 * mp_perf_format_text - make the format text of memprof:site or memprof:process
 * @name: "site" or "process"
 *
 * Return: text to be freed, or NULL.
 */
char *mp_perf_format_text(const char *name);

/* Event numbers that the kernel does not use. */
#define MP_PERF_ID_SITE		64001
#define MP_PERF_ID_PROCESS	64002
#define MP_PERF_ID_FUNCTION	64003

/**
 * mp_perf_recover - write a complete file from an incomplete one
 * @from: the open file; its header may be incomplete
 * @nr_lost_bytes: out, bytes at its end that could not be used
 *
 * Return: 0; -ENODATA if nothing can be recovered; or a negative errno.
 */
int mp_perf_recover(FILE *from, struct mp_perf_writer *writer,
		    uint64_t *nr_lost_bytes);

#endif

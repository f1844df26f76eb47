/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf-file: reads a recording of perf or of memprofctl
 */
#ifndef MP_PERF_FILE_H
#define MP_PERF_FILE_H

#include "perf-events.h"

#include <stdio.h>

#define MP_PERF_FILE_WHY_SIZE	200

/* Feature bits in the header; each bit is for an optional section. */
enum mp_perf_feature {
	MP_PERF_TRACING_DATA	= 1,
	MP_PERF_BUILD_ID	= 2,
	MP_PERF_HOSTNAME	= 3,
	MP_PERF_OSRELEASE	= 4,
	MP_PERF_VERSION		= 5,
	MP_PERF_ARCH		= 6,
	MP_PERF_NRCPUS		= 7,
	MP_PERF_CPUDESC		= 8,
	MP_PERF_CPUID		= 9,
	MP_PERF_TOTAL_MEM	= 10,
	MP_PERF_CMDLINE		= 11,
	MP_PERF_EVENT_DESC	= 12,
	MP_PERF_SAMPLE_TIME	= 21,
	MP_PERF_CLOCKID		= 23,
	MP_PERF_DIR_FORMAT	= 24,
	MP_PERF_COMPRESSED	= 27,
	MP_PERF_CLOCK_DATA	= 29,
	MP_PERF_NR_FEATURES	= 256,
};

struct mp_perf_section {
	uint64_t offset;
	uint64_t size;
};

/* The header of a file, in the machine's byte order. */
struct mp_perf_header {
	char magic[8];			/* MP_PERF_MAGIC */
	uint64_t size;
	uint64_t attr_size;		/* includes the section of ids */
	struct mp_perf_section attrs, data, event_types;
	uint64_t features[MP_PERF_NR_FEATURES / 64];
};

#define MP_PERF_MAGIC	"PERFILE2"

/**
 * struct mp_perf_file - an open recording
 * @events: with names and formats, if the file has them
 * @header: checked against the size of the file
 * @at: bytes of the data that were read
 * @buffer: a piece of the data; bytes @begin to @end were not returned yet
 * @record: copy of a record that is not aligned
 * @why: what is wrong with the file
 */
struct mp_perf_file {
	FILE *file;
	uint64_t size;
	struct mp_perf_events events;
	struct mp_perf_header header;
	uint64_t at;
	char *buffer;
	size_t begin, end;
	uint64_t *record;
	char why[MP_PERF_FILE_WHY_SIZE];
};

/**
 * mp_perf_file_stream - open a regular file
 *
 * Opening a FIFO does not block.
 *
 * Return: 0; -EISDIR; -EINVAL for other kinds of files; or another negative
 * errno.
 */
int mp_perf_file_stream(const char *path, FILE **stream);

/**
 * mp_perf_file_open - open a recording
 *
 * The file is untrusted: all sizes are checked and limited before use.
 *
 * Return: 0; -EBADMSG with @why if the file is invalid; or another negative
 * errno. Call mp_perf_file_close() in any case.
 */
int mp_perf_file_open(struct mp_perf_file *file, const char *path);

/**
 * mp_perf_file_next - read the next record
 * @record: out, valid until the next call
 *
 * Return: 1; 0 at the end; -EBADMSG with @why; or another negative errno.
 */
int mp_perf_file_next(struct mp_perf_file *file,
		      const struct perf_event_header **record);

/**
 * mp_perf_file_feature - read an optional section
 * @size: out
 *
 * Return: a copy with a NUL after it, to be freed; NULL if the section does not
 * exist or is larger than 64 MiB.
 */
void *mp_perf_file_feature(struct mp_perf_file *file,
			   enum mp_perf_feature feature, size_t *size);

void mp_perf_file_close(struct mp_perf_file *file);

#endif

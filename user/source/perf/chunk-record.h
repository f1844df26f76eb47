/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * chunk-record: what malloc of a process had free at one time
 */
#ifndef MP_CHUNK_RECORD_H
#define MP_CHUNK_RECORD_H

#include "chunks.h"
#include "map.h"
#include "profile.h"

/**
 * struct mp_chunk_record - as stored in a file: no padding, native byte order
 * @pid: the process
 * @reserved: 0 in a file
 * @time_ns: when it was read, CLOCK_MONOTONIC
 * @chunks: bytes
 */
struct mp_chunk_record {
	uint32_t pid;
	uint32_t reserved;
	uint64_t time_ns;
	struct mp_chunks chunks;
};

/** struct mp_chunk_records - the last record of each process; all zero means empty */
struct mp_chunk_records {
	struct mp_chunk_record *list;
	size_t nr, max;
	struct mp_map by_pid;
};

/**
 * mp_chunk_records_put - replace the record of a process
 *
 * Return: 0, or -ENOMEM. Records beyond MP_MAX_SIZES are ignored.
 */
int mp_chunk_records_put(struct mp_chunk_records *records,
			 const struct mp_chunk_record *record);

/** mp_chunk_records_find - the record of a process; or NULL */
const struct mp_chunk_record *mp_chunk_records_find(const struct mp_chunk_records *records,
						    uint32_t pid);

/**
 * mp_chunk_records_join - set USED, FREE, TRIM and UNREAD of a process that runs
 * @row: its HEAP is set: what is more than that is not used
 */
void mp_chunk_records_join(const struct mp_chunk_records *records, struct mp_row *row);

/**
 * mp_chunk_records_report - count what could not be read of the processes of a profile
 *
 * Return: 0, or -ENOMEM.
 */
int mp_chunk_records_report(struct mp_profile *profile);

/** mp_chunk_records_free - free all records; the list is empty afterwards */
void mp_chunk_records_free(struct mp_chunk_records *records);

#endif

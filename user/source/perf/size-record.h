/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * size-record: the memory sizes of a process or cgroup at one time, in a
 * recording
 */
#ifndef MP_SIZE_RECORD_H
#define MP_SIZE_RECORD_H

#include "chunk-record.h"
#include "map.h"
#include "profile.h"
#include "size-base.h"

#define MP_SIZE_VALUES	13

/* Limit of processes and cgroups whose sizes are kept. */
#define MP_MAX_SIZES	65536

/* The lowest bit of the signal in the flags */
#define MP_SIZE_SIGNAL	24

/**
 * struct mp_size_record - sizes as stored in a file: no padding, native byte
 * order
 * @pid: process; 0 if the record is of a cgroup
 * @flags: enum mp_row_flag bits: MAPPED, SPLIT, BOUND; from MP_SIZE_SIGNAL on the signal that
 *	ended the process, or 0
 * @time_ns: CLOCK_MONOTONIC; 0: made after the exit, and only the peak is known
 * @cgroup: id of the cgroup, or of the process's cgroup
 * @value: sizes in bytes; see mp_size_take()
 */
struct mp_size_record {
	uint32_t pid;
	uint32_t flags;
	uint64_t time_ns;
	uint64_t cgroup;
	uint64_t value[MP_SIZE_VALUES];
};

/** mp_size_make - fill a size record from a row */
void mp_size_make(struct mp_size_record *record, const struct mp_row *row,
		  uint64_t time_ns);

/** mp_size_take - set a row's sizes, peak and signal from a record */
void mp_size_take(const struct mp_size_record *record, struct mp_row *row);

/**
 * struct mp_sizes - the last record of each process and cgroup; all zero means
 * empty
 * @live: live bytes of each process at that time, 0 if not known
 * @nr_full: records that were dropped because the list is full
 * @base: RSS of the processes at the begin
 * @chunks: what was free inside malloc of processes
 */
struct mp_sizes {
	struct mp_size_record *list;
	uint64_t *live;
	size_t nr, max;
	uint64_t nr_full;
	struct mp_map by_id;		/* key: pid, or 0 and cgroup */
	struct mp_size_base base;
	struct mp_chunk_records chunks;
};

/**
 * mp_sizes_put - replace the record of a process or cgroup
 * @live: bytes of live blocks at the record's time; 0 if not known
 * @changed: out, true if a value changed; or NULL
 *
 * Return: 0, or -ENOMEM.
 */
int mp_sizes_put(struct mp_sizes *sizes, const struct mp_size_record *record,
		 uint64_t live, bool *changed);

/** mp_sizes_renew - set the time of a process's record: its sizes are still the same */
void mp_sizes_renew(struct mp_sizes *sizes, uint32_t pid, uint64_t time_ns);

/**
 * mp_sizes_join - set the sizes of a row from its record
 * @alloc: allocations were recorded, so the live bytes split HEAP, as a bound,
 *	unless a better split is known
 * @source: source of the row
 *
 * An exited process only gets sizes from before its exit. If its row has an
 * exact RSS, as with the module, that RSS stays; if the parts of the record
 * exceed it, they are left out.
 */
void mp_sizes_join(const struct mp_sizes *sizes, bool alloc,
		   enum mp_source source, struct mp_row *row);

/** mp_sizes_is_living - whether record @i is of a process that lives: see mp_sizes_resident() */
bool mp_sizes_is_living(const struct mp_sizes *sizes, size_t i,
			const struct mp_map *living, uint64_t from_ns);

/** mp_sizes_resident_of - RSS in record @i */
uint64_t mp_sizes_resident_of(const struct mp_sizes *sizes, size_t i);

/**
 * mp_sizes_resident_before - RSS at the begin, of process @i of the base
 *
 * Return: bytes; 0 if it has a record, from which its RSS is known better, or that it ended.
 */
uint64_t mp_sizes_resident_before(const struct mp_sizes *sizes, size_t i);

/**
 * mp_sizes_resident - sum up the RSS of all living processes
 * @living: their pids at the time @from_ns
 * @from_ns: processes with a later record count as living, too
 *
 * Return: the sum in bytes.
 */
uint64_t mp_sizes_resident(const struct mp_sizes *sizes,
			   const struct mp_map *living, uint64_t from_ns);

/** mp_sizes_free - free all records and set the list to empty */
void mp_sizes_free(struct mp_sizes *sizes);

#endif

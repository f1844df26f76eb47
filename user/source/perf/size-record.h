/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * size-record: sizes of a process or of a cgroup at a moment, in a recording
 */
#ifndef MP_SIZE_RECORD_H
#define MP_SIZE_RECORD_H

#include "map.h"
#include "profile.h"

#define MP_SIZE_VALUES	13

/* More processes and cgroups than this are not remembered. */
#define MP_MAX_SIZES	65536

/**
 * struct mp_size_record - sizes as they are in a file: no padding, native byte order
 * @pid: process; 0: of a cgroup
 * @flags: enum mp_row_flag bits: MAPPED, SPLIT, BOUND
 * @time_ns: CLOCK_MONOTONIC; 0: taken after the exit, only the peak is known
 * @cgroup: id of the cgroup, or of the process's cgroup
 * @value: bytes; see mp_size_take()
 */
struct mp_size_record {
	uint32_t pid;
	uint32_t flags;
	uint64_t time_ns;
	uint64_t cgroup;
	uint64_t value[MP_SIZE_VALUES];
};

/** mp_size_make - the record of a row */
void mp_size_make(struct mp_size_record *record, const struct mp_row *row,
		  uint64_t time_ns);

/** mp_size_take - the levels and the peak that a record gives a row */
void mp_size_take(const struct mp_size_record *record, struct mp_row *row);

/**
 * struct mp_sizes - the last record of each process and cgroup; all zero is none
 * @live: living bytes of each process at that time, where they are known
 * @nr_full: records that found no room
 */
struct mp_sizes {
	struct mp_size_record *list;
	uint64_t *live;
	size_t nr, max;
	uint64_t nr_full;
	struct mp_map by_id;		/* pid, or 0 and cgroup */
};

/**
 * mp_sizes_put - replace the record of a process or cgroup
 * @live: bytes of living blocks then; 0 where they are not known
 * @changed: out, whether anything has changed; or NULL
 *
 * Return: 0, or -ENOMEM.
 */
int mp_sizes_put(struct mp_sizes *sizes, const struct mp_size_record *record,
		 uint64_t live, bool *changed);

/**
 * mp_sizes_join - set the sizes of a row from its record
 * @alloc: allocations are followed: living bytes split HEAP, as a bound, unless
 *	something better does
 * @source: of the row
 *
 * An exited process gets sizes from before its exit only. Where its row has an exact RSS, as
 * with the module, that RSS stays, and parts that add up to more are left out.
 */
void mp_sizes_join(const struct mp_sizes *sizes, bool alloc,
		   enum mp_source source, struct mp_row *row);

/**
 * mp_sizes_resident - bytes that all living processes hold together
 * @living: their pids at some moment
 * @from_ns: of that moment: later records are of living processes in any case
 */
uint64_t mp_sizes_resident(const struct mp_sizes *sizes,
			   const struct mp_map *living, uint64_t from_ns);

/** mp_sizes_free - free all; none is left afterwards */
void mp_sizes_free(struct mp_sizes *sizes);

#endif

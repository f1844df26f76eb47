/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * size-base: the RSS of each process when the measurement began, from which DELTA
 * is counted
 */
#ifndef MP_SIZE_BASE_H
#define MP_SIZE_BASE_H

#include "map.h"
#include "profile.h"

/* Bit of mp_base_record.above */
#define MP_BASE_ENDED	(1U << 31)

/**
 * struct mp_base_record - RSS of a process at the begin, as stored in a file
 * @pid: the process
 * @above: 1 and by how much its RSS was higher once before, in units of 4096 bytes; 0: this is
 *	not known; and MP_BASE_ENDED, if it has ended since, which no file has
 * @start_ns: its start, CLOCK_BOOTTIME, with the 10 ms resolution of /proc/PID/stat
 * @resident: bytes
 */
struct mp_base_record {
	uint32_t pid;
	uint32_t above;
	uint64_t start_ns;
	uint64_t resident;
};

/**
 * struct mp_size_base - all processes that existed at the begin
 * @is_known: they were listed; a process without a record began later
 */
struct mp_size_base {
	struct mp_base_record *list;
	size_t nr, max;
	bool is_known;
	struct mp_map by_pid;
};

/**
 * mp_size_base_add - add a process; a later record replaces an earlier one
 *
 * Return: 0, or -ENOMEM. Records beyond MP_MAX_SIZES are ignored.
 */
int mp_size_base_add(struct mp_size_base *base, const struct mp_base_record *record);

/** mp_size_base_end - note that a process has ended */
void mp_size_base_end(struct mp_size_base *base, uint32_t pid);

/**
 * mp_size_base_above - set by how much the RSS of a process was higher once before
 * @peak: its highest RSS, bytes; @resident must be set
 */
void mp_size_base_above(struct mp_base_record *record, uint64_t peak);

/**
 * mp_size_base_join - set a row's DELTA: RSS minus RSS at the begin; its peak before; and when it
 * began
 * @source: source of the row, which decides the clock of its start time
 *
 * The RSS at the begin is 0 for a process that began later.
 */
void mp_size_base_join(const struct mp_size_base *base, enum mp_source source,
		       struct mp_row *row);

/** mp_size_base_free - free all records and set the list to empty */
void mp_size_base_free(struct mp_size_base *base);

#endif

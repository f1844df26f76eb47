/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * spaces: stores which files are mapped in each address space, and where
 */
#ifndef MP_SPACES_H
#define MP_SPACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Limit of mappings per address space. */
#define MP_SPACES_MAX	65536

/* Limit of mappings in all spaces: 128 MB. Each fork copies its parent's mappings. */
#define MP_SPACES_MAX_ALL	(4UL << 20)

/**
 * struct mp_range - a mapping
 * @start: first address
 * @end: first address after it
 * @offset: offset of @start in the file
 * @file: number of the file
 */
struct mp_range {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	uint32_t file;
};

/**
 * struct mp_space - the mappings of one address space
 * @list: sorted, without overlaps
 * @version: changes whenever any space changes
 * @has_other_code: there may be code outside of the listed mappings: in anonymous
 *	memory, or in a mapping that was dropped
 */
struct mp_space {
	struct mp_range *list;
	size_t nr, max;
	uint64_t version;
	bool has_other_code;
};

/**
 * struct mp_spaces - all address spaces by process number; all zero means empty
 * @nr_ranges: number of mappings in all spaces
 * @version: version of the latest change
 * @nr_dropped: mappings beyond MP_SPACES_MAX or MP_SPACES_MAX_ALL
 */
struct mp_spaces {
	struct mp_space *list;
	size_t nr;
	size_t nr_ranges;
	uint64_t version;
	uint64_t nr_dropped;
};

/**
 * mp_spaces_map - add a mapping; it replaces what it overlaps. Return: 0, or
 * -ENOMEM
 */
int mp_spaces_map(struct mp_spaces *spaces, uint32_t process,
		  const struct mp_range *range);

/** mp_spaces_other_code - record that a process has code in no file. Return: 0, or -ENOMEM */
int mp_spaces_other_code(struct mp_spaces *spaces, uint32_t process);

/** mp_spaces_copy - copy all mappings of a process to a fork. Return: 0, or -ENOMEM */
int mp_spaces_copy(struct mp_spaces *spaces, uint32_t from, uint32_t to);

/** mp_spaces_clear - remove the mappings of a process, at its exit or exec */
void mp_spaces_clear(struct mp_spaces *spaces, uint32_t process);

/** mp_spaces_find - find the mapping that contains an address, or NULL */
const struct mp_range *mp_spaces_find(const struct mp_spaces *spaces,
				      uint32_t process, uint64_t addr);

/** mp_spaces_at - get the mappings of a process, or NULL; valid until a change */
static inline const struct mp_space *mp_spaces_at(const struct mp_spaces *spaces,
						  uint32_t process)
{
	return process < spaces->nr ? &spaces->list[process] : NULL;
}

/** mp_spaces_free - free all memory; the object is empty afterwards */
void mp_spaces_free(struct mp_spaces *spaces);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * spaces: which file is mapped where in each address space
 */
#ifndef MP_SPACES_H
#define MP_SPACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Mappings of one address space that are kept. */
#define MP_SPACES_MAX	65536

/* And of all together: 128 MB, for each fork copies its parent's. */
#define MP_SPACES_MAX_ALL	(4UL << 20)

/**
 * struct mp_range - a mapping
 * @start: first address
 * @end: first address behind it
 * @offset: in the file
 * @file: any number
 */
struct mp_range {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	uint32_t file;
};

/**
 * struct mp_space - the mappings of one
 * @list: in order, not overlapping
 * @version: another one after each change, of any space
 * @has_other_code: in memory of no file, or in a mapping that was not kept
 */
struct mp_space {
	struct mp_range *list;
	size_t nr, max;
	uint64_t version;
	bool has_other_code;
};

/**
 * struct mp_spaces - all of them, by the number of their process; all zero is none
 * @nr_ranges: in all of them
 * @version: of the latest change
 * @nr_dropped: mappings beyond MP_SPACES_MAX or MP_SPACES_MAX_ALL
 */
struct mp_spaces {
	struct mp_space *list;
	size_t nr;
	size_t nr_ranges;
	uint64_t version;
	uint64_t nr_dropped;
};

/** mp_spaces_map - a mapping was made, over what was there. 0, or -ENOMEM */
int mp_spaces_map(struct mp_spaces *spaces, uint32_t process,
		  const struct mp_range *range);

/** mp_spaces_other_code - there is some that is no file's. 0, or -ENOMEM */
int mp_spaces_other_code(struct mp_spaces *spaces, uint32_t process);

/** mp_spaces_copy - a process was forked. Return: 0, or -ENOMEM */
int mp_spaces_copy(struct mp_spaces *spaces, uint32_t from, uint32_t to);

/** mp_spaces_clear - an address space ended, or begins anew */
void mp_spaces_clear(struct mp_spaces *spaces, uint32_t process);

/** mp_spaces_find - what is mapped at an address, or NULL */
const struct mp_range *mp_spaces_find(const struct mp_spaces *spaces,
				      uint32_t process, uint64_t addr);

/** mp_spaces_at - the mappings of a process, or NULL; valid until they change */
static inline const struct mp_space *mp_spaces_at(const struct mp_spaces *spaces,
						  uint32_t process)
{
	return process < spaces->nr ? &spaces->list[process] : NULL;
}

/** mp_spaces_free - free all; none is left afterwards */
void mp_spaces_free(struct mp_spaces *spaces);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * areas: stores which addresses of each address space can be accessed
 *
 * Growth is the change of their number of bytes. What is only reserved (PROT_NONE)
 * is not stored.
 */
#ifndef MP_AREAS_H
#define MP_AREAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Limit of areas in all address spaces: 128 MB. Each fork copies its parent's. */
#define MP_AREAS_MAX_ALL	(4UL << 20)

/**
 * struct mp_area - a range of addresses, a node of a tree
 * @start: first address
 * @end: first address after it
 * @left, @right: numbers of nodes below and above; 0: none. @left of a free node is
 *	the next free node
 * @rank: random; the ranks of nodes below are not higher
 * @segment: it is a segment of shmat(), which is not joined with its neighbours
 */
struct mp_area {
	uint64_t start;
	uint64_t end;
	uint32_t left, right;
	uint32_t rank;
	bool segment;
};

/**
 * struct mp_area_space - the areas of an address space
 * @root: number of the root of the tree; 0: there are none
 * @begins: exec makes the address space
 * @known: all areas of the process are known, so that what else the kernel reports is new
 */
struct mp_area_space {
	uint32_t root;
	bool begins;
	bool known;
};

/**
 * struct mp_areas - all address spaces by process number; all zero means empty
 * @nodes: from number 1
 * @free: first free node; 0: none
 * @nr_dropped: areas beyond MP_AREAS_MAX_ALL
 */
struct mp_areas {
	struct mp_area_space *spaces;
	size_t nr_spaces;
	struct mp_area *nodes;
	size_t nr, max;
	uint32_t free;
	uint64_t nr_ranks;
	uint64_t nr_dropped;
};

/**
 * mp_areas_add - a range can be accessed from now on
 * @segment: it is a segment of shmat()
 *
 * Return: number of bytes of the range that could not be accessed before.
 */
uint64_t mp_areas_add(struct mp_areas *areas, uint32_t process, uint64_t start,
		      uint64_t end, bool segment);

/**
 * mp_areas_take - a range cannot be accessed any more
 *
 * Return: number of bytes of the range that could be accessed before.
 */
uint64_t mp_areas_take(struct mp_areas *areas, uint32_t process, uint64_t start,
		       uint64_t end);

/** mp_areas_segment - size of the segment of shmat() that begins at an address; or 0 */
uint64_t mp_areas_segment(const struct mp_areas *areas, uint32_t process,
			  uint64_t start);

/** mp_areas_space - find or add the space of a process; NULL if memory is short */
struct mp_area_space *mp_areas_space(struct mp_areas *areas, uint32_t process);

/** mp_areas_copy - fork: a new process has the areas of its parent */
void mp_areas_copy(struct mp_areas *areas, uint32_t from, uint32_t to);

/** mp_areas_clear - exec or exit: forget all areas of a process */
void mp_areas_clear(struct mp_areas *areas, uint32_t process);

/** mp_areas_free - free all memory; the object is empty afterwards */
void mp_areas_free(struct mp_areas *areas);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * residence: what the resident memory of a process is, part by part
 *
 * RSS = HEAP + STACKS + FILES + SHARED + OTHER, and HEAP = LIVE-RSS + HELD: each
 * page of a mapping is in one part, by what the mapping is, and OTHER is what is
 * left, so that the parts add up whatever else is wrong.
 */
#ifndef MP_RESIDENCE_H
#define MP_RESIDENCE_H

#include "profile.h"

/* What vm.max_map_count allows, and some that the kernel adds itself. */
#define MP_MAX_MAPPINGS	(65530 + 1024)

/**
 * enum mp_mapping_class - what a mapping is for
 * @MP_MAPPING_OTHER: none of the others: vdso, and what was not understood
 * @MP_MAPPING_BSS: anonymous, and belongs to the file that is mapped below it
 * @MP_MAPPING_ANON: anonymous and private: the allocator's, as far as is known
 * @MP_MAPPING_HEAP: [heap], or holds living blocks
 * @MP_MAPPING_STACK: of a thread
 * @MP_MAPPING_FILE: of a file
 * @MP_MAPPING_SHMEM: shared memory, or of a file in tmpfs
 */
enum mp_mapping_class {
	MP_MAPPING_OTHER,
	MP_MAPPING_BSS,
	MP_MAPPING_ANON,
	MP_MAPPING_HEAP,
	MP_MAPPING_STACK,
	MP_MAPPING_FILE,
	MP_MAPPING_SHMEM,
	MP_NR_MAPPING_CLASSES,
};

/**
 * struct mp_mapping - a line of maps, and its sizes
 * @start: first address
 * @end: first address behind it
 * @rss: bytes
 * @pss: bytes
 * @anon: bytes of it that are anonymous
 * @swap: bytes
 * @class: enum mp_mapping_class
 * @named: it has a name, so nothing else is merged with it
 */
struct mp_mapping {
	uint64_t start;
	uint64_t end;
	uint64_t rss;
	uint64_t pss;
	uint64_t anon;
	uint64_t swap;
	uint32_t class;
	bool named;
};

/**
 * struct mp_mappings - those of a process, lowest first; all zero is none
 * @nr_cut: beyond MP_MAX_MAPPINGS: in no list, but in @rest
 * @rest: sums of these, in MP_MAPPING_OTHER
 */
struct mp_mappings {
	struct mp_mapping *list;
	size_t nr, max;
	uint64_t nr_cut;
	struct mp_mapping rest;
};

/** mp_mappings_free - free all; none is left afterwards */
void mp_mappings_free(struct mp_mappings *mappings);

/** mp_mappings_at - the mapping of an address, or NULL */
struct mp_mapping *mp_mappings_at(const struct mp_mappings *mappings,
				  uint64_t addr);

/**
 * mp_mapping_is_heap - whether its pages count as the allocator's
 *
 * What is anonymous and private may be anybody's. With allocations followed it
 * is still taken for the allocator's: it is where they come from.
 */
static inline bool mp_mapping_is_heap(const struct mp_mapping *mapping)
{
	return mapping->class == MP_MAPPING_HEAP ||
	       mapping->class == MP_MAPPING_ANON;
}

/**
 * mp_residence_fill - the levels of a process from its mappings
 * @row: RSS and its parts are set, but for LIVE-RSS and HELD; MP_ROW_MAPPED is
 */
void mp_residence_fill(struct mp_row *row, const struct mp_mappings *mappings);

/**
 * mp_residence_split - part HEAP
 * @live: bytes of living blocks in pages that are present; cut to HEAP
 * @bound: it may be less
 */
void mp_residence_split(struct mp_row *row, uint64_t live, bool bound);

/** mp_residence_rest - what is left of RSS is OTHER */
void mp_residence_rest(struct mp_row *row);

/** mp_residence_add - add to a row's levels, and to its flags, those of another */
void mp_residence_add(struct mp_row *row, const struct mp_row *from);

/** mp_residence_take - give a row the levels and the flags of another */
void mp_residence_take(struct mp_row *row, const struct mp_row *from);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * residence: divides a process's resident memory by use
 *
 * RSS = HEAP + STACKS + FILES + SHARED + OTHER, and HEAP = LIVE-RSS + HELD.
 * Each page is counted in one part, by the class of its mapping. OTHER is the
 * remainder, so the parts always add up to RSS.
 */
#ifndef MP_RESIDENCE_H
#define MP_RESIDENCE_H

#include "profile.h"

/* Default of vm.max_map_count, and some room for mappings that the kernel adds. */
#define MP_MAX_MAPPINGS	(65530 + 1024)

/**
 * enum mp_mapping_class - use of a mapping
 * @MP_MAPPING_OTHER: the vdso, or an unknown mapping
 * @MP_MAPPING_BSS: anonymous memory directly above a mapped binary: its .bss
 * @MP_MAPPING_ANON: anonymous and private memory; assumed to be the allocator's
 * @MP_MAPPING_HEAP: [heap], or contains live blocks
 * @MP_MAPPING_STACK: stack of a thread
 * @MP_MAPPING_FILE: a mapped file
 * @MP_MAPPING_SHMEM: shared memory, or a file in tmpfs
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
 * struct mp_mapping - a mapping of /proc/PID/maps with its sizes
 * @start: first address
 * @end: first address after it
 * @rss: resident bytes
 * @pss: proportional share of @rss, in bytes
 * @anon: anonymous bytes in @rss
 * @swap: bytes in swap
 * @class: enum mp_mapping_class
 * @named: the mapping has a name, so the kernel does not merge it with another
 * @is_break: the mapping is [heap], which brk() enlarges
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
	bool is_break;
	bool is_sampler;
};

/**
 * struct mp_mappings - mappings of a process, sorted; all zero means empty
 * @nr_cut: mappings beyond MP_MAX_MAPPINGS, which are not in @list
 * @rest: sums of these mappings, as MP_MAPPING_OTHER
 */
struct mp_mappings {
	struct mp_mapping *list;
	size_t nr, max;
	uint64_t nr_cut;
	struct mp_mapping rest;
};

/** mp_mappings_free - free all memory; the object is empty afterwards */
void mp_mappings_free(struct mp_mappings *mappings);

/** mp_mappings_at - find the mapping that contains an address, or NULL */
struct mp_mapping *mp_mappings_at(const struct mp_mappings *mappings,
				  uint64_t addr);

/**
 * mp_mapping_is_heap - whether the pages of a mapping are counted in HEAP
 *
 * The use of private anonymous memory is not known. It is counted in HEAP, because
 * allocators get their memory as such mappings.
 */
static inline bool mp_mapping_is_heap(const struct mp_mapping *mapping)
{
	return mapping->class == MP_MAPPING_HEAP ||
	       mapping->class == MP_MAPPING_ANON;
}

/**
 * mp_residence_fill - set RSS and its parts of a process from its mappings
 * @row: row of the process. LIVE-RSS and HELD are not set. The flag MP_ROW_MAPPED
 *	is set
 */
void mp_residence_fill(struct mp_row *row, const struct mp_mappings *mappings);

/**
 * mp_residence_split - divide HEAP into LIVE-RSS and HELD
 * @live: bytes of live blocks in resident pages; at most HEAP is used
 * @bound: true if @live is only an upper bound
 */
void mp_residence_split(struct mp_row *row, uint64_t live, bool bound);

/** mp_residence_rest - set OTHER to RSS minus its other parts */
void mp_residence_rest(struct mp_row *row);

/** mp_residence_add - add the levels of @from to @row, and its flags */
void mp_residence_add(struct mp_row *row, const struct mp_row *from);

/** mp_residence_take - copy the levels and flags of @from to @row */
void mp_residence_take(struct mp_row *row, const struct mp_row *from);

#endif

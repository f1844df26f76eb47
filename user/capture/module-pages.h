/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * module-pages: gives rows of the module's tables the pages that living blocks keep
 */
#ifndef MP_MODULE_PAGES_H
#define MP_MODULE_PAGES_H

#include "map.h"
#include "resident.h"

/**
 * struct mp_module_pages - the module's blocks, and a look at their processes; all zero
 * means that there are none
 * @resident: sums by callsite
 * @blocks: all blocks, by process
 * @rows: index of the row of each callsite
 * @processes: (pid, start time) -> number; @sites: (address, process) -> number
 * @nr_skipped: processes with too many blocks, or for which memory or time was short
 */
struct mp_module_pages {
	struct mp_resident resident;
	struct mp_module_block *blocks;
	size_t nr_blocks, max_blocks;
	uint32_t *rows;
	size_t nr_rows, max_rows;
	struct mp_map processes, sites;
	uint64_t nr_skipped;
};

/**
 * mp_module_pages_begin - read the blocks of the last snapshot
 * @device: file of the session
 * @profile: of mp_kmod_profile() with MEMPROF_SNAPSHOT_BLOCKS; its callsites
 * @is_sampled: a block stands for several
 * @end_ns: time at which to stop, CLOCK_MONOTONIC
 *
 * Call mp_module_pages_end() also after an error.
 *
 * Return: 0, or a negative errno; then processes have no such numbers.
 */
int mp_module_pages_begin(struct mp_module_pages *pages, int device,
			  const struct mp_profile *profile, bool is_sampled,
			  uint64_t end_ns);

/**
 * mp_module_pages_process - set the sizes of a process's row
 *
 * Return: false if the process cannot be read, has no blocks, or was skipped.
 */
bool mp_module_pages_process(struct mp_module_pages *pages, struct mp_row *row);

/**
 * mp_module_pages_put - set the metrics of callsites
 * @profile: the rows of mp_module_pages_begin() must be where they were
 *
 * Return: 0, or -ENOMEM.
 */
int mp_module_pages_put(const struct mp_module_pages *pages, struct mp_profile *profile);

/** mp_module_pages_end - free all memory */
void mp_module_pages_end(struct mp_module_pages *pages);

#endif

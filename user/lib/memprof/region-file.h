/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * region-file.h: creates the region that this process writes. The region is a file,
 * or private memory if no file can be created.
 */
#ifndef MEMPROF_REGION_FILE_H
#define MEMPROF_REGION_FILE_H

#include <memprof/region.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The region; NULL until it exists. It is replaced in the child of a fork, and by
 * mp_region_renew().
 */
extern struct memprof_region_header *mp_region;

/* The library came into a process that ran: its earlier blocks are not known. */
extern bool mp_region_is_attached;

int mp_region_make(const char *pattern, uint64_t rate, uint32_t parent_pid);
int mp_region_renew(const char *pattern, uint64_t rate);
int mp_region_need(void);
bool mp_region_has_file(void);
void mp_region_path(char *path, size_t size);
void *mp_region_array(int section);
bool mp_region_commit(int section, uint64_t nr);
void mp_region_end(bool forget);
void mp_region_unload(void);

/*
 * Number of records of binaries for which the region has room from the start.
 * One process in a hundred needs more.
 */
#define MP_REGION_MAPS_FIRST	64
/* Limit of lines of interpreted functions. */
#define MP_REGION_FUNCTIONS	(1 << 14)
/* Limit of the text of smaps: 2 MB, enough for about 2800 mappings. */
#define MP_REGION_SMAPS		(1 << 11)
/* Limit of runs of pages: enough for 512 MB if every second page is present. */
#define MP_REGION_PAGES		(1 << 16)

#endif

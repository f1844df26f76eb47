/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cold-watch: finds out which pages of processes nothing references
 */
#ifndef MP_COLD_WATCH_H
#define MP_COLD_WATCH_H

#include "cold.h"
#include "diag.h"

/**
 * struct mp_cold_watch - what was seen; all zero means nothing
 * @cold: ranges of addresses with their ages, sorted
 * @meta: how they were found
 * @nr_ended: processes that ended meanwhile, or could not be watched
 */
struct mp_cold_watch {
	struct mp_cold cold;
	struct mp_cold_meta meta;
	uint64_t nr_ended;
};

/* Limit of processes that are watched at the same time. */
#define MP_COLD_MAX_PROCESSES	16

/**
 * mp_cold_watch - watch processes for a time
 * @watch: must be empty; call mp_cold_watch_free() also after an error
 * @pids: processes; at most MP_COLD_MAX_PROCESSES
 * @least_ns: memory without a reference for that long is cold
 *
 * Returns a little later than after @least_ns. SIGINT, SIGTERM, SIGHUP and SIGQUIT first
 * restore what was changed in the kernel, and then do what they do otherwise.
 *
 * Return: 0, or a negative errno with the reason in @diag.
 */
int mp_cold_watch(struct mp_cold_watch *watch, const pid_t *pids, size_t nr,
		  uint64_t least_ns, struct mp_diag *diag);

/** mp_cold_watch_free - free all memory; the object is empty afterwards */
void mp_cold_watch_free(struct mp_cold_watch *watch);

#endif

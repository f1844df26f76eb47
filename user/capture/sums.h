/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sums: writes rows into a recording, for perf and for memprofctl
 *
 * The values of a row are a sample, which perf can rank. Names, frames and histograms are
 * in a piece that perf skips.
 */
#ifndef MP_SUMS_H
#define MP_SUMS_H

#include "perf-rings.h"
#include "perf-writer.h"
#include "profile.h"

/**
 * struct mp_sums - where rows are written
 * @writer: the file
 * @events: its events
 * @process_event, @site_event: the numbers of our own events
 */
struct mp_sums {
	struct mp_perf_writer *writer;
	const struct mp_perf_events *events;
	uint32_t process_event, site_event;
};

/**
 * mp_sums_invent - add our own events
 * @rings: whose events; need not be open
 *
 * Return: 0, or a negative errno.
 */
int mp_sums_invent(struct mp_sums *sums, struct mp_perf_rings *rings);

/**
 * mp_sums_put - write the rows of a profile
 *
 * Return: 0, or a negative errno.
 */
int mp_sums_put(const struct mp_sums *sums, const struct mp_profile *profile);

/** mp_sums_event_id - any id of an event; 0: it has none */
uint64_t mp_sums_event_id(const struct mp_perf_events *events, uint32_t number);

#endif

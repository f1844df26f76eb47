/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sums: writes rows into a recording, for perf and for memprofctl
 *
 * The values of a row are a sample, by which perf can sort. Names, frames and
 * histograms are in a piece that perf skips.
 */
#ifndef MP_SUMS_H
#define MP_SUMS_H

#include "perf-rings.h"
#include "perf-writer.h"
#include "profile.h"

/**
 * struct mp_sums - where rows are written
 * @writer: the file
 * @events: events of the file
 * @process_event, @site_event: index of the events memprof:process and
 *	memprof:site
 */
struct mp_sums {
	struct mp_perf_writer *writer;
	const struct mp_perf_events *events;
	uint32_t process_event, site_event;
};

/**
 * mp_sums_invent - add the events memprof:process and memprof:site
 * @rings: rings to whose events they are added; need not be open
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

/**
 * mp_sums_write - write a recording that has nothing but the rows of a profile
 * @writer: open; it stays open
 * @argv, @argc: our command line, which the recording contains
 *
 * Return: 0, or a negative errno.
 */
int mp_sums_write(struct mp_perf_writer *writer, const struct mp_profile *profile,
		  char * const *argv, int argc);

/** mp_sums_event_id - get one of the ids of an event; 0 if it has none */
uint64_t mp_sums_event_id(const struct mp_perf_events *events, uint32_t number);

#endif

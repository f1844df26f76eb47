/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * export: a profile in formats that other programs open
 *
 * A format is one writer behind struct mp_export_ops, in a file of its own. It
 * opens nothing: the caller gives it a profile, arranged, and a stream.
 */
#ifndef MP_EXPORT_H
#define MP_EXPORT_H

#include "difference.h"
#include "stack-samples.h"
#include "profile.h"

#include <stdbool.h>
#include <stdio.h>

struct mp_export;

/**
 * enum mp_export_shape - what of a profile a format shows
 * @MP_EXPORT_STACKS: stacks with several metrics
 * @MP_EXPORT_STACKS_OF_ONE: stacks with the one that is chosen, which must add up
 * @MP_EXPORT_ROWS: rows of one kind, as a report has them
 * @MP_EXPORT_ALL_ROWS: rows of all kinds, unless one is chosen
 * @MP_EXPORT_PAGE: stacks with several metrics, and rows of all kinds
 */
enum mp_export_shape {
	MP_EXPORT_STACKS,
	MP_EXPORT_STACKS_OF_ONE,
	MP_EXPORT_ROWS,
	MP_EXPORT_ALL_ROWS,
	MP_EXPORT_PAGE,
};

/**
 * struct mp_export_ops - a format
 * @name: of it
 * @summary: one line: who opens it
 * @shape: what it shows
 * @binary: no text: nothing for a terminal
 * @differs: it can show a difference
 * @labels: it says in its own way whose a stack is: no frames do
 * @write: all of it; 0, or a negative errno; the caller looks at ferror() as well
 */
struct mp_export_ops {
	const char *name;
	const char *summary;
	enum mp_export_shape shape;
	bool binary;
	bool differs;
	bool labels;
	int (*write)(struct mp_export *export);
};

/**
 * struct mp_export - one that is being written
 * @ops: the format
 * @file: where to; need not be seekable
 * @profile: what: rows of callsites are told apart by process and cgroup where the
 *	format shows stacks, else as chosen
 * @samples: of it, where the format shows stacks
 * @metric: chosen, or what suits the profile
 * @kind: of rows
 * @all_kinds: no kind was chosen
 * @whose: MP_OWNER_* bits
 * @top: callsites at most, where a format bounds them
 * @title: what was profiled, printable
 * @exporter: who we are: name and version
 * @nr_after: of a difference, how many of @samples are the later profile's: those
 *	behind them are the earlier one's, with the other sign; 0: it is none
 * @difference: of a difference, its rows of both kinds: processes, callsites; or
 *	NULL
 * @left_out: set by @write: of @metric, what a format cannot show: 0 or below
 */
struct mp_export {
	const struct mp_export_ops *ops;
	FILE *file;
	const struct mp_profile *profile;
	struct mp_stack_samples samples;
	enum mp_metric metric;
	enum mp_row_kind kind;
	bool all_kinds;
	unsigned int whose;
	size_t top;
	const char *title;
	const char *exporter;
	size_t nr_after;
	const struct mp_difference *difference;
	int64_t left_out;
};

/** mp_export_is_stacks - whether a format shows stacks, not rows */
static inline bool mp_export_is_stacks(const struct mp_export_ops *ops)
{
	return ops->shape == MP_EXPORT_STACKS || ops->shape == MP_EXPORT_PAGE ||
	       ops->shape == MP_EXPORT_STACKS_OF_ONE;
}

extern const struct mp_export_ops mp_export_folded;
extern const struct mp_export_ops mp_export_svg;
extern const struct mp_export_ops mp_export_pprof;
extern const struct mp_export_ops mp_export_speedscope;
extern const struct mp_export_ops mp_export_dhat;
extern const struct mp_export_ops mp_export_html;
extern const struct mp_export_ops mp_export_json;
extern const struct mp_export_ops mp_export_csv;
extern const struct mp_export_ops mp_export_openmetrics;

#endif

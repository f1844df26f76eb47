/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * export: writes a profile in formats of other programs
 *
 * Each format is a file with a struct mp_export_ops. A format opens no files: the
 * caller passes an arranged profile and a stream.
 */
#ifndef MP_EXPORT_H
#define MP_EXPORT_H

#include "difference.h"
#include "intervals.h"
#include "stack-samples.h"
#include "profile.h"

#include <stdbool.h>
#include <stdio.h>

struct mp_export;

/**
 * enum mp_export_shape - what a format shows
 * @MP_EXPORT_STACKS: stacks with several metrics
 * @MP_EXPORT_STACKS_OF_ONE: stacks with one metric, which cannot be a peak
 * @MP_EXPORT_ROWS: rows of one kind, as in a report
 * @MP_EXPORT_ALL_ROWS: rows of all kinds, unless the user chose one kind
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
 * @name: name of the format
 * @summary: one line for help: programs that read the format
 * @shape: what the format shows
 * @binary: the output is not text, so it is not written to a terminal
 * @differs: the format can show a difference
 * @labels: the format has labels for the owner of a stack, so that no frames are
 *	needed for the owner
 * @write: writes the output. Returns 0 or a negative errno; the caller also
 *	checks ferror()
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
 * struct mp_export - an export in progress
 * @ops: the format
 * @file: output stream; seek is not needed
 * @profile: the profile. If the format shows stacks, its callsites are separate
 *	for each process and cgroup
 * @sites: a profile with the rows of callsites as a table has them; NULL: those of
 *	@profile
 * @sentence, @keeper: in html: who keeps what he allocates, if @sites cannot tell; or NULL
 * @samples: stack samples of @profile, if the format shows stacks
 * @metric: the chosen metric, or a default
 * @kind: kind of rows to write
 * @all_kinds: the user chose no kind
 * @whose: MP_OWNER_* bits: frames for the owner of a stack
 * @top: limit of callsites, if the format has one
 * @title: the targets, printable
 * @from: in html: the file that the numbers are read from; NULL: a session, or several files
 * @exporter: name and version of this program
 * @nr_after: in a difference, how many of the @samples are of the later profile. The
 *	samples of the earlier profile follow them, with negative values. 0: no
 *	difference
 * @difference: rows of a difference: processes, then callsites; NULL: no difference
 * @history: in html: the intervals of a history, whose sum is @profile; NULL: no history
 * @by_name: in openmetrics: labels are names only, which are the same in the next run, and
 *	@top is the limit for each cgroup
 * @with_sizes: in pprof: faults and RSS, too, of which the latter has no stacks
 * @service: in otlp: name of the service for cgroups that are no unit; NULL: "memprof"
 * @plain: in openmetrics: Prometheus' own text format, 0.0.4, instead
 * @net: set by mp_export_flames(): a bit for each of its metrics: stacks with negative values
 *	made those of the same owner smaller
 * @left_out: set by @write: sum of the negative values of @metric that the format
 *	cannot show; 0 or negative
 */
struct mp_export {
	const struct mp_export_ops *ops;
	FILE *file;
	const struct mp_profile *profile;
	const struct mp_profile *sites;
	const char *sentence, *keeper;
	struct mp_stack_samples samples;
	enum mp_metric metric;
	enum mp_row_kind kind;
	bool all_kinds;
	unsigned int whose;
	size_t top;
	const char *title;
	const char *from;
	const char *exporter;
	size_t nr_after;
	const struct mp_difference *difference;
	const struct mp_intervals *history;
	bool by_name, plain, with_sizes;
	const char *service;
	uint32_t net;
	int64_t left_out;
};

/** mp_export_is_stacks - whether a format shows stacks and not rows */
static inline bool mp_export_is_stacks(const struct mp_export_ops *ops)
{
	return ops->shape == MP_EXPORT_STACKS || ops->shape == MP_EXPORT_PAGE ||
	       ops->shape == MP_EXPORT_STACKS_OF_ONE;
}

extern const struct mp_export_ops mp_export_folded;
extern const struct mp_export_ops mp_export_svg;
extern const struct mp_export_ops mp_export_pprof;
extern const struct mp_export_ops mp_export_otlp;
extern const struct mp_export_ops mp_export_speedscope;
extern const struct mp_export_ops mp_export_dhat;
extern const struct mp_export_ops mp_export_html;
extern const struct mp_export_ops mp_export_json;
extern const struct mp_export_ops mp_export_csv;
extern const struct mp_export_ops mp_export_openmetrics;

#endif

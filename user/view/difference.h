/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * difference: computes the difference between a profile and an earlier profile
 */
#ifndef MP_DIFFERENCE_H
#define MP_DIFFERENCE_H

#include "stack-samples.h"
#include "names.h"
#include "profile.h"

/**
 * struct mp_difference_row - a program or a callsite in both profiles
 * @comm: number of the command name in @names
 * @name: number of the callsite's name in @names; MP_NAMES_NONE for a program
 * @place: number of its source line in @names, in the earlier and in the later profile; of
 *	several the one with most; MP_NAMES_NONE if it is not known
 * @weight: how much @place has
 * @has_more: the callsite has other lines, too
 * @before: values in the earlier profile, by enum mp_metric
 * @after: values in the later profile
 * @noise: of repeated runs, by how much they differ among themselves; of samples, the error of
 *	the difference; else 0
 */
struct mp_difference_row {
	uint32_t comm;
	uint32_t name;
	uint32_t place[2];
	uint64_t weight[2];
	bool has_more[2];
	uint64_t before[MP_NR_METRICS];
	uint64_t after[MP_NR_METRICS];
	uint64_t noise[MP_NR_METRICS];
};

/**
 * struct mp_difference - rows of both profiles; all zero means empty
 * @names: names of programs and callsites
 * @sum: sum of all rows, without peaks
 */
struct mp_difference {
	struct mp_names names;
	struct mp_difference_row *rows;
	size_t nr, max;
	struct mp_map by_name;
	struct mp_difference_row sum;
};

/**
 * mp_difference_add - add the rows of a profile
 * @kind: MP_ROW_PROCESS, matched by command name, or MP_ROW_SITE
 * @after: true if this is the later profile, false if it is the earlier one
 * @name: callback that writes the name of a callsite to @text, and where it is, or nothing, to
 *	@place
 * @size: size of the buffers for a name and for a place, in bytes
 *
 * Rows with the same name are added up; of their peaks the highest one is used.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_difference_add(struct mp_difference *difference,
		      const struct mp_profile *profile, enum mp_row_kind kind,
		      bool after,
		      void (*name)(const struct mp_profile *profile, const struct mp_row *row,
				   char *text, char *place),
		      size_t size);

/**
 * mp_difference_place - note a source line of a row
 * @place: text, empty if it is not known
 * @after: whether it is of the later profile
 * @weight: of several lines, the one with most is kept
 *
 * Return: 0, or -ENOMEM.
 */
int mp_difference_place(struct mp_difference *difference, struct mp_difference_row *row,
			const char *place, bool after, uint64_t weight);

/**
 * mp_difference_text - write the name of a row, and its source line where it has more
 * @metric: what it has
 * @text: out: "remember(int) service.cc:39", or the command of a program; @size bytes
 */
void mp_difference_text(const struct mp_difference *difference,
			const struct mp_difference_row *row, enum mp_metric metric,
			char *text, size_t size);

/**
 * mp_difference_row - find or add a row
 * @name: of the callsite; NULL for a program
 *
 * Return: the row, valid until another one is added; NULL if memory is short.
 */
struct mp_difference_row *mp_difference_row(struct mp_difference *difference,
					    const char *comm, const char *name);

/** mp_difference_width - absolute value of the difference of a metric */
uint64_t mp_difference_width(const struct mp_difference_row *row,
			     enum mp_metric metric);

/** mp_difference_of - difference of a metric; negative if the later value is lower */
int64_t mp_difference_of(const struct mp_difference_row *row,
			 enum mp_metric metric);

/**
 * mp_difference_sort - sort rows by the absolute difference, largest first
 *
 * Rows without a difference are removed.
 */
void mp_difference_sort(struct mp_difference *difference, enum mp_metric metric);

/** mp_difference_has_error - whether the error of a metric is known, if blocks are samples */
bool mp_difference_has_error(enum mp_metric metric);

/** mp_difference_counts_blocks - whether a metric is the number of the blocks of ALLOC'D */
bool mp_difference_counts_blocks(enum mp_metric metric);

/**
 * mp_difference_error_of - how far an estimate may be from the truth
 * @value: of the metric
 * @bytes: ALLOC'D of the same row: a number of blocks is as good an estimate as their bytes
 * @rate: bytes per sample
 *
 * Return: two standard errors, in the metric's unit; 0 if the metric is no estimate.
 */
double mp_difference_error_of(enum mp_metric metric, uint64_t value, uint64_t bytes,
			      uint64_t rate);

/**
 * mp_difference_standard_errors - how many standard errors a row has to differ by
 * @nr: number of rows
 *
 * So that of rows that do not differ, one does in 20 reports at most.
 *
 * Return: 2.2 for 2 rows, 2.8 for 10, 3.5 for 100: a quantile of the normal distribution.
 */
double mp_difference_standard_errors(size_t nr);

/**
 * mp_difference_error - set the noise of what is estimated from samples of allocations
 * @before, @after: how the allocations of each side were traced
 *
 * It is what mp_difference_standard_errors() says, for blocks that are smaller than the rate.
 */
void mp_difference_error(struct mp_difference *difference, const struct mp_alloc_meta *before,
			 const struct mp_alloc_meta *after);

/** mp_difference_free - free all memory; the object is empty afterwards */
void mp_difference_free(struct mp_difference *difference);

/**
 * mp_stack_samples_subtract - append an earlier profile's samples with negative
 * values
 * @samples: samples of @profile; the samples of @before are appended. All peaks are
 *	set to 0
 * @profile: the later profile; binaries, frames and names of @before are added
 * @from: samples of @before
 * @before: the earlier profile
 *
 * Return: 0, or -ENOMEM.
 */
int mp_stack_samples_subtract(struct mp_stack_samples *samples, struct mp_profile *profile,
			      const struct mp_stack_samples *from,
			      const struct mp_profile *before);

#endif

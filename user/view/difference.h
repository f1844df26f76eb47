/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * difference: what one profile has more, or less, than an earlier one
 */
#ifndef MP_DIFFERENCE_H
#define MP_DIFFERENCE_H

#include "stack-samples.h"
#include "names.h"
#include "profile.h"

/**
 * struct mp_difference_row - a program, or a callsite in one, in both profiles
 * @comm: among the names
 * @name: of the callsite, among the names; of a program MP_NAMES_NONE
 * @before: by enum mp_metric
 * @after: the same
 */
struct mp_difference_row {
	uint32_t comm;
	uint32_t name;
	uint64_t before[MP_NR_METRICS];
	uint64_t after[MP_NR_METRICS];
};

/**
 * struct mp_difference - rows of both; all zero is none
 * @names: of programs and callsites
 * @sum: of all rows, but for peaks
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
 * @kind: MP_ROW_PROCESS, by the names of programs, or MP_ROW_SITE
 * @after: of the later profile; else of the earlier
 * @name: how a callsite is called: @text has @size bytes
 *
 * Rows of one name are added up; of peaks the highest counts.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_difference_add(struct mp_difference *difference,
		      const struct mp_profile *profile, enum mp_row_kind kind,
		      bool after,
		      void (*name)(const struct mp_profile *profile,
				   const struct mp_row *row, char *text),
		      size_t size);

/** mp_difference_width - how much a row has more or less than before */
uint64_t mp_difference_width(const struct mp_difference_row *row,
			     enum mp_metric metric);

/** mp_difference_of - what a row has more than before; less is below 0 */
int64_t mp_difference_of(const struct mp_difference_row *row,
			 enum mp_metric metric);

/**
 * mp_difference_sort - the widest difference first, whichever way it goes
 *
 * Rows without any are left out.
 */
void mp_difference_sort(struct mp_difference *difference, enum mp_metric metric);

/** mp_difference_free - free all; none is left afterwards */
void mp_difference_free(struct mp_difference *difference);

/**
 * mp_stack_samples_subtract - take an earlier profile's leaves from a later one's
 * @samples: of @profile; then the earlier ones follow, with negative values and
 *	without peaks
 * @profile: gets the binaries, frames and names of @before that those need
 * @from: of @before
 *
 * Return: 0, or -ENOMEM.
 */
int mp_stack_samples_subtract(struct mp_stack_samples *samples, struct mp_profile *profile,
		       const struct mp_stack_samples *from,
		       const struct mp_profile *before);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * difference: the difference between a profile and an earlier one
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
 * @before: values in the earlier profile, by enum mp_metric
 * @after: values in the later profile
 */
struct mp_difference_row {
	uint32_t comm;
	uint32_t name;
	uint64_t before[MP_NR_METRICS];
	uint64_t after[MP_NR_METRICS];
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
 * @after: the profile is the later one; else the earlier one
 * @name: writes the name of a callsite to @text, which has @size bytes
 * @size: bytes for a name
 *
 * Rows of the same name are added up; the highest of their peaks is used.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_difference_add(struct mp_difference *difference,
		      const struct mp_profile *profile, enum mp_row_kind kind,
		      bool after,
		      void (*name)(const struct mp_profile *profile,
				   const struct mp_row *row, char *text),
		      size_t size);

/** mp_difference_width - absolute value of the difference */
uint64_t mp_difference_width(const struct mp_difference_row *row,
			     enum mp_metric metric);

/** mp_difference_of - the difference; negative if the later profile has less */
int64_t mp_difference_of(const struct mp_difference_row *row,
			 enum mp_metric metric);

/**
 * mp_difference_sort - sort by the absolute difference, largest first
 *
 * Rows without a difference are removed.
 */
void mp_difference_sort(struct mp_difference *difference, enum mp_metric metric);

/** mp_difference_free - free all; the result is empty */
void mp_difference_free(struct mp_difference *difference);

/**
 * mp_stack_samples_subtract - append an earlier profile's samples with negative
 * values
 * @samples: of @profile. The samples of @before are appended. Peaks are set to
 *	0
 * @profile: the binaries, frames and names of @before are added to it
 * @from: samples of @before
 * @before: the earlier profile
 *
 * Return: 0, or -ENOMEM.
 */
int mp_stack_samples_subtract(struct mp_stack_samples *samples, struct mp_profile *profile,
			      const struct mp_stack_samples *from,
			      const struct mp_profile *before);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * arrange: from the rows that a source gave to those that a report shows
 */
#ifndef MP_ARRANGE_H
#define MP_ARRANGE_H

#include "filter.h"
#include "symbolization.h"
#include "writer.h"
#include "size-record.h"
#include "wrappers.h"

/**
 * struct mp_arrange - how
 * @filter: which rows
 * @wrappers: what no callsite is
 * @hides: the user named wrappers, besides the known ones
 * @keys: what tells rows of callsites apart, see grouping.h
 * @recursive: cgroups hold those below them
 * @symbols: where to look for them
 * @progress: told now and then how far the names are; or NULL
 */
struct mp_arrange {
	struct mp_filter filter;
	struct mp_wrappers wrappers;
	bool hides;
	unsigned int keys;
	bool recursive;
	struct mp_symbolise_options symbols;
	void (*progress)(double done);
};

/**
 * mp_arrange_rows - name, filter, group, merge and sort
 * @out: what kind of rows is to be shown, and by which metric they are sorted
 * @sizes: of cgroups that a recording has; NULL: they are those of now
 *
 * Return: 0, or -ENOMEM.
 */
int mp_arrange_rows(const struct mp_arrange *arrange,
		    const struct mp_out *out, const struct mp_sizes *sizes,
		    struct mp_profile *profile);

#endif

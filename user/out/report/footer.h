/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * footer: writes the lines that explain the numbers of a report
 */
#ifndef MP_FOOTER_H
#define MP_FOOTER_H

#include "profile.h"

#include <stdio.h>

/** mp_footer_streams - write a line per event stream: how it is sampled */
void mp_footer_streams(FILE *file, const struct mp_meta *meta);

/** mp_footer_shared - write how much of RSS processes share, if it is much */
void mp_footer_shared(FILE *file, const struct mp_profile *profile, enum mp_row_kind kind);

/** mp_footer_parts - write how RSS is divided, and which values are bounds */
void mp_footer_parts(FILE *file, const struct mp_profile *profile,
		     enum mp_row_kind kind);

/**
 * mp_footer_warnings - write warnings about incomplete numbers
 * @all: also those that are normal after attaching to a process
 */
void mp_footer_warnings(FILE *file, const struct mp_profile *profile, bool all);

/** mp_footer_span - write the duration and the state of the session */
void mp_footer_span(FILE *file, const struct memprof_status *status);

/** mp_footer_counters - write the counters above zero, losses first */
void mp_footer_counters(FILE *file, const struct mp_profile *profile);

/**
 * mp_footer_stacks - write how complete the stacks are, if there are any
 * @all: also if nearly all are complete
 */
void mp_footer_stacks(FILE *file, const struct mp_profile *profile, bool all);

/**
 * mp_footer_brief - write one line, and lines about what is wrong
 * @sites: has rows of callsites, if @profile has none; or NULL
 * @nr_exited: number of exited processes, whose sizes are not in the totals
 * @leads: the metric of bytes in blocks that the report leads with
 */
void mp_footer_brief(FILE *file, const struct mp_profile *profile,
		     const struct mp_profile *sites, size_t nr_exited, enum mp_metric leads);

/** mp_footer_all - write all lines at the end of a report */
void mp_footer_all(FILE *file, const struct mp_profile *profile);

/** mp_footer_failure - write a line if the session failed */
void mp_footer_failure(FILE *file, const struct memprof_status *status);

#endif

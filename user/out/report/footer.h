/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * footer: what one must know to trust the numbers above it
 */
#ifndef MP_FOOTER_H
#define MP_FOOTER_H

#include "profile.h"

#include <stdio.h>

/** mp_footer_streams - "sampled" or "followed" line for each stream */
void mp_footer_streams(FILE *file, const struct mp_meta *meta);

/** mp_footer_parts - how RSS was parted, and where that is a bound */
void mp_footer_parts(FILE *file, const struct mp_profile *profile,
		     enum mp_row_kind kind);

/** mp_footer_warnings - what makes the numbers incomplete, in sentences */
void mp_footer_warnings(FILE *file, const struct mp_profile *profile);

/** mp_footer_span - times of the session, and how it stands */
void mp_footer_span(FILE *file, const struct memprof_status *status);

/** mp_footer_counters - counters above zero, losses first */
void mp_footer_counters(FILE *file, const struct mp_profile *profile);

/** mp_footer_stacks - how whole stacks are, where there are some */
void mp_footer_stacks(FILE *file, const struct mp_profile *profile);

/** mp_footer_all - everything that a report ends with */
void mp_footer_all(FILE *file, const struct mp_profile *profile);

/** mp_footer_failure - a line if the session failed, none otherwise */
void mp_footer_failure(FILE *file, const struct memprof_status *status);

#endif

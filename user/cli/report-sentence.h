/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * report-sentence: finds the callsites that the sentence above a report is about
 */
#ifndef MP_REPORT_SENTENCE_H
#define MP_REPORT_SENTENCE_H

#include "report-options.h"

/** mp_report_splits - whether callsites are shown without wrappers: where it matters who keeps blocks */
bool mp_report_splits(const struct mp_report_options *chosen);

/**
 * mp_report_split_several - leave out wrappers of the process that the sentence is about
 * @sizes: of a recording; NULL: of this machine
 * @profile: rows of a source
 *
 * Of one process, nothing is done here: its callsites are arranged without wrappers.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_report_split_several(struct mp_report_options *chosen, const struct mp_sizes *sizes,
			    struct mp_profile *profile);

/** mp_report_is_split_told - whether the sentence is about the process whose wrappers were left out */
bool mp_report_is_split_told(const struct mp_report_options *chosen);

/**
 * mp_report_judge - arrange the callsites that the sentence is about, if they are others than shown
 * @path: of the recording; NULL: the session
 * @sizes, @profile: as above
 * @judged: out; free it also after an error
 *
 * Return: 0, or -ENOMEM.
 */
int mp_report_judge(struct mp_report_options *chosen, const char *path,
		    const struct mp_sizes *sizes, struct mp_profile *profile,
		    struct mp_profile *judged);

#endif

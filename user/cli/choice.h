/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * choice: which rows of a profile to show, for every verb that shows some
 */
#ifndef MP_CHOICE_H
#define MP_CHOICE_H

#include "arrange.h"
#include "input.h"
#include "symbolise.h"
#include "writer.h"

/**
 * struct mp_choice - what the options say; all zero is the default
 * @arrange: kind, top, sort and keys are the verb's, the rest is set up here
 * @wrappers: functions that the user hides
 * @symbols: where to look for names
 * @quiet: report no progress
 */
struct mp_choice {
	struct mp_arrange arrange;
	struct mp_wrappers wrappers;
	struct mp_symbolise_options symbols;
	bool quiet;
};

/**
 * mp_choice_filter - take in --filter
 * @verb: whose option it is; so below
 * @value: an argument of the program's own; so below
 *
 * Return: 0, or an exit status and a message was printed; so below.
 */
int mp_choice_filter(const char *verb, struct mp_choice *choice,
		     const char *value);

/** mp_choice_hide - take in --hide */
int mp_choice_hide(const char *verb, struct mp_choice *choice,
		   const char *value);

/** mp_choice_keys - take in --group-by */
int mp_choice_keys(const char *verb, struct mp_choice *choice,
		   const char *value);

/** mp_choice_metric - take in the name of a metric */
int mp_choice_metric(const char *verb, enum mp_metric *metric,
		     const char *value);

/** mp_choice_has - whether any callsite has some of a metric */
bool mp_choice_has(const struct mp_profile *profile, enum mp_metric metric);

/**
 * mp_choice_rows - arrange a profile for a writer
 * @out: kind, top and sort of the rows
 * @sizes: of cgroups, of a recording; NULL: the kernel is asked about them now
 * @profile: its frames get names, if they are needed and have none yet; the rest
 *	stays as it is
 * @rows: out, to be freed in any case
 *
 * Reports progress on the terminal.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_choice_rows(struct mp_choice *choice, const struct mp_out *out,
		   const struct mp_sizes *sizes, struct mp_profile *profile,
		   struct mp_profile *rows);

/** mp_choice_free - free what was taken in */
void mp_choice_free(struct mp_choice *choice);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * choice: the options that select rows, common to several verbs
 */
#ifndef MP_CHOICE_H
#define MP_CHOICE_H

#include "arrange.h"
#include "input.h"
#include "symbolise.h"
#include "writer.h"

/**
 * struct mp_choice - values of the options; all zero is the default
 * @arrange: the verb sets kind, top, sort and keys
 * @wrappers: functions that the user hides
 * @symbols: where to look for symbols
 * @quiet: show no progress
 */
struct mp_choice {
	struct mp_arrange arrange;
	struct mp_wrappers wrappers;
	struct mp_symbolise_options symbols;
	bool quiet;
};

/**
 * mp_choice_filter - parse --filter
 * @verb: verb of the option, for messages; also below
 * @value: must stay valid; also below
 *
 * Return: 0, or an exit status after printing a message; also below.
 */
int mp_choice_filter(const char *verb, struct mp_choice *choice,
		     const char *value);

/** mp_choice_hide - parse --hide */
int mp_choice_hide(const char *verb, struct mp_choice *choice,
		   const char *value);

/** mp_choice_keys - parse --group-by */
int mp_choice_keys(const char *verb, struct mp_choice *choice,
		   const char *value);

/** mp_choice_metric - parse the name of a metric */
int mp_choice_metric(const char *verb, enum mp_metric *metric,
		     const char *value);

/** mp_choice_has - whether a metric is not 0 in any callsite */
bool mp_choice_has(const struct mp_profile *profile, enum mp_metric metric);

/**
 * mp_choice_rows - arrange a profile for a writer
 * @out: kind, top and sort of the rows
 * @sizes: sizes of cgroups in a recording; NULL: read them from the kernel now
 * @profile: symbols are added to its frames if needed, and owners to its callsites
 * @rows: out; free it also after an error. It may be @profile: that saves a copy
 *
 * Shows progress on the terminal.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_choice_rows(struct mp_choice *choice, const struct mp_out *out,
		   const struct mp_sizes *sizes, struct mp_profile *profile,
		   struct mp_profile *rows);

/** mp_choice_free - free all */
void mp_choice_free(struct mp_choice *choice);

#endif

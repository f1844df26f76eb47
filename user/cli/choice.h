/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * choice: options that say which rows of which profile, of any verb that shows some
 */
#ifndef MP_CHOICE_H
#define MP_CHOICE_H

#include "arrange.h"
#include "input.h"

/**
 * mp_choice_filter - take --filter
 * @verb: whose option it is; so below
 * @value: an argument of the program's own; so below
 *
 * Return: 0, or an exit status and a message was printed; so below.
 */
int mp_choice_filter(const char *verb, struct mp_arrange *arrange,
		     const char *value);

/** mp_choice_hide - take --hide */
int mp_choice_hide(const char *verb, struct mp_arrange *arrange,
		   const char *value);

/** mp_choice_keys - take --group-by */
int mp_choice_keys(const char *verb, struct mp_arrange *arrange,
		   const char *value);

/** mp_choice_metric - take the name of a metric */
int mp_choice_metric(const char *verb, enum mp_metric *metric,
		     const char *value);

/** mp_choice_has - whether any callsite has some of a metric */
bool mp_choice_has(const struct mp_profile *profile, enum mp_metric metric);

/** mp_choice_progress - for struct mp_arrange */
void mp_choice_progress(double done);

/** mp_choice_free - free what was taken */
void mp_choice_free(struct mp_arrange *arrange);

#endif

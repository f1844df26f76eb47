/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * help: the list of verbs, for people, and words that the shell completes
 */
#ifndef MP_HELP_H
#define MP_HELP_H

#include "command.h"

/** mp_help_program - usage of memprofctl and its verbs, to standard output */
void mp_help_program(void);

/**
 * mp_help_complete - words that may come next, one a line
 * @verb: NULL for the verbs
 * @option: NULL for the options of the verb; else the values of this one
 */
void mp_help_complete(const char *verb, const char *option);

#endif

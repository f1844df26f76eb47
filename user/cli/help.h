/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * help: prints the list of verbs, and words for shell completion
 */
#ifndef MP_HELP_H
#define MP_HELP_H

#include "command.h"

/** mp_help_program - print the usage of memprofctl and the list of its verbs */
void mp_help_program(void);

/**
 * mp_help_complete - print the words that can come next, one per line
 * @verb: NULL for the verbs
 * @option: NULL for the options of @verb; else for the values of this option
 */
void mp_help_complete(const char *verb, const char *option);

#endif

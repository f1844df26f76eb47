/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * usage: prints the usage and the options of a verb
 */
#ifndef MP_USAGE_H
#define MP_USAGE_H

#include "command.h"

/**
 * mp_usage_print - print usage and options of a verb to standard output
 * @all: also the options that few people need
 */
void mp_usage_print(const struct mp_command *command, bool all);

/** mp_usage_languages - print how reports get the names of functions of each runtime */
void mp_usage_languages(void);

#endif

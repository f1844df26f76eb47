/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * environment.h: reads environment variables without the C library.
 */
#ifndef MEMPROF_ENVIRONMENT_H
#define MEMPROF_ENVIRONMENT_H

void mp_environment_begin(char **list);
const char *mp_environment_value(const char *name);

#endif

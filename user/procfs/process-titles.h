/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * process-titles: adds the command lines of running processes to a profile
 */
#ifndef MP_PROCESS_TITLES_H
#define MP_PROCESS_TITLES_H

#include "profile.h"

/**
 * mp_process_titles - add the title of each process of a profile that runs
 *
 * Source: /proc/PID/cmdline. The cost is 10 us per process.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_process_titles(struct mp_profile *profile);

#endif

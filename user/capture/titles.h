/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * titles: writes the command lines of the targets into a recording
 */
#ifndef MP_TITLES_H
#define MP_TITLES_H

#include "perf-writer.h"
#include "prober.h"

/**
 * mp_titles_write - write the command line of each target that runs
 * @filter: tells which processes are targets
 *
 * Source: /proc/PID/cmdline.
 *
 * Return: 0, or a negative errno of writing.
 */
int mp_titles_write(struct mp_perf_writer *writer, const struct mp_prober *filter);

#endif

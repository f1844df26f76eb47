/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rss-base: reads the RSS of all targets at the begin of a measurement
 */
#ifndef MP_RSS_BASE_H
#define MP_RSS_BASE_H

#include "prober.h"
#include "size-base.h"

/**
 * mp_rss_base_read - read the RSS of all targets
 * @filter: recognises the processes of targets
 * @base: gets a record of each; what it had before is freed
 *
 * Source: /proc/PID/smaps_rollup, as for the RSS in reports. What is not read within
 * 100 ms gets the RSS of /proc/PID/stat, which can be some pages off.
 *
 * Return: 0, or a negative errno.
 */
int mp_rss_base_read(const struct mp_prober *filter, struct mp_size_base *base);

#endif

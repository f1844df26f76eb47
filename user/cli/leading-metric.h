/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * leading-metric: finds the metric that names who has the memory
 */
#ifndef MP_LEADING_METRIC_H
#define MP_LEADING_METRIC_H

#include "profile.h"

/**
 * mp_growth_leads - whether processes took more memory than their living blocks explain
 * @profile: has rows of processes
 *
 * They have a heap of their own, as runtimes do, or map memory themselves.
 *
 * Return: whether some of them run, and all took four times as much.
 */
bool mp_growth_leads(const struct mp_profile *profile);

/**
 * mp_growth_metric - the metric that callsites are sorted by, if no allocations were followed
 *
 * Return: MP_TOUCHED, if a process is alone and what it touched is what it grew by: whose code
 * touches memory says more than who maps it; else MP_GROWTH.
 */
enum mp_metric mp_growth_metric(const struct mp_profile *profile);

/**
 * mp_leading_metric - the metric that callsites are sorted by, if the user chose none
 * @ended: the heap at its peak is shown, because nothing is left at the end
 */
enum mp_metric mp_leading_metric(const struct mp_profile *profile, bool ended);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * metric-help: says what each column means
 */
#ifndef MP_METRIC_HELP_H
#define MP_METRIC_HELP_H

/**
 * mp_metric_help_print - print the names and the meaning of all metrics, in groups
 *
 * To standard output, one a line; the nodes after the first are one line together.
 */
void mp_metric_help_print(void);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * export-perf: the format for perf report and perf script
 */
#ifndef MP_EXPORT_PERF_H
#define MP_EXPORT_PERF_H

#include "export.h"

extern const struct mp_export_ops mp_export_perf;

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf-origin: reads where and when a recording was made
 */
#ifndef MP_PERF_ORIGIN_H
#define MP_PERF_ORIGIN_H

#include "origin.h"
#include "perf-file.h"

/**
 * mp_perf_origin_read - read what the header of a recording tells
 * @origin: out; what the file does not tell is empty
 */
void mp_perf_origin_read(struct mp_perf_file *file, struct mp_origin *origin);

#endif

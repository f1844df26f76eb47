/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * usdt: finds the static probes that sampling profilers have in programs
 *
 * Providers otel_memory and ddheap have alloc(pointer, size, weighted bytes)
 * and free(pointer). Provider memprof, of libmemprof-sections, has
 * section(pointer).
 */
#ifndef MP_USDT_H
#define MP_USDT_H

#include "probe-point.h"

/**
 * mp_usdt_find - add a point for each static probe of a file
 * @scan: points and remarks are added
 */
void mp_usdt_find(const struct mp_chooser *chooser, const struct mp_elf *elf,
		  struct mp_scan *scan);

#endif

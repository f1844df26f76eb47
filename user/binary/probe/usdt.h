/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * usdt: the static probes of sampling profilers inside programs
 *
 * Providers otel_memory and ddheap: alloc(pointer, size, weighted bytes) and
 * free(pointer); and of libmemprof-sections memprof: section(pointer).
 */
#ifndef MP_USDT_H
#define MP_USDT_H

#include "probe-point.h"

/**
 * mp_usdt_find - add a point for each of a file's probes
 * @scan: points and remarks are added
 */
void mp_usdt_find(const struct mp_chooser *chooser, const struct mp_elf *elf,
		  struct mp_scan *scan);

/**
 * mp_usdt_parse_args - the arguments of a probe
 * @text: as in the note: "8@%rdi -8@16(%rbp) 8@$64"
 * @args: out
 *
 * Return: how many there are, at most 3; -1 where one is of a form that the
 * kernel module cannot read.
 */
int mp_usdt_parse_args(const char *text, struct memprof_probe_arg args[3]);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * usdt-args: parses the arguments of a static probe
 */
#ifndef MP_USDT_ARGS_H
#define MP_USDT_ARGS_H

#include "scan.h"

#include <linux/memprof.h>
#include <stdint.h>

/**
 * mp_usdt_parse_args - parse the arguments of a probe
 * @machine: EM_* of the ELF file
 * @text: as in the note: "8@%rdi -8@16(%rbp) 8@$64" for x86-64,
 *	"8@x0 -8@[sp, 16] 8@64" for arm64
 * @args: out; registers by perf's numbers
 *
 * Return: their number, at most MP_POINT_MAX_ARGS; -1 if there are more, or if the
 * kernel module cannot read one of them.
 */
int mp_usdt_parse_args(uint16_t machine, const char *text,
		       struct memprof_probe_arg args[MP_POINT_MAX_ARGS]);

#endif

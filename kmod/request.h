/* SPDX-License-Identifier: GPL-2.0-only */
/* Requests: reads the arguments of allocator calls. */
#ifndef _MEMPROF_REQUEST_H
#define _MEMPROF_REQUEST_H

#include <linux/types.h>
#include <uapi/linux/memprof.h>

struct memprof_call;
struct pt_regs;

bool memprof_request_arg(const struct memprof_probe_arg *arg,
			 struct pt_regs *regs, unsigned long *value);
bool memprof_request_read(struct memprof_call *call, struct pt_regs *regs);
bool memprof_is_realloc(u32 func);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Python: the functions of Python that the running task is in, for the trace event
 * memprof:python.
 */
#ifndef _MEMPROF_PYTHON_H
#define _MEMPROF_PYTHON_H

#include <linux/types.h>
#include <uapi/linux/memprof.h>

struct memprof_row;
struct memprof_session;
struct mm_struct;

int memprof_python_add(struct memprof_session *s, const struct memprof_python *arg);
void memprof_python_fork(struct memprof_session *s, const struct mm_struct *parent,
			 struct memprof_row *child);
void memprof_python_trace(struct memprof_session *s, u64 key);

#endif

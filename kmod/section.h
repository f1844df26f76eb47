/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sections: named parts of a thread's run, marked by ioctls of the thread itself.
 * The engine is sections.c, which user space compiles, too.
 */
#ifndef _MEMPROF_SECTION_H
#define _MEMPROF_SECTION_H

#include <uapi/linux/memprof.h>

struct memprof_session;
struct memprof_stream_ops;

extern const struct memprof_stream_ops memprof_section_stream;

int memprof_section_start(struct memprof_session *s,
			  const struct memprof_section_mark *arg);
int memprof_section_end(struct memprof_session *s,
			const struct memprof_section_mark *arg);
int memprof_section_flush(struct memprof_session *s,
			  struct memprof_section_flush *arg);
int memprof_section_call(struct memprof_session *s,
			 const struct memprof_section_call *arg);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* Growth: counts by how much the address spaces of targets grow and shrink. */
#ifndef _MEMPROF_GROWTH_H
#define _MEMPROF_GROWTH_H

struct memprof_row;
struct memprof_stream_ops;

extern const struct memprof_stream_ops memprof_growth_stream;

void memprof_growth_exec(struct memprof_row *row);

#endif

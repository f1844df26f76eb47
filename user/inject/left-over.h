/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * left-over: memory that injections mapped in a process and did not unmap
 */
#ifndef MP_LEFT_OVER_H
#define MP_LEFT_OVER_H

#include "inject-target.h"

/* Bytes of the memory for calls, of its code, and where the code's page has the mark. */
#define MP_REGION_SIZE	(256UL << 10)
#define MP_REGION_CODE	4096UL
#define MP_LEFT_OVER_AT	2048UL

/**
 * struct mp_left_over - the mark of such memory
 * @text: "memprof inject"
 */
struct mp_left_over {
	char text[16];
};

extern const struct mp_left_over mp_left_over_mark;

/** mp_left_over_at - whether an address is in the code of an injection */
bool mp_left_over_at(const struct mp_inject_target *target, uint64_t address);

/* So many regions are found at once. */
#define MP_LEFT_OVERS	16

/** struct mp_left_overs - addresses of @nr regions of MP_REGION_SIZE bytes */
struct mp_left_overs {
	uint64_t at[MP_LEFT_OVERS];
	size_t nr;
};

/**
 * mp_left_over_find - list the regions that no thread needs any more
 *
 * A dead tracer leaves such a region. As long as a thread runs, it may be inside.
 */
void mp_left_over_find(const struct mp_inject_target *target, struct mp_left_overs *found);

#endif

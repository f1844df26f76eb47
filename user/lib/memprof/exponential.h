/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * exponential.h: logarithm and exponential without libm, which the host may not
 * have loaded.
 */
#ifndef MEMPROF_EXPONENTIAL_H
#define MEMPROF_EXPONENTIAL_H

double mp_ln(double x);
double mp_one_minus_exp(double x);

#endif

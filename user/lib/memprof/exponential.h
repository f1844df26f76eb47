/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * exponential.h: computes logarithm and exponential. It does not use libm, which the
 * host may not have loaded.
 */
#ifndef MEMPROF_EXPONENTIAL_H
#define MEMPROF_EXPONENTIAL_H

double mp_ln(double x);
double mp_one_minus_exp(double x);

#endif

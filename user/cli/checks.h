/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * checks: what is looked at to tell whether a session can start
 */
#ifndef MP_CHECKS_H
#define MP_CHECKS_H

#include "finding.h"

/**
 * struct mp_check - one thing to look at
 * @name: for people
 * @run: fills in level, text and fix
 */
struct mp_check {
	const char *name;
	void (*run)(struct mp_finding *finding);
};

/* In an order in which fixes make sense; ends with a NULL name. Constant. */
extern const struct mp_check mp_checks[];

#endif

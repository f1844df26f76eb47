/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * checks: tests what the module and the kernel's events need
 */
#ifndef MP_CHECKS_H
#define MP_CHECKS_H

#include "finding.h"

/**
 * struct mp_check - one test
 * @name: name for users
 * @run: sets level, text and fix
 * @of_module: says nothing where the kernel cannot load modules
 */
struct mp_check {
	const char *name;
	void (*run)(struct mp_finding *finding);
	bool of_module;
};

/* All checks, in the order in which problems should be fixed; ends with a NULL name. */
extern const struct mp_check mp_checks[];

/** mp_check_has_modules - whether this kernel can load modules */
bool mp_check_has_modules(void);

/** mp_check_module_hint - what to do if the module is not loaded */
const char *mp_check_module_hint(void);

#endif

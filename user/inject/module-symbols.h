/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * module-symbols: what the dynamic section of a module in memory says
 */
#ifndef MP_MODULE_SYMBOLS_H
#define MP_MODULE_SYMBOLS_H

#include "inject-target.h"

/**
 * mp_module_read_symbols - find the wanted functions of a module, and where it ends
 * @module: in: @start; out: @bias, @data_end, @has_symbols, @wanted
 *
 * The memory belongs to the target, which may write anything there: all numbers are
 * bounded.
 */
void mp_module_read_symbols(const struct mp_inject_target *target,
			    struct mp_inject_module *module);

#endif

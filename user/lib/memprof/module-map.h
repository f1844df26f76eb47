/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * module-map.h: records the binaries of stacks, so that stacks can be read after the
 * process exited.
 */
#ifndef MEMPROF_MODULE_MAP_H
#define MEMPROF_MODULE_MAP_H

#include <stdbool.h>
#include <stdint.h>

void mp_modules_note(const uintptr_t *frames, int depth, uint64_t now_ns);
bool mp_modules_has(uintptr_t pc);
void mp_modules_forget(void);
void mp_modules_begin(void);
void mp_modules_load(void);

#endif

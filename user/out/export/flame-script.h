/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * flame-script: flame.js as a string; the Makefile generates it
 */
#ifndef MP_FLAME_SCRIPT_H
#define MP_FLAME_SCRIPT_H

extern const char mp_flame_script[];

#endif

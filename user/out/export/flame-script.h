/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * flame-script: flame.js, which the Makefile makes a string of
 */
#ifndef MP_FLAME_SCRIPT_H
#define MP_FLAME_SCRIPT_H

extern const char mp_flame_script[];

#endif

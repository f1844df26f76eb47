/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * flame-script: declares the text of flame.js, which the Makefile turns into a string
 */
#ifndef MP_FLAME_SCRIPT_H
#define MP_FLAME_SCRIPT_H

extern const char mp_flame_script[];

#endif

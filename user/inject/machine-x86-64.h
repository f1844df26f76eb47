/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * machine-x86-64: the code that a borrowed thread runs
 */
#ifndef MP_MACHINE_X86_64_H
#define MP_MACHINE_X86_64_H

/* From the first instruction up to the end; position-independent. */
extern const unsigned char mp_machine_code[], mp_machine_code_end[];

#endif

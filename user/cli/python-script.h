/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * python-script: shows which lists, dicts, sets and deques of a running Python grow
 */
#ifndef MP_PYTHON_SCRIPT_H
#define MP_PYTHON_SCRIPT_H

/** mp_python_script_print - print the script to standard output; it takes PID [SECONDS] */
void mp_python_script_print(void);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * java-script: shows which lines make the objects that a java keeps
 */
#ifndef MP_JAVA_SCRIPT_H
#define MP_JAVA_SCRIPT_H

/** mp_java_script_print - print the script to standard output; it takes PID [SECONDS] */
void mp_java_script_print(void);

#endif

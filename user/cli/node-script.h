/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * node-script: shows who allocates the objects of a node that runs
 */
#ifndef MP_NODE_SCRIPT_H
#define MP_NODE_SCRIPT_H

/** mp_node_script_print - print the script to standard output; it takes PID [SECONDS] */
void mp_node_script_print(void);

#endif

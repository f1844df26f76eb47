/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tree: writes a call tree as an indented list
 */
#ifndef MP_TREE_H
#define MP_TREE_H

#include "writer.h"

/**
 * mp_tree_report - write the stacks of out->profile as a tree, sorted by out->sort
 * @out: the report. @out->tree is the kind of tree; @out->ops selects text or JSON.
 *	JSON has a line per function, in the order of the tree, with its depth
 *
 * Return: 0, or -ENOMEM.
 */
int mp_tree_report(struct mp_out *out);

#endif

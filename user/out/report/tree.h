/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tree: writes a call tree as an indented list
 */
#ifndef MP_TREE_H
#define MP_TREE_H

#include "writer.h"

/**
 * mp_tree_report - write a tree of the stacks of out->profile, by out->sort
 * @out: tree is the kind of tree; ops selects text or JSON. JSON is an object
 *	per line, in the order of the tree, with its depth
 *
 * Return: 0, or -ENOMEM.
 */
int mp_tree_report(struct mp_out *out);

#endif

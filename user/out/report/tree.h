/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tree: stacks that were added up, as an indented list
 */
#ifndef MP_TREE_H
#define MP_TREE_H

#include "writer.h"

/**
 * mp_tree_report - write a tree of the stacks of out->profile, by out->sort
 * @out: tree says which; ops, whether as text or as JSON: an object a line, in
 *	the order of the tree, with its depth
 *
 * Return: 0, or -ENOMEM.
 */
int mp_tree_report(struct mp_out *out);

#endif

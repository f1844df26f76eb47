// SPDX-License-Identifier: GPL-2.0-only
/*
 * export-folded: writes the flame graph as folded stacks, one line per stack
 *
 * The lines are written by folded.c.
 */
#include "export-flame.h"
#include "folded.h"

static int write_folded(struct mp_export *export)
{
	struct mp_stack_tree flame;
	int err = export->difference ?
		  mp_export_difference(export, &flame, false) :
		  mp_export_flame(export, &flame);

	if (!err)
		err = mp_folded_flame(export->file, &flame, 0);
	mp_stack_tree_free(&flame);
	return err;
}

const struct mp_export_ops mp_export_folded = {
	.name = "folded",
	.summary = "a line for each stack: flamegraph.pl, speedscope, Firefox Profiler",
	.shape = MP_EXPORT_STACKS_OF_ONE,
	.differs = true,
	.write = write_folded,
};

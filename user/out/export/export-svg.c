// SPDX-License-Identifier: GPL-2.0-only
/*
 * export-svg: writes the flame graph of a metric as SVG, with svg.c
 */
#include "export-flame.h"
#include "human.h"
#include "svg.h"

static int write_svg(struct mp_export *export)
{
	struct mp_svg svg = {
		.title = export->title, .metric = export->metric,
		.delta = MP_SVG_NO_DELTA,
	};
	char text[MP_HUMAN_SIZE], note[128];
	struct mp_stack_tree flame;
	int err = export->difference ?
		  mp_export_difference(export, &flame, true) :
		  mp_export_flame(export, &flame);

	if (export->difference) {
		svg.delta = 1;
		svg.note = "Widths are the larger of before and after; red is more now, blue is less.";
	}

	if (export->left_out) {
		snprintf(note, sizeof(note), "Programs that shrank, by %s, are not shown.",
			 mp_human_metric(text, export->metric,
					 (uint64_t)export->left_out, false));
		svg.note = note;
	} else if (export->net) {
		svg.note = "What a program gave back is taken off all of its stacks.";
	}
	if (!err)
		err = mp_svg_write(export->file, &flame, &svg);
	mp_stack_tree_free(&flame);
	return err;
}

const struct mp_export_ops mp_export_svg = {
	.name = "svg",
	.summary = "a flame graph for any browser: zoom, search",
	.shape = MP_EXPORT_STACKS_OF_ONE,
	.differs = true,
	.write = write_svg,
};

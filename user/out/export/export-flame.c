// SPDX-License-Identifier: GPL-2.0-only
/*
 * export-flame: builds the flame graphs that several formats export
 *
 * If memory is short, functions return -ENOMEM.
 */
#include "export-flame.h"

/* Whether a metric is shown. In a difference the sum can be 0 although values differ. */
static bool has_any(const struct mp_export *export, enum mp_metric metric)
{
	return export->difference ? mp_stack_samples_have(&export->samples, metric) :
	       mp_stack_samples_total(&export->samples, metric);
}

uint32_t mp_export_metrics(const struct mp_export *export,
			   enum mp_metric *metrics)
{
	static const enum mp_metric all[MP_EXPORT_NR_METRICS] = {
		MP_INUSE_SPACE, MP_AT_PEAK, MP_AT_EXIT, MP_ALLOC_SPACE, MP_TOUCHED, MP_GROWTH,
		MP_INUSE_OBJECTS, MP_ALLOC_OBJECTS, MP_TEMPORARY_OBJECTS,
	};
	bool chosen = false;
	uint32_t nr = 0;
	size_t i;

	for (i = 0; i < MP_EXPORT_NR_METRICS; i++) {
		if (all[i] != export->metric && !has_any(export, all[i]))
			continue;
		chosen |= all[i] == export->metric;
		metrics[nr++] = all[i];
	}
	if (!chosen)
		metrics[nr++] = export->metric;
	return nr;
}

int mp_export_flames(struct mp_export *export, struct mp_stack_tree *flame,
		     const enum mp_metric *metrics, uint32_t nr,
		     mp_point_namer name)
{
	const struct mp_call_tree_input input = {
		.metrics = metrics, .nr = nr, .factor = 1,
		.whose = export->whose, .name = name,
	};
	struct mp_stack_net net;
	uint32_t i;
	int err = mp_stack_tree_open(flame, nr);

	export->net = 0;
	if (!err)
		err = mp_call_tree_add(flame, export->profile, &export->samples,
				   &input);
	/* a difference shows negative values, so they are not set to 0 */
	for (i = 0; !err && !export->difference && i < nr; i++) {
		err = mp_stack_tree_net(flame, i, &net);
		export->net |= (uint32_t)net.scaled << i;
		if (metrics[i] == export->metric)
			export->left_out = net.left_out;
	}
	return err ? err : mp_stack_tree_finish(flame, MP_STACK_TREE_BY_NAME);
}

int mp_export_flame(struct mp_export *export, struct mp_stack_tree *flame)
{
	return mp_export_flames(export, flame, &export->metric, 1, NULL);
}

/* Replaces the values before and after by the larger of both, and the difference. */
static void to_widths(struct mp_stack_tree *flame)
{
	int64_t before, after;
	size_t i;

	for (i = 0; i < flame->nr; i++) {
		before = flame->self[2 * i];
		after = flame->self[2 * i + 1];
		before = before > 0 ? before : 0;
		after = after > 0 ? after : 0;
		flame->self[2 * i] = before > after ? before : after;
		flame->self[2 * i + 1] = after - before;
	}
}

int mp_export_difference(struct mp_export *export, struct mp_stack_tree *flame,
			 bool widths)
{
	struct mp_stack_samples later = export->samples, earlier = export->samples;
	struct mp_call_tree_input input = {
		.metrics = &export->metric, .nr = 1, .factor = -1,
		.whose = export->whose,
	};
	int err = mp_stack_tree_open(flame, 2);

	later.nr = export->nr_after;
	earlier.rows += export->nr_after;
	earlier.nr -= export->nr_after;
	if (!err)
		err = mp_call_tree_add(flame, export->profile, &earlier, &input);
	input.first = 1;
	input.factor = 1;
	if (!err)
		err = mp_call_tree_add(flame, export->profile, &later, &input);
	if (!err && widths)
		to_widths(flame);
	return err ? err : mp_stack_tree_finish(flame, MP_STACK_TREE_BY_NAME);
}

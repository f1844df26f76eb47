// SPDX-License-Identifier: GPL-2.0-only
/*
 * export-flame: leaves to a tree
 */
#include "export-flame.h"

#include <errno.h>

uint32_t mp_export_metrics(const struct mp_export *export,
			   enum mp_metric *metrics)
{
	static const enum mp_metric all[MP_EXPORT_NR_METRICS] = {
		MP_INUSE_SPACE, MP_ALLOC_SPACE, MP_TOUCHED, MP_GROWTH,
		MP_INUSE_OBJECTS, MP_ALLOC_OBJECTS, MP_TEMPORARY_OBJECTS,
	};
	bool chosen = false;
	uint32_t nr = 0;
	size_t i;

	for (i = 0; i < MP_EXPORT_NR_METRICS; i++) {
		if (all[i] != export->metric &&
		    !mp_leaves_total(&export->leaves, all[i]))
			continue;
		chosen |= all[i] == export->metric;
		metrics[nr++] = all[i];
	}
	if (!chosen)
		metrics[nr++] = export->metric;
	return nr;
}

int mp_export_flames(struct mp_export *export, struct mp_flame *flame,
		     const enum mp_metric *metrics, uint32_t nr)
{
	const struct mp_flame_wish wish = {
		.metrics = metrics, .nr = nr, .factor = 1,
		.whose = export->whose,
	};
	int64_t left_out;
	uint32_t i;
	int err = mp_flame_open(flame, nr);

	if (!err)
		err = mp_flame_add(flame, export->profile, &export->leaves,
				   &wish);
	for (i = 0; !err && i < nr; i++) {
		left_out = mp_flame_clamp(flame, i);
		if (metrics[i] == export->metric)
			export->left_out = left_out;
	}
	return err ? err : mp_flame_finish(flame);
}

int mp_export_flame(struct mp_export *export, struct mp_flame *flame)
{
	return mp_export_flames(export, flame, &export->metric, 1);
}

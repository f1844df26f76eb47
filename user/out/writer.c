// SPDX-License-Identifier: GPL-2.0-only
/*
 * writer: calls a format's functions for the rows of a profile
 *
 * The cost is two passes over the rows. Nothing is allocated. The caller checks the
 * stream for errors.
 */
#include "writer.h"
#include "top-sites.h"

const struct mp_row *mp_out_next(const struct mp_out *out,
				 const struct mp_row *row)
{
	const struct mp_profile *profile = out->profile;

	for (; row < profile->rows + profile->nr_rows; row++)
		if (row->kind == out->kind)
			return row;
	return NULL;
}

/*
 * Callsites are sorted by the same metric as the rows, if callsites have this metric. After an
 * exit live bytes are 0; without allocations there is growth, or else what was touched.
 */
size_t mp_out_top(const struct mp_out *out, const struct mp_row *row,
		  const struct mp_row **rows)
{
	const enum mp_metric metrics[] = {
		out->sort, MP_INUSE_SPACE, MP_ALLOC_SPACE, MP_GROWTH, MP_TOUCHED,
	};
	size_t max = out->top < MP_MAX_TOP ? out->top : MP_MAX_TOP, nr = 0, i;

	if (!max || row->kind != MP_ROW_CGROUP)
		return 0;
	for (i = 0; !nr && i < sizeof(metrics) / sizeof(metrics[0]); i++)
		nr = mp_top_sites(out->profile, row->cgroup, metrics[i], max, rows);
	return nr;
}

void mp_out_rows(struct mp_out *out)
{
	const struct mp_row *row;
	size_t nr = 0;

	if (out->ops->begin)
		out->ops->begin(out);
	for (row = mp_out_next(out, out->profile->rows); row;
	     row = mp_out_next(out, row + 1))
		if (!out->limit || nr++ < out->limit)
			out->ops->row(out, row);
	out->nr_hidden = out->limit && nr > out->limit ? nr - out->limit : 0;
}

uint32_t mp_out_nodes(const struct mp_profile *profile)
{
	uint32_t nodes = 0;
	int i;

	for (i = 0; i <= MP_NODE_7 - MP_NODE_0; i++)
		nodes |= (uint32_t)mp_profile_has(profile, MP_NODE_0 + i) << i;
	return nodes;
}

void mp_out_report(struct mp_out *out)
{
	mp_out_rows(out);
	out->ops->end(out);
}

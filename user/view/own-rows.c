// SPDX-License-Identifier: GPL-2.0-only
/*
 * own-rows: recognises memprof's own processes by name, and the collector by its pid
 */
#include "own-rows.h"
#include "sampler-library.h"

#include <string.h>

static bool has_own_name(const struct mp_row *row)
{
	return !strcmp(row->comm, "memprofctl") || !strcmp(row->comm, "memprof-collect") ||
	       !strcmp(row->comm, "memprof-zygote");
}

/* With perf's events, the number of a session is the collector's pid. */
bool mp_own_is_collector(const struct mp_meta *meta, const struct mp_row *row)
{
	return row->kind == MP_ROW_PROCESS && row->pid &&
	       (has_own_name(row) ||
		(meta->source == MP_SOURCE_PERF && row->pid == meta->status.session));
}

bool mp_own_is_site(const struct mp_profile *rows, const struct mp_row *row)
{
	const uint32_t binary = row->location.binary;

	return has_own_name(row) ||
	       (binary && mp_sampler_library_is(rows->binaries[binary - 1].path));
}

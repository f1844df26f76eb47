// SPDX-License-Identifier: GPL-2.0-only
/*
 * rss-base: reads the RSS of all targets at the begin of a measurement
 *
 * A process costs about 0.1 ms, more if it is large, and 0.01 ms after the limit. If
 * a process exits meanwhile, it has no record.
 */
#include "rss-base.h"
#include "clock.h"
#include "process.h"
#include "smaps.h"

#define LIMIT_NS	100000000ULL

struct walk {
	const struct mp_prober *filter;
	struct mp_size_base *base;
	uint64_t end_ns;
	int err;
};

static void read_one(void *context, pid_t pid)
{
	struct walk *walk = context;
	struct mp_base_record record = { .pid = (uint32_t)pid };
	struct mp_row row = { .kind = MP_ROW_PROCESS, .pid = (uint32_t)pid };

	if (walk->err || !mp_prober_wants(walk->filter, pid) ||
	    !mp_process_start(pid, &record.start_ns, &record.resident))
		return;
	if (mp_clock_ns() < walk->end_ns && mp_smaps_sums(pid, &row)) {
		record.resident = row.value[MP_RESIDENT];
		mp_size_base_above(&record, row.value[MP_PEAK_RESIDENT]);
	}
	walk->err = mp_size_base_add(walk->base, &record);
}

int mp_rss_base_read(const struct mp_prober *filter, struct mp_size_base *base)
{
	struct walk walk = {
		.filter = filter, .base = base,
		.end_ns = mp_clock_ns() + LIMIT_NS,
	};

	mp_size_base_free(base);
	base->is_known = true;
	return mp_process_each(read_one, &walk) ?: walk.err;
}

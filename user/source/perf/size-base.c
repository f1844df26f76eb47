// SPDX-License-Identifier: GPL-2.0-only
/*
 * size-base: finds a process's RSS at the begin by its id and start time
 *
 * A record takes 24 bytes. The events of perf have no start time of processes that
 * existed before them, so then the id alone identifies the process.
 */
#include "size-base.h"
#include "array.h"
#include "size-record.h"

#include <errno.h>
#include <stdlib.h>

/* Two ticks of /proc/PID/stat */
#define START_ERROR_NS	20000000ULL

/* Of mp_base_record.above, in bytes */
#define UNIT	4096ULL

int mp_size_base_add(struct mp_size_base *base, const struct mp_base_record *record)
{
	uint32_t *known = mp_map_find(&base->by_pid, record->pid, 0);

	base->is_known = true;
	if (known) {
		base->list[*known] = *record;
		return 0;
	}
	if (base->nr == MP_MAX_SIZES)
		return 0;
	if (base->nr == base->max &&
	    !mp_array_grow(&base->list, &base->max, sizeof(*base->list)))
		return -ENOMEM;
	known = mp_map_add(&base->by_pid, record->pid, 0);
	if (!known)
		return -ENOMEM;
	*known = (uint32_t)base->nr;
	base->list[base->nr++] = *record;
	return 0;
}

void mp_size_base_end(struct mp_size_base *base, uint32_t pid)
{
	const uint32_t *known = mp_map_find(&base->by_pid, pid, 0);

	if (known)
		base->list[*known].above |= MP_BASE_ENDED;
}

void mp_size_base_above(struct mp_base_record *record, uint64_t peak)
{
	const uint64_t above = peak > record->resident ? (peak - record->resident) / UNIT + 1 : 1;

	record->above = above < MP_BASE_ENDED ? (uint32_t)above : MP_BASE_ENDED - 1;
}

static bool is_same(const struct mp_base_record *record, enum mp_source source,
		    const struct mp_row *row)
{
	uint64_t start_ns = row->start_ns;

	if (source != MP_SOURCE_KMOD)
		return !start_ns;
	return start_ns < record->start_ns + START_ERROR_NS &&
	       record->start_ns < start_ns + START_ERROR_NS;
}

void mp_size_base_join(const struct mp_size_base *base, enum mp_source source,
		       struct mp_row *row)
{
	const uint32_t *known;
	uint64_t before = 0, above;

	if (!base->is_known || row->kind != MP_ROW_PROCESS || mp_row_is_sum(row) ||
	    !row->value[MP_RESIDENT])
		return;
	known = mp_map_find(&base->by_pid, row->pid, 0);
	if (known && is_same(&base->list[*known], source, row)) {
		before = base->list[*known].resident;
		row->began_ns = base->list[*known].start_ns;
		above = base->list[*known].above & ~MP_BASE_ENDED;
		row->peak_before = above ? before + UNIT * (above - 1) : 0;
	}
	row->value[MP_RESIDENT_DELTA] = row->value[MP_RESIDENT] - before;
}

void mp_size_base_free(struct mp_size_base *base)
{
	free(base->list);
	mp_map_free(&base->by_pid);
	*base = (struct mp_size_base){ 0 };
}

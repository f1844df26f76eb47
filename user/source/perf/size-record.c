// SPDX-License-Identifier: GPL-2.0-only
/*
 * size-record: keeps the last size record of each process and cgroup
 *
 * A record takes 150 bytes; there are at most MP_MAX_SIZES. If a process id is
 * reused, the sizes of the earlier process are lost.
 */
#include "size-record.h"
#include "residence.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The order of values in files: add new ones at the end. */
static const enum mp_metric of_process[MP_SIZE_VALUES] = {
	MP_RESIDENT, MP_RESIDENT_ANON, MP_RESIDENT_FILE, MP_RESIDENT_SHMEM,
	MP_SWAPPED, MP_PEAK_RESIDENT, MP_HEAP_RESIDENT, MP_LIVE_RESIDENT,
	MP_HELD, MP_STACKS, MP_FILE_MAPPED, MP_SHMEM_MAPPED, MP_PROPORTIONAL,
};

#define NR_OF_CGROUP	5
static const enum mp_metric of_cgroup[NR_OF_CGROUP] = {
	MP_CGROUP_CURRENT, MP_CGROUP_PEAK, MP_CGROUP_ANON, MP_CGROUP_FILE,
	MP_CGROUP_KERNEL,
};

#define FLAGS	(MP_ROW_MAPPED | MP_ROW_SPLIT | MP_ROW_BOUND)

void mp_size_make(struct mp_size_record *record, const struct mp_row *row,
		  uint64_t time_ns)
{
	size_t i;

	*record = (struct mp_size_record){
		.pid = row->pid, .flags = (row->flags & FLAGS) | row->signal << MP_SIZE_SIGNAL,
		.time_ns = time_ns, .cgroup = row->cgroup,
	};
	for (i = 0; row->pid && i < MP_SIZE_VALUES; i++)
		record->value[i] = row->value[of_process[i]];
	for (i = 0; !row->pid && i < NR_OF_CGROUP; i++)
		record->value[i] = row->value[of_cgroup[i]];
}

void mp_size_take(const struct mp_size_record *record, struct mp_row *row)
{
	struct mp_row sizes = { .flags = record->flags & FLAGS };
	size_t i;

	for (i = 0; !record->pid && i < NR_OF_CGROUP; i++)
		row->value[of_cgroup[i]] = record->value[i];
	if (!record->pid)
		return;
	row->signal = record->flags >> MP_SIZE_SIGNAL;
	for (i = 0; i < MP_SIZE_VALUES; i++)
		sizes.value[of_process[i]] = record->value[i];
	mp_residence_take(row, &sizes);
	mp_residence_rest(row);
}

static int grow(struct mp_sizes *sizes)
{
	size_t max = sizes->max ? sizes->max * 2 : 64;
	struct mp_size_record *list;
	uint64_t *live;

	list = reallocarray(sizes->list, max, sizeof(*list));
	if (!list)
		return -ENOMEM;
	sizes->list = list;
	live = reallocarray(sizes->live, max, sizeof(*live));
	if (!live)
		return -ENOMEM;
	sizes->live = live;
	sizes->max = max;
	return 0;
}

int mp_sizes_put(struct mp_sizes *sizes, const struct mp_size_record *record,
		 uint64_t live, bool *changed)
{
	uint64_t cgroup = record->pid ? 0 : record->cgroup;
	uint32_t *known = mp_map_find(&sizes->by_id, record->pid, cgroup);
	bool same = known && sizes->list[*known].flags == record->flags &&
		    sizes->list[*known].cgroup == record->cgroup &&
		    !memcmp(sizes->list[*known].value, record->value,
			    sizeof(record->value));

	if (changed)
		*changed = !same;
	if (!known && sizes->nr == MP_MAX_SIZES) {
		sizes->nr_full++;
		return 0;
	}
	if (!known) {
		if (sizes->nr == sizes->max && grow(sizes))
			return -ENOMEM;
		known = mp_map_add(&sizes->by_id, record->pid, cgroup);
		if (!known)
			return -ENOMEM;
		*known = (uint32_t)sizes->nr++;
	}
	sizes->list[*known] = *record;
	sizes->live[*known] = live;
	return 0;
}

void mp_sizes_renew(struct mp_sizes *sizes, uint32_t pid, uint64_t time_ns)
{
	const uint32_t *known = mp_map_find(&sizes->by_id, pid, 0);

	if (known)
		sizes->list[*known].time_ns = time_ns;
}

/*
 * Splits HEAP by the live bytes: by the current live bytes, or, if the process
 * has exited, by the live bytes at the time of the record.
 */
static void part(struct mp_row *row, uint64_t live_then)
{
	bool exited = row->flags & MP_ROW_EXITED;

	if (row->flags & MP_ROW_MAPPED && !(row->flags & MP_ROW_SPLIT))
		mp_residence_split(row, exited ? live_then :
				   row->value[MP_INUSE_SPACE],
				   true);
}

static uint64_t parts_of(const struct mp_row *row)
{
	return row->value[MP_HEAP_RESIDENT] + row->value[MP_STACKS] +
	       row->value[MP_FILE_MAPPED] + row->value[MP_SHMEM_MAPPED];
}

/*
 * Sets the RSS of an exited process to that of @last, which is exact. The
 * record may be older: if its parts exceed this RSS, nothing from the record is
 * used.
 */
static void keep_rss(struct mp_row *row, const struct mp_row *last)
{
	static const enum mp_metric kept[] = {
		MP_RESIDENT, MP_RESIDENT_ANON, MP_RESIDENT_FILE,
		MP_RESIDENT_SHMEM, MP_SWAPPED,
	};
	size_t i;

	if (parts_of(row) > last->value[MP_RESIDENT]) {
		*row = *last;
		return;
	}
	for (i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		row->value[kept[i]] = last->value[kept[i]];
	mp_residence_rest(row);
}

static bool is_of(const struct mp_size_record *record, enum mp_source source,
		  const struct mp_row *row)
{
	if (row->flags & MP_ROW_EXITED && record->time_ns > row->exit_ns)
		return false;
	/* the module's start times use another clock */
	return source == MP_SOURCE_KMOD || !record->pid ||
	       record->time_ns >= row->start_ns;
}

static void join(const struct mp_size_record *record, uint64_t live,
		 bool alloc, struct mp_row *row)
{
	struct mp_row last = *row;

	mp_size_take(record, row);
	/* a process without an event has no cgroup of the kernel's records */
	if (!row->cgroup)
		row->cgroup = record->cgroup;
	if (alloc)
		part(row, live);
	if (last.flags & MP_ROW_EXITED && last.value[MP_RESIDENT])
		keep_rss(row, &last);
}

/* Sets only the row's peak RSS, and how it ended, from the record. */
static void join_peak(const struct mp_size_record *record, struct mp_row *row)
{
	struct mp_row sizes = *row;

	mp_size_take(record, &sizes);
	row->value[MP_PEAK_RESIDENT] = sizes.value[MP_PEAK_RESIDENT];
	row->signal = sizes.signal;
}

static void join_last(const struct mp_sizes *sizes, bool alloc,
		      enum mp_source source, struct mp_row *row)
{
	const uint32_t *known = row->kind == MP_ROW_PROCESS ?
				mp_map_find(&sizes->by_id, row->pid, 0) :
				mp_map_find(&sizes->by_id, 0, row->cgroup);

	if (!known)
		return;
	if (!sizes->list[*known].time_ns)
		join_peak(&sizes->list[*known], row);
	else if (is_of(&sizes->list[*known], source, row))
		join(&sizes->list[*known], sizes->live[*known], alloc, row);
}

void mp_sizes_join(const struct mp_sizes *sizes, bool alloc,
		   enum mp_source source, struct mp_row *row)
{
	if (mp_row_is_sum(row) || row->kind == MP_ROW_SITE)
		return;
	join_last(sizes, alloc, source, row);
	mp_size_base_join(&sizes->base, source, row);
	mp_chunk_records_join(&sizes->chunks, row);
}

bool mp_sizes_is_living(const struct mp_sizes *sizes, size_t i,
			const struct mp_map *living, uint64_t from_ns)
{
	const struct mp_size_record *record = &sizes->list[i];

	return record->pid && record->time_ns &&
	       (record->time_ns >= from_ns || mp_map_find(living, record->pid, 0));
}

uint64_t mp_sizes_resident_of(const struct mp_sizes *sizes, size_t i)
{
	return sizes->list[i].value[0];		/* MP_RESIDENT */
}

uint64_t mp_sizes_resident_before(const struct mp_sizes *sizes, size_t i)
{
	const struct mp_base_record *base = &sizes->base.list[i];

	return base->above & MP_BASE_ENDED || mp_map_find(&sizes->by_id, base->pid, 0) ?
	       0 : base->resident;
}

uint64_t mp_sizes_resident(const struct mp_sizes *sizes,
			   const struct mp_map *living, uint64_t from_ns)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < sizes->nr; i++)
		if (mp_sizes_is_living(sizes, i, living, from_ns))
			sum += mp_sizes_resident_of(sizes, i);
	return sum;
}

void mp_sizes_free(struct mp_sizes *sizes)
{
	free(sizes->list);
	free(sizes->live);
	mp_map_free(&sizes->by_id);
	mp_size_base_free(&sizes->base);
	mp_chunk_records_free(&sizes->chunks);
	*sizes = (struct mp_sizes){ 0 };
}

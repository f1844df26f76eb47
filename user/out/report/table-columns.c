// SPDX-License-Identifier: GPL-2.0-only
/*
 * table-columns: chooses columns by the view, the kind of rows, and what was followed
 *
 * A column without numbers is left out. Nothing can fail.
 */
#include "table-columns.h"

#define SITE_COLUMNS {							\
	MP_INUSE_SPACE, MP_INUSE_DELTA, MP_PEAK_SPACE, MP_ALLOC_OBJECTS,	\
	MP_TEMPORARY_OBJECTS, MP_GROWTH, MP_FAULTS, MP_COLUMN_PID,		\
	MP_COLUMN_COMM, MP_COLUMN_LOCATION, MP_COLUMN_END,				\
}

#define PAGE_COLUMNS							\
	MP_RESIDENT, MP_INUSE_SPACE, MP_BLOCK_RESIDENT, MP_BLOCK_HUGE, MP_COLD,	\
	MP_BLOCK_SWAPPED, MP_BLOCK_UNTOUCHED, MP_BLAME

#define HELD_COLUMNS							\
	MP_HELD_PAGES, MP_HELD_TOP, MP_HELD_ARENA, MP_HELD_EMPTY

#define NODE_COLUMNS							\
	MP_NODE_0, MP_NODE_1, MP_NODE_2, MP_NODE_3, MP_NODE_4, MP_NODE_5,	\
	MP_NODE_6, MP_NODE_7

#define FILL_COLUMNS							\
	MP_FILL_5, MP_FILL_10, MP_FILL_25, MP_FILL_50, MP_FILL_75, MP_FILL_100

static const int columns[MP_NR_VIEWS][MP_NR_ROW_KINDS][MP_OUT_MAX_COLUMNS] = {
	[MP_VIEW_GROWTH] = {
		[MP_ROW_PROCESS] = {
			MP_COLUMN_PID, MP_COLUMN_COMM, MP_COLUMN_CGROUP, MP_RESIDENT,
			MP_RESIDENT_DELTA, MP_COLUMN_RATE, MP_RESIDENT_ANON,
			MP_MINOR_FAULTS, MP_MAJOR_FAULTS, MP_TOUCHED,
			MP_GROWTH, MP_GROWTH_PEAK, MP_RELEASED, MP_COLUMN_END,
		},
		[MP_ROW_CGROUP] = {
			MP_COLUMN_CGROUP, MP_COLUMN_NPROC, MP_RESIDENT,
			MP_RESIDENT_DELTA, MP_COLUMN_RATE, MP_RESIDENT_ANON,
			MP_MINOR_FAULTS, MP_MAJOR_FAULTS, MP_TOUCHED,
			MP_GROWTH, MP_GROWTH_PEAK, MP_COLUMN_END,
		},
		[MP_ROW_SITE] = {
			MP_TOUCHED, MP_GROWTH, MP_RELEASED, MP_INUSE_SPACE, MP_FAULTS,
			MP_INSIDE_FAULTS, MP_BLOCK_FAULTS, MP_OTHER_FAULTS,
			MP_COLUMN_PID, MP_COLUMN_COMM,
			MP_COLUMN_LOCATION, MP_COLUMN_END,
		},
	},
	[MP_VIEW_ALLOC] = {
		[MP_ROW_PROCESS] = {
			MP_COLUMN_PID, MP_COLUMN_COMM, MP_COLUMN_CGROUP, MP_RESIDENT,
			MP_PEAK_RESIDENT, MP_RESIDENT_DELTA, MP_INUSE_SPACE,
			MP_INUSE_DELTA, MP_PEAK_SPACE, MP_ALLOC_OBJECTS,
			MP_ALLOC_SPACE, MP_TEMPORARY_OBJECTS, MP_GROWTH,
			MP_TOUCHED, MP_COLUMN_END,
		},
		[MP_ROW_CGROUP] = {
			MP_COLUMN_CGROUP, MP_COLUMN_NPROC, MP_INUSE_SPACE, MP_INUSE_DELTA,
			MP_PEAK_SPACE, MP_GROWTH, MP_FAULTS, MP_RESIDENT,
			MP_RESIDENT_DELTA, MP_CGROUP_CURRENT, MP_CGROUP_PEAK, MP_COLUMN_END,
		},
		[MP_ROW_SITE] = SITE_COLUMNS,
	},
	[MP_VIEW_RSS] = {
		[MP_ROW_PROCESS] = {
			MP_COLUMN_PID, MP_COLUMN_COMM, MP_COLUMN_CGROUP, MP_RESIDENT,
			MP_LIVE_RESIDENT, MP_HELD, MP_MALLOC_FREE, MP_MALLOC_TRIM,
			MP_STACKS, MP_FILE_MAPPED, MP_SHMEM_MAPPED, MP_UNATTRIBUTED, MP_COLUMN_END,
		},
		[MP_ROW_CGROUP] = {
			MP_COLUMN_CGROUP, MP_COLUMN_NPROC, MP_RESIDENT,
			MP_LIVE_RESIDENT, MP_HELD, MP_MALLOC_FREE, MP_MALLOC_TRIM,
			MP_STACKS, MP_FILE_MAPPED, MP_SHMEM_MAPPED, MP_UNATTRIBUTED, MP_PROPORTIONAL,
			MP_CGROUP_CURRENT, MP_CGROUP_REST, MP_CGROUP_PEAK,
			MP_COLUMN_END,
		},
		[MP_ROW_SITE] = SITE_COLUMNS,
	},
	[MP_VIEW_AGE] = {
		[MP_ROW_PROCESS] = {
			MP_COLUMN_PID, MP_COLUMN_COMM, MP_COLUMN_CGROUP, MP_RESIDENT,
			MP_RESIDENT_DELTA, MP_INUSE_SPACE, MP_INUSE_DELTA, MP_OLD_SPACE,
			MP_INUSE_OBJECTS,
			MP_ALLOC_OBJECTS, MP_FREE_OBJECTS, MP_COLUMN_END,
		},
		[MP_ROW_CGROUP] = {
			MP_COLUMN_CGROUP, MP_COLUMN_NPROC, MP_RESIDENT,
			MP_RESIDENT_DELTA, MP_INUSE_SPACE, MP_INUSE_DELTA, MP_OLD_SPACE,
			MP_INUSE_OBJECTS,
			MP_ALLOC_OBJECTS, MP_FREE_OBJECTS, MP_COLUMN_END,
		},
		[MP_ROW_SITE] = {
			MP_INUSE_SPACE, MP_INUSE_DELTA, MP_OLD_SPACE, MP_INUSE_OBJECTS,
			MP_ALLOC_OBJECTS,
			MP_FREE_OBJECTS, MP_COLUMN_PID, MP_COLUMN_COMM,
			MP_COLUMN_LOCATION, MP_COLUMN_END,
		},
	},
	[MP_VIEW_RESIDENT] = {
		[MP_ROW_PROCESS] = {
			MP_COLUMN_PID, MP_COLUMN_COMM, MP_COLUMN_CGROUP, PAGE_COLUMNS, HELD_COLUMNS,
			NODE_COLUMNS, MP_COLUMN_END,
		},
		[MP_ROW_CGROUP] = {
			MP_COLUMN_CGROUP, MP_COLUMN_NPROC, PAGE_COLUMNS, HELD_COLUMNS,
			NODE_COLUMNS, MP_COLUMN_END,
		},
		[MP_ROW_SITE] = {
			MP_BLAME, MP_INUSE_SPACE, MP_BLOCK_RESIDENT, MP_BLOCK_HUGE, MP_COLD,
			MP_BLOCK_SWAPPED, MP_BLOCK_UNTOUCHED, MP_PINNED, NODE_COLUMNS,
			MP_COLUMN_PID, MP_COLUMN_COMM, MP_COLUMN_LOCATION, MP_COLUMN_END,
		},
	},
	[MP_VIEW_FRAGMENTATION] = {
		[MP_ROW_PROCESS] = {
			MP_COLUMN_PID, MP_COLUMN_COMM, MP_COLUMN_CGROUP, MP_RESIDENT,
			MP_BLAME, MP_PINNED, MP_HELD_PAGES, FILL_COLUMNS, MP_COLUMN_END,
		},
		[MP_ROW_CGROUP] = {
			MP_COLUMN_CGROUP, MP_COLUMN_NPROC, MP_RESIDENT, MP_BLAME,
			MP_PINNED, MP_HELD_PAGES, FILL_COLUMNS, MP_COLUMN_END,
		},
		[MP_ROW_SITE] = {
			MP_PINNED, MP_BLAME, MP_BLOCK_RESIDENT, MP_FREED_RESIDENT, FILL_COLUMNS,
			MP_COLUMN_PID, MP_COLUMN_COMM, MP_COLUMN_LOCATION, MP_COLUMN_END,
		},
	},
	[MP_VIEW_SIZES] = {
		[MP_ROW_PROCESS] = {
			MP_COLUMN_PID, MP_COLUMN_COMM, MP_COLUMN_CGROUP, MP_RESIDENT,
			MP_HEAP_RESIDENT, MP_MALLOC_FREE, MP_MALLOC_TRIM,
			MP_STACKS, MP_FILE_MAPPED, MP_SHMEM_MAPPED, MP_UNATTRIBUTED, MP_COLUMN_END,
		},
		[MP_ROW_CGROUP] = {
			MP_COLUMN_CGROUP, MP_COLUMN_NPROC, MP_RESIDENT,
			MP_HEAP_RESIDENT, MP_MALLOC_FREE, MP_MALLOC_TRIM,
			MP_STACKS, MP_FILE_MAPPED, MP_SHMEM_MAPPED, MP_UNATTRIBUTED, MP_PROPORTIONAL,
			MP_CGROUP_CURRENT, MP_CGROUP_REST, MP_CGROUP_PEAK,
			MP_COLUMN_END,
		},
		[MP_ROW_SITE] = SITE_COLUMNS,
	},
};

/* Callsites of processes that have exited, where nothing lives any more */
static const int ended_columns[MP_OUT_MAX_COLUMNS] = {
	MP_AT_PEAK, MP_AT_EXIT, MP_INUSE_SPACE, MP_ALLOC_OBJECTS, MP_TEMPORARY_OBJECTS, MP_GROWTH,
	MP_FAULTS, MP_COLUMN_PID, MP_COLUMN_COMM, MP_COLUMN_LOCATION, MP_COLUMN_END,
};

static const int *columns_of(const struct mp_out *out)
{
	const enum mp_row_kind kind = out->kind == MP_ROW_STACK ? MP_ROW_SITE : out->kind;

	return out->ended && kind == MP_ROW_SITE && out->view != MP_VIEW_AGE ? ended_columns :
	       columns[out->view][kind];
}

/* Whether a column has no numbers, because its events are not followed. */
static bool is_empty(const struct mp_out *out, int column)
{
	const struct mp_meta *meta = &out->profile->meta;
	const uint32_t streams = meta->status.streams;

	/* of what has ended or has no blocks: of a process that runs, its end is not yet known */
	if (out->ended && out->kind != MP_ROW_PROCESS && out->view != MP_VIEW_AGE &&
	    (column == MP_AT_EXIT || column == MP_INUSE_SPACE))
		return (column == MP_AT_EXIT) == out->runs;
	if (out->ended && !out->runs && out->view == MP_VIEW_AGE &&
	    (column == MP_INUSE_SPACE || column == MP_OLD_SPACE || column == MP_INUSE_OBJECTS))
		return true;
	if (column == MP_RESIDENT_DELTA || column == MP_COLUMN_RATE)
		return !out->has_delta;
	if (column == MP_INUSE_DELTA)
		return !out->has_live_delta;
	if (out->view == MP_VIEW_GROWTH && out->has_no_blocks &&
	    (column == MP_INUSE_SPACE || column == MP_INSIDE_FAULTS ||
	     column == MP_BLOCK_FAULTS || column == MP_OTHER_FAULTS))
		return true;
	if (column == MP_COLD)
		return !meta->cold.least_ns;
	if (column == MP_MALLOC_FREE || column == MP_MALLOC_TRIM)
		return !out->has_malloc;
	if (column == MP_FREED_RESIDENT)
		return !out->has_freed;
	if (column == MP_BLOCK_HUGE)
		return !out->has_huge;
	if (column >= MP_NODE_0 && column <= MP_NODE_7)
		return !(out->nodes >> (column - MP_NODE_0) & 1);
	/* what samples do not know; with each block known, the sum is not a column of its own */
	if (mp_view_has_pages(out->view) && column >= MP_HELD_TOP && column <= MP_FILL_100)
		return meta->alloc.rate > 1;
	if (mp_view_has_pages(out->view) && column == MP_PINNED)
		return meta->alloc.rate > 1;
	if (column == MP_HELD_PAGES && out->view == MP_VIEW_RESIDENT)
		return meta->alloc.rate <= 1;
	/* the library sees its samples only, the module each call */
	if (column == MP_TEMPORARY_OBJECTS)
		return meta->alloc.rate > 1 && meta->source != MP_SOURCE_KMOD;
	if (out->view != MP_VIEW_ALLOC)
		return false;
	/* of what has ended, the size that was read last says little */
	if (column == MP_PEAK_RESIDENT)
		return !out->ended;
	return (column == MP_GROWTH && !(streams & MEMPROF_START_GROWTH)) ||
	       ((column == MP_FAULTS || column == MP_TOUCHED) &&
		!(streams & MEMPROF_START_FAULTS));
}

/* Processes that have all ended have no LIVE, but what they had not freed then. */
static int shown(const struct mp_out *out, int column)
{
	return column == MP_INUSE_SPACE && out->kind == MP_ROW_PROCESS && out->ended &&
	       !out->runs && out->view == MP_VIEW_ALLOC &&
	       out->profile->meta.source != MP_SOURCE_KMOD ? MP_AT_EXIT : column;
}

/* Whether the metric that rows are sorted by is among the columns of the view. */
static bool has_sort(const struct mp_out *out)
{
	const int *column;

	for (column = columns_of(out); *column != MP_COLUMN_END; column++)
		if ((*column == (int)out->sort || shown(out, *column) == (int)out->sort) &&
		    !is_empty(out, *column))
			return true;
	return false;
}

/* Whether a column has the machine on its left. */
static bool has_host(const struct mp_out *out, int column)
{
	return out->has_hosts &&
	       column == (out->kind == MP_ROW_CGROUP ? MP_COLUMN_CGROUP : MP_COLUMN_PID);
}

/*
 * Returns the column at index @i. If the sort metric is not among the columns of the
 * view, it is the first one of callsites, which end with long names, and else follows
 * them. Titles are last.
 */
int mp_table_column(const struct mp_out *out, int i)
{
	const bool sites = out->kind == MP_ROW_SITE || out->kind == MP_ROW_STACK;
	const bool added = !has_sort(out);
	const enum mp_metric leads = out->view == MP_VIEW_GROWTH ? MP_GROWTH : MP_OLD_SPACE;
	const bool first = sites && (added || (out->sorted_first && out->sort == leads &&
					       (out->view == MP_VIEW_GROWTH ||
						out->view == MP_VIEW_AGE)));
	const int *column;

	if (first && !i--)
		return (int)out->sort;
	for (column = columns_of(out); *column != MP_COLUMN_END; column++) {
		if (has_host(out, *column) && !i--)
			return MP_COLUMN_HOST;
		if (!is_empty(out, *column) && !(first && *column == (int)out->sort) && !i--)
			return shown(out, *column);
	}
	if (added && !first && !i--)
		return (int)out->sort;
	return out->titled && !i ? MP_COLUMN_TITLE : MP_COLUMN_END;
}

size_t mp_table_metrics(const struct mp_out *out, enum mp_metric *metrics)
{
	size_t nr = 0;
	int i, column;

	for (i = 0; (column = mp_table_column(out, i)) != MP_COLUMN_END; i++)
		if (column >= 0)
			metrics[nr++] = column;
	return nr;
}

/* COLD and the nodes have columns only where they are known: then 0 is a number. */
bool mp_table_is_known(const struct mp_out *out, int column, const uint64_t *values)
{
	if (out->no_pages && ((column >= MP_BLOCK_RESIDENT && column <= MP_FILL_100) ||
			      column == MP_COLD))
		return false;
	return (column >= MP_COLD && column <= MP_NODE_7) || column == MP_FREED_RESIDENT ||
	       mp_metric_is_known((enum mp_metric)column, values);
}

const char *mp_table_heading(const struct mp_out *out, int column)
{
	switch (column) {
	case MP_COLUMN_PID:
		return "PID";
	case MP_COLUMN_HOST:
		return "HOST";
	case MP_COLUMN_COMM:
		return "COMM";
	case MP_COLUMN_CGROUP:
		return out->by_host ? "HOST" : "CGROUP";
	case MP_COLUMN_NPROC:
		return "NPROC";
	case MP_COLUMN_LOCATION:
		return "CALLSITE";
	case MP_COLUMN_RATE:
		return "DELTA/S";
	case MP_COLUMN_TITLE:
		return "TITLE";
	default:
		return mp_metrics[column].heading;
	}
}

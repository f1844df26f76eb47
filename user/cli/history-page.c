// SPDX-License-Identifier: GPL-2.0-only
/*
 * history-page: arranges each interval as a report does, and keeps its rows by name
 *
 * Process ids end, so commands and callsites are rows by name and cgroup, as for leaks. Of
 * stacks, what has less than a thousandth of an interval in every metric is added to its
 * caller. Memory is bounded: see the limits below.
 */
#include "history-page.h"
#include "call-tree.h"
#include "cgroup-short.h"
#include "export-formats.h"
#include "grouping.h"
#include "html.h"
#include "location-text.h"
#include "message.h"

#include <errno.h>
#include <stdlib.h>

#define MAX_COMMANDS	1000
#define MAX_SITES	3000
#define MAX_NODES	20000
#define MAX_CELLS	400000

/* A stack with less than this part of an interval is small. */
#define LEAST_PART	1000

static const enum mp_metric of_commands[] = {
	MP_RESIDENT, MP_RESIDENT_ANON, MP_INUSE_SPACE, MP_ALLOC_SPACE, MP_ALLOC_OBJECTS,
	MP_GROWTH, MP_TOUCHED, MP_MINOR_FAULTS, MP_MAJOR_FAULTS,
};

static const enum mp_metric of_sites[] = {
	MP_INUSE_SPACE, MP_ALLOC_SPACE, MP_ALLOC_OBJECTS, MP_GROWTH, MP_TOUCHED, MP_FAULTS,
};

static const enum mp_metric of_nodes[] = {
	MP_INUSE_SPACE, MP_ALLOC_SPACE, MP_TOUCHED, MP_GROWTH,
};

#define NR(list)	(sizeof(list) / sizeof((list)[0]))

struct page {
	struct mp_choice *choice;
	struct mp_intervals *intervals;
	bool begun;			/* the begin of the range was seen */
};

/* The begin of the range has levels, and no flows. */
static bool counts(const struct page *page, enum mp_metric metric, const struct mp_row *row)
{
	if (mp_metrics[metric].nature == MP_LEVEL)
		return !row || !(row->flags & MP_ROW_EXITED);
	return page->begun;
}

static uint32_t row_of(struct page *page, const struct mp_profile *rows,
		       const struct mp_row *row)
{
	struct mp_intervals *intervals = page->intervals;
	char text[MP_LOCATION_TEXT_SIZE], id[MP_CGROUP_ID_SIZE], shown[MP_CGROUP_SHORT_SIZE];
	uint32_t comm = mp_names_add(&intervals->names, row->comm), cgroup, other;
	const char *path = mp_profile_cgroup(rows, row->cgroup, id);

	cgroup = mp_names_add(&intervals->names, path);
	if (row->kind == MP_ROW_SITE)
		mp_location_row(rows, row, text);
	other = mp_names_add(&intervals->names, row->kind == MP_ROW_SITE ? text :
			     mp_container_shown(shown, sizeof(shown), rows, row->cgroup, true) ?
			     shown : path);
	if (comm == MP_NAMES_NONE || cgroup == MP_NAMES_NONE || other == MP_NAMES_NONE)
		return UINT32_MAX;
	return row->kind == MP_ROW_SITE ?
	       mp_intervals_row(&intervals->sites, other, comm, cgroup) :
	       mp_intervals_row(&intervals->commands, comm, cgroup, other);
}

static int add_row(struct page *page, struct mp_intervals_table *table,
		   const struct mp_profile *rows, const struct mp_row *row)
{
	const uint32_t number = row_of(page, rows, row);
	enum mp_metric metric;
	uint16_t i;

	if (number == UINT32_MAX)
		return -ENOMEM;
	for (i = 0; i < table->nr_metrics; i++) {
		metric = table->metrics[i];
		if (counts(page, metric, row) && mp_metric_is_known(metric, row->value))
			mp_intervals_add(table, number, i, (int64_t)row->value[metric]);
	}
	return 0;
}

static int add_rows(struct page *page, enum mp_row_kind kind, struct mp_profile *profile,
		    const struct mp_sizes *sizes)
{
	const bool sites = kind == MP_ROW_SITE;
	const struct mp_out out = {
		.kind = kind, .sort = sites ? MP_INUSE_SPACE : MP_RESIDENT,
	};
	struct mp_profile rows = { 0 };
	size_t i;
	int err;

	page->choice->arrange.keys = sites ? MP_GROUP_COMM | MP_GROUP_CGROUP | MP_GROUP_LINE :
					     MP_GROUP_DEFAULT;
	err = mp_choice_rows(page->choice, &out, sizes, profile, &rows);
	for (i = 0; !err && i < rows.nr_rows; i++)
		if (rows.rows[i].kind == kind)
			err = add_row(page, sites ? &page->intervals->sites :
				      &page->intervals->commands, &rows, &rows.rows[i]);
	mp_profile_free(&rows);
	return err;
}

static uint64_t width_of(int64_t value)
{
	return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

static bool is_small(const struct mp_stack_tree *tree, uint32_t node)
{
	uint64_t value;
	uint32_t i;

	for (i = 0; i < tree->nr_values; i++) {
		value = width_of(mp_stack_tree_total(tree, node, i));
		if (value && value >= width_of(mp_stack_tree_total(tree, MP_STACK_TREE_ROOT, i)) /
		    LEAST_PART)
			return false;
	}
	return true;
}

/* Finds the row of a node, whose caller has a row; that, if the node is small. */
static uint32_t row_of_node(struct mp_intervals *intervals, const struct mp_stack_tree *tree,
			    uint32_t node, uint32_t caller)
{
	uint32_t name, row;

	if (is_small(tree, node))
		return caller;
	name = mp_names_add(&intervals->frames, mp_stack_tree_name(tree, node));
	if (name == MP_NAMES_NONE)
		return UINT32_MAX;
	row = mp_intervals_row(&intervals->nodes, caller, name, 0);
	return row == MP_INTERVALS_OTHERS ? caller : row;
}

static int add_tree(struct page *page, const struct mp_stack_tree *tree)
{
	struct mp_intervals_table *nodes = &page->intervals->nodes;
	uint32_t *rows = calloc(tree->nr, sizeof(*rows)), i;
	uint16_t metric;
	int err = rows ? 0 : -ENOMEM;

	for (i = 0; !err && i < tree->nr; i++) {
		if (i)
			rows[i] = row_of_node(page->intervals, tree, i,
					      rows[tree->nodes[i].parent]);
		if (rows[i] == UINT32_MAX)
			err = -ENOMEM;
		for (metric = 0; !err && metric < nodes->nr_metrics; metric++)
			if (counts(page, nodes->metrics[metric], NULL))
				mp_intervals_add(nodes, rows[i], metric,
						 mp_stack_tree_self(tree, i, metric));
	}
	free(rows);
	return err;
}

/*
 * What a process has more than its callsites is what no stack has. It is not in the tree:
 * the page subtracts the sums of the range, because it may be negative in an interval.
 */
static int add_stacks(struct page *page, struct mp_profile *profile,
		      const struct mp_sizes *sizes)
{
	const struct mp_out out = { .kind = MP_ROW_STACK, .sort = MP_INUSE_SPACE };
	const struct mp_call_tree_input input = {
		.metrics = of_nodes, .nr = NR(of_nodes), .factor = 1, .whose = MP_OWNER_COMM,
		.name = mp_html_point,
	};
	struct mp_stack_samples samples = { 0 };
	struct mp_stack_tree tree = { 0 };
	struct mp_profile rows = { 0 };
	int err;

	page->choice->arrange.keys = MP_EXPORT_KEYS;
	err = mp_choice_rows(page->choice, &out, sizes, profile, &rows) ?:
	      mp_stack_samples_gather(&samples, &rows, false) ?:
	      mp_stack_tree_open(&tree, NR(of_nodes)) ?:
	      mp_call_tree_add(&tree, &rows, &samples, &input) ?:
	      mp_stack_tree_finish(&tree, MP_STACK_TREE_BY_NAME) ?:
	      add_tree(page, &tree);
	mp_stack_tree_free(&tree);
	mp_stack_samples_free(&samples);
	mp_profile_free(&rows);
	return err;
}

static int take(void *context, uint64_t time_s, struct mp_profile *profile,
		const struct mp_sizes *sizes)
{
	struct page *page = context;
	struct mp_intervals *intervals = page->intervals;
	int err = add_rows(page, MP_ROW_PROCESS, profile, sizes) ?:
		  add_rows(page, MP_ROW_SITE, profile, sizes) ?:
		  add_stacks(page, profile, sizes);

	intervals->nr += page->begun;
	intervals->times[intervals->nr] = time_s;
	page->begun = true;
	err = err ?: mp_intervals_end(&intervals->commands, intervals->nr) ?:
	      mp_intervals_end(&intervals->sites, intervals->nr) ?:
	      mp_intervals_end(&intervals->nodes, intervals->nr);
	return err ? mp_fail(err, NULL, "cannot arrange the intervals") : 0;
}

int mp_history_page_read(const struct mp_history_range *range, struct mp_choice *choice,
			 struct mp_intervals *intervals)
{
	struct page page = { .choice = choice, .intervals = intervals };
	const struct mp_input input = {
		.locations = true, .wrappers = &choice->wrappers, .quiet = choice->quiet,
	};
	int err;

	*intervals = (struct mp_intervals){ .folder = range->folder };
	err = mp_intervals_open(&intervals->commands, of_commands, NR(of_commands),
				MAX_COMMANDS, MAX_CELLS) ?:
	      mp_intervals_open(&intervals->sites, of_sites, NR(of_sites), MAX_SITES,
				MAX_CELLS) ?:
	      mp_intervals_open(&intervals->nodes, of_nodes, NR(of_nodes), MAX_NODES,
				MAX_CELLS);
	if (err)
		return mp_fail(err, NULL, "cannot arrange the intervals");
	return mp_history_range_steps("export", range, &input, MP_INTERVALS_MAX + 1,
				      &intervals->nr_snapshots, take, &page);
}

void mp_history_page_free(struct mp_intervals *intervals)
{
	mp_intervals_free(&intervals->commands);
	mp_intervals_free(&intervals->sites);
	mp_intervals_free(&intervals->nodes);
	mp_names_free(&intervals->names);
	mp_names_free(&intervals->frames);
	*intervals = (struct mp_intervals){ 0 };
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * browse: handles the keys of top, which are those of perf top and perf report
 *
 * A key takes microseconds, except those that arrange the rows again. Functions
 * fail only without memory, with -ENOMEM.
 */
#include "browse.h"
#include "grouping.h"
#include "headline.h"
#include "judged.h"
#include "profile-delta.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define MAX_DELAY	3600

/* Kinds of rows, in the order in which Tab switches them. */
static const enum mp_row_kind kinds[] = {
	MP_ROW_PROCESS, MP_ROW_CGROUP, MP_ROW_SITE,
};

void mp_browse_begin(struct mp_browse *browse)
{
	*browse = (struct mp_browse){
		.out.ops = &mp_table_ops, .nr_steps = 1, .delay = 2, .page = 1,
	};
	browse->steps[0].kind = MP_ROW_PROCESS;
}

static void select_first(struct mp_browse *browse)
{
	browse->selected = 0;
	browse->moved = false;
	browse->shift = 0;
}

static enum mp_browse_deed step_into(struct mp_browse *browse,
				     const struct mp_browse_step *step)
{
	if (browse->nr_steps == MP_BROWSE_DEPTH)
		return MP_DEED_NONE;
	browse->steps[browse->nr_steps] = *step;
	browse->steps[browse->nr_steps++].selected = browse->selected;
	select_first(browse);
	return MP_DEED_ARRANGE;
}

static enum mp_browse_deed step_back(struct mp_browse *browse)
{
	if (browse->filter[0] && browse->nr_steps == 1) {
		browse->filter[0] = '\0';
		select_first(browse);
		return MP_DEED_ARRANGE;
	}
	if (browse->nr_steps == 1)
		return MP_DEED_NONE;
	browse->selected = browse->steps[--browse->nr_steps].selected;
	browse->moved = true;
	browse->shift = 0;
	return MP_DEED_ARRANGE;
}

/* Returns a copy of the last step, to which a condition can be added. */
static struct mp_browse_step copy_step(const struct mp_browse *browse,
				       enum mp_row_kind kind)
{
	struct mp_browse_step step = *mp_browse_step(browse);

	step.kind = kind;
	return step;
}

static enum mp_browse_deed enter_process(struct mp_browse *browse,
					 const struct mp_row *row)
{
	struct mp_browse_step step = copy_step(browse, MP_ROW_SITE);

	if (!row || !row->pid || row->kind == MP_ROW_CGROUP || step.pid)
		return MP_DEED_NONE;
	step.pid = row->pid;
	return step_into(browse, &step);
}

static enum mp_browse_deed enter_binary(struct mp_browse *browse,
					const struct mp_row *row)
{
	struct mp_browse_step step = copy_step(browse, MP_ROW_SITE);
	const struct mp_profile *profile = browse->out.profile;

	if (!row || !mp_row_has_location(row) || !row->location.binary ||
	    step.binary[0])
		return MP_DEED_NONE;
	memcpy(step.binary, profile->binaries[row->location.binary - 1].path,
	       sizeof(step.binary));
	return step_into(browse, &step);
}

static enum mp_browse_deed enter_row(struct mp_browse *browse,
				     const struct mp_row *row)
{
	struct mp_browse_step step;

	if (!row)
		return MP_DEED_NONE;
	switch (row->kind) {
	case MP_ROW_PROCESS:
		return enter_process(browse, row);
	case MP_ROW_CGROUP:
		step = copy_step(browse, MP_ROW_PROCESS);
		step.cgroup = row->cgroup;
		return step_into(browse, &step);
	case MP_ROW_SITE:
		step = copy_step(browse, MP_ROW_STACK);
		step.row = *row;
		return step_into(browse, &step);
	default:
		return MP_DEED_NONE;
	}
}

static enum mp_browse_deed show_kind(struct mp_browse *browse, size_t i)
{
	struct mp_browse_step *step = &browse->steps[browse->nr_steps - 1];

	/* the current step may have no rows of that kind: go back to the first step */
	if (browse->nr_steps > 1) {
		browse->nr_steps = 1;
		step = browse->steps;
	}
	step->kind = kinds[i];
	select_first(browse);
	return MP_DEED_ARRANGE;
}

static enum mp_browse_deed next_kind(struct mp_browse *browse)
{
	size_t i;

	for (i = 0; i + 1 < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i] == browse->steps[0].kind)
			return show_kind(browse, i + 1);
	return show_kind(browse, 0);
}

static enum mp_browse_deed next_view(struct mp_browse *browse)
{
	static const enum mp_view next[MP_NR_VIEWS] = {
		[MP_VIEW_ALLOC] = MP_VIEW_GROWTH,
		[MP_VIEW_GROWTH] = MP_VIEW_RSS,
		[MP_VIEW_RSS] = MP_VIEW_AGE,
		[MP_VIEW_AGE] = MP_VIEW_RESIDENT,
		[MP_VIEW_RESIDENT] = MP_VIEW_FRAGMENTATION,
		[MP_VIEW_FRAGMENTATION] = MP_VIEW_ALLOC,
		[MP_VIEW_SIZES] = MP_VIEW_ALLOC,
	};

	browse->viewed = true;
	browse->sorted = false;
	browse->out.view = next[browse->out.view];
	return MP_DEED_ARRANGE;
}

/* Sorts by the next column. @way: 1: to the right, -1: to the left. */
static enum mp_browse_deed next_sort(struct mp_browse *browse, int way)
{
	enum mp_metric metrics[MP_OUT_MAX_COLUMNS];
	int i, nr = (int)mp_table_metrics(&browse->out, metrics);

	for (i = 0; i < nr && metrics[i] != browse->out.sort;)
		i++;
	if (!nr || i + way < 0 || i + way >= nr)
		return MP_DEED_NONE;
	browse->out.sort = metrics[i + way];
	browse->sorted = true;
	return MP_DEED_ARRANGE;
}

static enum mp_browse_deed move_selection(struct mp_browse *browse, long by)
{
	long last = (long)browse->nr_rows - 1;
	long to = (long)browse->selected + by;

	to = to > last ? last : to;
	browse->selected = to < 0 ? 0 : (size_t)to;
	browse->moved = true;
	return MP_DEED_DRAW;
}

static enum mp_browse_deed scroll_sideways(struct mp_browse *browse, int by)
{
	browse->shift += by;
	if (browse->shift < 0)
		browse->shift = 0;
	return MP_DEED_DRAW;
}

static enum mp_browse_deed edit_filter(struct mp_browse *browse, int key)
{
	size_t len = strlen(browse->typed);

	switch (key) {
	case MP_KEY_ESCAPE:
		browse->typing = false;
		browse->why[0] = '\0';
		return MP_DEED_DRAW;
	case MP_KEY_ENTER:
		if (!mp_browse_filter(browse, browse->typed))
			return MP_DEED_DRAW;
		browse->typing = false;
		select_first(browse);
		return MP_DEED_ARRANGE;
	case MP_KEY_BACKSPACE:
		browse->typed[len ? len - 1 : 0] = '\0';
		return MP_DEED_DRAW;
	}
	if (key < 256 && isprint(key) && len + 1 < sizeof(browse->typed)) {
		browse->typed[len] = (char)key;
		browse->typed[len + 1] = '\0';
	}
	return MP_DEED_DRAW;
}

static enum mp_browse_deed change_delay(struct mp_browse *browse, int by)
{
	unsigned int delay = browse->delay + (unsigned int)by;

	if (delay && delay <= MAX_DELAY)
		browse->delay = delay;
	return MP_DEED_DRAW;
}

static enum mp_browse_deed navigate(struct mp_browse *browse, int key)
{
	switch (key) {
	case MP_KEY_UP:
	case 'k':
		return move_selection(browse, -1);
	case MP_KEY_DOWN:
	case 'j':
		return move_selection(browse, 1);
	case MP_KEY_PAGE_UP:
		return move_selection(browse, -(long)browse->page);
	case MP_KEY_PAGE_DOWN:
	case ' ':
		return move_selection(browse, (long)browse->page);
	case MP_KEY_HOME:
		return move_selection(browse, -(long)browse->nr_rows);
	case MP_KEY_END:
		return move_selection(browse, (long)browse->nr_rows);
	case MP_KEY_LEFT:
		return scroll_sideways(browse, -8);
	case MP_KEY_RIGHT:
		return scroll_sideways(browse, 8);
	default:
		return MP_DEED_NONE;
	}
}

static enum mp_browse_deed switch_flag(bool *flag, enum mp_browse_deed deed)
{
	*flag = !*flag;
	return deed;
}

static enum mp_browse_deed run_key(struct mp_browse *browse, int key,
				   const struct mp_row *row)
{
	switch (key) {
	case 'q':
		return MP_DEED_QUIT;
	case 'h':
	case '?':
		return switch_flag(&browse->help, MP_DEED_DRAW);
	case MP_KEY_ENTER:
		return enter_row(browse, row);
	case MP_KEY_BACKSPACE:
	case MP_KEY_ESCAPE:
		return step_back(browse);
	case 't':
		return enter_process(browse, row);
	case 'd':
		return enter_binary(browse, row);
	case 'P':
		return MP_DEED_PRINT;
	case '[':
	case ']':
		return key == '[' ? MP_DEED_EARLIER : MP_DEED_LATER;
	case 'z':
		return switch_flag(&browse->since_last, MP_DEED_ARRANGE);
	case 'f':
		return switch_flag(&browse->frozen, MP_DEED_DRAW);
	case 'b':
		return switch_flag(&browse->out.exact, MP_DEED_DRAW);
	case 'v':
		return next_view(browse);
	case '<':
	case '>':
		return next_sort(browse, key == '<' ? -1 : 1);
	case '+':
	case '-':
		return change_delay(browse, key == '+' ? 1 : -1);
	case '1':
	case '2':
	case '3':
		return show_kind(browse, (size_t)(key - '1'));
	case '\t':
		return next_kind(browse);
	case '/':
		memcpy(browse->typed, browse->filter, sizeof(browse->typed));
		return switch_flag(&browse->typing, MP_DEED_DRAW);
	default:
		return navigate(browse, key);
	}
}

enum mp_browse_deed mp_browse_key(struct mp_browse *browse, int key,
				  const struct mp_row *row)
{
	if (key == MP_KEY_NONE)
		return MP_DEED_NONE;
	if (key == MP_KEY_GONE)
		return MP_DEED_QUIT;
	if (browse->help)
		return key == 'q' ? MP_DEED_QUIT :
		       switch_flag(&browse->help, MP_DEED_DRAW);
	return browse->typing ? edit_filter(browse, key) : run_key(browse, key, row);
}

/* Parses the filter @text. @text is changed, and must stay valid as long as @filter. */
static bool make_filter(struct mp_browse *browse, char *text,
			struct mp_filter *filter)
{
	return !text[0] || mp_filter_add(filter, text, browse->why);
}

/* A text without '=' is a symbol if callsites are shown, else a command name. */
bool mp_browse_filter(struct mp_browse *browse, const char *text)
{
	char whole[MP_BROWSE_TEXT_SIZE], copy[MP_BROWSE_TEXT_SIZE];
	enum mp_row_kind kind = mp_browse_step(browse)->kind;
	struct mp_filter filter = { 0 };
	bool locations = kind == MP_ROW_SITE || kind == MP_ROW_STACK, good;
	int len;

	len = snprintf(whole, sizeof(whole), "%s%s",
		       !text[0] || strchr(text, '=') ? "" :
		       locations ? "symbol=" : "comm=", text);
	memcpy(copy, whole, sizeof(copy));
	good = len < (int)sizeof(whole) && make_filter(browse, copy, &filter);
	if (len >= (int)sizeof(whole))
		snprintf(browse->why, sizeof(browse->why), "too long");
	mp_filter_free(&filter);
	if (!good)
		return false;
	browse->why[0] = '\0';
	memcpy(browse->filter, whole, sizeof(whole));
	return true;
}

/* Sets the defaults of view and sort, which depend on the session's streams. */
static void set_defaults(struct mp_browse *browse, const struct mp_profile *profile)
{
	bool alloc = profile->meta.status.streams & MEMPROF_START_ALLOC;
	struct mp_out *out = &browse->out;

	out->kind = mp_browse_step(browse)->kind;
	/* calls that are not followed, and heaps of runtimes, have no blocks */
	alloc &= mp_profile_has(profile, MP_ALLOC_OBJECTS) || !mp_profile_has(profile, MP_TOUCHED);
	if (!browse->viewed)
		out->view = alloc ? MP_VIEW_ALLOC : MP_VIEW_GROWTH;
	if ((out->view == MP_VIEW_RSS || mp_view_has_pages(out->view)) && !alloc)
		out->view = MP_VIEW_SIZES;
	out->has_delta = mp_profile_has(profile, MP_RESIDENT_DELTA);
	out->has_malloc = mp_profile_has(profile, MP_MALLOC_USED);
	out->has_no_blocks = !mp_profile_has(profile, MP_ALLOC_OBJECTS);
	out->nodes = mp_out_nodes(profile);
	if (browse->sorted)
		return;
	/* who grows is asked first */
	out->sort = out->has_delta && (out->view == MP_VIEW_GROWTH ||
		    (out->view == MP_VIEW_ALLOC && out->kind == MP_ROW_PROCESS)) ?
		    MP_RESIDENT_DELTA :
		    out->view == MP_VIEW_ALLOC || out->view == MP_VIEW_AGE ? MP_INUSE_SPACE :
		    MP_RESIDENT;
	if (out->kind == MP_ROW_SITE || out->kind == MP_ROW_STACK)
		out->sort = alloc ? MP_INUSE_SPACE : MP_TOUCHED;
}

static unsigned int keys_of(const struct mp_browse_step *step)
{
	return MP_GROUP_TABLE | (step->pid ? MP_GROUP_PID : 0) |
	       (step->cgroup ? MP_GROUP_CGROUP : 0);
}

/* Compares the rows with those of the last look. */
static int compare(struct mp_browse *browse, struct mp_choice *choice,
		   struct mp_profile *before, const struct mp_sizes *sizes,
		   struct mp_profile *rows)
{
	struct mp_profile old_rows = { 0 };
	int err = mp_choice_rows(choice, &browse->out, sizes, before, &old_rows);

	if (!err)
		err = browse->since_last ? mp_profile_subtract(&old_rows, rows) :
					   mp_profile_live_delta(&old_rows, rows);
	mp_arrange_sort(rows, browse->out.kind, browse->out.sort);
	/* rates, and the time that is told, are of this range */
	if (!err && browse->since_last) {
		rows->meta.status.start_ns = old_rows.meta.status.now_ns;
		rows->meta.status.reset_ns = old_rows.meta.status.now_ns;
	}
	mp_profile_free(&old_rows);
	return err;
}

static const struct mp_row *find_process(const struct mp_profile *profile, uint32_t pid)
{
	const struct mp_row *row, *end = profile->rows + profile->nr_rows;

	for (row = profile->rows; row < end; row++)
		if (row->kind == MP_ROW_PROCESS && row->pid == pid &&
		    !(row->flags & MP_ROW_EXITED))
			return row;
	return NULL;
}

/* Leaves out wrappers of the process that the sentence is about, if there are several. */
static int split_several(struct mp_browse *browse, struct mp_choice *choice,
			 struct mp_profile *profile, const struct mp_sizes *sizes)
{
	const struct mp_out out = {
		.kind = MP_ROW_SITE, .sort = browse->out.sort, .profile = profile,
	};
	const uint32_t pid = mp_browse_step(browse)->pid;
	const struct mp_row *process = pid ? find_process(profile, pid) :
					     mp_headline_process(&out);

	/* of what is filtered, or new since the last look, the sentence may be another one */
	if (browse->filter[0] || browse->since_last)
		return 0;
	return process && process->pid ?
	       mp_judged_split(choice, process, out.sort, sizes, profile, &browse->split) : 0;
}

/* Leaves out wrappers of a process, of callsites and of the stacks that they lead to. */
static int split_wrappers(struct mp_browse *browse, struct mp_choice *choice,
			  struct mp_profile *profile, const struct mp_sizes *sizes)
{
	const struct mp_out out = { .kind = MP_ROW_SITE, .sort = browse->out.sort };
	struct mp_profile sites = { 0 };
	int err;

	browse->split = (struct mp_split){ 0 };
	if ((browse->out.kind != MP_ROW_SITE && browse->out.kind != MP_ROW_STACK) ||
	    browse->out.view != MP_VIEW_ALLOC ||
	    !(profile->meta.status.streams & MEMPROF_START_ALLOC))
		return 0;
	if (!mp_profile_only_process(profile))
		return split_several(browse, choice, profile, sizes);
	err = mp_split_arrange(choice, &out, sizes, profile, &sites, &browse->split);
	mp_profile_free(&sites);
	return err;
}

int mp_browse_arrange(struct mp_browse *browse, struct mp_profile *profile,
		      struct mp_profile *before, const struct mp_sizes *sizes,
		      struct mp_profile *rows)
{
	struct mp_choice choice = {
		.arrange.keys = keys_of(mp_browse_step(browse)), .arrange.folds_exited = true,
		.arrange.growth_now = true, .arrange.trims = true,
		.quiet = true,
	};
	char copy[MP_BROWSE_TEXT_SIZE];
	int err;

	set_defaults(browse, profile);
	browse->out.has_live_delta = before;
	browse->out.is_screen = true;
	memcpy(copy, browse->filter, sizeof(copy));
	/* the filter is valid: it was checked when it was typed */
	make_filter(browse, copy, &choice.arrange.filter);
	err = split_wrappers(browse, &choice, profile, sizes) ?:
	      mp_choice_rows(&choice, &browse->out, sizes, profile, rows);
	if (!err && before)
		err = compare(browse, &choice, before, sizes, rows);
	mp_choice_free(&choice);
	return err;
}

static bool is_location_of(const struct mp_row *site, const struct mp_row *row)
{
	return row->location.offset == site->location.offset &&
	       row->location.address == site->location.address &&
	       row->location.line == site->location.line &&
	       !strcmp(row->comm, site->comm);
}

static bool matches_step(const struct mp_browse_step *step,
		  const struct mp_profile *profile, const struct mp_row *row)
{
	if (step->pid && row->kind != MP_ROW_CGROUP && row->pid != step->pid)
		return false;
	if (step->cgroup && row->cgroup != step->cgroup)
		return false;
	if (!mp_row_has_location(row))
		return true;
	if (step->binary[0] && (!row->location.binary ||
	    strcmp(profile->binaries[row->location.binary - 1].path,
		   step->binary)))
		return false;
	return step->kind != MP_ROW_STACK || is_location_of(&step->row, row);
}

void mp_browse_narrow(const struct mp_browse *browse,
		      struct mp_profile *profile)
{
	const struct mp_browse_step *step = mp_browse_step(browse);
	size_t i, nr_kept = 0;

	for (i = 0; i < profile->nr_rows; i++)
		if (matches_step(step, profile, &profile->rows[i]))
			profile->rows[nr_kept++] = profile->rows[i];
	profile->nr_rows = nr_kept;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * browse: the state of an interactive table, and the actions of its keys
 *
 * It uses neither a terminal nor a session: the input is keys, the output is
 * the rows and the view to show.
 */
#ifndef MP_BROWSE_H
#define MP_BROWSE_H

#include "choice.h"
#include "split-wrapper.h"
#include "writer.h"

/* Limit of nested steps. */
#define MP_BROWSE_DEPTH		8

#define MP_BROWSE_TEXT_SIZE	256

/* Codes of keys that are not characters. */
enum mp_key {
	MP_KEY_NONE = 0,
	MP_KEY_ESCAPE = 27,
	MP_KEY_UP = 0x100,
	MP_KEY_DOWN,
	MP_KEY_PAGE_UP,
	MP_KEY_PAGE_DOWN,
	MP_KEY_HOME,
	MP_KEY_END,
	MP_KEY_LEFT,
	MP_KEY_RIGHT,
	MP_KEY_ENTER,
	MP_KEY_BACKSPACE,
	MP_KEY_GONE,			/* the terminal was closed */
};

/**
 * enum mp_browse_deed - action that the caller must do after a key
 * @MP_DEED_NONE: nothing
 * @MP_DEED_DRAW: draw the same rows again
 * @MP_DEED_ARRANGE: arrange the rows again
 * @MP_DEED_PRINT: write the table to a file
 * @MP_DEED_EARLIER, @MP_DEED_LATER: show the previous or the next moment of a history
 * @MP_DEED_QUIT: end
 */
enum mp_browse_deed {
	MP_DEED_NONE,
	MP_DEED_DRAW,
	MP_DEED_ARRANGE,
	MP_DEED_PRINT,
	MP_DEED_EARLIER,
	MP_DEED_LATER,
	MP_DEED_QUIT,
};

/**
 * struct mp_browse_step - conditions that rows must match; 0 or empty: no
 * condition
 * @kind: kind of rows that are shown
 * @pid: process
 * @cgroup: id of a cgroup
 * @binary: path of a binary
 * @row: a callsite whose stacks are shown
 * @selected: selected row of the previous step
 */
struct mp_browse_step {
	enum mp_row_kind kind;
	uint32_t pid;
	uint64_t cgroup;
	char binary[MEMPROF_PATH_LEN];
	struct mp_row row;
	size_t selected;
};

/**
 * struct mp_browse - state of the browser; initialised by mp_browse_begin()
 * @out: kind, view, sort and exact of the table; the caller sets its profile
 * @steps: nested steps; the last one is shown
 * @nr_steps: at least 1
 * @selected: index of the selected row
 * @moved: the user moved the selection; if not, the caller selects the row that matters most
 * @nr_rows: number of rows; set by the caller
 * @page: number of rows that fit on the screen; set by the caller
 * @shift: columns scrolled beyond the left edge
 * @viewed: the user chose the view
 * @sorted: the user chose the metric to sort by
 * @frozen: do not refresh
 * @since_last: show flows since the previous refresh, not since the start
 * @help: show help
 * @typing: the user edits the filter in @typed
 * @filter: conditions as for --filter; may be empty
 * @why: why the filter is invalid
 * @delay: seconds between two refreshes
 * @split: wrappers that were left out of callsites
 */
struct mp_browse {
	struct mp_out out;
	struct mp_browse_step steps[MP_BROWSE_DEPTH];
	size_t nr_steps;
	size_t selected, nr_rows, page;
	int shift;
	bool moved, viewed, sorted;
	bool frozen, since_last, help, typing;
	char filter[MP_BROWSE_TEXT_SIZE];
	char typed[MP_BROWSE_TEXT_SIZE];
	char why[MP_FILTER_WHY_SIZE];
	unsigned int delay;
	struct mp_split split;
};

/** mp_browse_begin - initialise; shows processes */
void mp_browse_begin(struct mp_browse *browse);

/**
 * mp_browse_key - handle a key
 * @key: enum mp_key, or a character
 * @row: the selected row of the shown profile; NULL: none
 */
enum mp_browse_deed mp_browse_key(struct mp_browse *browse, int key,
				  const struct mp_row *row);

/**
 * mp_browse_filter - set the filter
 * @text: conditions as for --filter. Without a '=' it is a symbol if callsites
 *	are shown, else a command name
 *
 * Return: true, or false with the reason in @browse->why.
 */
bool mp_browse_filter(struct mp_browse *browse, const char *text);

/**
 * mp_browse_arrange - arrange a profile for the current step
 * @profile: see mp_choice_rows()
 * @before: profile of the previous refresh, to show the changes since: of all flows with
 *	@browse->since_last, else of LIVE only; or NULL
 * @sizes: see mp_choice_rows()
 * @rows: out; free it also after an error
 *
 * Return: 0, or -ENOMEM.
 */
int mp_browse_arrange(struct mp_browse *browse, struct mp_profile *profile,
		      struct mp_profile *before, const struct mp_sizes *sizes,
		      struct mp_profile *rows);

/** mp_browse_narrow - remove the rows that do not match the current step */
void mp_browse_narrow(const struct mp_browse *browse,
		      struct mp_profile *profile);

/** mp_browse_step - get the current step */
static inline const struct mp_browse_step *
mp_browse_step(const struct mp_browse *browse)
{
	return &browse->steps[browse->nr_steps - 1];
}

#endif

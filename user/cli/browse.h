/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * browse: where in a profile its user is, and what keys do there
 *
 * No terminal and no session here: keys go in, what is to be shown comes out.
 */
#ifndef MP_BROWSE_H
#define MP_BROWSE_H

#include "choice.h"
#include "writer.h"

/* Steps into something. */
#define MP_BROWSE_DEPTH		8

#define MP_BROWSE_TEXT_SIZE	256

/* Keys that are no characters. */
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
	MP_KEY_GONE,			/* there is no keyboard any more */
};

/**
 * enum mp_browse_deed - what a key asks of whoever draws
 * @MP_DEED_NONE: nothing
 * @MP_DEED_DRAW: the same rows, drawn again
 * @MP_DEED_ARRANGE: rows have to be arranged again
 * @MP_DEED_PRINT: write the table into a file
 * @MP_DEED_QUIT: end
 */
enum mp_browse_deed {
	MP_DEED_NONE,
	MP_DEED_DRAW,
	MP_DEED_ARRANGE,
	MP_DEED_PRINT,
	MP_DEED_QUIT,
};

/**
 * struct mp_browse_step - into what the user went; 0 or empty: not into any
 * @kind: rows that are shown there
 * @pid: process
 * @cgroup: its id
 * @binary: path
 * @row: a callsite, whose stacks are shown
 * @selected: where the user was before
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
 * struct mp_browse - set up by mp_browse_begin()
 * @out: how the table is: kind, view, sort, exact; its profile is the owner's
 * @steps: the last one counts
 * @nr_steps: at least 1
 * @selected: among the rows that are shown
 * @nr_rows: of them, for the owner to tell
 * @page: rows that fit, for the owner to tell
 * @shift: columns that are beyond the left edge
 * @frozen: nothing new is taken
 * @since: flows since the last look, not since the beginning
 * @help: is shown
 * @filter: conditions, as --filter has them; empty: none
 * @typing: the filter is being typed, in @typed
 * @delay: seconds between two looks
 */
struct mp_browse {
	struct mp_out out;
	struct mp_browse_step steps[MP_BROWSE_DEPTH];
	size_t nr_steps;
	size_t selected, nr_rows, page;
	int shift;
	bool viewed, sorted;
	bool frozen, since, help, typing;
	char filter[MP_BROWSE_TEXT_SIZE];
	char typed[MP_BROWSE_TEXT_SIZE];
	char why[MP_FILTER_WHY_SIZE];
	unsigned int delay;
};

/** mp_browse_begin - at the processes */
void mp_browse_begin(struct mp_browse *browse);

/**
 * mp_browse_key - a key was pressed
 * @row: that is selected, of @browse's profile; NULL where there is none
 */
enum mp_browse_deed mp_browse_key(struct mp_browse *browse, int key,
				  const struct mp_row *row);

/**
 * mp_browse_filter - take a filter over
 * @text: as --filter has it, or, without a '=', a symbol where callsites are shown
 *	and else a name
 *
 * Return: whether it makes sense; if not, @browse->why says why not.
 */
bool mp_browse_filter(struct mp_browse *browse, const char *text);

/**
 * mp_browse_arrange - arrange a profile as it is to be shown
 * @profile: as mp_choice_rows() has it
 * @before: the profile of the last look, where changes since then are shown; or NULL
 * @sizes: as mp_choice_rows() has it
 * @rows: out, to be freed in any case
 *
 * Return: 0, or -ENOMEM.
 */
int mp_browse_arrange(struct mp_browse *browse, struct mp_profile *profile,
		      struct mp_profile *before, const struct mp_sizes *sizes,
		      struct mp_profile *rows);

/** mp_browse_narrow - leave only the rows of what the user went into */
void mp_browse_narrow(const struct mp_browse *browse,
		      struct mp_profile *profile);

/** mp_browse_step - what the user is in */
static inline const struct mp_browse_step *
mp_browse_step(const struct mp_browse *browse)
{
	return &browse->steps[browse->nr_steps - 1];
}

#endif

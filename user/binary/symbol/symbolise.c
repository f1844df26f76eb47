// SPDX-License-Identifier: GPL-2.0-only
/*
 * symbolise: looks up the cache first, then searches in a child
 *
 * See symbol-search.c for the cost. Addresses that are not found have no lines.
 */
#include "symbolise.h"
#include "clock.h"
#include "debug-file.h"
#include "debuginfod.h"
#include "regular-file.h"
#include "symbol-cache.h"
#include "symbol-search.h"

#include <stdlib.h>
#include <unistd.h>

static int compare_number(const void *x, const void *y)
{
	const uint64_t *a = x, *b = y;

	return (*a > *b) - (*a < *b);
}

/*
 * Lists each offset that @known does not have; @offsets must have room for @nr.
 * Returns their number.
 */
static size_t list_missing(const struct mp_symbol_answer *known,
			   const struct mp_spot *spots, size_t nr,
			   uint64_t *offsets)
{
	size_t i, nr_all = 0, nr_out = 0;

	for (i = 0; i < nr; i++)
		if (!mp_symbol_answer_find(known, spots[i].offset))
			offsets[nr_all++] = spots[i].offset;
	qsort(offsets, nr_all, sizeof(*offsets), compare_number);
	for (i = 0; i < nr_all; i++)
		if (!nr_out || offsets[nr_out - 1] != offsets[i])
			offsets[nr_out++] = offsets[i];
	return nr_out;
}

/* The state of one call. */
struct work {
	const struct mp_symbolise_options *options;
	struct mp_symbol_search what;
	bool is_part;			/* lines are missing: the cache must not store the answer */
};

static struct mp_symbolise_budget *budget_of(const struct work *work)
{
	return work->options ? work->options->budget : NULL;
}

static bool run_search(struct work *work, const struct mp_symbol_search *what,
		       struct mp_symbol_answer *answer)
{
	struct mp_symbolise_budget *budget = budget_of(work);
	uint64_t begin_ns = mp_clock_ns();
	enum mp_symbol_outcome outcome = mp_symbol_search_isolated(what, answer);

	if (budget) {
		budget->left_ns -= (int64_t)(mp_clock_ns() - begin_ns);
		budget->nr_packed += outcome == MP_SYMBOL_PART;
		budget->nr_failed += outcome == MP_SYMBOL_FAILED;
	}
	work->is_part |= outcome == MP_SYMBOL_PART;
	return outcome == MP_SYMBOL_DONE || outcome == MP_SYMBOL_PART;
}

static bool search_debug_file(struct work *work, const char *path,
			      struct mp_symbol_answer *answer)
{
	struct mp_symbol_search what = work->what;
	bool done;

	what.fd = mp_regular_open(path, NULL);
	what.path = path;
	what.is_debug_file = true;
	if (what.fd < 0)
		return false;
	done = run_search(work, &what, answer);
	close(what.fd);
	return done;
}

/* Adds the path, so that the answer becomes invalid when the file changes. */
static void watch_path(struct mp_symbol_answer *answer, const char *path)
{
	mp_names_add(&answer->watched, path);
}

static bool search_local(struct work *work, struct mp_symbol_answer *answer)
{
	const struct mp_binary *binary = work->what.binary;
	char path[MP_DEBUG_PATH_SIZE];

	if (work->what.fd >= 0 && run_search(work, &work->what, answer))
		return true;
	if (!mp_debug_file_path(path, binary->build_id, binary->build_id_size) ||
	    !search_debug_file(work, path, answer))
		return false;
	watch_path(answer, path);
	return true;
}

static bool has_lines(const struct mp_symbol_answer *answer)
{
	size_t i;

	for (i = 0; i < answer->symbols.nr_lines; i++)
		if (answer->symbols.lines[i].file != MP_NAMES_NONE)
			return true;
	return false;
}

/* Replaces @answer if a server has the debug file. */
static bool search_servers(struct work *work, struct mp_symbol_answer *answer)
{
	const struct mp_binary *binary = work->what.binary;
	char path[MP_ANSWER_PATH_SIZE];
	struct mp_symbol_answer better;

	if (!mp_debuginfod_find(path, sizeof(path), binary->build_id,
				binary->build_id_size) ||
	    !search_debug_file(work, path, &better))
		return false;
	mp_symbol_answer_free(answer);
	*answer = better;
	return true;
}

/*
 * Searches the listed offsets, adds them to @known. Returns true if a file
 * could be read.
 */
static bool search(struct work *work, struct mp_symbol_answer *known)
{
	struct mp_symbolise_budget *budget = budget_of(work);
	struct mp_symbol_answer answer = { 0 };
	bool done;

	if (budget && budget->left_ns <= 0) {
		budget->nr_late++;
		return false;
	}
	done = search_local(work, &answer);
	if (work->options && work->options->debuginfod && !has_lines(&answer))
		done |= search_servers(work, &answer);
	if (done)
		done = !mp_symbol_answer_merge(known, &answer);
	mp_symbol_answer_free(&answer);
	return done;
}

static void copy_runs(const struct mp_symbol_answer *answer, struct mp_spot *spots,
		      size_t nr, struct mp_symbols *symbols)
{
	const struct mp_spot *run;
	size_t i;

	for (i = 0; i < nr; i++) {
		spots[i].nr = 0;
		run = mp_symbol_answer_find(answer, spots[i].offset);
		if (run && mp_symbols_copy(symbols, &answer->symbols, run,
					   &spots[i]))
			return;
	}
}

bool mp_symbolise(const struct mp_symbolise_options *options, int fd,
		  const char *path, const struct mp_binary *binary,
		  struct mp_spot *spots, size_t nr,
		  struct mp_symbols *symbols)
{
	uint64_t *offsets = calloc(nr + 1, sizeof(*offsets));
	struct work work = {
		.options = options,
		.what = {
			.fd = fd, .path = path, .binary = binary,
			.offsets = offsets,
		},
	};
	struct mp_symbol_answer answer = { 0 };
	struct mp_cache_key key;
	bool done = true;

	if (!offsets)
		return false;
	mp_symbol_cache_key(&key, fd, path, binary);
	mp_symbol_cache_load(&key, &answer);
	/* ignore the cached answer: a server may have the missing lines */
	if (options && options->debuginfod && !has_lines(&answer))
		mp_symbol_answer_free(&answer);
	work.what.nr = list_missing(&answer, spots, nr, offsets);
	if (work.what.nr) {
		done = search(&work, &answer);
		if (done && !work.is_part)
			mp_symbol_cache_store(&key, &answer);
	}
	copy_runs(&answer, spots, nr, symbols);
	mp_symbol_answer_free(&answer);
	free(offsets);
	return done;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * top: shows a report and refreshes it
 *
 * On a terminal it is an interactive table. Otherwise it prints one table after
 * another. Each refresh costs as much as a report.
 */
#include "browse.h"
#include "choice.h"
#include "clock.h"
#include "command.h"
#include "headline.h"
#include "hint.h"
#include "history-range.h"
#include "human.h"
#include "input.h"
#include "judged.h"
#include "message.h"
#include "moment.h"
#include "profile-copy.h"
#include "record-arguments.h"
#include "request.h"
#include "screen.h"
#include "session-start.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_ROWS	20
#define TITLE_SIZE	2048
#define MAX_FILES	1000

/*
 * How long a session of our own runs before its first table, in microseconds. If no other
 * table follows, it waits for longer, so that there is more to show, and for samples.
 */
#define FIRST_US	300000
#define ONLY_US		800000
#define SAMPLED_US	3000000

/* A profile and the sizes from its recording. */
struct copy {
	struct mp_profile profile;
	struct mp_sizes sizes;
};

/**
 * struct top - state of the verb
 * @options: of a session of its own
 * @now, @before: profiles of the latest and of the previous refresh
 * @range: of a history that is shown instead of a session
 * @history: its snapshots
 * @at: the snapshot that is shown; @before is the one before it
 * @refreshed_twice: @before is valid
 * @profile: the rows that are shown, made from @now
 * @judged: of several processes, the callsites of the one that the sentence is about
 * @taken_ns: time of the latest refresh
 * @has_locations: callsites were read into @now
 * @nr_looks: number of refreshes; @hinted: the one after which a hint was looked for last
 * @hint: how callsites could have better names; empty: not known yet
 */
struct top {
	struct mp_browse browse;
	struct mp_record_options options;
	const char *input;
	bool plain, limited, counted;
	uint64_t count;
	struct mp_history_range range;
	struct mp_history history;
	size_t at;
	struct copy now, before;
	bool refreshed_twice;
	bool by_given;
	struct mp_profile profile, judged;
	uint64_t taken_ns;
	bool has_locations;
	uint32_t nr_looks, hinted;
	char hint[MP_HINT_SIZE];
};

static int set_filter(void *to, const struct mp_argument *argument)
{
	struct mp_browse *browse = to;

	return mp_browse_filter(browse, argument->value) ? 0 :
	       mp_misuse("top", "--filter: %s", browse->why);
}

static const struct mp_option options[] = {
	{ 0, "by", "process|cgroup|callsite", "process cgroup callsite",
	  "what a row stands for at first; default process; with one -p without children, callsite",
	  MP_WORD(struct top, browse.steps[0].kind), MP_GIVEN(struct top, by_given) },
	{ 'd', "delay", "SECONDS", "1 2 5 10",
	  "between two refreshes; default 2", MP_NUMBER(struct top, browse.delay, 1, 3600) },
	{ 's', "sort", "METRIC", MP_VALUES_METRICS,
	  "highest first; default DELTA or RSS; of callsites LIVE, with allocations",
	  MP_SET(struct top, browse.out.sort, mp_choice_metric),
	  MP_GIVEN(struct top, browse.sorted) },
	{ 0, "filter", "KEY=VALUE,...", NULL,
	  "rows of pid=, comm=, cgroup=, container=, pod=, host=, symbol=REGEX, size>=BYTES",
	  MP_SET(struct top, browse, set_filter) },
	{ 'z', "since-last", NULL, NULL,
	  "changes since the last refresh, not since the start",
	  MP_FLAG(struct top, browse.since_last) },
	{ 'n', "limit", "N", "10 20 50",
	  "with plain tables, rows to show, 0 for all; default 20",
	  MP_NUMBER(struct top, browse.out.limit, 0, 1000000),
	  MP_GIVEN(struct top, limited) },
	{ 'c', "count", "N", "1 10",
	  "with plain tables, number of tables; 0: no end; default 1 with -n, else 0",
	  MP_NUMBER(struct top, count, 0, 1000000000), MP_GIVEN(struct top, counted) },
	{ 0, "plain", NULL, NULL, "one table after the other, also on a terminal",
	  MP_FLAG(struct top, plain) },
	{ 'i', "input", "FILE", NULL, "show a recording instead of the session",
	  MP_TEXT(struct top, input) },
	MP_HISTORY_OPTIONS(struct top, range),
	MP_RECORD_OPTIONS(struct top, options),
	MP_OPTION_HELP,
	MP_OPTION_HELP_ALL,
	{ 0 },
};

static bool is_live(const struct top *top)
{
	return !top->input && !top->range.given;
}

static void free_copy(struct copy *copy)
{
	mp_profile_free(&copy->profile);
	mp_sizes_free(&copy->sizes);
}

static int read_snapshot(const struct top *top, size_t at, struct copy *copy,
			 struct mp_diag *diag)
{
	char path[PATH_MAX];
	const struct mp_input input = { .path = path, .locations = true, .quiet = true };

	if (mp_history_range_path(&top->range, &top->history.entries[at], path))
		return -ENAMETOOLONG;
	return mp_input_read(&input, &copy->profile, &copy->sizes, diag);
}

/* Reads a snapshot into @now, and the one before it, of the same session, into @before. */
static int show_snapshot(struct top *top, size_t at, struct mp_diag *diag)
{
	const struct mp_history_entry *entries = top->history.entries;
	const bool follows = at && entries[at].session == entries[at - 1].session;
	struct copy now = { 0 }, before = { 0 };
	int err = read_snapshot(top, at, &now, diag);

	if (!err && follows)
		err = read_snapshot(top, at - 1, &before, diag);
	if (err) {
		free_copy(&now);
		free_copy(&before);
		return err;
	}
	free_copy(&top->now);
	free_copy(&top->before);
	top->now = now;
	top->before = before;
	top->refreshed_twice = follows;
	top->at = at;
	return 0;
}

/* Shows the snapshot before or the next one, if there is one. */
static int step_in_time(struct top *top, enum mp_browse_deed deed, char *note,
			struct mp_diag *diag)
{
	const bool later = deed == MP_DEED_LATER;

	if (!top->history.nr)
		snprintf(note, TITLE_SIZE, "[ and ] step through a history: memprofctl top --history");
	else if (later ? top->at + 1 == top->history.nr : !top->at)
		snprintf(note, TITLE_SIZE, "this is the %s snapshot", later ? "last" : "first");
	else
		return show_snapshot(top, later ? top->at + 1 : top->at - 1, diag);
	return 0;
}

/* Whether to read callsites: they take time and memory, and most tables do without. */
static bool needs_locations(const struct top *top)
{
	const enum mp_row_kind kind = mp_browse_step(&top->browse)->kind;

	return !is_live(top) || kind == MP_ROW_SITE || kind == MP_ROW_STACK ||
	       top->now.profile.meta.status.streams & MEMPROF_START_ALLOC;
}

/* Reads a new profile into @now. The old one moves to @before. */
static int refresh(struct top *top, struct mp_diag *diag)
{
	const struct mp_input input = { .path = top->input, .locations = needs_locations(top) };
	struct copy new = { 0 };
	int err;

	if (top->range.given)
		return show_snapshot(top, top->at, diag);
	err = mp_input_read(&input, &new.profile, &new.sizes, diag);
	if (err) {
		free_copy(&new);
		return err;
	}
	free_copy(&top->before);
	top->refreshed_twice = top->taken_ns && (top->has_locations || !input.locations);
	top->before = top->now;
	top->now = new;
	top->has_locations = input.locations;
	top->taken_ns = mp_clock_ns();
	top->nr_looks++;
	return 0;
}

/* A hint may take two seconds, so it is looked for less and less often: after 1, 2, 4, 8 looks. */
static void find_hint(struct top *top)
{
	const bool is_due = top->hinted != top->nr_looks &&
			    !(top->nr_looks & (top->nr_looks - 1));

	if (!is_live(top) || !is_due || top->hint[0] || top->browse.out.kind != MP_ROW_SITE)
		return;
	top->hinted = top->nr_looks;
	if (!mp_hint_write(&top->profile, top->browse.out.sort, false, false, top->hint))
		top->hint[0] = '\0';
}

/* Arranges the callsites of one process, and reads the symbols of no other one. */
static int judge_process(struct top *top, uint32_t pid)
{
	struct mp_choice choice = { .quiet = true, .symbols.only_used = true };
	struct mp_profile part = { 0 };
	size_t i, nr = 0;
	int err = mp_profile_copy(&part, &top->now.profile);

	for (i = 0; !err && i < part.nr_rows; i++)
		if (part.rows[i].pid == pid)
			part.rows[nr++] = part.rows[i];
	if (!err) {
		part.nr_rows = nr;
		err = mp_judged_process(&choice, pid, top->browse.out.sort,
					is_live(top) ? NULL : &top->now.sizes, &part,
					&top->judged);
	}
	mp_profile_free(&part);
	return err;
}

/* What grew since the last look only is no matter of leaks. */
static int judge(struct top *top)
{
	struct mp_browse *browse = &top->browse;
	const struct mp_row *process;

	mp_profile_free(&top->judged);
	browse->out.judged = NULL;
	if (!(top->profile.meta.status.streams & MEMPROF_START_ALLOC) || browse->since_last ||
	    mp_view_has_pages(browse->out.view) ||
	    (mp_profile_only_process(&top->profile) && browse->out.kind == MP_ROW_SITE))
		return 0;
	process = mp_headline_process(&browse->out);
	if (!process || !process->pid)
		return 0;
	browse->out.judged = &top->judged;
	return judge_process(top, process->pid);
}

/* What the sentence is about: a process or NULL, and a callsite or a row without a location */
struct told {
	const struct mp_row *process;
	struct mp_row site;
};

/* Nothing is looked for if the user has selected a row. */
static struct told find_told(const struct mp_out *out, bool moved)
{
	struct told told = { .site.kind = MP_ROW_PROCESS };

	if (moved)
		return told;
	if (out->kind != MP_ROW_SITE)
		told.process = mp_headline_process(out);
	else
		mp_headline_site(out, &told.site);
	return told;
}

/* Whether the sentence is about this row: this process, its cgroup, or this callsite */
static bool is_told(const struct mp_row *row, const struct told *told)
{
	const struct mp_row *process = told->process;
	const struct mp_location *at = &row->location, *wanted = &told->site.location;

	if (row->kind == MP_ROW_SITE)
		return told->site.kind == MP_ROW_SITE && at->binary == wanted->binary &&
		       at->offset == wanted->offset && at->address == wanted->address &&
		       at->line == wanted->line && at->func == wanted->func;
	return process && process->pid &&
	       (row->kind == MP_ROW_PROCESS ? row->pid == process->pid && row->host == process->host :
		row->kind == MP_ROW_CGROUP && row->cgroup == process->cgroup);
}

/* Counts the rows. Until the user selects one, it is the one that the sentence is about. */
static void select_row(struct top *top)
{
	struct mp_browse *browse = &top->browse;
	const struct told told = find_told(&browse->out, browse->moved);
	const struct mp_row *row;
	size_t nr = 0, first = 0;

	for (row = mp_out_next(&browse->out, top->profile.rows); row;
	     row = mp_out_next(&browse->out, row + 1)) {
		if (!first && is_told(row, &told))
			first = nr;
		nr++;
	}
	browse->nr_rows = nr;
	if (!browse->moved)
		browse->selected = first;
	if (browse->selected >= nr)
		browse->selected = nr ? nr - 1 : 0;
}

/* Makes the rows to show from the latest profile. */
static int arrange_rows(struct top *top, struct mp_diag *diag)
{
	mp_profile_free(&top->profile);
	if (mp_browse_arrange(&top->browse, &top->now.profile,
			      top->refreshed_twice ? &top->before.profile : NULL,
			      is_live(top) ? NULL : &top->now.sizes,
			      &top->profile))
		return mp_diag_fail(diag, ENOMEM, NULL,
				    "cannot arrange the rows");
	mp_browse_narrow(&top->browse, &top->profile);
	top->browse.out.profile = &top->profile;
	if (judge(top))
		return mp_diag_fail(diag, ENOMEM, NULL, "cannot judge the callsites");
	select_row(top);
	find_hint(top);
	return 0;
}

static const struct mp_row *selected_row(const struct top *top)
{
	const struct mp_out *out = &top->browse.out;
	const struct mp_row *row = mp_out_next(out, out->profile->rows);
	size_t i;

	for (i = 0; row && i < top->browse.selected; i++)
		row = mp_out_next(out, row + 1);
	return row;
}

/* Writes the conditions of the current step as text. */
static void where_text(const struct top *top, char *text, size_t size)
{
	const struct mp_browse *browse = &top->browse;
	const struct mp_browse_step *step = mp_browse_step(browse);
	char id[MP_CGROUP_ID_SIZE], pid[32] = "";

	if (step->pid)
		snprintf(pid, sizeof(pid), "  pid %u", step->pid);
	snprintf(text, size, "%s%s%.200s%s%.200s%s%s", pid,
		 step->cgroup ? "  in " : "", step->cgroup ?
		 mp_profile_cgroup(&top->profile, step->cgroup, id) : "",
		 step->binary[0] ? "  of " : "",
		 step->binary[0] ? strrchr(step->binary, '/') ?: "" : "",
		 browse->filter[0] ? "  filter " : "", browse->filter);
}

/* The time of what is shown; nothing for a recording. */
static void clock_text(const struct top *top, char *text, size_t size)
{
	char moment[MP_MOMENT_SIZE];
	time_t now = time(NULL);
	struct tm local;

	text[0] = '\0';
	if (is_live(top) && localtime_r(&now, &local))
		strftime(text, size, "%H:%M:%S", &local);
	else if (top->range.given)
		snprintf(text, size, "%s (%zu of %zu)",
			 mp_moment_write(moment, top->history.entries[top->at].time_s),
			 top->at + 1, top->history.nr);
}

static bool has_one_process(const struct top *top)
{
	return top->options.targets.nr == 1 &&
	       top->options.targets.list[0].kind == MEMPROF_TARGET_PROCESS;
}

/* Of a process, whose callsites are shown, RSS and its change. */
static void size_text(const struct top *top, char *text, size_t size)
{
	char rss[MP_HUMAN_SIZE], delta[MP_HUMAN_SIZE];
	struct mp_total total;

	text[0] = '\0';
	if (!has_one_process(top) || top->browse.out.kind == MP_ROW_PROCESS)
		return;
	mp_profile_total(&top->profile, MP_ROW_PROCESS, &total);
	mp_human_metric(delta, MP_RESIDENT_DELTA, total.value[MP_RESIDENT_DELTA], false);
	snprintf(text, size, ": RSS %s, DELTA %s",
		 mp_human_bytes(rss, total.value[MP_RESIDENT]), delta);
}

static void title_text(const struct top *top, char *title)
{
	static const char * const nouns[MP_NR_ROW_KINDS] = {
		"processes", "cgroups", "callsites", "stacks",
	};
	const struct mp_browse *browse = &top->browse;
	char where[TITLE_SIZE / 2], clock[MP_MOMENT_SIZE + 64], sizes[64];

	size_text(top, sizes, sizeof(sizes));
	clock_text(top, clock, sizeof(clock));
	where_text(top, where, sizeof(where));
	snprintf(title, TITLE_SIZE,
		 "memprof top: %s  by %s%.900s  %s  %.300s%s  %s%s%s",
		 nouns[browse->out.kind],
		 mp_metrics[browse->out.sort].heading, where,
		 mp_source_name(top->profile.meta.source),
		 top->profile.meta.targets, sizes, clock,
		 !browse->since_last ? "" : top->range.given ?
		 "  [since the snapshot before]" : "  [since last look]",
		 browse->frozen ? "  [frozen]" : "");
}

static bool write_headline(const struct top *top, char *text)
{
	const struct mp_split *split = &top->browse.split;
	const struct mp_row *process = split->pid ? mp_headline_process(&top->browse.out) : NULL;

	if (!split->nr || (split->pid && (!process || process->pid != split->pid)))
		return mp_headline_write(&top->browse.out, text);
	snprintf(text, MP_HINT_SIZE, "%s", top->browse.split.sentence);
	return true;
}

static void print_table(struct top *top, FILE *file)
{
	struct mp_out out = top->browse.out;
	char headline[MP_HINT_SIZE];

	out.file = file;
	if (write_headline(top, headline))
		out.headline = headline;
	if (out.kind == MP_ROW_SITE && top->hint[0])
		out.hint = top->hint;
	mp_out_report(&out);
}

/* Writes the table to the first file name that does not exist. */
static void print_into_file(struct top *top, char *note)
{
	char path[32];
	FILE *file = NULL;
	int i, fd = -1;

	for (i = 0; fd < 0 && i < MAX_FILES; i++) {
		snprintf(path, sizeof(path), "memprof.top.%d", i);
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	if (fd >= 0)
		file = fdopen(fd, "w");
	if (file)
		print_table(top, file);
	if (!file || ferror(file) | fclose(file)) {
		snprintf(note, TITLE_SIZE, "cannot write %s: %s", path,
			 strerror(errno));
		if (file)
			unlink(path);
		return;
	}
	snprintf(note, TITLE_SIZE, "written to %s", path);
}

static int ms_left(const struct top *top)
{
	uint64_t due = top->taken_ns + top->browse.delay * 1000000000ULL;
	uint64_t now = mp_clock_ns();

	if (top->browse.frozen || !is_live(top))
		return -1;
	return now < due ? (int)((due - now) / 1000000) + 1 : 0;
}

/* Whether allocations of a session that runs are followed by probes only */
static bool is_slowed(const struct top *top)
{
	const struct mp_alloc_meta *alloc = &top->now.profile.meta.alloc;

	return is_live(top) && alloc->nr_probes && !alloc->nr_samplers;
}

/* Handles one key or refresh. Returns 0, 1 to end, or a negative errno. */
static int run_turn(struct top *top, char *note, struct mp_diag *diag)
{
	char title[TITLE_SIZE], headline[MP_HINT_SIZE], last[TITLE_SIZE + 16];
	enum mp_browse_deed deed;
	bool has_headline;
	int key, err = 0;

	title_text(top, title);
	snprintf(last, sizeof(last), "%s", note);
	has_headline = write_headline(top, headline);
	if (!note[0] && !has_headline && top->browse.out.kind == MP_ROW_SITE && top->hint[0])
		snprintf(last, sizeof(last), "h help  q quit  %s", top->hint);
	else if (!note[0] && top->now.profile.nr_warnings)
		snprintf(last, sizeof(last), "h help  q quit  %s", top->now.profile.warnings[0]);
	else if (!note[0] && is_slowed(top))
		snprintf(last, sizeof(last), "h help  q quit  each call of the allocator is a trap, which slows a busy program: top --inject takes samples instead");
	if (mp_screen_draw(&top->browse, title, has_headline ? headline : NULL,
			   last[0] ? last : NULL))
		return mp_diag_fail(diag, ENOMEM, NULL, "cannot draw");
	key = mp_screen_key(ms_left(top));
	deed = mp_browse_key(&top->browse, key, selected_row(top));
	if (key != MP_KEY_NONE)
		note[0] = '\0';
	if (deed == MP_DEED_QUIT)
		return 1;
	if (deed == MP_DEED_PRINT)
		print_into_file(top, note);
	if (deed == MP_DEED_EARLIER || deed == MP_DEED_LATER) {
		err = step_in_time(top, deed, note, diag);
		deed = MP_DEED_ARRANGE;
	}
	if (!ms_left(top) || (deed == MP_DEED_ARRANGE && needs_locations(top) &&
			      !top->has_locations && is_live(top))) {
		/* callsites of a busy machine take a second or two */
		if (key != MP_KEY_NONE &&
		    mp_screen_draw(&top->browse, title, has_headline ? headline : NULL,
				   "reading the callsites ..."))
			return mp_diag_fail(diag, ENOMEM, NULL, "cannot draw");
		err = refresh(top, diag);
		deed = MP_DEED_ARRANGE;
	}
	return !err && deed == MP_DEED_ARRANGE ? arrange_rows(top, diag) : err;
}

/* Runs the interactive table. The caller prints @diag after the screen is closed. */
static void run_screen(struct top *top, struct mp_diag *diag)
{
	char note[TITLE_SIZE] = "";

	if (!mp_screen_open()) {
		mp_diag_fail(diag, 0, "--plain needs no terminal",
			     "the terminal '%s' is not known",
			     getenv("TERM") ?: "");
		return;
	}
	while (!run_turn(top, note, diag))
		;
	mp_screen_close();
}

static void run_plain(struct top *top, struct mp_diag *diag)
{
	char title[TITLE_SIZE];
	uint64_t nr;
	int err = 0;

	for (nr = 1; !err; nr++) {
		title_text(top, title);
		printf("%s\n", title);
		print_table(top, stdout);
		if (fflush(stdout))
			err = mp_diag_fail(diag, errno, NULL, "cannot write");
		if (nr == top->count || top->input || top->at + 1 == top->history.nr)
			break;
		putchar('\n');
		if (top->range.given)
			top->at++;
		else
			sleep(top->browse.delay);
		err = err ?: refresh(top, diag) ?: arrange_rows(top, diag);
	}
}

/*
 * Whether top needs a session of its own: the user chose targets or options of one,
 * or no session runs.
 */
static bool needs_session(const struct top *top)
{
	return is_live(top) && (top->options.targets.nr || top->options.given ||
			       !mp_request_session_runs());
}

/* A terminal begins with the last snapshot, plain tables with the first of those asked for. */
static int open_history(struct top *top)
{
	size_t shown;
	int status = mp_history_range_list("top", &top->range, &top->history);

	if (status)
		return status;
	shown = !top->plain ? 1 : top->count && top->count < top->history.nr ?
		(size_t)top->count : top->history.nr;
	top->at = top->history.nr - shown;
	top->browse.since_last = true;
	return 0;
}

/* Who chose one process asks for its callsites, unless it has children: who grows is first. */
static void choose_rows(struct top *top)
{
	if (top->by_given || !has_one_process(top) ||
	    !mp_profile_only_process(&top->now.profile))
		return;
	top->browse.steps[0].kind = MP_ROW_SITE;
}

/* Shows the table until the user quits. */
static int watch(struct top *top)
{
	struct mp_diag diag = { 0 };
	int err = refresh(top, &diag);

	if (!err)
		choose_rows(top);
	/* only now it is known whether allocations are followed */
	if (!err && is_live(top) && needs_locations(top) && !top->has_locations)
		err = refresh(top, &diag);
	if (!err && !arrange_rows(top, &diag)) {
		if (top->plain)
			run_plain(top, &diag);
		else
			run_screen(top, &diag);
	}
	mp_profile_free(&top->profile);
	mp_profile_free(&top->judged);
	free_copy(&top->now);
	free_copy(&top->before);
	mp_history_free(&top->history);
	return mp_message_diag(&diag, "top");
}

static int watch_own(struct top *top)
{
	int status = mp_record_arguments_check(&top->options, "top") ?:
		     mp_session_start_own("top", &top->options);

	if (status)
		return status;
	/* in the first table there is something to see */
	usleep(top->count != 1 ? FIRST_US : top->options.inject ? SAMPLED_US : ONLY_US);
	return watch(top);
}

static int run(const struct mp_command *command, int argc, char **argv)
{
	struct top top = { 0 };
	int status;

	mp_browse_begin(&top.browse);
	mp_record_options_init(&top.options);
	top.browse.out.limit = DEFAULT_ROWS;
	status = mp_command_parse(command, argc, argv, &top);
	if (status != MP_PARSED)
		return status;
	if (top.input && (top.options.targets.nr || top.options.given))
		return mp_misuse("top", "-i shows a recording: no targets or options of a session go with it");
	if (top.range.given && (top.input || top.options.targets.nr || top.options.given))
		return mp_misuse("top", "--history shows what was: no -i, targets or options of a session go with it");
	if (top.limited && !top.counted)
		top.count = 1;
	top.plain |= !isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO);
	top.browse.out.is_watched = is_live(&top) && (!top.plain || top.count != 1);
	if (top.range.given) {
		status = open_history(&top);
		if (status) {
			mp_history_free(&top.history);
			return status;
		}
	}
	return needs_session(&top) ? watch_own(&top) : watch(&top);
}

const struct mp_command mp_cmd_top = {
	.name = "top",
	.summary = "watch processes, cgroups and callsites",
	.usage = "[-a | -p PID... | -G CGROUP...] [--by process|cgroup|callsite] [-s METRIC] [OPTION]...",
	.options = options,
	.run = run,
};

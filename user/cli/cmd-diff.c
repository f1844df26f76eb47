// SPDX-License-Identifier: GPL-2.0-only
/*
 * diff: shows the difference between two recordings or snapshots
 *
 * The two can be of different runs, because programs and callsites are matched
 * by name. The output is a table, or a format that can show differences. The
 * cost is that of two reports.
 */
#include "choice.h"
#include "command.h"
#include "difference-table.h"
#include "export-formats.h"
#include "grouping.h"
#include "history-range.h"
#include "input.h"
#include "message.h"
#include "session-save.h"
#include "output.h"
#include "pager.h"
#include "renamed.h"
#include "repeated.h"
#include "location-text.h"
#include "sites.h"
#include "text.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_LIMIT	20
#define TITLE_SIZE	256

/*
 * If the peak changes by less than this part, the sentence is about ALLOC'D, if that of a callsite
 * changes by a larger part of all: in repeated runs, and in single ones.
 */
#define LEAST_PEAK	100
#define LEAST_CHURN	50
#define LEAST_OF_ONE	6

/* One of the two recordings: its profile, and its stacks if they are exported. */
struct side {
	struct mp_profile profile;
	struct mp_sizes sizes;
	struct mp_profile stacks;
	struct mp_stack_samples samples;
};

/* Several recordings of each side; the largest distance of samples of each */
struct repeats {
	uint64_t distance[2];
	struct mp_runs processes[2];
	struct mp_runs sites[2];
};

struct diff {
	const char *paths[2];		/* NULL: the session */
	char kept[PATH_MAX];
	struct mp_history_range range;
	char ends[2][PATH_MAX];		/* snapshots of the range */
	char **all_paths[2];		/* of repeated runs */
	size_t nr_paths[2];
	size_t nr_noisy;
	struct side sides[2];
	struct mp_difference differences[2];	/* of processes and of callsites */
	struct mp_choice choice;
	struct mp_difference_view view;
	const struct mp_export_ops *ops;
	const char *output;
	enum { BY_PROCESS, BY_CALLSITE } by;
	bool force, json, sorted, limited, kind_chosen;
	bool by_process, by_callsite;
	struct mp_renamed renamed;
};

static int set_format(void *to, const struct mp_argument *argument)
{
	const struct mp_export_ops **ops = to;

	*ops = mp_export_find(argument->value);
	if (*ops && (*ops)->differs)
		return 0;
	return mp_misuse("diff", "--format takes folded, svg, html or pprof, not '%s'",
			 argument->value);
}

static const struct mp_option options[] = {
	{ 0, "by", "process|callsite", "process callsite",
	  "what a row stands for; default callsite, where there are some",
	  MP_WORD(struct diff, by), MP_GIVEN(struct diff, kind_chosen) },
	{ 's', "sort", "METRIC", MP_VALUES_METRICS,
	  "largest difference first; default LIVE, RSS or what there is",
	  MP_SET(struct diff, view.sort, mp_choice_metric), MP_GIVEN(struct diff, sorted) },
	{ 'n', "limit", "N", "0 10 20 50",
	  "rows to show, 0 for all; default 20, with --json all",
	  MP_NUMBER(struct diff, view.limit, 0, INT_MAX), MP_GIVEN(struct diff, limited) },
	MP_HISTORY_OPTIONS(struct diff, range),
	MP_CHOICE_FILTER(struct diff),
	MP_CHOICE_SYMBOLS(struct diff),
	{ 0, "bytes", NULL, NULL, "exact numbers without units",
	  MP_FLAG(struct diff, view.exact), MP_RARE },
	{ 'j', "json", NULL, NULL, "one JSON object a line", MP_FLAG(struct diff, json) },
	{ 0, "format", "folded|svg|pprof|html",
	  "folded svg pprof html", "of stacks, in place of a table",
	  MP_SET(struct diff, ops, set_format) },
	MP_OUTPUT_OPTIONS(struct diff, output, force, "instead of standard output"),
	MP_CHOICE_QUIET(struct diff),
	MP_OPTION_HELP,
	MP_OPTION_HELP_ALL,
	{ 0 },
};

static int read_side(struct diff *diff, int i)
{
	struct side *side = &diff->sides[i];
	const struct mp_input input = {
		.path = diff->paths[i],
		.locations = !diff->by_process || diff->ops,
		.wrappers = &diff->choice.wrappers,
		.quiet = diff->choice.quiet,
	};
	struct mp_diag diag = { 0 };

	mp_input_read(&input, &side->profile, &side->sizes, &diag);
	return mp_message_diag(&diag, "diff");
}

static int arrange_side(struct diff *diff, struct side *side, bool stacks,
			struct mp_profile *rows)
{
	struct mp_out out = {
		.kind = stacks ? MP_ROW_STACK : diff->by_process ?
			MP_ROW_PROCESS : MP_ROW_SITE,
	};

	diff->choice.arrange.keys = stacks ? MP_EXPORT_KEYS : MP_GROUP_TABLE;
	return mp_choice_rows(&diff->choice, &out, &side->sizes,
			      &side->profile, rows);
}

static int gather_stacks(struct diff *diff, struct side *side)
{
	return arrange_side(diff, side, true, &side->stacks) ?:
	       mp_export_gather(&diff->choice, &side->stacks, &side->samples);
}

/*
 * Makes the name by which a row is matched. Lines and addresses differ between
 * builds, so they are used only if there is no symbol; of a line the text is for people.
 */
static void name_of(const struct mp_profile *profile, const struct mp_row *row,
		    char *text, char *place)
{
	const struct mp_line *line = mp_profile_line(profile, &row->location);
	const char *name = line ? mp_symbols_text(&profile->symbols,
						  line->function) : NULL;

	if (name && row->location.scope != MP_SCOPE_BINARY)
		snprintf(text, MP_LOCATION_TEXT_SIZE, "%s", name);
	else
		mp_location_row(profile, row, text);
	place[0] = '\0';
	if (name && row->location.scope == MP_SCOPE_LINE)
		mp_location_place(profile, line, place);
}

/* Notes the commands of a side's only run, and gives those of the new side the old name. */
static void match_rows(struct diff *diff, struct mp_profile *rows, int i)
{
	struct mp_row *row;

	mp_renamed_begin(&diff->renamed.sides[i]);
	for (row = rows->rows; row < rows->rows + rows->nr_rows; row++)
		mp_renamed_add(&diff->renamed.sides[i], row->comm);
	if (!i || !mp_renamed_find(&diff->renamed))
		return;
	for (row = rows->rows; row < rows->rows + rows->nr_rows; row++)
		if (!strcmp(row->comm, diff->renamed.is))
			snprintf(row->comm, MP_COMM_SIZE, "%s", diff->renamed.was);
}

/* Adds the rows of a side, as the earlier or the later ones. */
static int add_rows(struct diff *diff, struct mp_profile *profile, bool after)
{
	return mp_difference_add(&diff->differences[0], profile,
				 MP_ROW_PROCESS, after, name_of,
				 MP_LOCATION_TEXT_SIZE) ?:
	       mp_difference_add(&diff->differences[1], profile, MP_ROW_SITE,
				 after, name_of, MP_LOCATION_TEXT_SIZE);
}

static size_t nr_sampled(const struct mp_profile *profile)
{
	const struct mp_row *row;
	size_t nr = 0;

	for (row = profile->rows; row < profile->rows + profile->nr_rows; row++)
		nr += row->kind == MP_ROW_PROCESS && row->value[MP_ALLOC_SAMPLES];
	return nr;
}

/* Adds a recording to the runs of a side. Only its rows are kept. */
static int add_run(struct diff *diff, struct repeats *repeats, int i, size_t run)
{
	struct mp_difference *differences = diff->differences;
	struct mp_profile rows = { 0 };
	struct mp_total total;
	uint64_t distance;
	double spread;
	int status;

	diff->paths[i] = diff->all_paths[i][run];
	status = read_side(diff, i);
	mp_profile_total(&diff->sides[i].profile, MP_ROW_PROCESS, &total);
	distance = mp_alloc_distance(&diff->sides[i].profile.meta.alloc, total.value);
	if (!status && (arrange_side(diff, &diff->sides[i], false, &rows) ||
			add_rows(diff, &rows, true)))
		status = mp_fail(ENOMEM, NULL, "cannot arrange the rows");
	mp_profile_free(&rows);
	repeats->processes[i].list[run] = differences[0];
	repeats->sites[i].list[run] = differences[1];
	repeats->processes[i].nr = repeats->sites[i].nr = run + 1;
	spread = mp_alloc_spread(&diff->sides[i].profile.meta.alloc, total.value,
				 nr_sampled(&diff->sides[i].profile));
	if (spread > repeats->sites[i].spread)
		repeats->sites[i].spread = repeats->processes[i].spread = spread;
	if (distance > repeats->distance[i]) {
		repeats->distance[i] = distance;
		repeats->sites[i].alloc = diff->sides[i].profile.meta.alloc;
		repeats->processes[i].alloc = repeats->sites[i].alloc;
	}
	memset(differences, 0, 2 * sizeof(*differences));
	if (run + 1 < diff->nr_paths[i]) {
		mp_profile_free(&diff->sides[i].profile);
		mp_sizes_free(&diff->sides[i].sizes);
	}
	return status;
}

static void free_runs(struct mp_runs *runs)
{
	size_t i;

	for (i = 0; i < runs->nr; i++)
		mp_difference_free(&runs->list[i]);
}

static void note_run(struct mp_renamed_side *side, const struct mp_difference *run)
{
	size_t i;

	mp_renamed_begin(side);
	for (i = 0; i < run->nr; i++)
		mp_renamed_add(side, run->names.list[run->rows[i].comm]);
}

/* Gives the rows of a run of the new side the command's old name. */
static int rename_run(const struct mp_renamed *renamed, struct mp_difference *run)
{
	const uint32_t is = mp_names_add(&run->names, renamed->is);
	const uint32_t was = mp_names_add(&run->names, renamed->was);
	size_t i;

	if (is == MP_NAMES_NONE || was == MP_NAMES_NONE)
		return -ENOMEM;
	for (i = 0; i < run->nr; i++)
		if (run->rows[i].comm == is)
			run->rows[i].comm = was;
	return 0;
}

/* Decides once for all runs. */
static int match_runs(struct diff *diff, struct repeats *repeats)
{
	struct mp_runs *sites = &repeats->sites[1], *processes = &repeats->processes[1];
	size_t run;
	int i, err = 0;

	for (i = 0; i < 2; i++)
		for (run = 0; run < repeats->processes[i].nr; run++)
			note_run(&diff->renamed.sides[i], &repeats->processes[i].list[run]);
	if (!mp_renamed_find(&diff->renamed))
		return 0;
	for (run = 0; !err && run < processes->nr; run++)
		err = rename_run(&diff->renamed, &processes->list[run]) ?:
		      rename_run(&diff->renamed, &sites->list[run]);
	return err;
}

/* Compares the medians of repeated runs. */
static int add_repeats(struct diff *diff)
{
	struct repeats *repeats = calloc(1, sizeof(*repeats));
	int i, status = 0;
	size_t run;

	if (!repeats)
		return mp_fail(ENOMEM, NULL, "cannot compare the runs");
	for (i = 0; i < 2; i++)
		for (run = 0; !status && run < diff->nr_paths[i]; run++)
			status = add_run(diff, repeats, i, run);
	if (!status && (match_runs(diff, repeats) ||
			mp_repeated(&repeats->processes[0], &repeats->processes[1],
				    &diff->differences[0]) ||
			mp_repeated(&repeats->sites[0], &repeats->sites[1],
				    &diff->differences[1])))
		status = mp_fail(ENOMEM, NULL, "cannot compare the runs");
	for (i = 0; i < 2; i++) {
		free_runs(&repeats->processes[i]);
		free_runs(&repeats->sites[i]);
	}
	free(repeats);
	return status;
}

static int add_side(struct diff *diff, int i)
{
	struct mp_profile rows = { 0 };
	int status = read_side(diff, i);

	if (!status && arrange_side(diff, &diff->sides[i], false, &rows))
		status = mp_fail(ENOMEM, NULL, "cannot arrange the rows");
	if (!status)
		match_rows(diff, &rows, i);
	if (!status && add_rows(diff, &rows, i))
		status = mp_fail(ENOMEM, NULL, "cannot arrange the rows");
	mp_profile_free(&rows);
	return status;
}

static const char *path_text(const struct diff *diff, int i)
{
	return diff->paths[i] ?: "the session";
}

static bool has_metric(const struct mp_difference *difference, enum mp_metric metric)
{
	return difference->sum.before[metric] || difference->sum.after[metric];
}

/* Whether the sort key is estimated from samples: then its error is known. */
static bool set_error(struct diff *diff, bool locations)
{
	const struct mp_alloc_meta *before = &diff->sides[0].profile.meta.alloc;
	const struct mp_alloc_meta *after = &diff->sides[1].profile.meta.alloc;

	if (!(mp_metrics[diff->view.sort].sampled & MP_FROM_ALLOC) ||
	    mp_metrics[diff->view.sort].unit != MP_UNIT_BYTES || (before->rate <= 1 && after->rate <= 1))
		return false;
	mp_difference_error(&diff->differences[locations], before, after);
	return true;
}

static void set_growth(struct diff *diff)
{
	const struct mp_difference_row *sum = &diff->differences[0].sum;
	const struct memprof_status *status;
	int i;

	for (i = 0; i < 2; i++) {
		status = &diff->sides[i].profile.meta.status;
		diff->view.grown[i] = (int64_t)(i ? sum->after : sum->before)[MP_RESIDENT_DELTA];
		diff->view.ns[i] = mp_status_end_ns(status) - status->start_ns;
	}
}

/* Sets the defaults of the options. */
static void set_defaults(struct diff *diff)
{
	const struct mp_difference *processes = &diff->differences[0];
	const struct mp_difference *sites = &diff->differences[1];
	bool locations = diff->by_callsite || (!diff->by_process && sites->nr);
	const struct mp_difference *shown = locations ? sites : processes;
	const bool show_peaks = has_metric(shown, MP_AT_PEAK) &&
				mp_choice_shows_peak(&diff->sides[0].profile) &&
				mp_choice_shows_peak(&diff->sides[1].profile);

	diff->view.ended = show_peaks;
	/* runs of several recordings take different times */
	if (!diff->all_paths[0])
		set_growth(diff);
	diff->view.kind = locations ? MP_ROW_SITE : MP_ROW_PROCESS;
	if (!diff->sorted)
		diff->view.sort = show_peaks ? MP_AT_PEAK :
				  has_metric(shown, MP_INUSE_SPACE) ? MP_INUSE_SPACE :
				  has_metric(shown, MP_AT_PEAK) ? MP_AT_PEAK :
				  has_metric(shown, MP_ALLOC_SPACE) ? MP_ALLOC_SPACE :
				  has_metric(shown, MP_RESIDENT) ? MP_RESIDENT :
				  MP_TOUCHED;
	if (!diff->limited && !diff->json)
		diff->view.limit = DEFAULT_LIMIT;
	diff->view.noise = diff->all_paths[0] || set_error(diff, locations);
	/* less churn is an answer, too; of single runs nobody knows how much each one does */
	if (diff->view.noise && !diff->sorted &&
	    !mp_repeated_differs(shown, diff->view.sort, LEAST_PEAK) &&
	    mp_repeated_row_differs(shown, MP_ALLOC_SPACE,
				    diff->nr_paths[0] > 1 && diff->nr_paths[1] > 1 ?
				    LEAST_CHURN : LEAST_OF_ONE)) {
		diff->view.same = diff->view.sort;
		diff->view.sort = MP_ALLOC_SPACE;
	}
	mp_difference_sort(&diff->differences[0], diff->view.sort);
	mp_difference_sort(&diff->differences[1], diff->view.sort);
	if (!diff->json)
		mp_difference_table_drop(&diff->differences[locations], &diff->view);
	/* of one run, JSON has the rows, too: who reads it knows their noise */
	if (diff->all_paths[0] || (diff->view.noise && !diff->json))
		diff->nr_noisy = mp_repeated_drop_noise(&diff->differences[locations],
							diff->view.sort);
}

static void print_runs(const struct diff *diff, int i)
{
	if (diff->nr_paths[i] == 1)
		printf("%s: %s\n", i ? "new" : "old", diff->all_paths[i][0]);
	else
		printf("%s: median of %zu runs, %s and others\n", i ? "new" : "old",
		       diff->nr_paths[i], diff->all_paths[i][0]);
}

static void print_repeats(const struct diff *diff)
{
	putchar('\n');
	print_runs(diff, 0);
	print_runs(diff, 1);
	if (diff->nr_paths[0] > 1 && diff->nr_paths[1] > 1)
		printf("not shown, because they differ by no more than the runs of a side do: %zu (more runs tell more, and so does record with a smaller --alloc)\n",
		       diff->nr_noisy);
	else
		printf("not shown, because another run may differ as much: %zu (another %s run tells more)\n",
		       diff->nr_noisy, diff->nr_paths[0] == 1 ? "old" : "new");
}

static int show_table(struct diff *diff)
{
	const struct mp_difference *shown =
		&diff->differences[diff->view.kind == MP_ROW_SITE];

	if (diff->json) {
		mp_difference_json(stdout, shown, &diff->view);
		return 0;
	}
	mp_pager_start();
	mp_difference_table(stdout, shown, &diff->view);
	if (diff->all_paths[0])
		print_repeats(diff);
	else
		printf("\nold: %s\nnew: %s\n", diff->paths[0], path_text(diff, 1));
	if (diff->renamed.was[0])
		printf("%s and %s are compared as one command\n", diff->renamed.was,
		       diff->renamed.is);
	if (diff->view.noise && !diff->all_paths[0])
		printf("not shown, because they differ by no more than the error of samples: %zu (several runs of each tell more, diff OLD... -- NEW..., and so does record with a smaller --alloc)\n",
		       diff->nr_noisy);
	return 0;
}

static int subtract(struct diff *diff, struct mp_export *export)
{
	struct side *before = &diff->sides[0], *after = &diff->sides[1];
	int err;

	match_rows(diff, &before->profile, 0);
	match_rows(diff, &after->profile, 1);
	err = gather_stacks(diff, before) ?: gather_stacks(diff, after);
	export->nr_after = after->samples.nr;
	if (!err)
		err = mp_stack_samples_subtract(&after->samples, &after->stacks,
						&before->samples,
						&before->stacks);
	export->profile = &after->stacks;
	export->samples = after->samples;
	return err;
}

static int export(struct diff *diff)
{
	char paths[TITLE_SIZE], title[4 * TITLE_SIZE];
	struct mp_export export = {
		.ops = diff->ops, .metric = diff->view.sort,
		.whose = MP_OWNER_COMM, .title = title,
		.difference = diff->differences,
		.exporter = "memprofctl " MP_VERSION,
	};
	int status = 0;

	snprintf(paths, sizeof(paths), "%.120s, against %.120s",
		 path_text(diff, 1), diff->paths[0]);
	mp_text_escape(title, sizeof(title), paths, sizeof(paths));
	if (subtract(diff, &export))
		status = mp_fail(ENOMEM, NULL, "cannot arrange the stacks");
	return status ? status : mp_export_write(&export, diff->output, diff->force);
}

/* Finds the recordings of repeated runs: OLD... -- NEW... */
static int find_repeats(struct diff *diff, int argc, char **argv, int nr_new)
{
	const int nr_old = argc - optind - nr_new;
	int i;

	if (nr_old < 1 || nr_new < 1 || nr_old > MP_MAX_RUNS || nr_new > MP_MAX_RUNS)
		return mp_misuse("diff", "1 to %d recordings are needed before -- and after it",
				 MP_MAX_RUNS);
	if (diff->ops)
		return mp_misuse("diff", "--format shows stacks of two recordings, not of repeated runs");
	for (i = argc - nr_new; i < argc; i++)
		if (argv[i][0] == '-' && access(argv[i], F_OK))
			return mp_misuse("diff", "%s stands after --, where recordings are: options come before",
					 argv[i]);
	diff->all_paths[0] = argv + optind;
	diff->all_paths[1] = argv + optind + nr_old;
	diff->nr_paths[0] = (size_t)nr_old;
	diff->nr_paths[1] = (size_t)nr_new;
	return 0;
}

/* Checks combinations of options. @nr_new: number of words after --; -1: there is none */
static int check_options(struct diff *diff, int argc, char **argv, int nr_new)
{
	/* before the first word, it only ends the options */
	if (nr_new == argc - optind)
		nr_new = -1;
	if (nr_new < 0 && argc - optind > 2)
		return mp_misuse("diff", "two recordings are needed: OLD NEW, or OLD... -- NEW...");
	diff->by_process = diff->kind_chosen && diff->by == BY_PROCESS;
	diff->by_callsite = diff->kind_chosen && diff->by == BY_CALLSITE;
	if (argc == optind && !diff->range.given && access(MP_INPUT_DEFAULT ".old", F_OK))
		return mp_fail(0, "record twice, or name two recordings",
			       "there are no two recordings here to compare: " MP_INPUT_DEFAULT ".old and " MP_INPUT_DEFAULT);
	diff->paths[0] = argc == optind ? MP_INPUT_DEFAULT ".old" : argv[optind];
	diff->paths[1] = argc == optind ? MP_INPUT_DEFAULT :
			 argc - optind == 1 ? mp_session_last(diff->kept) : argv[optind + 1];
	if (nr_new >= 0 && find_repeats(diff, argc, argv, nr_new))
		return MP_EXIT_USAGE;
	if (diff->range.given && argc != optind)
		return mp_misuse("diff", "a history is compared with itself: no recordings can be named");
	if (diff->ops && (diff->json || diff->by_process))
		return mp_misuse("diff", "--format shows stacks: --by and --json cannot be used with it");
	if (!diff->ops && (diff->output || diff->force))
		return mp_misuse("diff", "-o and -f go with --format");
	return diff->ops && diff->sorted &&
	       !mp_choice_adds_up("diff", diff->view.sort) ? MP_EXIT_USAGE : 0;
}

static int find_ends(struct diff *diff)
{
	diff->paths[0] = diff->ends[0];
	diff->paths[1] = diff->ends[1];
	return mp_history_range_ends("diff", &diff->range, diff->ends[0], diff->ends[1]);
}

static void free_diff(struct diff *diff)
{
	int i;

	for (i = 0; i < 2; i++) {
		mp_stack_samples_free(&diff->sides[i].samples);
		mp_profile_free(&diff->sides[i].stacks);
		mp_profile_free(&diff->sides[i].profile);
		mp_sizes_free(&diff->sides[i].sizes);
		mp_difference_free(&diff->differences[i]);
	}
	mp_choice_free(&diff->choice);
}

/* Returns the number of words after "--", or -1. Parsing moves it to the front. */
static int count_new(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--"))
			return argc - i - 1;
	return -1;
}

static int run(const struct mp_command *command, int argc, char **argv)
{
	const int nr_new = count_new(argc, argv);
	struct diff diff = { 0 };
	int status = mp_command_parse(command, argc, argv, &diff);

	if (status != MP_PARSED)
		return status;
	status = check_options(&diff, argc, argv, nr_new);
	if (!status && diff.range.given)
		status = find_ends(&diff);
	if (!status)
		status = diff.all_paths[0] ? add_repeats(&diff) :
			 add_side(&diff, 0) ?: add_side(&diff, 1);
	if (!status) {
		set_defaults(&diff);
		status = diff.ops ? export(&diff) : show_table(&diff);
	}
	free_diff(&diff);
	return status;
}

const struct mp_command mp_cmd_diff = {
	.name = "diff",
	.summary = "show the difference between two recordings, or between repeated runs",
	.usage = "[--by process|callsite] [-s METRIC] [--format FORMAT [-o FILE]] [OPTION]... [OLD [NEW] | OLD... -- NEW... | --history --since TIME [--until TIME]]",
	.options = options,
	.nr_operands = 2 * MP_MAX_RUNS,
	.run = run,
};

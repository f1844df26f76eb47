// SPDX-License-Identifier: GPL-2.0-only
/*
 * report-sentence: judges callsites of one process, whatever the table shows
 *
 * A row of several processes does not tell whose it is. A recording may be read a second time.
 */
#include "report-sentence.h"
#include "headline.h"
#include "judged.h"

#include <sys/stat.h>

/*
 * Whether the sentence above the table needs callsites that the report does not show: of
 * other rows it is that of all callsites. A row of several processes does not tell whose it is.
 */
static bool needs_judged(const struct mp_report_options *chosen, const struct mp_profile *profile)
{
	return chosen->out.ops == &mp_table_ops && !chosen->timeline && !chosen->out.by_host &&
	       !mp_view_has_pages(chosen->out.view) &&
	       profile->meta.status.streams & MEMPROF_START_ALLOC &&
	       (!mp_report_shows_both(chosen) || !mp_profile_only_process(profile));
}

bool mp_report_splits(const struct mp_report_options *chosen)
{
	return (mp_report_shows_both(chosen) || mp_report_has_locations(&chosen->out)) &&
	       (chosen->out.view == MP_VIEW_ALLOC || chosen->out.view == MP_VIEW_AGE);
}

int mp_report_split_several(struct mp_report_options *chosen, const struct mp_sizes *sizes,
			    struct mp_profile *profile)
{
	const struct mp_out out = {
		.kind = MP_ROW_SITE, .sort = chosen->out.sort, .profile = profile,
	};
	const struct mp_row *process;

	if (!needs_judged(chosen, profile) || !mp_report_splits(chosen) ||
	    mp_report_chooses_code(chosen) || chosen->choice.arrange.hides ||
	    mp_profile_only_process(profile) ||
	    (chosen->out.kind == MP_ROW_PROCESS && chosen->out.sort != MP_RESIDENT_DELTA &&
	     chosen->out.sort != MP_INUSE_SPACE))
		return 0;
	process = mp_headline_process(&out);
	return process && process->pid ?
	       mp_judged_split(&chosen->choice, process, chosen->out.sort, sizes, profile,
			       &chosen->split) : 0;
}

bool mp_report_is_split_told(const struct mp_report_options *chosen)
{
	const struct mp_row *process;

	if (!chosen->split.pid)
		return chosen->split.nr;
	process = mp_headline_process(&chosen->out);
	return process && process->pid == chosen->split.pid;
}

static int arrange_judged(struct mp_report_options *chosen, const struct mp_sizes *sizes,
			  struct mp_profile *profile, struct mp_profile *judged)
{
	chosen->out.judged = judged;
	return mp_judged_arrange(&chosen->choice, chosen->out.sort, sizes, profile, judged,
				 mp_report_splits(chosen) ? &chosen->split : NULL);
}

/*
 * Reads callsites for the sentence alone. They are read apart: a recording of the module that
 * is read with them has sums of its events, of which some may be lost. Errors were told before.
 */
static void read_whole(const struct mp_report_options *chosen, const char *path,
		       struct mp_profile *whole)
{
	const struct mp_input input = {
		.path = path, .locations = true, .at_ns = chosen->at_ms * 1000000,
		.wrappers = &chosen->choice.wrappers, .quiet = true,
	};
	struct mp_sizes unused = { 0 };
	struct mp_diag diag = { 0 };
	struct stat st;

	if (path && (stat(path, &st) || !S_ISREG(st.st_mode)))
		return;
	if (chosen->range.given)
		mp_history_range_read("report", &chosen->range, &input, whole, &unused);
	else
		mp_input_read(&input, whole, &unused, &diag);
	mp_sizes_free(&unused);
}

int mp_report_judge(struct mp_report_options *chosen, const char *path,
		    const struct mp_sizes *sizes, struct mp_profile *profile,
		    struct mp_profile *judged)
{
	const bool has_sites = mp_report_has_locations(&chosen->out) || chosen->out.top ||
			       chosen->since_last || mp_report_shows_both(chosen);
	struct mp_profile whole = { 0 };
	int err;

	if (!needs_judged(chosen, profile) || mp_report_chooses_code(chosen))
		return 0;
	if (has_sites)
		return arrange_judged(chosen, sizes, profile, judged);
	read_whole(chosen, path, &whole);
	err = whole.nr_rows ? arrange_judged(chosen, sizes, &whole, judged) : 0;
	mp_profile_free(&whole);
	return err;
}

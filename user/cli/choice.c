// SPDX-License-Identifier: GPL-2.0-only
/*
 * choice: turns options into an arrangement of rows, and finds the symbols that
 * it needs
 *
 * Finding symbols can take seconds; progress is shown. Wrong options are
 * reported.
 */
#include "choice.h"
#include "cgroup.h"
#include "cgroup-memory.h"
#include "container-names.h"
#include "grouping.h"
#include "message.h"
#include "nearest.h"
#include "sites.h"
#include "symbolization.h"

int mp_choice_filter(void *to, const struct mp_argument *argument)
{
	struct mp_choice *choice = to;
	char why[MP_FILTER_WHY_SIZE];

	return mp_filter_add(&choice->arrange.filter, (char *)argument->value, why) ?
	       0 : mp_misuse(argument->verb, "--filter: %s", why);
}

int mp_choice_hide(void *to, const struct mp_argument *argument)
{
	struct mp_choice *choice = to;
	char why[MP_WRAPPERS_WHY_SIZE];

	choice->arrange.hides = true;
	return mp_wrappers_add(&choice->wrappers, argument->value, why) ? 0 :
	       mp_misuse(argument->verb, "--hide: %s", why);
}

int mp_choice_keys(void *to, const struct mp_argument *argument)
{
	struct mp_choice *choice = to;
	unsigned int keys = mp_grouping_find(argument->value);

	choice->arrange.keys |= keys;
	return keys ? 0 : mp_misuse(argument->verb,
			 "--group-by takes pid, comm, cgroup, host, callsite, line, symbol, source, binary, not '%s'",
			 argument->value);
}

int mp_choice_metric(void *to, const struct mp_argument *argument)
{
	int i, found = mp_metric_find(argument->value);
	struct mp_nearest nearest = { .word = argument->value };

	for (i = 0; found < 0 && i < MP_NR_METRICS; i++) {
		mp_nearest_try(&nearest, mp_metrics[i].key);
		mp_nearest_try(&nearest, mp_metrics[i].heading);
	}
	if (found < 0)
		return mp_misuse(argument->verb, "there is no metric '%s': %s%s", argument->value,
				 nearest.name ?: "memprofctl help metrics shows them",
				 nearest.name ? "?" : "");
	*(enum mp_metric *)to = found;
	return 0;
}

bool mp_choice_adds_up(const char *verb, enum mp_metric metric)
{
	if (mp_metrics[metric].nature != MP_PEAK)
		return true;
	mp_misuse(verb, "stacks are added up, and %s does not add up",
		  mp_metrics[metric].heading);
	return false;
}

bool mp_choice_has(const struct mp_profile *profile, enum mp_metric metric)
{
	size_t i;

	for (i = 0; i < profile->nr_rows; i++)
		if (mp_row_has_location(&profile->rows[i]) &&
		    profile->rows[i].value[metric])
			return true;
	return false;
}

bool mp_choice_shows_peak(const struct mp_profile *profile)
{
	return mp_choice_has(profile, MP_AT_PEAK) &&
	       (!mp_profile_runs(profile) || !mp_choice_has(profile, MP_INUSE_SPACE));
}

static void show_progress(double done)
{
	mp_input_progress("finding symbols: %.0f %%", 100 * done);
}

static bool is_wrapper(void *context, const char *name)
{
	return mp_wrappers_match(context, name);
}

static bool is_wrapper_file(void *context, const char *path)
{
	(void)context;
	return mp_wrappers_match_file(path);
}

/* Adds the sizes of cgroups from a recording. */
static void join_sizes(const void *sizes, struct mp_profile *profile)
{
	size_t i;

	for (i = 0; i < profile->nr_rows; i++)
		if (profile->rows[i].kind == MP_ROW_CGROUP)
			mp_sizes_join(sizes, false, profile->meta.source,
				      &profile->rows[i]);
}

static int name_cgroups(struct mp_profile *profile)
{
	return mp_cgroup_name_all(profile) ?: mp_container_names_find(profile);
}

/* Adds the current sizes of cgroups from the kernel. */
static void read_sizes(const void *nothing, struct mp_profile *profile)
{
	(void)nothing;
	mp_cgroup_memory_fill(profile);
}

int mp_choice_rows(struct mp_choice *choice, const struct mp_out *out,
		   const struct mp_sizes *sizes, struct mp_profile *profile,
		   struct mp_profile *rows)
{
	struct mp_arrange *arrange = &choice->arrange;
	/*
	 * each callsite gets a process that runs its binary: the binary can be
	 * opened through that process
	 */
	int err = mp_sites_adopt(profile);

	arrange->kind = out->kind;
	arrange->top = out->top;
	arrange->by_host = out->by_host;
	arrange->sort = out->sort;
	arrange->callsites = (struct mp_callsites){
		.is_wrapper = is_wrapper,
		.is_wrapper_file = is_wrapper_file,
		.context = &choice->wrappers,
	};
	arrange->name_cgroups = sizes ? NULL : name_cgroups;
	arrange->fill_cgroups = sizes ? join_sizes : read_sizes;
	arrange->cgroups = sizes;
	/* frames that already have symbols are skipped */
	if (!err && mp_arrange_has_locations(arrange))
		err = mp_callsites_frames(profile) ?:
		      mp_symbolize_frames(profile, &choice->symbols,
					  choice->quiet ? NULL : show_progress);
	if (!err)
		err = mp_arrange_rows(arrange, profile, rows);
	mp_input_progress_end();
	return err;
}

void mp_choice_free(struct mp_choice *choice)
{
	mp_filter_free(&choice->arrange.filter);
	mp_wrappers_free(&choice->wrappers);
}

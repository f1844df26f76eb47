// SPDX-License-Identifier: GPL-2.0-only
/*
 * sites: stores binaries and histograms, to which rows refer by number
 *
 * A histogram takes 768 bytes. A look-up of a binary is a linear search, because a
 * profile has only dozens. If memory is short, a function returns -ENOMEM and
 * changes nothing.
 */
#include "sites.h"
#include "scan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for one more element. The array doubles, so it is rarely copied. */
static int grow(void **array, size_t nr, size_t size)
{
	void *wide;

	if (nr & (nr - 1))
		return 0;
	wide = reallocarray(*array, nr ? 2 * nr : 1, size);
	if (!wide)
		return -ENOMEM;
	*array = wide;
	return 0;
}

int mp_sites_add_binary(struct mp_profile *profile,
			const struct mp_binary *binary)
{
	if (grow((void **)&profile->binaries, profile->nr_binaries,
		 sizeof(*binary)))
		return -ENOMEM;
	profile->binaries[profile->nr_binaries++] = *binary;
	return 0;
}

int mp_sites_binary(struct mp_profile *profile,
		    const struct mp_binary *binary, uint32_t *number)
{
	struct mp_binary *known;
	size_t i;

	for (i = 0; i < profile->nr_binaries; i++) {
		known = &profile->binaries[i];
		*number = i + 1;
		if (known->inode == binary->inode &&
		    known->dev == binary->dev &&
		    known->build_id_size == binary->build_id_size &&
		    !memcmp(known->build_id, binary->build_id,
			    binary->build_id_size) &&
		    !strcmp(known->path, binary->path))
			return 0;
	}
	*number = profile->nr_binaries + 1;
	return mp_sites_add_binary(profile, binary);
}

int mp_sites_histogram(struct mp_profile *profile,
		       const struct mp_histogram *histogram, uint32_t *number)
{
	if (grow((void **)&profile->histograms, profile->nr_histograms,
		 sizeof(*histogram)))
		return -ENOMEM;
	profile->histograms[profile->nr_histograms++] = *histogram;
	*number = profile->nr_histograms;
	return 0;
}

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Sorts rows by process. Of the programs of one process, the newest comes first. */
static int compare_process(const void *x, const void *y)
{
	const struct mp_row *a = *(struct mp_row **)x, *b = *(struct mp_row **)y;

	return compare(a->pid, b->pid) ?: compare(a->start_ns, b->start_ns) ?:
	       compare(a->flags & MP_ROW_EXITED, b->flags & MP_ROW_EXITED) ?:
	       compare(b->exit_ns, a->exit_ns);
}

static int compare_owner(const void *x, const void *y)
{
	const struct mp_row *site = x, *process = *(struct mp_row **)y;

	return compare(site->pid, process->pid) ?:
	       compare(site->start_ns, process->start_ns);
}

static void set_owner(struct mp_row *site, struct mp_row **processes, size_t nr)
{
	/* a sum of several processes has no pid, and keeps the name and cgroup it has */
	struct mp_row **found = !site->pid ? NULL :
				bsearch(site, processes, nr, sizeof(*processes),
					compare_owner);

	/* bsearch() may find any row of the process: go back to the newest row */
	while (found && found > processes && !compare_owner(site, found - 1))
		found--;
	if (found && !site->comm[0])
		memcpy(site->comm, (*found)->comm, sizeof(site->comm));
	if (found && !site->cgroup)
		site->cgroup = (*found)->cgroup;
	if (!site->nr_processes)
		site->nr_processes = 1;
}

int mp_sites_adopt(struct mp_profile *profile)
{
	struct mp_row **processes, *row;
	size_t i, nr = 0;

	if (!profile->nr_rows)
		return 0;
	processes = calloc(profile->nr_rows, sizeof(*processes));
	if (!processes)
		return -ENOMEM;
	for (i = 0; i < profile->nr_rows; i++)
		if (profile->rows[i].kind == MP_ROW_PROCESS)
			processes[nr++] = &profile->rows[i];
	qsort(processes, nr, sizeof(*processes), compare_process);
	for (i = 0; i < profile->nr_rows; i++) {
		row = &profile->rows[i];
		if (!mp_row_has_location(row))
			continue;
		if (row->location.binary && row->pid)
			profile->binaries[row->location.binary - 1].pid = row->pid;
		set_owner(row, processes, nr);
	}
	free(processes);
	return 0;
}

const struct mp_line *mp_profile_line(const struct mp_profile *profile,
				      const struct mp_location *location)
{
	const struct mp_frame *frame = !location->stack ? NULL :
		mp_frames_at(&profile->frames, location->stack - 1, location->level);

	return frame && location->line < frame->nr ?
	       &profile->symbols.lines[frame->first + location->line] : NULL;
}

static int compare_names(const struct mp_profile *profile,
			 const struct mp_location *a, const struct mp_location *b)
{
	const struct mp_line *of_a = mp_profile_line(profile, a);
	const struct mp_line *of_b = mp_profile_line(profile, b);

	if (!of_a || !of_b)
		return compare(!!of_a, !!of_b);
	return a->scope == MP_SCOPE_SOURCE ? compare(of_a->file, of_b->file) :
					     compare(of_a->function,
						     of_b->function);
}

bool mp_location_is_near(const struct mp_profile *profile,
			 const struct mp_location *location)
{
	return location->stack && location->level &&
	       mp_frame_is_gap(mp_frames_at(&profile->frames, location->stack - 1,
					    location->level - 1));
}

/* Returns the source line of a callsite; NULL if its number is not known. */
static const struct mp_line *source_line(const struct mp_profile *profile,
					 const struct mp_location *location)
{
	const struct mp_line *line = mp_profile_line(profile, location);

	return line && line->line && line->file != MP_NAMES_NONE ? line : NULL;
}

/* How the text of a callsite differs from that of others in the same line. */
static unsigned int marks_of(const struct mp_profile *profile,
			     const struct mp_location *location)
{
	return (unsigned int)(location->func == MP_FUNC_MMAP) << 1 |
	       mp_location_is_near(profile, location);
}

static int compare_addresses(const struct mp_location *a, const struct mp_location *b)
{
	/* code in no file is identified by its address */
	return a->binary ? compare(a->offset, b->offset) :
			   compare(a->address, b->address);
}

/*
 * Without lines, what a function does is one callsite: the calls that allocate, and the code
 * that touches the blocks. Code that a runtime compiles again at another address is one, too.
 */
static int compare_functions(const struct mp_profile *profile,
			     const struct mp_location *a, const struct mp_location *b)
{
	const struct mp_line *of_a = mp_profile_line(profile, a);
	const struct mp_line *of_b = mp_profile_line(profile, b);

	if (!of_a || !of_b)
		return compare(!!of_a, !!of_b) ?: compare_addresses(a, b);
	return compare(of_a->function, of_b->function) ?: compare(of_a->file, of_b->file) ?:
	       compare(marks_of(profile, a), marks_of(profile, b));
}

static int compare_lines(const struct mp_profile *profile,
			 const struct mp_location *a, const struct mp_location *b)
{
	const struct mp_line *of_a = source_line(profile, a);
	const struct mp_line *of_b = source_line(profile, b);

	if (!of_a || !of_b)
		return compare(!!of_a, !!of_b) ?: compare_functions(profile, a, b);
	return compare(of_a->function, of_b->function) ?:
	       compare(of_a->file, of_b->file) ?:
	       compare(of_a->line, of_b->line) ?:
	       compare(marks_of(profile, a), marks_of(profile, b));
}

static int compare_locations(const struct mp_profile *profile,
			  const struct mp_location *a, const struct mp_location *b)
{
	int order = compare(a->scope, b->scope);

	if (order || a->scope == MP_SCOPE_ANY)
		return order;
	if (a->scope == MP_SCOPE_SOURCE || a->scope == MP_SCOPE_FUNCTION)
		return compare_names(profile, a, b);
	order = compare(a->binary, b->binary);
	if (order || a->scope == MP_SCOPE_BINARY)
		return order;
	return a->scope == MP_SCOPE_LINE ? compare_lines(profile, a, b) :
					   compare_addresses(a, b);
}

int mp_sites_compare(const struct mp_profile *profile, const struct mp_row *a,
		     const struct mp_row *b)
{
	int order = compare(a->host, b->host) ?: compare(a->start_ns, b->start_ns);

	if (order || a->flags & MP_ROW_OVERFLOW)
		return order;
	order = a->kind == MP_ROW_STACK ?
		compare(a->location.stack, b->location.stack) :
		compare_locations(profile, &a->location, &b->location);
	return order ?: strcmp(a->comm, b->comm) ?:
	       compare(a->cgroup, b->cgroup);
}

/*
 * Different callsites have different blocks, so their levels are added up.
 * Flows and peaks are merged as in other rows, see mp_profile_merge().
 */
void mp_sites_fold(struct mp_profile *profile, struct mp_row *into,
		   const struct mp_row *other)
{
	struct mp_histogram *to, *from;
	int i;

	if (into->only_pid != other->only_pid)
		into->only_pid = 0;
	for (i = 0; i < MP_NR_METRICS; i++)
		if (mp_metrics[i].nature == MP_LEVEL)
			into->value[i] += other->value[i];
	/*
	 * arrange.c first merges rows of the same process, or of the same sum
	 * of exited processes: their numbers of processes are not added. Then
	 * it merges rows of different processes: their numbers are added.
	 */
	if (!(into->flags & other->flags & MP_ROW_FOLDED)) {
		if (!into->pid || into->pid != other->pid)
			into->nr_processes += other->nr_processes;
	} else if (other->nr_processes > into->nr_processes) {
		into->nr_processes = other->nr_processes;
	}
	if (!into->location.histogram || !other->location.histogram)
		return;
	to = &profile->histograms[into->location.histogram - 1];
	from = &profile->histograms[other->location.histogram - 1];
	for (i = 0; i < MEMPROF_HISTOGRAM; i++) {
		to->sizes[i] += from->sizes[i];
		to->lifetimes[i] += from->lifetimes[i];
	}
}

void mp_sites_free(struct mp_profile *profile)
{
	free(profile->binaries);
	free(profile->histograms);
	mp_frames_free(&profile->frames);
	mp_symbols_free(&profile->symbols);
}

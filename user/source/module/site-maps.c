// SPDX-License-Identifier: GPL-2.0-only
/*
 * site-maps: looks up the addresses of callsites in /proc/PID/maps
 *
 * The file is read once for each process. If it cannot be read, because the
 * process has exited, the callsites of the process keep their addresses.
 */
#include "site-maps.h"
#include "maps.h"
#include "sites.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

/* The callsites of all processes that have no binary, sorted by process. */
struct unnamed {
	struct mp_profile *profile;
	struct mp_row **rows;
	size_t nr;
};

static int compare_rows(const void *x, const void *y)
{
	const struct mp_row *a = *(struct mp_row **)x, *b = *(struct mp_row **)y;

	return (a->pid > b->pid) - (a->pid < b->pid);
}

static bool is_unnamed(const struct mp_row *row)
{
	return row->kind == MP_ROW_SITE && row->pid && row->location.address &&
	       !row->location.binary;
}

static int collect(struct unnamed *unnamed)
{
	struct mp_profile *profile = unnamed->profile;
	size_t i, nr = 0;

	for (i = 0; i < profile->nr_rows; i++)
		nr += is_unnamed(&profile->rows[i]);
	unnamed->rows = calloc(nr + 1, sizeof(*unnamed->rows));
	if (!unnamed->rows)
		return -ENOMEM;
	for (i = 0; i < profile->nr_rows; i++)
		if (is_unnamed(&profile->rows[i]))
			unnamed->rows[unnamed->nr++] = &profile->rows[i];
	qsort(unnamed->rows, unnamed->nr, sizeof(*unnamed->rows), compare_rows);
	return 0;
}

/*
 * Returns true if the process runs, and has executed only one program since the
 * module first saw it.
 */
static bool has_one_program(const struct mp_profile *profile, uint32_t pid)
{
	size_t i, nr = 0;
	bool runs = false;

	for (i = 0; i < profile->nr_rows; i++) {
		if (profile->rows[i].kind != MP_ROW_PROCESS ||
		    profile->rows[i].pid != pid)
			continue;
		nr++;
		runs = !(profile->rows[i].flags & MP_ROW_EXITED);
	}
	return nr == 1 && runs;
}

/*
 * Returns false if the rows of some programs that ended were added to a common
 * sum. Then it is not known which processes have executed only one program.
 */
static bool is_complete(const struct mp_profile *profile)
{
	size_t i;

	for (i = 0; i < profile->nr_counters; i++)
		if (!strcmp(profile->counters[i].name, "process_folded"))
			return !profile->counters[i].value;
	return true;
}

/* The callsites of one process, while its maps are read. */
struct naming {
	struct mp_profile *profile;
	struct mp_row **rows;
	size_t nr;
};

static int name_one(struct mp_profile *profile, struct mp_row *row,
		    const struct mp_map_line *line)
{
	struct mp_binary binary = {
		.inode = line->inode, .dev = makedev(line->major, line->minor),
		.pid = row->pid,
	};
	uint32_t number;
	int err;

	snprintf(binary.path, sizeof(binary.path), "%s", line->name);
	err = mp_sites_binary(profile, &binary, &number);
	if (err)
		return err;
	row->location.binary = number;
	row->location.offset = row->location.address - line->start + line->offset;
	return 0;
}

static int take_mapping(void *context, pid_t pid, const struct mp_map_line *line)
{
	struct naming *naming = context;
	uint64_t address;
	size_t i;
	int err = 0;

	(void)pid;
	if (!line->inode || !mp_map_is_executable(line))
		return 0;
	for (i = 0; !err && i < naming->nr; i++) {
		address = naming->rows[i]->location.address;
		if (address >= line->start && address < line->end)
			err = name_one(naming->profile, naming->rows[i], line);
	}
	return err;
}

int mp_site_maps_name(struct mp_profile *profile)
{
	struct unnamed unnamed = { .profile = profile };
	int err = is_complete(profile) ? collect(&unnamed) : 0;
	struct naming naming;
	size_t i, end;

	for (i = 0; !err && i < unnamed.nr; i = end) {
		for (end = i; end < unnamed.nr &&
		     unnamed.rows[end]->pid == unnamed.rows[i]->pid;)
			end++;
		if (!has_one_program(profile, unnamed.rows[i]->pid))
			continue;
		naming = (struct naming){
			.profile = profile, .rows = unnamed.rows + i, .nr = end - i,
		};
		err = mp_maps_each((pid_t)unnamed.rows[i]->pid, take_mapping, &naming);
		/* a process that exited has no maps */
		if (err != -ENOMEM)
			err = 0;
	}
	free(unnamed.rows);
	return err;
}

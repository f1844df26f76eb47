// SPDX-License-Identifier: GPL-2.0-only
/*
 * naming: file by file
 *
 * Each file is opened once, by its path or, as its processes may see another
 * file system, below the root of one of them.
 */
#include "naming.h"
#include "binary-file.h"
#include "sites.h"
#include "symbolise.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The callsites in a binary among the first @limit. */
static size_t collect(const struct mp_profile *profile, size_t limit,
		      uint32_t binary, struct mp_row **rows)
{
	size_t i, nr = 0, nr_sites = 0;
	struct mp_row *row;

	for (i = 0; i < profile->nr_rows && (!limit || nr_sites < limit); i++) {
		row = &profile->rows[i];
		nr_sites += row->kind == MP_ROW_SITE;
		if (row->kind == MP_ROW_SITE && row->place.binary == binary &&
		    row->place.offset)
			rows[nr++] = row;
	}
	return nr;
}

static int compare_offset(const void *x, const void *y)
{
	const struct mp_row *a = *(struct mp_row **)x, *b = *(struct mp_row **)y;

	return (a->place.offset > b->place.offset) -
	       (a->place.offset < b->place.offset);
}

static int name_rows(struct mp_profile *profile, struct mp_row **rows,
		     size_t nr, int fd, const char *path,
		     const struct mp_binary *binary)
{
	struct mp_spot *spots = calloc(nr, sizeof(*spots));
	size_t i;
	int err = 0;

	if (!spots)
		return -ENOMEM;
	/* the order in which the spots come back */
	qsort(rows, nr, sizeof(*rows), compare_offset);
	for (i = 0; i < nr; i++)
		spots[i].offset = rows[i]->place.offset;
	if (mp_symbolise_apart(fd, path, binary, spots, nr))
		for (i = 0; !err && i < nr; i++)
			if (spots[i].name.function[0])
				err = mp_sites_function(profile, &spots[i].name,
						&rows[i]->place.function);
	free(spots);
	return err;
}

int mp_naming_sites(struct mp_profile *profile, size_t limit)
{
	struct mp_row **rows = calloc(profile->nr_rows + 1, sizeof(*rows));
	char path[MP_BINARY_FILE_PATH];
	uint32_t i;
	size_t nr;
	int fd, err = 0;

	if (!rows)
		return -ENOMEM;
	for (i = 1; !err && i <= profile->nr_binaries; i++) {
		nr = collect(profile, limit, i, rows);
		fd = nr ? mp_binary_file_open(&profile->binaries[i - 1], path,
				      sizeof(path)) : -1;
		if (fd < 0)
			continue;
		err = name_rows(profile, rows, nr, fd, path,
				&profile->binaries[i - 1]);
		close(fd);
	}
	free(rows);
	return err;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * hosts: a row for each machine, in one pass over the rows
 *
 * The only machine of a recording has number 0. If memory is short, -ENOMEM is returned, and
 * the profile can only be freed.
 */
#include "hosts.h"

#include <errno.h>
#include <stdlib.h>

/* Ids of machines, which no cgroup has: inode numbers are smaller. */
#define HOST_ID		(1ULL << 61)

static int name_hosts(struct mp_profile *profile)
{
	const char *only = profile->meta.origin.host;
	size_t i;
	int err = mp_id_names_add(&profile->names, HOST_ID, profile->hosts.nr ? "(several)" :
				  only[0] ? only : "(unknown)");

	for (i = 0; !err && i < profile->hosts.nr; i++)
		err = mp_id_names_add(&profile->names, HOST_ID | (i + 1), profile->hosts.list[i]);
	return err;
}

static void add_process(struct mp_row *host, const struct mp_row *process)
{
	const bool runs = !(process->flags & MP_ROW_EXITED);
	int i;

	for (i = 0; i < MP_NR_METRICS; i++)
		if (mp_metrics[i].nature == MP_PEAK)
			host->value[i] = process->value[i] > host->value[i] ?
					 process->value[i] : host->value[i];
		else if (mp_metrics[i].nature == MP_FLOW || runs)
			host->value[i] += process->value[i];
	host->flags |= process->flags & (MP_ROW_MAPPED | MP_ROW_SPLIT | MP_ROW_BOUND);
	if (runs)
		host->nr_processes += process->nr_processes ?: 1;
}

/* Removes what the rows of machines replace, and gives callsites the id of their machine. */
static void keep_sites(struct mp_profile *profile)
{
	struct mp_row *row;
	size_t i, kept = 0;

	for (i = 0; i < profile->nr_rows; i++) {
		row = &profile->rows[i];
		if (!mp_row_has_location(row))
			continue;
		row->cgroup = HOST_ID | row->host;
		profile->rows[kept++] = *row;
	}
	profile->nr_rows = kept;
}

int mp_hosts_add_up(struct mp_profile *profile)
{
	const size_t nr = profile->hosts.nr + 1;
	struct mp_row *hosts = calloc(nr, sizeof(*hosts)), *host;
	bool *seen = calloc(nr, sizeof(*seen));
	const struct mp_row *row;
	int err = hosts && seen ? name_hosts(profile) : -ENOMEM;
	size_t i;

	for (i = 0; !err && i < profile->nr_rows; i++) {
		row = &profile->rows[i];
		if (row->kind != MP_ROW_PROCESS || row->host >= nr)
			continue;
		seen[row->host] = true;
		add_process(&hosts[row->host], row);
	}
	if (!err)
		keep_sites(profile);
	for (i = 0; !err && i < nr; i++) {
		host = &hosts[i];
		host->kind = MP_ROW_CGROUP;
		host->flags |= MP_ROW_HOST;
		host->host = (uint32_t)i;
		host->cgroup = HOST_ID | i;
		err = seen[i] ? mp_profile_add(profile, host) : 0;
	}
	free(hosts);
	free(seen);
	return err;
}

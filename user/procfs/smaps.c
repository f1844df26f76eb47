// SPDX-License-Identifier: GPL-2.0-only
/*
 * smaps: reads the sizes of a process
 *
 * If the process exited, or cannot be read, functions return false.
 */
#include "smaps.h"
#include "cgroup.h"
#include "mappings.h"
#include "process-file.h"
#include "process.h"
#include "stacks-mark.h"
#include "status-sizes.h"
#include "touched.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Of a process whose mappings must not be read: what it has is known, but not where. */
static bool read_status(pid_t pid, struct mp_row *row)
{
	uint64_t anon = 0, of_files = 0, shmem = 0, swap = 0, peak = 0;
	const struct mp_status_size status[] = {
		{ "RssAnon:", &anon }, { "RssFile:", &of_files }, { "RssShmem:", &shmem },
		{ "VmSwap:", &swap }, { "VmHWM:", &peak }, { NULL, NULL },
	};

	if (!mp_status_sizes(pid, "status", status))
		return false;
	row->value[MP_RESIDENT] = anon + of_files + shmem;
	row->value[MP_RESIDENT_ANON] = anon;
	row->value[MP_RESIDENT_SHMEM] = shmem;
	row->value[MP_RESIDENT_FILE] = of_files;
	row->value[MP_SWAPPED] = swap;
	row->value[MP_PEAK_RESIDENT] = peak > row->value[MP_RESIDENT] ? peak :
							row->value[MP_RESIDENT];
	mp_residence_rest(row);
	return true;
}

/* Reads smaps_rollup, in which the kernel adds up all mappings. */
bool mp_smaps_sums(pid_t pid, struct mp_row *row)
{
	uint64_t rss = 0, pss = 0, anon = 0, swap = 0, shmem = 0, peak = 0;
	const struct mp_status_size rollup[] = {
		{ "Rss:", &rss }, { "Pss:", &pss }, { "Anonymous:", &anon },
		{ "Swap:", &swap }, { NULL, NULL },
	};
	const struct mp_status_size status[] = {
		{ "RssShmem:", &shmem }, { "VmHWM:", &peak }, { NULL, NULL },
	};

	if (!mp_status_sizes(pid, "smaps_rollup", rollup))
		return read_status(pid, row);
	mp_status_sizes(pid, "status", status);
	if (anon > rss)
		anon = rss;
	if (shmem > rss - anon)
		shmem = rss - anon;
	row->value[MP_RESIDENT] = rss;
	row->value[MP_RESIDENT_ANON] = anon;
	row->value[MP_RESIDENT_SHMEM] = shmem;
	row->value[MP_RESIDENT_FILE] = rss - anon - shmem;
	row->value[MP_SWAPPED] = swap;
	row->value[MP_PROPORTIONAL] = pss;
	row->value[MP_PEAK_RESIDENT] = peak > rss ? peak : rss;
	mp_residence_rest(row);
	return true;
}

uint64_t mp_smaps_peak(pid_t pid)
{
	uint64_t peak = 0;
	const struct mp_status_size status[] = {
		{ "VmHWM:", &peak }, { NULL, NULL },
	};

	mp_status_sizes(pid, "status", status);
	return peak;
}

bool mp_smaps_fill(pid_t pid, struct mp_row *row,
		   const struct mp_smaps_blocks *blocks)
{
	struct mp_mappings mappings = { 0 };
	struct mp_row filled = *row;
	bool cut = false, split = false;
	uint64_t live = 0;
	int err = mp_mappings_read(pid, &mappings);

	if (!err) {
		mp_stacks_mark(pid, &mappings);
		if (blocks)
			split = !mp_touched(blocks->blocks, blocks->process,
					    pid, &mappings, blocks->end_ns,
					    &live, &cut);
		filled.value[MP_PEAK_RESIDENT] = mp_smaps_peak(pid);
		mp_residence_fill(&filled, &mappings);
		if (split)
			mp_residence_split(&filled, live, cut);
	}
	mp_mappings_free(&mappings);
	/* the kernel hands out smaps in pieces, and the process may have exited after some */
	if (err == -ESRCH || (err && !read_status(pid, &filled)) ||
	    mp_process_is_exiting(pid))
		return false;
	*row = filled;
	return true;
}

bool mp_smaps_process(pid_t pid, struct mp_row *row)
{
	*row = (struct mp_row){ .kind = MP_ROW_PROCESS, .pid = (uint32_t)pid };
	if (!mp_smaps_fill(pid, row, NULL))
		return false;
	mp_smaps_names(pid, row);
	return true;
}

void mp_smaps_names(pid_t pid, struct mp_row *row)
{
	char path[MP_PROCESS_CGROUP_SIZE], comm[MP_PROCESS_COMM_SIZE];

	mp_process_comm(pid, comm);
	snprintf(row->comm, sizeof(row->comm), "%.60s", comm);
	if (mp_process_cgroup(pid, path) && mp_cgroup_find(path, &row->cgroup))
		row->cgroup = 0;
}

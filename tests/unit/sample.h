/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sample: a profile with a row of each kind, for tests of writers
 */
#ifndef MP_SAMPLE_H
#define MP_SAMPLE_H

#include "profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLE_PAGE	4096
#define SAMPLE_MIB	(1024UL * 1024)

static inline struct mp_row sample_process(uint32_t pid, const char *comm,
					   uint64_t cgroup, uint64_t anon,
					   uint64_t minor)
{
	struct mp_row row = {
		.kind = MP_ROW_PROCESS,
		.pid = pid,
		.cgroup = cgroup,
		.start_ns = pid * 1000UL,
	};

	snprintf(row.comm, sizeof(row.comm), "%s", comm);
	row.value[MP_RESIDENT_ANON] = anon;
	row.value[MP_RESIDENT_FILE] = 3 * SAMPLE_MIB;
	row.value[MP_MINOR_FAULTS] = minor;
	row.value[MP_MINOR_SAMPLES] = minor / 100;
	row.value[MP_MAJOR_FAULTS] = 2;
	row.value[MP_MAJOR_SAMPLES] = 2;
	row.value[MP_BRK_UP] = anon / 2;
	row.value[MP_MMAP_UP] = anon;
	row.value[MP_MMAP_DOWN] = 2 * anon;
	row.value[MP_GROWTH_PEAK] = anon + anon / 4;
	row.value[MP_PEAK_RESIDENT] = anon + 5 * SAMPLE_MIB;
	mp_row_derive(&row, SAMPLE_PAGE);
	return row;
}

static inline void sample_add(struct mp_profile *profile, struct mp_row row,
			      unsigned int flags)
{
	row.flags = flags;
	if (flags & MP_ROW_EXITED)
		row.exit_ns = row.start_ns + 1;
	if (mp_row_is_sum(&row)) {
		row.pid = 0;
		row.start_ns = 0;
		row.comm[0] = '\0';
		row.value[MP_RESIDENT] = 0;
		row.value[MP_RESIDENT_ANON] = 0;
		row.value[MP_RESIDENT_FILE] = 0;
	}
	if (mp_profile_add(profile, &row))
		abort();
}

static inline void sample_meta(struct mp_meta *meta)
{
	meta->page_size = SAMPLE_PAGE;
	meta->status = (struct memprof_status){
		.state = MEMPROF_STATE_RUNNING,
		.session = 7,
		.streams = MEMPROF_START_FAULTS | MEMPROF_START_GROWTH,
		.minor_period = 100,
		.major_period = 1,
		.nr_targets = 1,
		.start_ns = 1000000000,
		.reset_ns = 1000000000,
		.now_ns = 76500000000,
		.max_processes = 16384,
		.nr_processes = 6,
		.max_cgroups = 1024,
		.nr_cgroups = 2,
	};
	strcpy(meta->targets, "everything");
}

static inline struct mp_row sample_cgroup(uint64_t id, uint32_t nr,
					  uint64_t anon)
{
	struct mp_row row = sample_process(0, "", id, anon, 41200);

	row.kind = MP_ROW_CGROUP;
	row.start_ns = 0;
	row.nr_processes = nr;
	return row;
}

static inline void sample_profile(struct mp_profile *profile)
{
	*profile = (struct mp_profile){ 0 };
	sample_meta(&profile->meta);
	mp_id_names_add(&profile->names, 12,
			    "/system.slice/redis-server.service");
	mp_id_names_add(&profile->names, 1, "/");
	sample_add(profile, sample_process(812, "redis-server", 12,
					   53 * SAMPLE_MIB, 13500), 0);
	sample_add(profile, sample_process(1, "init", 1, SAMPLE_MIB, 100), 0);
	sample_add(profile, sample_process(900, "evil\033[31m\xff", 99,
					   7 * SAMPLE_MIB, 123456700), 0);
	sample_add(profile, sample_process(901, "sort", 12, 800 * SAMPLE_MIB,
					   200000), MP_ROW_EXITED);
	sample_add(profile, sample_process(0, "", 0, SAMPLE_MIB, 5000),
		   MP_ROW_EXITED | MP_ROW_FOLDED);
	sample_add(profile, sample_process(0, "", 0, SAMPLE_MIB, 300),
		   MP_ROW_OVERFLOW);
	sample_add(profile, sample_cgroup(12, 3, 60 * SAMPLE_MIB), 0);
	sample_add(profile, sample_cgroup(1, 1, SAMPLE_MIB), 0);
	mp_profile_add_counter(profile, "fault_not_target", 0);
	mp_profile_add_counter(profile, "growth_unchanged", 1234);
	mp_profile_add_counter(profile, "growth_overlapped", 5);
	mp_profile_add_counter(profile, "process_table_full", 3);
	mp_profile_add_counter(profile, "brand_new_name", 1);
}

#endif

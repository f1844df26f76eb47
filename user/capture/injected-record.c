// SPDX-License-Identifier: GPL-2.0-only
/*
 * injected-record: injects the library, waits, ejects it, and reads the regions
 *
 * The regions are files in a temporary folder of this user's, who must be that of the
 * processes, too. They have allocations only: no faults, and no growth.
 */
#include "injected-record.h"
#include "clock.h"
#include "injected.h"
#include "loop.h"
#include "ready.h"
#include "region-folder.h"
#include "regions.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static void wait_for_end(const struct mp_injected_record *record, int signals)
{
	const int64_t begin_ms = mp_clock_ms();

	while (!mp_loop_wait(signals) && mp_targets_exist(record->targets))
		if (record->duration_ms &&
		    mp_clock_ms() - begin_ms >= (int64_t)record->duration_ms)
			return;
}

/* Gives the targets the library, until the end. */
static int sample(const struct mp_injected_record *record, const char *folder, int signals,
		  struct mp_diag *diag)
{
	struct mp_injected injected = { 0 };
	struct mp_prober filter = { 0 };
	char out[PATH_MAX + 32];
	int err;

	snprintf(out, sizeof(out), "%s/memprof.%%p", folder);
	if (strlen(out) >= MEMPROF_ATTACH_PATH)
		return mp_diag_fail(diag, ENAMETOOLONG, "TMPDIR=FOLDER names another",
				    "cannot use %s", folder);
	mp_prober_open(&filter, record->targets);
	err = mp_injected_begin(&injected, &filter, record->preload.rate, 0, out, diag);
	if (!err && !injected.nr_own)
		err = mp_diag_fail(diag, EALREADY, "memprofctl snapshot -p PID reads its samples",
				   "the process is sampled already");
	if (!err) {
		mp_ready_tell(record->ready_fd);
		wait_for_end(record, signals);
	}
	mp_injected_end(&injected);
	mp_prober_close(&filter);
	return err;
}

static int write_samples(const struct mp_injected_record *record, const char *folder,
			 struct mp_preload_result *result, struct mp_diag *diag)
{
	struct mp_profile profile = { 0 };
	struct mp_regions regions = { .profile = &profile };
	int err = mp_regions_read(&regions, folder);

	mp_targets_describe(record->targets, profile.meta.targets);
	if (err)
		err = mp_diag_fail(diag, err == -EBADMSG ? 0 : err, regions.why,
				   "cannot read the samples of %s", profile.meta.targets);
	else
		err = mp_preload_write(&record->preload, &profile, &result->nr_bytes, diag);
	if (!err)
		mp_preload_warn_losses(&profile, diag);
	result->nr_samples = mp_preload_samples(&profile);
	result->nr_processes = regions.nr;
	mp_profile_free(&profile);
	return err;
}

int mp_injected_record(const struct mp_injected_record *record, int signals,
		       struct mp_preload_result *result, struct mp_diag *diag)
{
	struct mp_region_folder folder = { 0 };
	int err;

	*result = (struct mp_preload_result){ 0 };
	err = mp_region_folder_make(&folder, diag);
	if (err)
		return err;
	err = sample(record, folder.regions, signals, diag) ?:
	      write_samples(record, folder.regions, result, diag);
	mp_region_folder_remove(&folder);
	return err;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a session samples if the user chose no rate.
 */
#include "kselftest_harness.h"

#include "record-options.h"

#include <unistd.h>

static uint64_t rate_of(uint32_t kind, const char *value, bool inject)
{
	struct mp_record_options options;
	struct mp_diag diag = { 0 };

	mp_record_options_init(&options);
	options.inject = inject;
	if (mp_targets_add_option(&options.targets, kind, value, &diag) ||
	    mp_record_options_check(&options, &diag))
		return UINT64_MAX;
	return options.start.alloc_rate;
}

TEST(chosen_processes_have_more_samples_than_a_whole_machine)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	EXPECT_EQ(16384, rate_of(MEMPROF_TARGET_PROCESS, pid, true));
	EXPECT_EQ(16384, rate_of(MEMPROF_TARGET_COMM, "redis", true));
	EXPECT_EQ(524288, rate_of(MEMPROF_TARGET_ALL, "", true));
	/* the source decides */
	EXPECT_EQ(0, rate_of(MEMPROF_TARGET_PROCESS, pid, false));
}

TEST_HARNESS_MAIN

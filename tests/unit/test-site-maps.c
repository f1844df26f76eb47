// SPDX-License-Identifier: GPL-2.0-only
/* Tests of callsites that the module did not look up; the process is the test itself. */
#include "site-maps.h"
#include "sites.h"

#include "kselftest_harness.h"

#include <string.h>
#include <unistd.h>

FIXTURE(site_maps)
{
	struct mp_profile profile;
};

static int add(struct mp_profile *profile, enum mp_row_kind kind, unsigned int flags,
	       const void *address)
{
	struct mp_row row = {
		.kind = kind, .pid = (uint32_t)getpid(), .flags = flags,
		.location.address = (uintptr_t)address,
	};

	return mp_profile_add(profile, &row);
}

FIXTURE_SETUP(site_maps)
{
	self->profile = (struct mp_profile){ 0 };
	ASSERT_EQ(0, add(&self->profile, MP_ROW_SITE, 0, &memcpy));
	ASSERT_EQ(0, add(&self->profile, MP_ROW_SITE, 0, &mp_site_maps_name));
	ASSERT_EQ(0, add(&self->profile, MP_ROW_SITE, 0, &self));
	ASSERT_EQ(0, add(&self->profile, MP_ROW_PROCESS, 0, NULL));
}

FIXTURE_TEARDOWN(site_maps)
{
	mp_profile_free(&self->profile);
}

static const char *path_of(const struct mp_profile *profile, size_t row)
{
	uint32_t binary = profile->rows[row].location.binary;

	return binary ? profile->binaries[binary - 1].path : "";
}

TEST_F(site_maps, addresses_of_a_running_program_get_their_files)
{
	char exe[4096] = "";

	ASSERT_LT(0, readlink("/proc/self/exe", exe, sizeof(exe) - 1));
	ASSERT_EQ(0, mp_site_maps_name(&self->profile));
	EXPECT_NE(NULL, strstr(path_of(&self->profile, 0), "libc"));
	EXPECT_STREQ(exe, path_of(&self->profile, 1));
	EXPECT_NE(0, self->profile.rows[1].location.offset);
	/* data is no code */
	EXPECT_STREQ("", path_of(&self->profile, 2));
}

TEST_F(site_maps, programs_before_an_exec_are_not_looked_up_in_the_new_one)
{
	ASSERT_EQ(0, add(&self->profile, MP_ROW_PROCESS, MP_ROW_EXITED, NULL));
	ASSERT_EQ(0, mp_site_maps_name(&self->profile));
	EXPECT_STREQ("", path_of(&self->profile, 0));
	EXPECT_STREQ("", path_of(&self->profile, 1));
}

TEST_F(site_maps, programs_whose_row_is_folded_may_be_former_ones)
{
	ASSERT_EQ(0, mp_profile_add_counter(&self->profile, "process_folded", 1));
	ASSERT_EQ(0, mp_site_maps_name(&self->profile));
	EXPECT_STREQ("", path_of(&self->profile, 1));
}

TEST_HARNESS_MAIN

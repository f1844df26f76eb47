// SPDX-License-Identifier: GPL-2.0-only
/* Tests of growth: rows over several profiles, and the names of their containers. */
#include "growth.h"

#include "kselftest_harness.h"

#define HEX	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define PATH	"/system.slice/docker-" HEX ".scope"

/* A cgroup that has @bytes in the @n-th profile. */
static int add_flow(struct mp_growth *growth, uint64_t n, uint64_t bytes,
		    uint64_t allocated, const char *container)
{
	struct mp_profile profile = { .meta.status.now_ns = n * 1000000000 };
	struct mp_row row = { .kind = MP_ROW_CGROUP, .cgroup = 7 };
	int err = mp_id_names_add(&profile.names, 7, PATH);

	row.value[MP_RESIDENT] = bytes;
	row.value[MP_ALLOC_SPACE] = allocated;
	err = err ?: mp_profile_add(&profile, &row);
	if (!err && container)
		err = mp_containers_add(&profile.containers, 7, MP_CONTAINER_RUNTIME, "docker") ?:
		      mp_containers_add(&profile.containers, 7, MP_CONTAINER_NAME, container);
	err = err ?: mp_growth_add(growth, &profile, NULL, 1);
	mp_profile_free(&profile);
	return err;
}

static int add(struct mp_growth *growth, uint64_t second, uint64_t bytes,
	       const char *container)
{
	return add_flow(growth, second, bytes, 0, container);
}

TEST(a_cgroup_is_one_row_with_its_containers_name)
{
	struct mp_growth growth = { .kind = MP_ROW_CGROUP, .metric = MP_RESIDENT, .max = 3 };

	ASSERT_EQ(0, add(&growth, 1, 100, NULL));
	ASSERT_EQ(1, growth.nr_rows);
	EXPECT_STREQ(PATH, growth.names.list[growth.rows[0].shown]);
	/* a runtime wrote its file later */
	ASSERT_EQ(0, add(&growth, 2, 200, "web"));
	ASSERT_EQ(0, add(&growth, 3, 300, NULL));
	ASSERT_EQ(1, growth.nr_rows);
	EXPECT_STREQ("docker:web", growth.names.list[growth.rows[0].shown]);
	EXPECT_STREQ(PATH, growth.names.list[growth.rows[0].cgroup]);
	EXPECT_EQ(200, growth.rows[0].values[1]);
	EXPECT_EQ(-E2BIG, add(&growth, 4, 400, NULL));
	mp_growth_free(&growth);
}

/* A process that was killed between two profiles, or before the first one that has it */
TEST(what_is_known_from_elsewhere_raises_a_row)
{
	struct mp_growth growth = { .kind = MP_ROW_PROCESS, .metric = MP_RESIDENT, .max = 4 };
	struct mp_profile profile = { 0 };
	struct mp_row row = { .kind = MP_ROW_PROCESS, .pid = 1, .comm = "grows", .cgroup = 7 };

	row.value[MP_RESIDENT] = 4096;
	ASSERT_EQ(0, mp_id_names_add(&profile.names, 7, "/box"));
	ASSERT_EQ(0, mp_profile_add(&profile, &row));
	ASSERT_EQ(0, mp_growth_add(&growth, &profile, NULL, 1));
	ASSERT_EQ(0, mp_growth_add(&growth, &profile, NULL, 1));
	ASSERT_EQ(0, mp_growth_raise(&growth, 1, "grows", "/box", 8192));
	ASSERT_EQ(0, mp_growth_raise(&growth, 0, "grows", "/box", 100));
	ASSERT_EQ(0, mp_growth_raise(&growth, 1, "short", "/box", 5));
	ASSERT_EQ(2, growth.nr_rows);
	EXPECT_EQ(4096, growth.rows[0].values[0]);
	EXPECT_EQ(8192, growth.rows[0].values[1]);
	EXPECT_EQ(0, growth.rows[1].values[0]);
	EXPECT_EQ(5, growth.rows[1].values[1]);
	mp_growth_free(&growth);
	mp_profile_free(&profile);
}

/*
 * Whether a row of @begin bytes that grows by @bytes a second for 20 s is found. @came: bytes
 * that are allocated in a second
 */
static bool is_found(struct mp_growth *growth, uint64_t begin, uint64_t bytes, uint64_t came)
{
	uint64_t i;
	bool found;

	*growth = (struct mp_growth){ .kind = MP_ROW_CGROUP, .metric = MP_RESIDENT, .max = 20 };
	for (i = 0; i < 20; i++)
		if (add_flow(growth, i + 1, begin + i * bytes, begin + i * came, NULL))
			return false;
	growth->rate = 65536;
	found = !mp_growth_find(growth, 1) && growth->nr_rows == 1;
	mp_growth_free(growth);
	return found;
}

/* An estimate of 20 MB changes by 3 MB now and then, when what is in it is replaced. */
TEST(chance_is_no_growth)
{
	struct mp_growth growth;

	EXPECT_TRUE(is_found(&growth, 1 << 20, 1 << 20, 1 << 20));
	EXPECT_TRUE(is_found(&growth, 20 << 20, 1 << 19, 8 << 20));
	EXPECT_FALSE(is_found(&growth, 20 << 20, 1 << 17, 8 << 20));
	EXPECT_FALSE(is_found(&growth, 20 << 20, 1 << 17, 0));
	/* a leak of an hour: none of its blocks was freed, so its samples say enough */
	EXPECT_TRUE(is_found(&growth, 85 << 20, 1 << 17, 1 << 17));
	EXPECT_TRUE(is_found(&growth, 85 << 20, 1 << 17, 1 << 18));
	/* four samples */
	EXPECT_FALSE(is_found(&growth, 0, 10000, 10000));
}

TEST_HARNESS_MAIN

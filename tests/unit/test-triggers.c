// SPDX-License-Identifier: GPL-2.0-only
/*
 * triggers: a condition makes one report, not one each time that it is looked at
 */
#include "large-exits.h"
#include "triggers.h"
#include "kselftest_harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MB	(1ULL << 20)
#define SECOND	1000000000ULL

static bool all_wanted[MP_NR_MEMORY_EVENTS];

/* Cgroups /a and /b, whose files are ours. */
FIXTURE(triggers)
{
	struct mp_memory_watch watch;
	struct mp_watched_cgroup list[2];
	struct mp_trigger_settings settings;
	struct mp_memory_trouble trouble;
	uint64_t now;
};

static void put(const struct mp_memory_watch *watch, const char *cgroup, const char *name,
		const char *text)
{
	char path[PATH_MAX + 32];
	FILE *file;

	snprintf(path, sizeof(path), "%s%s/%s", watch->mount, cgroup, name);
	file = fopen(path, "w");
	fputs(text, file);
	fclose(file);
}

/* What a cgroup has without its cache, which is 100 MB. */
static void use(const struct mp_memory_watch *watch, const char *cgroup, uint64_t mb)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu\n", (mb + 100) * MB);
	put(watch, cgroup, "memory.current", text);
}

FIXTURE_SETUP(triggers)
{
	static char * const paths[] = { "/a", "/b" };
	char path[PATH_MAX + 32];
	int i;

	strcpy(self->watch.mount, "/tmp/test-triggers-XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->watch.mount));
	for (i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s%s", self->watch.mount, paths[i]);
		ASSERT_EQ(0, mkdir(path, 0700));
		self->list[i].path = paths[i];
		put(&self->watch, paths[i], "memory.max", "max\n");
		put(&self->watch, paths[i], "memory.high", "max\n");
		put(&self->watch, paths[i], "memory.stat",
		    "anon 5\ninactive_file 62914560\nactive_file 41943040\n");
		use(&self->watch, paths[i], 10);
	}
	self->watch.list = self->list;
	self->watch.nr = 2;
	self->settings.limit_percent = 90;
	self->now = SECOND;
	memset(all_wanted, true, sizeof(all_wanted));
}

FIXTURE_TEARDOWN(triggers)
{
	char command[PATH_MAX + 16];

	free(self->list[0].track);
	free(self->list[1].track);
	snprintf(command, sizeof(command), "rm -rf %s", self->watch.mount);
	ASSERT_EQ(0, system(command));
}

/* Looks a second later. Returns the event. */
#define look()	({						\
	self->now += SECOND;					\
	mp_triggers_look(&self->settings, &self->watch, self->now, all_wanted, &self->trouble);	\
	self->trouble.event;					\
})

TEST_F(triggers, a_cgroup_without_a_limit_is_never_near)
{
	use(&self->watch, "/a", 100000);
	EXPECT_EQ(MP_NR_MEMORY_EVENTS, look());
}

TEST_F(triggers, near_a_limit_there_is_one_report)
{
	put(&self->watch, "/a", "memory.max", "209715200\n");
	use(&self->watch, "/a", 179);
	EXPECT_EQ(MP_NR_MEMORY_EVENTS, look());
	use(&self->watch, "/a", 181);
	ASSERT_EQ(MP_MEMORY_LIMIT, look());
	EXPECT_STREQ("/a", self->trouble.cgroup);
	EXPECT_EQ(181 * MB, self->trouble.cause.value);
	EXPECT_EQ(180 * MB, self->trouble.cause.bound);
	EXPECT_EQ(200 * MB, self->trouble.cause.limit);
	EXPECT_FALSE(self->trouble.cause.is_high);
	EXPECT_EQ(MP_NR_MEMORY_EVENTS, look());
	/* around the bound it is the same condition */
	use(&self->watch, "/a", 165);
	EXPECT_EQ(MP_NR_MEMORY_EVENTS, look());
	use(&self->watch, "/a", 190);
	EXPECT_EQ(MP_NR_MEMORY_EVENTS, look());
	/* a tenth of the limit below it ends */
	use(&self->watch, "/a", 159);
	EXPECT_EQ(MP_NR_MEMORY_EVENTS, look());
	use(&self->watch, "/a", 190);
	EXPECT_EQ(MP_MEMORY_LIMIT, look());
}

TEST_F(triggers, cache_is_no_memory_that_is_short)
{
	put(&self->watch, "/a", "memory.max", "209715200\n");
	use(&self->watch, "/a", 95);
	EXPECT_EQ(MP_NR_MEMORY_EVENTS, look());
}

TEST_F(triggers, the_lower_limit_counts)
{
	put(&self->watch, "/a", "memory.max", "209715200\n");
	put(&self->watch, "/a", "memory.high", "104857600\n");
	use(&self->watch, "/a", 95);
	EXPECT_EQ(MP_MEMORY_LIMIT, look());
	EXPECT_TRUE(self->trouble.cause.is_high);
}

TEST_F(triggers, cgroups_of_one_moment_are_one_report_of_the_worst)
{
	put(&self->watch, "/a", "memory.max", "209715200\n");
	put(&self->watch, "/b", "memory.max", "209715200\n");
	use(&self->watch, "/a", 185);
	use(&self->watch, "/b", 195);
	ASSERT_EQ(MP_MEMORY_LIMIT, look());
	EXPECT_STREQ("/b", self->trouble.cgroup);
	EXPECT_EQ(2, self->trouble.counts[MP_MEMORY_LIMIT]);
	EXPECT_EQ(MP_NR_MEMORY_EVENTS, look());
}

TEST_F(triggers, what_is_not_wanted_now_is_reported_later)
{
	put(&self->watch, "/a", "memory.max", "209715200\n");
	use(&self->watch, "/a", 185);
	all_wanted[MP_MEMORY_LIMIT] = false;
	EXPECT_EQ(MP_NR_MEMORY_EVENTS, look());
	all_wanted[MP_MEMORY_LIMIT] = true;
	EXPECT_EQ(MP_MEMORY_LIMIT, look());
}

/* Looks each second for a window, while a cgroup has what @of says. Returns the reports. */
#define watch_for(seconds, of)	({					\
	unsigned int nr = 0, second;					\
	for (second = 0; second < (seconds); second++) {		\
		use(&self->watch, "/a", of);				\
		nr += look() == MP_MEMORY_GROWTH;			\
	}								\
	nr;								\
})

TEST_F(triggers, growth_is_reported_once_and_again_after_a_rest)
{
	/* of 3600 MB an hour, which is one a second, for 20 s */
	self->settings.growth_bytes = 3000 * MB;
	self->settings.growth_window_ms = 20000;
	/* a start is no growth */
	EXPECT_EQ(0, watch_for(15, 10 + second));
	EXPECT_EQ(1, watch_for(40, 25 + second));
	EXPECT_EQ(0, watch_for(60, 65));
	EXPECT_EQ(1, watch_for(60, 65 + second));
}

TEST_F(triggers, growth_below_the_bound_and_what_comes_and_goes_are_none)
{
	self->settings.growth_bytes = 3000 * MB;
	self->settings.growth_window_ms = 20000;
	EXPECT_EQ(0, watch_for(60, 10 + second / 2));
	EXPECT_EQ(0, watch_for(30, 40));
	EXPECT_EQ(0, watch_for(200, 40 + second % 7 * 9));
	/* filled once */
	EXPECT_EQ(0, watch_for(60, second < 30 ? 40 : 300));
}

/* On a busy machine there may be fewer points than the window wants. */
TEST_F(triggers, growth_is_noticed_by_late_looks)
{
	unsigned int nr = 0, i;

	self->settings.growth_bytes = 3000 * MB;
	self->settings.growth_window_ms = 20000;
	for (i = 0; i < 20; i++) {
		self->now += 3 * SECOND;
		use(&self->watch, "/a", 10 + 5 * i);
		nr += look() == MP_MEMORY_GROWTH;
	}
	EXPECT_EQ(1, nr);
}

TEST_F(triggers, memory_of_the_past_is_bounded)
{
	self->settings.growth_bytes = 1ULL << 60;
	self->settings.growth_window_ms = 20000;
	EXPECT_EQ(0, watch_for(500, second));
	/* a longer window takes the points that there are */
	self->settings.growth_window_ms = 7 * 86400 * 1000ULL;
	EXPECT_EQ(0, watch_for(100, second));
}

TEST(looks_are_as_frequent_as_they_have_to_be)
{
	struct mp_trigger_settings settings = { 0 };

	EXPECT_EQ(0, mp_triggers_period_ns(&settings, 60000));
	settings.limit_percent = 90;
	EXPECT_EQ(10 * SECOND, mp_triggers_period_ns(&settings, 60000));
	EXPECT_EQ(SECOND, mp_triggers_period_ns(&settings, 1000));
	settings.growth_bytes = 1;
	settings.growth_window_ms = 10000;
	EXPECT_EQ(SECOND, mp_triggers_period_ns(&settings, 60000));
}

static bool is_five(void *context, uint32_t pid)
{
	(void)context;
	return pid == 5;
}

static void add_exit(struct mp_profile *profile, uint32_t pid, const char *comm,
		     uint64_t exit_s, uint64_t mb)
{
	struct mp_row row = {
		.kind = MP_ROW_PROCESS, .flags = exit_s ? MP_ROW_EXITED : 0, .pid = pid,
		.cgroup = 1, .exit_ns = exit_s * SECOND, .value = { [MP_RESIDENT] = mb * MB },
	};

	strcpy(row.comm, comm);
	mp_profile_add(profile, &row);
}

TEST(large_exits_are_reported_once_a_command)
{
	struct mp_large_exits exits = { 0 };
	struct mp_profile profile = { 0 };
	struct mp_memory_trouble trouble;
	char comm[16];
	uint32_t i;
#define exited()	mp_large_exits_look(&exits, &profile, 50 * MB, is_five, NULL, &trouble)

	add_exit(&profile, 1, "runs", 0, 1000);
	add_exit(&profile, 2, "small", 10, 49);
	add_exit(&profile, 3, "large", 11, 60);
	add_exit(&profile, 4, "larger", 12, 70);
	add_exit(&profile, 5, "known", 13, 900);
	ASSERT_TRUE(exited());
	EXPECT_EQ(4, trouble.cause.pid);
	EXPECT_STREQ("larger", trouble.cause.comm);
	EXPECT_EQ(70 * MB, trouble.cause.value);
	EXPECT_EQ(2, trouble.counts[MP_MEMORY_EXIT]);
	/* they are in the next profile, too */
	EXPECT_FALSE(exited());
	/* it is started again and again */
	for (i = 0; i < 10; i++) {
		add_exit(&profile, 10 + i, "larger", 500 * (i + 1), 70);
		EXPECT_FALSE(exited());
	}
	add_exit(&profile, 30, "larger", 5601, 70);
	EXPECT_TRUE(exited());
	/* more commands than are remembered */
	for (i = 0; i < 3 * MP_LARGE_EXITS_MAX; i++) {
		sprintf(comm, "c%u", i);
		add_exit(&profile, 100 + i, comm, 6000 + i, 70);
		EXPECT_TRUE(exited());
	}
	mp_profile_free(&profile);
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rules of an administrator who wants nothing put into some processes.
 */
#include "kselftest_harness.h"

#include "exclusions.h"

#include <string.h>

#define UNIT "/system.slice/ssh.service"

/* The line that decides for a process of user 0 in @cgroup */
static int line_for(const char *rules, const char *cgroup, uid_t user)
{
	FILE *file = fmemopen((void *)rules, strlen(rules), "r");
	int line = mp_exclusions_read(file, cgroup, user);

	fclose(file);
	return line;
}

TEST(comments_exclude_nothing)
{
	ASSERT_EQ(line_for("# exclude-user root\n\n  \n", UNIT, 0), 0);
}

TEST(a_unit_is_any_name_in_the_path)
{
	ASSERT_EQ(line_for("\nexclude-unit ssh.service # why\n", UNIT, 0), 2);
	ASSERT_EQ(line_for("exclude-unit system.slice\n", UNIT, 0), 1);
	ASSERT_EQ(line_for("exclude-unit ssh*\n", UNIT, 0), 1);
	ASSERT_EQ(line_for("exclude-unit ssh\n", UNIT, 0), 0);
	/* a pattern does not reach over a slash */
	ASSERT_EQ(line_for("exclude-unit system*service\n", UNIT, 0), 0);
	ASSERT_EQ(line_for("exclude-unit ssh.service\n", "", 0), 0);
}

TEST(a_user_has_a_name_or_a_number)
{
	ASSERT_EQ(line_for("exclude-user 33\nexclude-user root\n", UNIT, 0), 2);
	ASSERT_EQ(line_for("exclude-user 33\nexclude-user root\n", UNIT, 33), 1);
	ASSERT_EQ(line_for("exclude-user root\n", UNIT, 33), 0);
	ASSERT_EQ(line_for("exclude-user 33", UNIT, 33), 1);
}

TEST(mistakes_are_told)
{
	ASSERT_EQ(line_for("\nexclude-units ssh.service\n", UNIT, 0), -2);
	ASSERT_EQ(line_for("exclude-unit\n", UNIT, 0), -1);
	ASSERT_EQ(line_for("exclude-unit a b\n", UNIT, 0), -1);
	ASSERT_EQ(line_for("exclude-user no-such-user\n", UNIT, 0), -1);
	ASSERT_EQ(line_for("exclude-user 3x\n", UNIT, 3), -1);
	/* what comes first decides */
	ASSERT_EQ(line_for("exclude-user 0\nnonsense\n", UNIT, 0), 1);
}

TEST(a_long_line_is_no_rule)
{
	char rules[3000];

	memset(rules, 'x', sizeof(rules));
	memcpy(rules, "exclude-unit ", 13);
	rules[sizeof(rules) - 1] = '\0';
	ASSERT_EQ(line_for(rules, UNIT, 0), -1);
	memset(rules, ' ', sizeof(rules) - 1);
	ASSERT_EQ(line_for(rules, UNIT, 0), -1);
}

TEST_HARNESS_MAIN

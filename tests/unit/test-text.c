// SPDX-License-Identifier: GPL-2.0-only
/* Tests of text: untrusted names are escaped. */
#include "number.h"
#include "text.h"

#include "kselftest_harness.h"

static const char *escape(const char *from, size_t len)
{
	static char to[256];

	mp_text_escape(to, sizeof(to), from, len);
	return to;
}

TEST(plain_names_stay)
{
	EXPECT_STREQ("redis-server", escape("redis-server", 16));
	EXPECT_STREQ("/a b/x\\x2dy", escape("/a b/x\\x2dy", 32));
}

TEST(utf8_stays)
{
	EXPECT_STREQ("z\xc3\xbcrich \xe2\x82\xac \xf0\x9f\x90\xa7",
		     escape("z\xc3\xbcrich \xe2\x82\xac \xf0\x9f\x90\xa7", 32));
}

TEST(control_characters_are_escaped)
{
	EXPECT_STREQ("\\x1b[31m\\x0a\\x7f", escape("\033[31m\n\177", 16));
	EXPECT_STREQ("\\xc2\\x9b31m", escape("\xc2\x9b" "31m", 16));
}

TEST(direction_marks_are_escaped)
{
	EXPECT_STREQ("a\\xe2\\x80\\xae" "b", escape("a\xe2\x80\xae" "b", 16));
}

TEST(bytes_that_are_no_utf8_are_escaped)
{
	EXPECT_STREQ("\\xff\\xfe", escape("\xff\xfe", 16));
	/* overlong, surrogate, above U+10FFFF, cut short */
	EXPECT_STREQ("\\xc0\\xaf", escape("\xc0\xaf", 16));
	EXPECT_STREQ("\\xed\\xa0\\x80", escape("\xed\xa0\x80", 16));
	EXPECT_STREQ("\\xf4\\x90\\x80\\x80", escape("\xf4\x90\x80\x80", 16));
	EXPECT_STREQ("a\\xe2\\x82", escape("a\xe2\x82", 16));
}

TEST(the_length_bounds_what_is_read)
{
	char comm[4] = { 'a', 'b', 'c', '\xc3' };

	EXPECT_STREQ("abc\\xc3", escape(comm, sizeof(comm)));
}

TEST(every_byte_in_is_bounded_out)
{
	char from[16], to[65];
	int byte;

	for (byte = 1; byte < 256; byte++) {
		memset(from, byte, sizeof(from));
		mp_text_escape(to, sizeof(to), from, sizeof(from));
		EXPECT_LE(strlen(to), 64);
		EXPECT_GE(strlen(to), 16);
	}
}

TEST(what_does_not_fit_is_cut_between_characters)
{
	char to[6];

	mp_text_escape(to, sizeof(to), "ab\001cd", 5);
	EXPECT_STREQ("ab", to);
	mp_text_escape(to, sizeof(to), "abcd\xc3\xbc", 6);
	EXPECT_STREQ("abcd", to);
	mp_text_escape(to, 1, "abc", 3);
	EXPECT_STREQ("", to);
}

TEST(escaping_twice_changes_nothing)
{
	char once[256];

	strcpy(once, escape("\033\xff\\x", 16));
	EXPECT_STREQ(once, escape(once, strlen(once)));
}

TEST(width_counts_characters)
{
	EXPECT_EQ(3, mp_text_width("z\xc3\xbc!"));
}

TEST(times_have_units)
{
	static const struct {
		const char *text;
		uint64_t ms;
	} good[] = {
		{ "5", 5000 }, { "0.5", 500 }, { "90s", 90000 }, { "1m", 60000 },
		{ "1.5h", 5400000 }, { "2d", 172800000 }, { "20ms", 20 },
		{ "0.001", 1 }, { "0.1", 100 }, { "0.7", 700 },
	};
	static const char * const bad[] = {
		"", "s", ".5", "5.", "1.2.3", "1 s", "-1", "+1", "1e3", "0", "0.0001",
		"5y", "1mm", "99999999999999999999d",
	};
	uint64_t ms;
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		ASSERT_TRUE(mp_command_duration(good[i].text, 1, 1ULL << 40, &ms)) {
			TH_LOG("%s", good[i].text);
		}
		ASSERT_EQ(good[i].ms, ms);
	}
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ASSERT_FALSE(mp_command_duration(bad[i], 1, 1ULL << 40, &ms));
	ASSERT_FALSE(mp_command_duration("11", 1, 10000, &ms));
}

TEST_HARNESS_MAIN

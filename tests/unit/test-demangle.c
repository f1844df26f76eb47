// SPDX-License-Identifier: GPL-2.0-only
/* Tests of demangle and short-name: names become what the source has, or less. */
/* The compiler complains if these two do not agree. */
#include "libiberty.h"
#if __has_include(<libiberty/demangle.h>)
#include <libiberty/demangle.h>
#endif
#include "demangle.h"
#include "short-name.h"

#include "kselftest_harness.h"

static const char *demangle(const char *name)
{
	static char to[256];

	return mp_demangle(to, sizeof(to), name);
}

TEST(cxx_names_have_their_arguments)
{
	EXPECT_STREQ("queue::push(int, char const*)",
		     demangle("_ZN5queue4pushEiPKc"));
	EXPECT_STREQ("operator new(unsigned long)", demangle("_Znwm"));
	EXPECT_STREQ("LRU::get(long)", demangle("_ZN3LRU3getB5cxx11El"));
}

TEST(rust_names_are_known_also_with_llvms_suffix)
{
	EXPECT_STREQ("core::fmt::write",
		     demangle("_ZN4core3fmt5write17h0123456789abcdefE"));
	EXPECT_STREQ("core::fmt::write",
		     demangle("_ZN4core3fmt5write17h0123456789abcdefE.llvm.77"));
}

TEST(other_names_stay)
{
	EXPECT_STREQ("main", demangle("main"));
	EXPECT_STREQ("_Zbroken", demangle("_Zbroken"));
}

static const char *brief(size_t width, const char *name)
{
	static char to[256];

	mp_short_name(to, width, name);
	return to;
}

TEST(long_names_lose_what_is_in_brackets)
{
	static const char put[] =
		"cache_put(std::map<int, std::vector<char, std::allocator<char> > >&, int)";

	EXPECT_STREQ(put, brief(100, put));
	EXPECT_STREQ("cache_put(std::map<...>&, int)", brief(40, put));
	EXPECT_STREQ("cache_put(...)", brief(20, put));
	EXPECT_STREQ("cach...", brief(7, put));
	EXPECT_STREQ("f(...)::{lambda(...)#1}::operator()(...) const",
		     brief(50, "f(unsigned long, unsigned long)::{lambda(unsigned long)#1}"
			   "::operator()(unsigned long) const"));
	EXPECT_STREQ("X<...>::operator<<(int)", brief(30, "X<aaaaaaaaaaaaaaaaaaaaaaaaa>"
						      "::operator<<(int)"));
	EXPECT_STREQ("X<...>::operator->()", brief(20, "X<aaaaaaaaaaaaaaaaaaaaaaaaa>"
						   "::operator->()"));
}

TEST(brackets_without_partners_are_left)
{
	EXPECT_STREQ("f(aaaaa...", brief(10, "f(aaaaaaaaaaaaaa"));
	EXPECT_STREQ("f<<<<<<...", brief(10, "f<<<<<<<<<<<<<<<<"));
	EXPECT_STREQ(">>)aaaa...", brief(10, ">>)aaaaaaaaaaaaaaaaa"));
	EXPECT_STREQ("", brief(10, ""));
}

TEST_HARNESS_MAIN

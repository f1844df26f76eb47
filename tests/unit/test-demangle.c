// SPDX-License-Identifier: GPL-2.0-only
/* Tests of demangle: names become what the source has. */
/* The compiler complains if these two do not agree. */
#include "libiberty.h"
#if __has_include(<libiberty/demangle.h>)
#include <libiberty/demangle.h>
#endif
#include "demangle.h"

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

TEST_HARNESS_MAIN

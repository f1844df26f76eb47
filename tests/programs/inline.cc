/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions that are inlined in each other, and a container. */
#include <vector>

#define INLINE static inline __attribute__((always_inline))
#define NOINLINE __attribute__((noinline))

struct item {
	char text[500];
};

static item *volatile keep;
static std::vector<item> rows;

namespace deep {
INLINE item *inner()
{
	return new item[4];	/* @inner */
}

INLINE item *middle()
{
	item *got = inner();	/* @middle */

	keep = got;
	return got;
}
}

NOINLINE static item *outer()
{
	item *got = deep::middle();	/* @outer */

	keep = got;
	return got;
}

NOINLINE static void grow()
{
	rows.push_back(item());	/* @grow */
	keep = &rows[0];
}

int main()
{
	for (int i = 0; i < 10; i++)
		keep = outer();	/* @main */
	grow();	/* @call */
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/* The blocks that libmemprof keeps for samples of Python's objects. */
#include "reserve.h"

#include <stdlib.h>

#include "kselftest_harness.h"

/* Only blocks of sampled objects are kept, as many as there are places, while it is open. */
TEST(the_reserve_keeps_what_is_freed)
{
	void *blocks[MP_RESERVE_BLOCKS + 1], *small = malloc(16), *taken;
	int i, nr = 0;

	for (i = 0; i <= MP_RESERVE_BLOCKS; i++)
		blocks[i] = malloc(MP_RESERVE_BYTES);
	EXPECT_EQ(NULL, mp_reserve_take());
	EXPECT_EQ(false, mp_reserve_keep_freed(blocks[0], 40));
	mp_reserve_open(true);
	EXPECT_EQ(false, mp_reserve_keep_freed(small, 16));
	EXPECT_EQ(false, mp_reserve_keep_freed(blocks[0], MP_RESERVE_BYTES));
	for (i = 0; i <= MP_RESERVE_BLOCKS; i++)
		nr += mp_reserve_keep_freed(blocks[i], 40);
	EXPECT_EQ(MP_RESERVE_BLOCKS, nr);
	mp_reserve_open(false);
	while ((taken = mp_reserve_take())) {
		free(taken);
		nr--;
	}
	EXPECT_EQ(0, nr);
	free(blocks[MP_RESERVE_BLOCKS]);
	free(small);
}

TEST_HARNESS_MAIN

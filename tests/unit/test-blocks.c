// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of maps, blocks, names and stacks: compares them with simple models, which
 * search all elements.
 */
#include "blocks.h"
#include "names.h"
#include "stacks.h"
#include "random.h"

#include "kselftest_harness.h"

#define NR_KEYS		600
#define NR_PROCESSES	3
#define MAX_MODEL	400

/* Makes a key for @i. The halves of keys are small, huge, or equal to each other. */
static void key_of(uint32_t i, uint64_t *a, uint64_t *b)
{
	*a = i % 3 ? i / 20 : UINT64_MAX - i / 20;
	*b = i % 20;
}

TEST(map_does_what_an_array_does)
{
	uint32_t values[NR_KEYS] = { 0 }, i, n, *found, seed = 1;
	struct mp_map map = { 0 };
	size_t nr = 0;
	uint64_t a, b;

	for (n = 1; n < 200000; n++) {
		i = random_below(&seed, n / 20000 % 2 ? 60 : NR_KEYS);
		key_of(i, &a, &b);
		found = mp_map_find(&map, a, b);
		ASSERT_EQ(values[i] != 0, found != NULL);
		if (found)
			ASSERT_EQ(values[i], *found);
		if (random_below(&seed, 2)) {
			found = mp_map_add(&map, a, b);
			ASSERT_EQ(values[i] ? values[i] : MP_MAP_NEW, *found);
			nr += !values[i];
			values[i] = *found = n;
		} else {
			mp_map_remove(&map, a, b);
			nr -= values[i] != 0;
			values[i] = 0;
		}
		ASSERT_EQ(nr, map.nr);
	}
	mp_map_free(&map);
	EXPECT_EQ(NULL, mp_map_find(&map, 1, 1));
	mp_map_remove(&map, 1, 1);
}

/* The model: all live blocks, not sorted. */
struct model {
	struct mp_block list[MAX_MODEL];
	size_t nr;
};

static uint64_t span(const struct mp_block *block)
{
	return block->size ? block->size : 1;
}

static const struct mp_block *model_at(const struct model *model,
				       uint32_t process, uint64_t addr)
{
	size_t i;

	for (i = 0; i < model->nr; i++)
		if (model->list[i].process == process &&
		    addr >= model->list[i].ptr &&
		    addr - model->list[i].ptr < model->list[i].size)
			return &model->list[i];
	return NULL;
}

/* Whether a block overlaps no live block, as with blocks of a real allocator. */
static bool model_has_room(const struct model *model,
			   const struct mp_block *block)
{
	size_t i;

	for (i = 0; i < model->nr; i++)
		if (model->list[i].process == block->process &&
		    model->list[i].ptr < block->ptr + span(block) &&
		    block->ptr < model->list[i].ptr + span(&model->list[i]))
			return false;
	return true;
}

static size_t model_index(const struct model *model, uint32_t process,
			  uint64_t ptr)
{
	size_t i;

	for (i = 0; i < model->nr; i++)
		if (model->list[i].process == process &&
		    model->list[i].ptr == ptr)
			break;
	return i;
}

static uint64_t random_addr(uint32_t *seed)
{
	static const uint64_t bases[] = {
		16, 0x7f0000000000, 0xffffffffff000000,
	};

	return bases[random_below(seed, 3)] + random_below(seed, 150000);
}

/* Returns a size: most are small, many are about a page, some are many pages. */
static uint64_t random_size(uint32_t *seed)
{
	switch (random_below(seed, 4)) {
	case 0:
		return random_below(seed, 20000);
	case 1:
		return 4000 + random_below(seed, 200);
	default:
		return random_below(seed, 300);
	}
}

static struct mp_block random_block(uint32_t *seed)
{
	return (struct mp_block){
		.ptr = random_addr(seed),
		.size = random_size(seed),
		.born_ns = random_below(seed, 1000),
		.process = random_below(seed, NR_PROCESSES),
	};
}

static bool same(const struct mp_block *a, const struct mp_block *b)
{
	if (!a || !b)
		return a == b;
	return a->ptr == b->ptr && a->size == b->size &&
	       a->born_ns == b->born_ns && a->process == b->process;
}

/* Compares the result with the model for addresses near the begin and end of blocks. */
static bool same_everywhere(const struct mp_blocks *blocks,
			    const struct model *model, uint32_t *seed)
{
	const struct mp_block *near;
	uint64_t addr;
	uint32_t p;
	int i;

	for (i = 0; i < 12; i++) {
		addr = random_addr(seed);
		near = model->nr ? &model->list[random_below(seed, model->nr)] :
		       NULL;
		if (near && i % 3)
			addr = near->ptr + (i % 3 == 1 ? 0 : near->size) - i / 6;
		for (p = 0; p < NR_PROCESSES; p++)
			if (!same(mp_blocks_at(blocks, p, addr),
				  model_at(model, p, addr)))
				return false;
	}
	return true;
}

TEST(blocks_do_what_a_list_does)
{
	struct mp_block block, taken;
	struct mp_blocks blocks = { 0 };
	struct model *model = calloc(1, sizeof(*model));
	uint32_t seed = 2, n;
	size_t i, most = 0;

	for (n = 0; n < 40000; n++) {
		block = random_block(&seed);
		/* it fills, it empties, and so on */
		if (model->nr && random_below(&seed, 10) < (n / 4000 % 2 ? 6 : 2))
			block = model->list[random_below(&seed, model->nr)];
		i = model_index(model, block.process, block.ptr);
		ASSERT_TRUE(same(mp_blocks_find(&blocks, block.process,
						block.ptr),
				 i < model->nr ? &model->list[i] : NULL));
		if (i < model->nr || random_below(&seed, 10) == 0) {
			ASSERT_EQ(i < model->nr,
				  mp_blocks_take(&blocks, block.process,
						 block.ptr, &taken));
			if (i < model->nr) {
				ASSERT_TRUE(same(&model->list[i], &taken));
				model->list[i] = model->list[--model->nr];
			}
		} else if (model->nr < MAX_MODEL &&
			   model_has_room(model, &block)) {
			ASSERT_EQ(0, mp_blocks_add(&blocks, &block));
			model->list[model->nr++] = block;
		}
		ASSERT_EQ(model->nr, blocks.nr);
		most = model->nr > most ? model->nr : most;
		ASSERT_TRUE(same_everywhere(&blocks, model, &seed)) {
			TH_LOG("after %u operations", n);
		}
	}
	EXPECT_LT(100, most);
	mp_blocks_free(&blocks);
	free(model);
}

TEST(blocks_of_a_process_are_popped_and_no_others)
{
	struct mp_blocks blocks = { 0 };
	struct mp_block block, taken;
	size_t nr[NR_PROCESSES] = { 0 };
	uint32_t seed = 3, i;

	for (i = 0; i < 3000; i++) {
		block = random_block(&seed);
		block.ptr = (i + 1) * 32768UL;
		ASSERT_EQ(0, mp_blocks_add(&blocks, &block));
		nr[block.process]++;
	}
	while (mp_blocks_pop(&blocks, 1, &taken)) {
		ASSERT_EQ(1, taken.process);
		ASSERT_EQ(NULL, mp_blocks_at(&blocks, 1, taken.ptr));
		nr[1]--;
	}
	EXPECT_EQ(0, nr[1]);
	EXPECT_EQ(nr[0] + nr[2], blocks.nr);
	EXPECT_FALSE(mp_blocks_pop(&blocks, 7, &taken));
	/* places are used again */
	i = blocks.nr_slots;
	block.process = 1;
	ASSERT_EQ(0, mp_blocks_add(&blocks, &block));
	EXPECT_EQ(i, blocks.nr_slots);
	mp_blocks_free(&blocks);
	EXPECT_EQ(NULL, mp_blocks_at(&blocks, 0, 32768));
}

/* The treap of large blocks stays flat, whatever the order of additions. */
TEST(large_blocks_in_order_do_not_take_forever)
{
	struct mp_block block = { .size = 4096 }, taken;
	struct mp_blocks blocks = { 0 };
	uint32_t i, nr = 200000, wrong = 0;

	for (i = 1; i <= nr; i++) {
		block.ptr = i * 8192UL;
		ASSERT_EQ(0, mp_blocks_add(&blocks, &block));
	}
	for (i = 1; i <= nr; i++) {
		const struct mp_block *at =
			mp_blocks_at(&blocks, 0, i * 8192UL + 4095);

		wrong += !at || at->ptr != i * 8192UL;
		wrong += mp_blocks_at(&blocks, 0, i * 8192UL + 4096) != NULL;
	}
	EXPECT_EQ(0, wrong);
	for (i = nr; i; i--)
		wrong += !mp_blocks_take(&blocks, 0, i * 8192UL, &taken);
	EXPECT_EQ(0, wrong);
	EXPECT_EQ(0, blocks.nr);
	EXPECT_EQ(0, blocks.trees.nr + blocks.granules.nr);
	mp_blocks_free(&blocks);
}

TEST(names_are_kept_once)
{
	struct mp_names names = { 0 };
	char text[64];
	uint32_t i;

	for (i = 0; i < 5000; i++) {
		snprintf(text, sizeof(text), "%.*s%u", (int)(i % 20),
			 "a_long_function_name", i);
		ASSERT_EQ(i, mp_names_add(&names, text));
	}
	for (i = 0; i < 5000; i++) {
		snprintf(text, sizeof(text), "%.*s%u", (int)(i % 20),
			 "a_long_function_name", i);
		ASSERT_EQ(i, mp_names_add(&names, text));
		ASSERT_STREQ(text, names.list[i]);
	}
	EXPECT_EQ(5000, mp_names_add(&names, ""));
	EXPECT_EQ(5000, mp_names_add(&names, ""));
	EXPECT_STREQ("", names.list[5000]);
	mp_names_free(&names);
	EXPECT_EQ(0, names.nr);
}

/* Makes stack @i. Stacks differ in one frame, in their length, or in the order. */
static uint32_t make_stack(uint32_t i, uint64_t *frames)
{
	uint32_t nr = i % 40, f;

	for (f = 0; f < nr; f++)
		frames[f] = 0x400000 + f * 16;
	if (nr > 1) {
		frames[nr - 1] = i / 40;
		frames[0] = i / 80;
	}
	return nr;
}

TEST(stacks_are_kept_once)
{
	uint64_t frames[MP_STACKS_DEPTH + 1] = { 0 };
	struct mp_stacks stacks = { 0 };
	const uint64_t *spool;
	uint32_t i, nr, kept_nr, numbers[4000];

	for (i = 0; i < 4000; i++) {
		nr = make_stack(i, frames);
		numbers[i] = mp_stacks_add(&stacks, frames, nr);
		ASSERT_NE(MP_STACKS_NONE, numbers[i]);
	}
	for (i = 0; i < 4000; i++) {
		nr = make_stack(i, frames);
		ASSERT_EQ(numbers[i], mp_stacks_add(&stacks, frames, nr));
		spool = mp_stacks_frames(&stacks, numbers[i], &kept_nr);
		ASSERT_EQ(nr, kept_nr);
		ASSERT_EQ(0, memcmp(spool, frames, nr * sizeof(*spool)));
	}
	/* one of none, one of length 1, and all others */
	EXPECT_EQ(1 + 1 + 38 * 100, stacks.nr);
	/* what is too deep is cut at the far end */
	nr = mp_stacks_add(&stacks, frames, MP_STACKS_DEPTH);
	frames[MP_STACKS_DEPTH] = 77;
	EXPECT_EQ(nr, mp_stacks_add(&stacks, frames, MP_STACKS_DEPTH + 1));
	mp_stacks_free(&stacks);
}

TEST_HARNESS_MAIN

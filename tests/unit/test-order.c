// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of order: sorts events of several CPUs that a recorder reads one after the
 * other.
 */
#include "order.h"
#include "random.h"

#include "kselftest_harness.h"

#include <errno.h>

/* The events that the queue passed on. */
struct sink {
	uint64_t nr;
	uint64_t newest_ns;
	uint64_t nr_backwards;
	uint64_t sum;			/* of the numbers that events carry */
	uint64_t last_of[16];		/* number of each CPU's last event */
	uint64_t nr_overtaken;
	uint64_t fail_at;
};

static int take(void *context, const struct mp_event *event)
{
	struct sink *sink = context;

	if (sink->fail_at && sink->nr == sink->fail_at)
		return -EIO;
	sink->nr++;
	sink->sum += event->dealloc.ptr;
	sink->nr_backwards += event->time_ns < sink->newest_ns;
	sink->newest_ns = event->time_ns;
	sink->nr_overtaken += event->dealloc.ptr <= sink->last_of[event->tid];
	sink->last_of[event->tid] = event->dealloc.ptr;
	return 0;
}

/* All events so far, and how many events of each CPU were read. */
struct world {
	uint32_t seed;
	uint32_t nr_cpus;
	uint64_t now_ns;
	uint64_t nr;			/* numbers begin with 1 */
	struct mp_event *pending[16];
	size_t nr_pending[16];
};

static void happen(struct world *world, uint32_t nr)
{
	uint32_t cpu;

	while (nr--) {
		/* often at the same time */
		world->now_ns += random_below(&world->seed, 3);
		cpu = random_below(&world->seed, world->nr_cpus);
		world->pending[cpu][world->nr_pending[cpu]++] =
			(struct mp_event){
				.time_ns = world->now_ns, .tid = cpu,
				.dealloc.ptr = ++world->nr,
			};
	}
}

/* Reads one CPU after the other, while new events occur. */
static int visit(struct world *world, struct mp_order *order, uint32_t more)
{
	uint32_t cpu;
	size_t i;
	int err = 0;

	for (cpu = 0; cpu < world->nr_cpus; cpu++) {
		for (i = 0; !err && i < world->nr_pending[cpu]; i++)
			err = mp_order_add(order, &world->pending[cpu][i]);
		world->nr_pending[cpu] = 0;
		happen(world, random_below(&world->seed, more));
	}
	return err ? err : mp_order_round(order);
}

static void world_init(struct world *world, uint32_t seed, uint32_t nr_cpus)
{
	uint32_t cpu;

	*world = (struct world){ .seed = seed, .nr_cpus = nr_cpus };
	for (cpu = 0; cpu < nr_cpus; cpu++)
		world->pending[cpu] = calloc(16384, sizeof(struct mp_event));
}

static void world_free(struct world *world)
{
	uint32_t cpu;

	for (cpu = 0; cpu < world->nr_cpus; cpu++)
		free(world->pending[cpu]);
}

TEST(rounds_come_out_sorted_and_whole)
{
	uint32_t cpus, round;

	for (cpus = 1; cpus <= 16; cpus++) {
		struct sink sink = { 0 };
		struct mp_order order = { .take = take, .context = &sink };
		struct world world;

		world_init(&world, 100 + cpus, cpus);
		for (round = 0; round < 60; round++) {
			happen(&world, random_below(&world.seed, 700));
			ASSERT_EQ(0, visit(&world, &order, 200));
		}
		EXPECT_GT(world.nr, sink.nr);
		ASSERT_EQ(0, visit(&world, &order, 1));
		ASSERT_EQ(0, mp_order_flush(&order));
		EXPECT_EQ(world.nr, sink.nr);
		EXPECT_EQ(world.nr * (world.nr + 1) / 2, sink.sum);
		EXPECT_EQ(0, sink.nr_backwards);
		/* what one CPU saw at the same time stays in order */
		EXPECT_EQ(0, sink.nr_overtaken);
		EXPECT_EQ(0, order.nr_late);
		EXPECT_EQ(0, order.nr_forced);
		mp_order_free(&order);
		world_free(&world);
	}
}

TEST(events_wait_for_the_second_mark_only)
{
	struct sink sink = { 0 };
	struct mp_order order = { .take = take, .context = &sink };
	struct mp_event event = { .time_ns = 10, .dealloc.ptr = 1 };

	ASSERT_EQ(0, mp_order_round(&order));
	mp_order_add(&order, &event);
	ASSERT_EQ(0, mp_order_round(&order));
	EXPECT_EQ(0, sink.nr);
	event = (struct mp_event){ .time_ns = 5, .dealloc.ptr = 2, .tid = 1 };
	mp_order_add(&order, &event);
	event = (struct mp_event){ .time_ns = 20, .dealloc.ptr = 3, .tid = 2 };
	mp_order_add(&order, &event);
	ASSERT_EQ(0, mp_order_round(&order));
	EXPECT_EQ(2, sink.nr);
	EXPECT_EQ(10, sink.newest_ns);
	ASSERT_EQ(0, mp_order_round(&order));
	EXPECT_EQ(3, sink.nr);
	EXPECT_EQ(0, sink.nr_backwards);
	mp_order_free(&order);
}

TEST(late_events_are_counted_and_not_lost)
{
	struct sink sink = { 0 };
	struct mp_order order = { .take = take, .context = &sink };
	struct mp_event event = { .time_ns = 10, .dealloc.ptr = 1 };

	mp_order_add(&order, &event);
	mp_order_flush(&order);
	event = (struct mp_event){ .time_ns = 9, .dealloc.ptr = 2 };
	mp_order_add(&order, &event);
	mp_order_flush(&order);
	EXPECT_EQ(1, order.nr_late);
	EXPECT_EQ(2, sink.nr);
	EXPECT_EQ(0, mp_order_flush(&order));
	mp_order_free(&order);
}

TEST(an_error_of_the_taker_comes_back)
{
	struct sink sink = { .fail_at = 3 };
	struct mp_order order = { .take = take, .context = &sink };
	struct mp_event event = { 0 };

	for (event.dealloc.ptr = 1; event.dealloc.ptr < 10; event.dealloc.ptr++)
		mp_order_add(&order, &event);
	EXPECT_EQ(-EIO, mp_order_flush(&order));
	EXPECT_EQ(3, sink.nr);
	mp_order_free(&order);
}

/* If no round ends, the queue becomes full. Half of it is passed on, still in order. */
TEST(a_full_queue_is_bounded_and_counted)
{
	struct sink sink = { 0 };
	struct mp_order order = { .take = take, .context = &sink };
	struct mp_event event = { 0 };
	uint64_t nr = MP_ORDER_MAX * 2 + 1000, over = 0;

	/* two CPUs, each a run of 4096 that the other overlaps */
	for (event.dealloc.ptr = 1; event.dealloc.ptr <= nr; event.dealloc.ptr++) {
		event.tid = event.dealloc.ptr / 4096 % 2;
		event.time_ns = event.dealloc.ptr - event.tid * 4096;
		ASSERT_EQ(0, mp_order_add(&order, &event));
		over += order.nr > MP_ORDER_MAX || order.max > MP_ORDER_MAX;
	}
	EXPECT_EQ(0, over);
	EXPECT_LT(0, order.nr_forced);
	EXPECT_GT(4, order.nr_forced);
	ASSERT_EQ(0, mp_order_flush(&order));
	EXPECT_EQ(nr, sink.nr);
	EXPECT_EQ(nr * (nr + 1) / 2, sink.sum);
	EXPECT_EQ(0, sink.nr_backwards);
	EXPECT_EQ(0, order.nr_late);
	mp_order_free(&order);
}

TEST_HARNESS_MAIN

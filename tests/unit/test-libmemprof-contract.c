// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the in-process sampler: its tables, its states, and the results of functions. */
#include "bloom.h"
#include "drop-counter.h"
#include "heap-map.h"
#include "memprof_internal.h"
#include "out-path.h"
#include "refusing.h"
#include "region-file.h"
#include "sampled.h"
#include "stack-bounds.h"
#include "stack-table.h"
#include "thread-table.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kselftest_harness.h"

static void set_up(void)
{
	bloom_init();
	heap_map_init();
	stack_table_init();
}

TEST(constants_are_the_contracts)
{
	EXPECT_EQ(64, MEMPROF_MAX_STACK_DEPTH);
	EXPECT_EQ(1 << 20, MEMPROF_HEAP_MAP_CAPACITY);
	EXPECT_EQ(MEMPROF_HEAP_MAP_CAPACITY - 1, MEMPROF_HEAP_MAP_MASK);
	EXPECT_EQ(1 << 12, MEMPROF_STACK_TABLE_INITIAL);
	EXPECT_EQ(1 << 16, MEMPROF_STACK_TABLE_MAX_DEFAULT);
	EXPECT_EQ(128, MEMPROF_MAX_PROBE);
	EXPECT_EQ(512 * 1024, MEMPROF_DEFAULT_SAMPLING_RATE);
	EXPECT_EQ(1 << 17, BLOOM_SIZE_BYTES);
	EXPECT_EQ(4, BLOOM_HASH_COUNT);
	EXPECT_EQ(32, sizeof(HeapMapEntry));
}

TEST(metadata_is_clamped_not_masked)
{
	uint64_t m = METADATA_PACK(5, 1000, 524288);

	EXPECT_EQ(5, METADATA_STACK_ID(m));
	EXPECT_EQ(1000, METADATA_SIZE(m));
	EXPECT_EQ(524288, METADATA_WEIGHT(m));
	m = METADATA_PACK(UINT32_MAX, 1ULL << 24, 1ULL << 40);
	EXPECT_EQ(0xfffff, METADATA_STACK_ID(m));
	EXPECT_EQ(0xffffff, METADATA_SIZE(m));
	EXPECT_EQ(0xfffff, METADATA_WEIGHT(m));
}

TEST(states_are_one_way)
{
	HeapMapEntry *list;
	MemProfStats stats;
	size_t nr;

	EXPECT_EQ(-1, memprof_start());
	EXPECT_EQ(-1, memprof_stop());
	EXPECT_EQ(-1, memprof_get_snapshot(&list, &nr));
	ASSERT_EQ(0, memprof_get_stats(&stats));
	EXPECT_EQ(0, stats.total_samples);
	ASSERT_EQ(0, memprof_init(0));
	EXPECT_EQ(MEMPROF_DEFAULT_SAMPLING_RATE, g_memprof.sampling_rate);
	EXPECT_EQ(-1, memprof_init(4096));
	EXPECT_EQ(-1, memprof_stop());
	EXPECT_EQ(0, g_memprof.active_alloc);
	ASSERT_EQ(0, memprof_start());
	EXPECT_EQ(-1, memprof_start());
	EXPECT_EQ(1, g_memprof.active_alloc);
	ASSERT_EQ(0, memprof_stop());
	EXPECT_EQ(-1, memprof_stop());
	EXPECT_EQ(0, g_memprof.active_alloc);
	EXPECT_EQ(1, g_memprof.active_free);
	ASSERT_EQ(0, memprof_start());
	ASSERT_EQ(0, memprof_get_snapshot(&list, &nr));
	EXPECT_EQ(0, nr);
	memprof_free_snapshot(list);
	memprof_free_snapshot(NULL);
	memprof_shutdown();
	EXPECT_EQ(0, g_memprof.active_free);
	EXPECT_EQ(-1, memprof_start());
	EXPECT_EQ(-1, memprof_init(1));
	memprof_shutdown();
}

TEST(darwin_is_not_supported)
{
	errno = 0;
	EXPECT_EQ(-1, memprof_darwin_install());
	EXPECT_EQ(ENOTSUP, errno);
	errno = 0;
	EXPECT_EQ(-1, memprof_darwin_remove());
	EXPECT_EQ(ENOTSUP, errno);
	EXPECT_EQ(0, memprof_linux_install());
}

TEST(a_block_is_reserved_finished_and_removed)
{
	uint32_t stack, size, weight;
	uint64_t duration;
	int slot;

	set_up();
	slot = heap_map_reserve(0x1000);
	ASSERT_LE(0, slot);
	EXPECT_EQ(HEAP_ENTRY_RESERVED, g_memprof.heap_map[slot].ptr);
	EXPECT_EQ(0x1000, g_memprof.heap_map[slot].metadata);
	ASSERT_EQ(1, heap_map_finalize(slot, 0x1000, METADATA_PACK(7, 100, 200)));
	EXPECT_EQ(0x1000, g_memprof.heap_map[slot].ptr);
	EXPECT_EQ(0, heap_map_finalize(slot, 0x1000, METADATA_PACK(8, 1, 2)));
	EXPECT_EQ(0, heap_map_remove(0x2000, UINT64_MAX, 0, &stack, &size,
				     &weight, &duration));
	ASSERT_EQ(1, heap_map_remove(0x1000, UINT64_MAX, UINT64_MAX, &stack,
				     &size, &weight, &duration));
	EXPECT_EQ(7, stack);
	EXPECT_EQ(100, size);
	EXPECT_EQ(200, weight);
	EXPECT_LT(0, duration);
	EXPECT_EQ(HEAP_ENTRY_TOMBSTONE, g_memprof.heap_map[slot].ptr);
	EXPECT_EQ(0, heap_map_remove(0x1000, UINT64_MAX, 0, &stack, &size,
				     &weight, &duration));
	/* the tombstone is used again */
	EXPECT_EQ(slot, heap_map_reserve(0x1000));
	EXPECT_EQ(1, g_memprof.tombstones_recycled);
	EXPECT_EQ(2, g_memprof.heap_map_insertions);
	EXPECT_EQ(1, g_memprof.heap_map_deletions);
}

TEST(what_is_no_address_is_refused)
{
	set_up();
	EXPECT_EQ(-1, heap_map_reserve(HEAP_ENTRY_EMPTY));
	EXPECT_EQ(-1, heap_map_reserve(HEAP_ENTRY_RESERVED));
	EXPECT_EQ(-1, heap_map_reserve(HEAP_ENTRY_TOMBSTONE));
	EXPECT_EQ(0, heap_map_remove(0, 0, 0, NULL, NULL, NULL, NULL));
	EXPECT_EQ(0, heap_map_remove(HEAP_ENTRY_TOMBSTONE, UINT64_MAX, 0, NULL,
				     NULL, NULL, NULL));
	EXPECT_EQ(0, heap_map_finalize(-1, 0x1000, 0));
	EXPECT_EQ(0, heap_map_finalize(MEMPROF_HEAP_MAP_CAPACITY, 0x1000, 0));
	EXPECT_EQ(0, heap_map_finalize(0, 0x1000, 0));
}

TEST(death_during_birth)
{
	uint32_t size = 1;
	uint64_t duration;
	int slot;

	set_up();
	slot = heap_map_reserve(0x1000);
	ASSERT_EQ(1, heap_map_remove(0x1000, UINT64_MAX, 0, NULL, &size, NULL,
				     &duration));
	EXPECT_EQ(0, size);
	EXPECT_EQ(0, duration);
	EXPECT_EQ(0, heap_map_finalize(slot, 0x1000, 1));
	EXPECT_EQ(1, g_memprof.death_during_birth);
	EXPECT_EQ(0, heap_map_load_percent());
}

TEST(a_stale_finalize_takes_nobodys_slot)
{
	uintptr_t other;
	int slot;

	set_up();
	slot = heap_map_reserve(0x1000);
	heap_map_remove(0x1000, UINT64_MAX, 0, NULL, NULL, NULL, NULL);
	for (other = 0x2000; heap_map_reserve(other) != slot; other += 16)
		ASSERT_EQ(1, heap_map_remove(other, UINT64_MAX, 0, NULL, NULL,
					     NULL, NULL));
	EXPECT_EQ(0, heap_map_finalize(slot, 0x1000, METADATA_PACK(1, 2, 3)));
	EXPECT_EQ(HEAP_ENTRY_RESERVED, g_memprof.heap_map[slot].ptr);
	EXPECT_EQ(1, heap_map_finalize(slot, other, METADATA_PACK(4, 5, 6)));
	EXPECT_EQ(0, heap_map_finalize(slot, 0x1000, METADATA_PACK(1, 2, 3)));
	EXPECT_EQ(METADATA_PACK(4, 5, 6), g_memprof.heap_map[slot].metadata);
}

TEST(a_free_that_is_older_than_the_block_is_ignored)
{
	uint64_t before;
	int slot;

	set_up();
	before = mp_heap_map_seq();
	slot = heap_map_reserve(0x1000);
	EXPECT_EQ(0, heap_map_remove(0x1000, before, 0, NULL, NULL, NULL, NULL));
	heap_map_finalize(slot, 0x1000, 1);
	EXPECT_LT(before, g_memprof.heap_map[slot].birth_seq);
	EXPECT_EQ(0, heap_map_remove(0x1000, before, 0, NULL, NULL, NULL, NULL));
	EXPECT_EQ(2, g_memprof.zombie_races_detected);
	EXPECT_EQ(1, heap_map_remove(0x1000, mp_heap_map_seq(), 0, NULL, NULL,
				     NULL, NULL));
}

TEST(exact_numbers_are_kept_beside)
{
	struct mp_exact in = {
		.size = 1ULL << 33, .weight_bytes = 1ULL << 34, .stack = 70000,
	}, out;
	int slot;

	set_up();
	slot = heap_map_reserve(0x1000);
	ASSERT_EQ(1, mp_heap_map_finalize(slot, 0x1000, &in));
	EXPECT_EQ(0xffffff, METADATA_SIZE(g_memprof.heap_map[slot].metadata));
	EXPECT_EQ(0xfffff, METADATA_WEIGHT(g_memprof.heap_map[slot].metadata));
	ASSERT_EQ(1, mp_heap_map_remove(0x1000, UINT64_MAX, &out));
	EXPECT_EQ(in.size, out.size);
	EXPECT_EQ(in.weight_bytes, out.weight_bytes);
	EXPECT_EQ(in.stack, out.stack);
	/* a small mapping has to say that it is one */
	in = (struct mp_exact){ .size = 4096, .weight_bytes = 5, .stack = 1,
				.kind = MEMPROF_REGION_MMAP };
	slot = heap_map_reserve(0x1000);
	ASSERT_EQ(1, mp_heap_map_finalize(slot, 0x1000, &in));
	EXPECT_FALSE(memprof_region_is_whole(g_memprof.heap_map[slot].metadata));
	ASSERT_EQ(1, mp_heap_map_remove(0x1000, UINT64_MAX, &out));
	EXPECT_EQ(5, out.weight_bytes);
	EXPECT_EQ(MEMPROF_REGION_MMAP, out.kind);
	/* the next one in the slot has no exact numbers of its own */
	EXPECT_EQ(slot, heap_map_reserve(0x1000));
	heap_map_finalize(slot, 0x1000, METADATA_PACK(1, 2, 3));
	ASSERT_EQ(1, mp_heap_map_remove(0x1000, UINT64_MAX, &out));
	EXPECT_EQ(2, out.size);
}

/* If the entry of a slot has all numbers, a reader does not need the slot's block. */
TEST(most_blocks_are_whole_in_their_slots)
{
	struct mp_exact in = {
		.size = 0xfffffe, .weight_bytes = 0xffffe, .stack = 65535,
	};
	struct memprof_region_block block = { .birth_seq = 77, .size = 1 };
	struct memprof_region_entry entry = { .birth_seq = 78 };
	int slot;

	set_up();
	slot = heap_map_reserve(0x1000);
	ASSERT_EQ(1, mp_heap_map_finalize(slot, 0x1000, &in));
	entry.metadata = g_memprof.heap_map[slot].metadata;
	EXPECT_EQ(0, memprof_region_read_block(&entry, &block));
	EXPECT_EQ(in.size, block.size);
	EXPECT_EQ(in.weight_bytes, block.weight_bytes);
	EXPECT_EQ(in.stack, block.stack);
	EXPECT_EQ(MEMPROF_REGION_HEAP, block.kind);
	/* of one that is not, an earlier block says nothing */
	entry.metadata = METADATA_PACK(1, 1 << 24, 5);
	block.birth_seq = 77;
	EXPECT_EQ(-1, memprof_region_read_block(&entry, &block));
	EXPECT_EQ(0xffffff, block.size);
	block = (struct memprof_region_block){ .birth_seq = 78, .size = 1 << 24 };
	EXPECT_EQ(0, memprof_region_read_block(&entry, &block));
	EXPECT_EQ(1 << 24, block.size);
}

/* Windows are opened when they are needed, and blocks in earlier windows are found. */
TEST(the_live_table_fills_to_nine_tenths_and_empties)
{
	uint32_t i, nr = MEMPROF_HEAP_MAP_CAPACITY / 10 * 9, size;
	int slot;

	set_up();
	EXPECT_GT(5000, mp_heap_map_slots());
	for (i = 0; i < nr; i++) {
		slot = heap_map_reserve(0x7f0000000000 + 48UL * i);
		ASSERT_LE(0, slot) {
			TH_LOG("at %u", i);
		}
		ASSERT_EQ(1, heap_map_finalize(slot, 0x7f0000000000 + 48UL * i,
					       METADATA_PACK(0, i & 0xffff, 1)));
	}
	EXPECT_EQ(89, heap_map_load_percent());
	for (i = 0; i < nr; i++) {
		ASSERT_EQ(1, heap_map_remove(0x7f0000000000 + 48UL * i,
					     UINT64_MAX, 0, NULL, &size, NULL,
					     NULL));
		ASSERT_EQ(i & 0xffff, size);
	}
	EXPECT_EQ(0, heap_map_load_percent());
	EXPECT_EQ(0, mp_heap_map_live());
}

TEST(a_snapshot_has_what_lives)
{
	HeapMapEntry *list;
	size_t nr, i;
	int slot;

	ASSERT_EQ(0, memprof_init(4096));
	for (i = 1; i <= 5000; i++) {
		slot = heap_map_reserve(16 * i);
		if (i % 5)
			heap_map_finalize(slot, 16 * i, METADATA_PACK(1, i, 3));
		if (i % 2)
			heap_map_remove(16 * i, UINT64_MAX, 0, NULL, NULL, NULL,
					NULL);
	}
	ASSERT_EQ(0, memprof_get_snapshot(&list, &nr));
	EXPECT_EQ(2000, nr);
	for (i = 0; i < nr; i++) {
		ASSERT_EQ(list[i].ptr, 16 * METADATA_SIZE(list[i].metadata));
		ASSERT_EQ(0, list[i].ptr % 32);
	}
	memprof_free_snapshot(list);
}

TEST(stacks_are_kept_once)
{
	uintptr_t frames[70];
	uint32_t ids[300], i, n;
	bool is_new;

	set_up();
	for (i = 0; i < 70; i++)
		frames[i] = 0x400000 + i;
	for (n = 0; n < 2; n++)
		for (i = 0; i < 300; i++) {
			uint32_t id;

			frames[0] = 0x500000 + i;
			id = stack_table_intern(frames, 10,
						mp_stack_hash(frames, 10));
			if (!n)
				ids[i] = id;
			ASSERT_EQ(ids[i], id);
			ASSERT_EQ(10, stack_table_get(id)->depth);
			ASSERT_EQ(frames[0], stack_table_get(id)->frames[0]);
		}
	EXPECT_EQ(300, g_memprof.stack_count);
	EXPECT_EQ(NULL, stack_table_get(300));
	EXPECT_EQ(NULL, stack_table_get(UINT32_MAX));
	/* the same hash does not make the same stack */
	EXPECT_NE(stack_table_intern(frames, 3, 5),
		  stack_table_intern(frames + 1, 3, 5));
	/* nor is 0 no hash */
	EXPECT_NE(NULL, stack_table_get(stack_table_intern(frames, 1, 0)));
	i = mp_stack_table_intern(frames, 70, 9, 0, &is_new);
	EXPECT_TRUE(is_new);
	EXPECT_EQ(64, stack_table_get(i)->depth);
	EXPECT_EQ(STACK_FLAG_TRUNCATED, stack_table_get(i)->flags);
	EXPECT_EQ(UINT32_MAX, stack_table_intern(NULL, 3, 5));
	/* what maps there is another stack than what allocates */
	n = mp_stack_table_intern(frames, 3, 5, STACK_FLAG_MMAP, &is_new);
	EXPECT_TRUE(is_new);
	EXPECT_NE(n, stack_table_intern(frames, 3, 5));
	EXPECT_EQ(n, mp_stack_table_intern(frames, 3, 5, STACK_FLAG_MMAP,
					   &is_new));
	EXPECT_FALSE(is_new);
	EXPECT_EQ(STACK_FLAG_MMAP, stack_table_get(n)->flags);
}

TEST(the_stack_table_grows_to_its_maximum_and_is_full_then)
{
	uintptr_t frames[2] = { 1, 2 };
	uint32_t i;

	set_up();
	for (i = 0; i < MEMPROF_STACK_TABLE_MAX_DEFAULT; i++) {
		frames[0] = i;
		ASSERT_EQ(i, stack_table_intern(frames, 2,
						mp_stack_hash(frames, 2)));
	}
	frames[0] = i;
	EXPECT_EQ(UINT32_MAX,
		  stack_table_intern(frames, 2, mp_stack_hash(frames, 2)));
	EXPECT_EQ(1, g_memprof.stack_table_full_drops);
	EXPECT_EQ(1, mp_drop_counter_value(MP_COUNT_stack_table_full_drops));
	for (i = 0; i < MEMPROF_STACK_TABLE_MAX_DEFAULT; i++) {
		frames[0] = i;
		ASSERT_EQ(i, stack_table_intern(frames, 2,
						mp_stack_hash(frames, 2)));
	}
}

static __attribute__((noinline)) int capture_below(uintptr_t *frames, int max,
						   int skip)
{
	int n = capture_native_stack(frames, max, skip);

	__asm__ volatile("" : : "r" (n) : "memory");
	return n;
}

TEST(a_stack_begins_at_the_caller)
{
	uintptr_t frames[64], skipped[64];
	MixedStackCapture mixed;
	int n, m;

	n = capture_below(frames, 64, 0);
	ASSERT_LT(3, n);
	EXPECT_LE((uintptr_t)capture_below, frames[0]);
	EXPECT_GT((uintptr_t)capture_below + 200, frames[0]);
	m = capture_below(skipped, 64, 2);
	EXPECT_EQ(n - 2, m);
	EXPECT_EQ(frames[3], skipped[1]);
	EXPECT_EQ(2, capture_below(frames, 2, 0));
	EXPECT_EQ(0, capture_below(frames, 0, 0));
	EXPECT_EQ(0, capture_below(frames, 64, 1000));
	EXPECT_LT(2, capture_mixed_stack(&mixed));
	EXPECT_EQ(MIXED_STACK_NATIVE_ONLY, mixed.flags);
	EXPECT_EQ(0, mixed.python_depth);
}

static void *deep(void *arg)
{
	uintptr_t *frames = arg;

	return (void *)(long)capture_native_stack(frames, 64, 0);
}

TEST(a_thread_has_a_whole_stack)
{
	uintptr_t frames[64];
	pthread_t thread;
	void *n;

	pthread_create(&thread, NULL, deep, frames);
	pthread_join(thread, &n);
	/* deep(), start_thread(), clone3() */
	EXPECT_LE(2, (long)n);
	EXPECT_GE(5, (long)n);
}

/* A walk that starts with random registers must end, and must not cause a fault. */
TEST(a_walk_from_nonsense_faults_nowhere)
{
	uintptr_t frames[64], words[512], seed = 12345;
	struct mp_registers regs;
	int depth, i, n;

	for (n = 0; n < 20000; n++) {
		for (i = 0; i < 512; i++) {
			seed = seed * 6364136223846793005UL + 1442695040888963407UL;
			words[i] = seed >> (seed >> 58);
			if (i % 3 == 0)
				words[i] = (uintptr_t)&words[seed >> 40 & 1023];
			if (i % 3 == 1)
				words[i] = (uintptr_t)memprof_init +
					   (seed >> 50);
		}
		regs.pc = words[seed >> 55];
		regs.sp = (uintptr_t)&words[seed >> 48 & 511];
		regs.bp = words[seed >> 33 & 511];
		mp_unwind(mp_thread_find(), regs, frames, NULL, 64, 0, &depth);
		ASSERT_GE(64, depth);
		regs.sp = words[3];
		mp_unwind(mp_thread_find(), regs, frames, NULL, 64, 0, &depth);
	}
}

TEST(confidence_is_by_shallow_stacks)
{
	FramePointerHealth health = { 0 };

	EXPECT_STREQ("high", memprof_confidence(&health));
	health.total_native_stacks = 100;
	health.truncation_rate = 0.0499;
	EXPECT_STREQ("high", memprof_confidence(&health));
	health.truncation_rate = 0.05;
	EXPECT_STREQ("medium", memprof_confidence(&health));
	health.truncation_rate = 0.20;
	EXPECT_STREQ("medium", memprof_confidence(&health));
	health.truncation_rate = 0.2001;
	EXPECT_STREQ("low", memprof_confidence(&health));
}

static __attribute__((noinline)) void sample(uintptr_t p, size_t size)
{
	struct mp_registers regs = MP_CALLERS_REGISTERS();

	mp_thread_find()->byte_counter = 0;
	mp_thread_find()->rate = g_memprof.sampling_rate;
	mp_sample_alloc((void *)p, size, MEMPROF_REGION_HEAP, regs);
}

TEST(a_sample_is_tallied_and_its_free_too)
{
	MemProfStats stats;
	uint64_t small;

	ASSERT_EQ(0, memprof_init(1024));
	ASSERT_EQ(0, memprof_start());
	sample(0x1000, 1 << 20);
	sample(0x2000, 1 << 30);
	sample(0x3000, 64);
	ASSERT_EQ(0, memprof_get_stats(&stats));
	EXPECT_EQ(3, stats.total_samples);
	EXPECT_EQ(3, stats.live_samples);
	/* 64 / (1 - exp(-1/16)) is 1056.3 */
	small = stats.estimated_heap_bytes - (1 << 20) - (1 << 30);
	EXPECT_LE(1056, small);
	EXPECT_GE(1057, small);
	EXPECT_EQ(3, stats.frame_pointer_health.total_native_stacks);
	EXPECT_EQ(0, stats.frame_pointer_health.shallow_stack_warnings);
	EXPECT_LE(1, stats.unique_stacks);
	EXPECT_LT(0, memprof_resolve_symbols());
	EXPECT_EQ(0, memprof_resolve_symbols());
	mp_sample_free((void *)0x2000);
	mp_sample_free((void *)0x2000);
	mp_sample_free((void *)0x9000);
	memprof_get_stats(&stats);
	EXPECT_EQ(1, stats.freed_samples);
	EXPECT_EQ((1 << 20) + small, stats.estimated_heap_bytes);
	EXPECT_EQ((1 << 20) + (1 << 30) + small, mp_region->total.peak_bytes);
	/* a block whose free was not seen */
	sample(0x1000, 1 << 20);
	EXPECT_EQ(1, mp_drop_counter_value(MP_COUNT_heap_map_stale));
	EXPECT_EQ(2, mp_heap_map_live());
	memprof_stop();
	sample(0x5000, 1 << 20);
	EXPECT_EQ(2, mp_heap_map_live());
	mp_sample_free((void *)0x3000);
	EXPECT_EQ(1, mp_heap_map_live());
}

TEST(a_pause_by_the_region_stops_samples_only)
{
	ASSERT_EQ(0, memprof_init(1024));
	ASSERT_EQ(0, memprof_start());
	sample(0x1000, 4096);
	mp_region->control.active = 0;
	sample(0x2000, 4096);
	EXPECT_EQ(1, g_memprof.total_samples);
	EXPECT_EQ(1, mp_drop_counter_value(MP_COUNT_samples_skipped_paused));
	mp_sample_free((void *)0x1000);
	EXPECT_EQ(0, mp_heap_map_live());
	mp_region->control.active = 1;
	sample(0x2000, 4096);
	EXPECT_EQ(2, g_memprof.total_samples);
	EXPECT_EQ(0, memprof_mark());
	EXPECT_EQ(1, mp_region->control.nr_marks);
	EXPECT_LT(mp_region->start_ns, mp_region->control.mark_ns);
}

TEST(a_sample_inside_a_sample_is_skipped)
{
	ASSERT_EQ(0, memprof_init(1024));
	ASSERT_EQ(0, memprof_start());
	mp_thread_find()->inside_profiler = 1;
	sample(0x1000, 4096);
	EXPECT_EQ(0, g_memprof.total_samples);
	EXPECT_EQ(1, mp_thread_find()->skipped_reentrant);
	EXPECT_LT(0, mp_thread_find()->byte_counter);
}

TEST(names_of_the_file)
{
	char path[MP_OUT_PATH_SIZE], want[64], *xdg;

	snprintf(want, sizeof(want), "/x/m.%d", getpid());
	ASSERT_TRUE(mp_out_path(path, "/x/m.%p", 0));
	EXPECT_STREQ(want, path);
	strcat(want, ".2");
	ASSERT_TRUE(mp_out_path(path, "/x/m.%p", 2));
	EXPECT_STREQ(want, path);
	ASSERT_TRUE(mp_out_path(path, "/x/100%%", 0));
	EXPECT_STREQ("/x/100%", path);
	snprintf(want, sizeof(want), "/x/m.%d", getpid());
	ASSERT_TRUE(mp_out_path(path, "/x/m", 1));
	EXPECT_STREQ(want, path);
	memset(path, 'x', sizeof(path));
	xdg = malloc(5000);
	memset(xdg, 'a', 4999);
	xdg[4999] = 0;
	EXPECT_FALSE(mp_out_path(path, xdg, 0));
	EXPECT_FALSE(mp_out_path(path, "", 0));
	setenv("XDG_RUNTIME_DIR", xdg, 1);
	ASSERT_TRUE(mp_out_path_default(path));
	EXPECT_STREQ("/tmp/memprof.%p", path);
	free(xdg);
}

/* With hostile numbers in a section, no element is outside of the file. */
static int nr_descriptors(void)
{
	int fd, nr = 0;

	for (fd = 0; fd < 256; fd++)
		nr += fcntl(fd, F_GETFD) >= 0;
	return nr;
}

#define REGION_PATTERN "/tmp/test-region-file.%p"

static void remove_region(void)
{
	char path[64];

	snprintf(path, sizeof(path), "/tmp/test-region-file.%d", getpid());
	unlink(path);
}

/* A filter of the host may refuse fstat(), also where it allows open(). */
TEST(no_descriptor_stays_open_where_fstat_fails)
{
	int nr = nr_descriptors();

	ASSERT_EQ(0, refuse_call(SYS_fstat, EPERM));
	mp_region_make(REGION_PATTERN, 0, 1);
	EXPECT_EQ(nr, nr_descriptors());
	remove_region();
}

/* Growth opens the file again where the kernel does not know MADV_POPULATE_WRITE. */
TEST(no_descriptor_stays_open_after_growth_where_fstat_fails)
{
	int nr;

	ASSERT_EQ(0, mp_region_make(REGION_PATTERN, 0, 1));
	nr = nr_descriptors();
	ASSERT_EQ(0, refuse_call(SYS_madvise, EINVAL));
	EXPECT_TRUE(mp_region_commit(MEMPROF_REGION_STACKS, 1000));
	ASSERT_EQ(0, refuse_call(SYS_fstat, EPERM));
	EXPECT_FALSE(mp_region_commit(MEMPROF_REGION_STACKS, 2000));
	EXPECT_EQ(nr, nr_descriptors());
	remove_region();
}

TEST(readers_stay_inside_of_the_file)
{
	struct memprof_region_section s = { 4096, 64, 100, 100 };
	static char file[16384];

	EXPECT_EQ(file + 4096, memprof_region_element(file, 16384, &s, 0, 64));
	EXPECT_EQ(file + 4096 + 99 * 64,
		  memprof_region_element(file, 16384, &s, 99, 64));
	EXPECT_EQ(NULL, memprof_region_element(file, 16384, &s, 100, 64));
	EXPECT_EQ(NULL, memprof_region_element(file, 4096 + 63, &s, 0, 64));
	EXPECT_EQ(NULL, memprof_region_element(file, 16384, &s, 0, 65));
	s.capacity = s.used = UINT64_MAX;
	EXPECT_EQ(NULL, memprof_region_element(file, 16384, &s, 1ULL << 58, 64));
	EXPECT_EQ(NULL, memprof_region_element(file, 16384, &s, 200, 64));
	s.stride = 0;
	EXPECT_EQ(NULL, memprof_region_element(file, 16384, &s, 0, 0));
	s.stride = UINT64_MAX - 7;
	EXPECT_EQ(NULL, memprof_region_element(file, 16384, &s, 1, 64));
	s.stride = 64;
	s.offset = UINT64_MAX - 4095;
	EXPECT_EQ(NULL, memprof_region_element(file, 16384, &s, 64, 64));
}

/* The time of a block is less exact than the time of a mark. */
TEST(a_block_after_a_mark_is_younger_than_it)
{
	HeapMapEntry before, after;
	int i;

	set_up();
	for (i = 0; i < 1000; i++) {
		ASSERT_LE(0, heap_map_reserve(0x1000));
		before = g_memprof.heap_map[heap_map_reserve(0x2000)];
		ASSERT_EQ(0, memprof_mark());
		after = g_memprof.heap_map[heap_map_reserve(0x3000)];
		ASSERT_GT(mp_region->control.mark_ns, before.timestamp);
		ASSERT_LE(mp_region->control.mark_ns, after.timestamp);
		set_up();
	}
}

#ifdef __x86_64__
/* A damaged table can declare any frame a signal frame, with any stack pointer. */
TEST(a_signal_frame_that_lies_is_not_followed)
{
	uint64_t frame[5 + 23] = { 0 }, here = (uintptr_t)frame;
	struct { void *handler; long flags; void *restorer; long mask; } action;
	struct mp_registers regs = { .sp = here };
	uintptr_t frames[8];
	int depth;

	signal(SIGUSR1, _exit);
	ASSERT_EQ(0, syscall(SYS_rt_sigaction, SIGUSR1, NULL, &action, 8));
	regs.pc = (uintptr_t)action.restorer;
	mp_stack_main();
	/* below what is mapped of the first thread's stack */
	frame[5 + 15] = (here & ~4095UL) - (40UL << 20);
	frame[5 + 10] = frame[5 + 15] + 64;
	frame[5 + 16] = (uintptr_t)strlen;
	EXPECT_EQ(MP_WALK_LOST, mp_unwind(mp_thread_find(), regs, frames, NULL, 8, 0,
					  &depth));
	EXPECT_EQ(2, depth);
}
#endif

TEST_HARNESS_MAIN

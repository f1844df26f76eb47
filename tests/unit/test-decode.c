// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of perf-decode: how perf's records become events.
 */
#include "perf-decode.h"

#include <memprof/region.h>
#include <stdlib.h>
#include <string.h>

#include "kselftest_harness.h"

#define CALLER	0x555555550123ULL
#define MAX_CHAIN	16

/* The record of a probe on malloc, which this test builds. */
struct record {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t time_ns;
	uint64_t words[1 + MAX_CHAIN + 4];
};

FIXTURE(decode)
{
	struct mp_perf_decode decode;
	struct mp_perf_events events;
	struct mp_merge merge;
};

FIXTURE_SETUP(decode)
{
	static const struct mp_perf_event call = {
		.attr = {
			.type = PERF_TYPE_TRACEPOINT,
			.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
				       PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW,
		},
		.name = "memprof_1:malloc",
		.format = {
			.fields = {
				{ .name = "size", .offset = 4, .size = 8 },
				{ .name = "ra", .offset = 12, .size = 8 },
			},
			.nr_fields = 2,
		},
	};

	mp_merge_init(&self->merge, NULL);
	self->events.list = malloc(sizeof(call));
	ASSERT_NE(NULL, self->events.list);
	self->events.list[0] = call;
	self->events.nr = 1;
	ASSERT_EQ(1, mp_perf_decode_begin(&self->decode, &self->events,
					  &self->merge));
}

FIXTURE_TEARDOWN(decode)
{
	mp_merge_free(&self->merge);
	mp_perf_events_free(&self->events);
}

/* Decodes a call with a frame-pointer chain, and returns its stack. */
static const uint64_t *stack_of(FIXTURE_DATA(decode) *self,
				const uint64_t *chain, uint32_t nr,
				uint32_t *nr_frames)
{
	static const uint64_t fields[] = { 100, CALLER };
	struct record record = {
		.header = {
			.type = PERF_RECORD_SAMPLE, .size = sizeof(record),
		},
		.pid = 1, .tid = 1, .time_ns = 1,
	};
	uint8_t *raw = (uint8_t *)&record.words[1 + nr];
	const uint32_t size = 4 + sizeof(fields);

	record.words[0] = nr;
	memcpy(record.words + 1, chain, nr * sizeof(*chain));
	memcpy(raw, &size, sizeof(size));
	memcpy(raw + 8, fields, sizeof(fields));
	if (mp_perf_decode_record(&self->decode, &record.header) ||
	    self->merge.order.nr != 1)
		abort();
	self->merge.order.nr = 0;
	return mp_stacks_frames(&self->merge.stacks,
				self->merge.order.events[0].stack, nr_frames);
}

TEST_F(decode, a_chain_at_an_entry_gets_its_caller)
{
	static const uint64_t chain[] = {
		PERF_CONTEXT_USER, 0x7f0000001000, 0x555555550456,
	};
	const uint64_t *frames;
	uint32_t nr;

	frames = stack_of(self, chain, 3, &nr);
	ASSERT_EQ(2, nr);
	EXPECT_EQ(CALLER, frames[0]);
	EXPECT_EQ(0x555555550456, frames[1]);
}

TEST_F(decode, a_chain_ends_where_no_code_can_be)
{
	static const uint64_t nowhere[] = {
		0, 1, 0xfff, 0xffffffff00000001, 0x69667a7400524944,
	};
	uint64_t chain[] = {
		PERF_CONTEXT_USER, 0x7f0000001000, 0x555555550456, 0,
		0x555555550789,
	};
	uint32_t nr, i;

	for (i = 0; i < sizeof(nowhere) / sizeof(nowhere[0]); i++) {
		chain[3] = nowhere[i];
		stack_of(self, chain, 5, &nr);
		EXPECT_EQ(2, nr);
	}
	chain[1] = 0;
	stack_of(self, chain, 5, &nr);
	EXPECT_EQ(1, nr);
}

/* Decodes the return of a call, of which @field has the value 0x7000, and returns its sp. */
static uint64_t sp_of_return(FIXTURE_DATA(decode) *self, const char *field)
{
	static const struct mp_perf_event leave = {
		.attr = {
			.type = PERF_TYPE_TRACEPOINT,
			.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
				       PERF_SAMPLE_RAW,
		},
		.name = "memprof_1:malloc__return",
		.format = {
			.fields = { { .name = "ptr", .offset = 4, .size = 8 } },
			.nr_fields = 2,
		},
	};
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		uint64_t time_ns;
		uint32_t size;
		uint8_t raw[20];
	} record = {
		.header = {
			.type = PERF_RECORD_SAMPLE, .size = sizeof(record),
		},
		.pid = 1, .tid = 1, .time_ns = 1, .size = sizeof(record.raw),
	};
	struct mp_field *sp = &self->events.list[0].format.fields[1];
	const uint64_t value = 0x7000;

	self->events.list[0] = leave;
	*sp = (struct mp_field){ .offset = 12, .size = 8 };
	strcpy(sp->name, field);
	memcpy(record.raw + 12, &value, sizeof(value));
	self->decode = (struct mp_perf_decode){ 0 };
	if (mp_perf_decode_begin(&self->decode, &self->events, &self->merge) != 1 ||
	    mp_perf_decode_record(&self->decode, &record.header) ||
	    self->merge.order.nr != 1)
		abort();
	self->merge.order.nr = 0;
	return self->merge.order.events[0].leave.sp;
}

/* On x86-64 a return removes its address from the stack, on arm64 nothing. */
TEST_F(decode, a_return_has_the_stack_pointer_of_its_entry)
{
	EXPECT_EQ(0x6ff8, sp_of_return(self, "sp"));
	EXPECT_EQ(0x7000, sp_of_return(self, "entry_sp"));
}

/* The name of a frame that is no code becomes a file that is mapped there. */
TEST_F(decode, functions_of_python_are_mapped_files)
{
	static const struct mp_perf_event told = {
		.attr = {
			.type = PERF_TYPE_TRACEPOINT,
			.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
				       PERF_SAMPLE_RAW,
		},
		.name = "memprof_1:function_3",
		.format = {
			.fields = { { .name = "record", .offset = 4,
				      .size = sizeof(struct memprof_region_function) } },
			.nr_fields = 1,
		},
	};
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		uint64_t time_ns;
		uint32_t size, common;
		struct memprof_region_function function;
	} record = {
		.header = {
			.type = PERF_RECORD_SAMPLE, .size = sizeof(record),
		},
		.pid = 1, .tid = 1, .time_ns = 1, .size = 4 + sizeof(record.function),
		.function = { .address = 0x1001, .line = 7, .text = "py::f:/a.py" },
	};
	const struct mp_event *map = NULL;

	self->events.list[0] = told;
	ASSERT_EQ(0, mp_perf_decode_begin(&self->decode, &self->events, &self->merge));
	ASSERT_EQ(0, mp_perf_decode_record(&self->decode, &record.header));
	ASSERT_EQ(1, self->merge.order.nr);
	map = &self->merge.order.events[0];
	EXPECT_EQ(MP_EVENT_MAP, map->kind);
	EXPECT_EQ(0x1000, map->map.start);
	EXPECT_EQ(1, map->map.size);
	EXPECT_EQ(7, map->map.offset);
	EXPECT_STREQ("py::f:/a.py", self->merge.names.list[
		     self->merge.files[map->map.file].path]);
	/* a name without an end is cut; what is no function maps nothing */
	memset(record.function.text + 4, 'x', sizeof(record.function.text) - 4);
	ASSERT_EQ(0, mp_perf_decode_record(&self->decode, &record.header));
	EXPECT_EQ(2, self->merge.order.nr);
	strcpy(record.function.text, "/lib/libc.so.6");
	ASSERT_EQ(0, mp_perf_decode_record(&self->decode, &record.header));
	EXPECT_EQ(2, self->merge.order.nr);
	EXPECT_EQ(0, self->decode.nr_bad);
	self->events.list[0].format.fields[0].offset = 8;
	ASSERT_EQ(0, mp_perf_decode_record(&self->decode, &record.header));
	EXPECT_EQ(1, self->decode.nr_bad);
	EXPECT_EQ(2, self->merge.order.nr);
}

TEST_F(decode, memory_to_run_code_from_is_told)
{
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		uint64_t addr, len, pgoff, file[3];
		uint32_t prot, flags;
		char name[8];
	} record = {
		.header = {
			.type = PERF_RECORD_MMAP2, .size = sizeof(record),
		},
		.pid = 1, .tid = 1, .addr = 4096, .len = 4096, .prot = 5,
		.name = "//anon",
	};

	ASSERT_EQ(0, mp_perf_decode_record(&self->decode, &record.header));
	ASSERT_EQ(1, self->merge.order.nr);
	EXPECT_EQ(MP_EVENT_MAP, self->merge.order.events[0].kind);
	EXPECT_TRUE(self->merge.order.events[0].map.other);
	/* the kernel's own calls no allocator */
	strcpy(record.name, "[vdso]");
	ASSERT_EQ(0, mp_perf_decode_record(&self->decode, &record.header));
	EXPECT_EQ(1, self->merge.order.nr);
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of section-event: sections in perf's records, from the module's trace event
 * and from the static probe.
 */
#include "section-event.h"

#include <stdlib.h>
#include <string.h>

#include "kselftest_harness.h"

/* Formats as the kernel writes them. The first format has only the fields in use. */
static const char tracepoint[] =
	"name: section\nID: 1500\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\n"
	"\tfield:u64 index;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:u64 net_cu;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:s64 grown_bytes;\toffset:24;\tsize:8;\tsigned:1;\n"
	"\tfield:u32 id_len;\toffset:32;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc char[] id;\toffset:36;\tsize:4;\tsigned:0;\n"
	"\nprint fmt: \"id=%s\"\n";
static const char probe[] =
	"name: section_0\nID: 1600\nformat:\n"
	"\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:u64 record[49];\toffset:16;\tsize:392;\tsigned:0;\n"
	"\nprint fmt: \"\"\n";

struct record {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint32_t raw_size;
	char raw[1024];
};

FIXTURE(event)
{
	struct mp_perf_events events;
	struct record record;
	struct mp_section_event event;
};

FIXTURE_SETUP(event)
{
	self->events.list = calloc(1, sizeof(*self->events.list));
	self->events.nr = 1;
	self->events.list[0].attr = (struct perf_event_attr){
		.type = PERF_TYPE_TRACEPOINT,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_RAW,
	};
	memset(&self->record, 0, sizeof(self->record));
	self->record.header.type = PERF_RECORD_SAMPLE;
	self->record.pid = 5;
	self->record.tid = 6;
}

FIXTURE_TEARDOWN(event)
{
	mp_perf_events_free(&self->events);
}

static bool parse(FIXTURE_DATA(event) *self, const char *name,
		  const char *format, uint32_t raw_size)
{
	strcpy(self->events.list[0].name, name);
	if (!mp_format_parse(&self->events.list[0].format, format))
		abort();
	/* perf fills it up to eights, its size included */
	self->record.raw_size = raw_size;
	self->record.header.size = (uint16_t)(8 + 8 + 4 + raw_size);
	return mp_section_event_parse(&self->events, &self->record.header,
				      &self->event);
}

static void put(FIXTURE_DATA(event) *self, size_t offset, uint64_t value,
		size_t size)
{
	memcpy(self->record.raw + offset, &value, size);
}

TEST_F(event, of_the_module_is_read_by_field)
{
	put(self, 8, 3, 8);
	put(self, 16, UINT64_MAX, 8);
	put(self, 24, -5, 8);
	put(self, 32, 4, 4);
	put(self, 36, 5 << 16 | 40, 4);
	memcpy(self->record.raw + 40, "a\0bc", 5);
	ASSERT_TRUE(parse(self, "memprof:section", tracepoint, 52));
	EXPECT_EQ(5, self->event.pid);
	EXPECT_EQ(6, self->event.tid);
	EXPECT_EQ(3, self->event.record.index);
	EXPECT_EQ(UINT64_MAX, self->event.record.net_cu);
	EXPECT_EQ(-5, self->event.record.grown_bytes);
	EXPECT_EQ(4, self->event.record.id_len);
	EXPECT_EQ(0, memcmp("a\0bc", self->event.record.id, 5));
	/* another event of this name is none */
	EXPECT_FALSE(parse(self, "other:section", tracepoint, 52));
}

TEST_F(event, of_the_module_must_hold_its_id)
{
	put(self, 32, 4, 4);
	put(self, 36, 5 << 16 | 40, 4);
	EXPECT_FALSE(parse(self, "memprof:section", tracepoint, 44));
	put(self, 36, 3 << 16 | 40, 4);
	EXPECT_FALSE(parse(self, "memprof:section", tracepoint, 52));
	put(self, 32, 256, 4);
	put(self, 36, 257 << 16 | 40, 4);
	EXPECT_FALSE(parse(self, "memprof:section", tracepoint, 404));
	put(self, 32, 255, 4);
	EXPECT_TRUE(parse(self, "memprof:section", tracepoint, 404));
	put(self, 36, 257 << 16 | 0xffff, 4);
	EXPECT_FALSE(parse(self, "memprof:section", tracepoint, 404));
}

TEST_F(event, of_a_probe_is_a_copy)
{
	struct memprof_section section = {
		.index = 9, .total_cu = 8, .id_len = 2, .id = "xy",
	};

	memcpy(self->record.raw + 16, &section, sizeof(section));
	ASSERT_TRUE(parse(self, "memprof_77:section_0", probe, 412));
	EXPECT_EQ(0, memcmp(&section, &self->event.record, sizeof(section)));
	EXPECT_FALSE(parse(self, "memprof_77:section_0", probe, 404));
	EXPECT_FALSE(parse(self, "memprof_77:malloc_0", probe, 412));
	section.id_len = 256;
	memcpy(self->record.raw + 16, &section, sizeof(section));
	EXPECT_FALSE(parse(self, "memprof_77:section_0", probe, 412));
}

TEST_HARNESS_MAIN

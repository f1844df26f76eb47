// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the parser for formats of tracepoints: of the kernel's, and of invalid ones.
 */
#include "format.h"

#include <stdlib.h>
#include <string.h>

#include "kselftest_harness.h"

#define HEAD "name: event\nID: 7\nformat:\n"
#define COMMON								\
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define FIRST "\tfield:u64 first;\toffset:8;\tsize:8;\tsigned:0;\n"
#define LAST "\tfield:s32 last;\toffset:16;\tsize:4;\tsigned:1;\n"

TEST(format_of_the_kernel_is_read)
{
	static const char text[] = HEAD COMMON FIRST
		"\tfield:const char * name;\toffset:16;\tsize:8;\tsigned:0;\n"
		"\tfield:char comm[16];\toffset:24;\tsize:16;\tsigned:0;\n"
		"\tfield:__data_loc char[] id;\toffset:40;\tsize:4;\tsigned:0;\n"
		"\tfield:long ret;\toffset:44;\tsize:8;\tsigned:1;\n"
		"\nprint fmt: \"%s (%d)\", __get_str(id), REC->ret\n";
	static const char * const names[] = {
		"first", "name", "comm", "id", "ret",
	};
	const struct mp_field *field;
	struct mp_format format;
	size_t i;

	ASSERT_TRUE(mp_format_parse(&format, text));
	EXPECT_EQ(7, format.id);
	EXPECT_STREQ("event", format.name);
	ASSERT_EQ(5, format.nr_fields);
	for (i = 0; i < 5; i++)
		EXPECT_STREQ(names[i], format.fields[i].name);
	field = mp_format_field(&format, "ret");
	ASSERT_NE(NULL, field);
	EXPECT_EQ(44, field->offset);
	EXPECT_EQ(8, field->size);
	EXPECT_TRUE(field->is_signed);
	EXPECT_FALSE(format.fields[0].is_signed);
	EXPECT_EQ(NULL, mp_format_field(&format, "common_pid"));
}

TEST(format_without_common_fields_is_read)
{
	struct mp_format format;

	ASSERT_TRUE(mp_format_parse(&format, HEAD FIRST LAST));
	EXPECT_EQ(2, format.nr_fields);
	ASSERT_TRUE(mp_format_parse(&format, HEAD));
	EXPECT_EQ(0, format.nr_fields);
}

TEST(format_without_its_beginning_is_none)
{
	struct mp_format format;

	EXPECT_FALSE(mp_format_parse(&format, ""));
	EXPECT_FALSE(mp_format_parse(&format, FIRST));
	EXPECT_FALSE(mp_format_parse(&format, "name: a\n" FIRST));
	EXPECT_FALSE(mp_format_parse(&format, "name: a\nformat:\n" FIRST));
	EXPECT_FALSE(mp_format_parse(&format, "ID: 7\nformat:\n" FIRST));
	EXPECT_FALSE(mp_format_parse(&format,
				     "name: a b\nID: 7\nformat:\n" FIRST));
	EXPECT_FALSE(mp_format_parse(&format,
				     "name: a\nID: x\nformat:\n" FIRST));
}

/* Some of these lines crash some version of libtraceevent. */
TEST(hostile_lines_are_left_out)
{
	static const char * const lines[] = {
		"\tfield:u64 a[", "\tfield:u64 a[;\toffset:0;\tsize:8;\n",
		"\tfield:__attribute__((user)) a;\toffset:0;\tsize:8;\n",
		"\tfield:u64 \"a;\toffset:0;\tsize:8;\tsigned:0;\n",
		"\tfield:u64 'a;\toffset:0;\tsize:8;\tsigned:0;\n",
		"\tfield:u64 LOCAL_PR_FMT;\toffset:0;\tsize:8;\tsigned:0;\n",
		"\tfield:a;\toffset:0;\tsize:8;\tsigned:0;\n",
		"\tfield:u64 a;\toffset:;\tsize:8;\tsigned:0;\n",
		"name: other\n", "ID: 8\n", "format:\n", "\n", "field\n", "x",
	};
	struct mp_format format;
	char text[512];
	size_t i;

	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		snprintf(text, sizeof(text), "%s%s%s\n%s%s", HEAD, FIRST,
			 lines[i], LAST, lines[i]);
		ASSERT_TRUE(mp_format_parse(&format, text));
		EXPECT_EQ(7, format.id);
		ASSERT_EQ(2, format.nr_fields);
		EXPECT_STREQ("first", format.fields[0].name);
		EXPECT_STREQ("last", format.fields[1].name);
	}
}

TEST(deep_print_format_is_not_read)
{
	const size_t depth = 10 << 20;
	struct mp_format format;
	char *text = malloc(depth + 512);

	ASSERT_NE(NULL, text);
	strcpy(text, HEAD COMMON FIRST "\nprint fmt: \"%d\", ");
	memset(text + strlen(text), '(', depth);
	text[depth] = '\0';
	ASSERT_TRUE(mp_format_parse(&format, text));
	EXPECT_EQ(1, format.nr_fields);
	free(text);
}

TEST(fields_and_names_are_bounded)
{
	struct mp_format format;
	char text[8192], *at = text;
	int i;

	at += sprintf(at, "%s", HEAD);
	for (i = 0; i < MP_FORMAT_FIELDS + 9; i++)
		at += sprintf(at, "\tfield:u64 f%0*d;\toffset:%d;\tsize:8;\n",
			      i == 3 ? MP_FIELD_NAME_SIZE : 1, i, 8 * i);
	ASSERT_TRUE(mp_format_parse(&format, text));
	EXPECT_EQ(MP_FORMAT_FIELDS, format.nr_fields);
	EXPECT_STREQ("f4", format.fields[3].name);
	sprintf(text, "name: %0*d\nID: 1\nformat:\n", 64, 1);
	EXPECT_FALSE(mp_format_parse(&format, text));
}

TEST(number_outside_the_sample_is_zero)
{
	static const uint8_t raw[] = { 0xfe, 0xff, 0xff, 0xff, 1, 0, 0, 0 };
	struct mp_field field = { .offset = 0, .size = 4, .is_signed = true };

	EXPECT_EQ((uint64_t)-2, mp_field_read(&field, raw, sizeof(raw)));
	field.is_signed = false;
	EXPECT_EQ(0xfffffffe, mp_field_read(&field, raw, sizeof(raw)));
	field.offset = 5;
	EXPECT_EQ(0, mp_field_read(&field, raw, sizeof(raw)));
	field.offset = UINT32_MAX;
	EXPECT_EQ(0, mp_field_read(&field, raw, sizeof(raw)));
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of memprofctl replay: each operation, each error, and the keys of its output.
 */
#include "kselftest_harness.h"

#include <json-c/json.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

FIXTURE(replay)
{
	char dir[64];
	char log[80];
	char out[65536];
	char err[4096];
	int status;
	struct json_object *root;
};

FIXTURE_SETUP(replay)
{
	strcpy(self->dir, "/tmp/memprof-replay-XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	snprintf(self->log, sizeof(self->log), "%s/log", self->dir);
	self->root = NULL;
}

FIXTURE_TEARDOWN(replay)
{
	char command[128];

	json_object_put(self->root);
	snprintf(command, sizeof(command), "rm -rf %s", self->dir);
	EXPECT_EQ(0, system(command));
}

static void read_file(FIXTURE_DATA(replay) *self, const char *name, char *text,
		      size_t size)
{
	char path[80];
	FILE *file;
	size_t len = 0;

	snprintf(path, sizeof(path), "%s/%s", self->dir, name);
	file = fopen(path, "r");
	if (file) {
		len = fread(text, 1, size - 1, file);
		fclose(file);
	}
	text[len] = '\0';
}

/* Replays the text of a log. Output and errors are kept separately. */
static void replay(FIXTURE_DATA(replay) *self, const char *text)
{
	FILE *file = fopen(self->log, "w");
	char command[4096];

	fputs(text, file);
	fclose(file);
	snprintf(command, sizeof(command),
		 "%s replay --kind heap %s/log >%s/out 2>%s/err", MP_PROGRAM,
		 self->dir, self->dir, self->dir);
	self->status = WEXITSTATUS(system(command));
	read_file(self, "out", self->out, sizeof(self->out));
	read_file(self, "err", self->err, sizeof(self->err));
	json_object_put(self->root);
	self->root = json_tokener_parse(self->out);
}

/* Finds a number in the output by its path of keys; -1 if it is missing. */
static int64_t get(FIXTURE_DATA(replay) *self, const char *a, const char *b,
		   const char *c)
{
	struct json_object *at = self->root;
	const char *keys[] = { a, b, c };
	int i;

	for (i = 0; i < 3 && keys[i]; i++)
		if (!json_object_object_get_ex(at, keys[i], &at))
			return -1;
	return json_object_get_int64(at);
}

#define GLOBAL(key) get(self, "global", key, NULL)
#define COUNTER(key) get(self, "counters", key, NULL)
#define SITE(name, key) get(self, "callsites", name, key)
#define LIVE(ptr) get(self, "live", ptr, "size")

#define ALLOC(tid, site, size, ptr)					\
	"{\"op\":\"alloc\",\"tid\":" #tid ",\"size\":" #size		\
	",\"callsite\":\"" site "\",\"ptr\":\"" ptr "\"}\n"
#define DEALLOC(tid, ptr)						\
	"{\"op\":\"dealloc\",\"tid\":" #tid ",\"ptr\":\"" ptr "\"}\n"
#define REALLOC(tid, site, old, size, ptr)				\
	"{\"op\":\"realloc\",\"tid\":" #tid ",\"old_ptr\":\"" old	\
	"\",\"old_size\":0,\"new_size\":" #size				\
	",\"callsite\":\"" site "\",\"new_ptr\":\"" ptr "\"}\n"
#define ALLOC_ENTER(tid, site, size)					\
	"{\"op\":\"alloc_enter\",\"tid\":" #tid ",\"size\":" #size	\
	",\"callsite\":\"" site "\"}\n"
#define ALLOC_EXIT(tid, ptr)						\
	"{\"op\":\"alloc_exit\",\"tid\":" #tid ",\"ptr\":\"" ptr "\"}\n"
#define REALLOC_ENTER(tid, site, old, size)				\
	"{\"op\":\"realloc_enter\",\"tid\":" #tid ",\"old_ptr\":\"" old	\
	"\",\"old_size\":0,\"new_size\":" #size				\
	",\"callsite\":\"" site "\"}\n"
#define REALLOC_EXIT(tid, ptr)						\
	"{\"op\":\"realloc_exit\",\"tid\":" #tid			\
	",\"new_ptr\":\"" ptr "\"}\n"

TEST_F(replay, allocations_and_frees_add_up)
{
	replay(self, ALLOC(1, "a", 100, "0x10") ALLOC(2, "b", 30, "0xABC")
		     ALLOC(1, "a", 5, "0x30") DEALLOC(2, "0x10"));
	ASSERT_EQ(0, self->status) TH_LOG("%s", self->err);
	EXPECT_STREQ("", self->err);
	EXPECT_EQ(35, GLOBAL("live_bytes"));
	EXPECT_EQ(135, GLOBAL("peak_bytes"));
	EXPECT_EQ(3, GLOBAL("total_allocs"));
	EXPECT_EQ(1, GLOBAL("total_frees"));
	EXPECT_EQ(2, GLOBAL("active_callsites"));
	EXPECT_EQ(5, SITE("a", "live_bytes"));
	EXPECT_EQ(105, SITE("a", "peak_bytes"));
	EXPECT_EQ(2, SITE("a", "total_allocs"));
	EXPECT_EQ(1, SITE("a", "total_frees"));
	EXPECT_EQ(105, SITE("a", "total_bytes"));
	EXPECT_EQ(5, LIVE("0x30"));
	EXPECT_EQ(30, LIVE("0xabc"));
	EXPECT_EQ(-1, LIVE("0x10"));
}

TEST_F(replay, a_callsite_without_live_blocks_is_seen_not_active)
{
	replay(self, ALLOC(1, "a", 100, "0x10") DEALLOC(1, "0x10")
		     ALLOC(1, "b", 1, "0x10"));
	EXPECT_EQ(1, GLOBAL("active_callsites"));
	EXPECT_EQ(2, GLOBAL("seen_callsites"));
	EXPECT_EQ(0, SITE("a", "live_bytes"));
}

TEST_F(replay, realloc_moves_grows_frees_and_fails)
{
	replay(self, ALLOC(1, "a", 100, "0x10")
		     REALLOC(1, "b", "0x10", 150, "0x20"));
	EXPECT_EQ(150, GLOBAL("live_bytes"));
	EXPECT_EQ(150, GLOBAL("peak_bytes"));
	EXPECT_EQ(150, SITE("b", "live_bytes"));
	EXPECT_EQ(0, SITE("a", "live_bytes"));
	replay(self, ALLOC(1, "a", 100, "0x10")
		     REALLOC(1, "b", "0x10", 150, "0x10"));
	EXPECT_EQ(150, GLOBAL("peak_bytes"));
	EXPECT_EQ(150, LIVE("0x10"));
	replay(self, ALLOC(1, "a", 100, "0x10")
		     REALLOC(1, "b", "0x10", 0, "0x0"));
	EXPECT_EQ(0, GLOBAL("live_bytes"));
	EXPECT_EQ(0, COUNTER("failed_reallocs"));
	replay(self, ALLOC(1, "a", 100, "0x10")
		     REALLOC(1, "b", "0x10", 150, "0x0"));
	EXPECT_EQ(100, GLOBAL("live_bytes"));
	EXPECT_EQ(1, COUNTER("failed_reallocs"));
	EXPECT_EQ(0, COUNTER("failed_allocs"));
	/* one that only failed allocated nothing */
	EXPECT_EQ(-1, SITE("b", "live_bytes"));
	replay(self, REALLOC(1, "b", "0x0", 7, "0x10"));
	EXPECT_EQ(7, GLOBAL("live_bytes"));
	EXPECT_EQ(0, COUNTER("unknown_frees"));
}

TEST_F(replay, calls_in_two_halves_pair_by_thread)
{
	replay(self, ALLOC_ENTER(1, "a", 10) ALLOC_ENTER(2, "b", 20)
		     ALLOC_EXIT(1, "0x10") ALLOC_EXIT(2, "0x20")
		     REALLOC_ENTER(1, "c", "0x10", 30)
		     REALLOC_ENTER(2, "d", "0x20", 40)
		     REALLOC_EXIT(1, "0x30") REALLOC_EXIT(2, "0x0"));
	ASSERT_EQ(0, self->status) TH_LOG("%s", self->err);
	EXPECT_EQ(30, SITE("c", "live_bytes"));
	EXPECT_EQ(20, SITE("b", "live_bytes"));
	EXPECT_EQ(0, SITE("a", "live_bytes"));
	EXPECT_EQ(1, COUNTER("failed_reallocs"));
	EXPECT_EQ(20, LIVE("0x20"));
	EXPECT_EQ(30, LIVE("0x30"));
}

TEST_F(replay, inner_calls_do_not_count)
{
	replay(self, ALLOC_ENTER(1, "outer", 10) ALLOC_ENTER(1, "inner", 99)
		     ALLOC_EXIT(1, "0x10") ALLOC_EXIT(1, "0x10"));
	EXPECT_EQ(10, GLOBAL("live_bytes"));
	EXPECT_EQ(1, GLOBAL("seen_callsites"));
	EXPECT_EQ(0, COUNTER("unmatched_exits"));
}

TEST_F(replay, an_old_block_lives_until_its_realloc_ends)
{
	replay(self, ALLOC(1, "a", 100, "0x10")
		     REALLOC_ENTER(1, "b", "0x10", 150));
	EXPECT_EQ(100, GLOBAL("live_bytes"));
	EXPECT_EQ(100, LIVE("0x10"));
}

TEST_F(replay, counters_say_what_cannot_be)
{
	replay(self, DEALLOC(1, "0x99") DEALLOC(1, "0x0")
		     ALLOC(1, "a", 1, "0x0") ALLOC_EXIT(1, "0x5")
		     REALLOC_EXIT(1, "0x5") REALLOC(1, "a", "0x77", 5, "0x1"));
	EXPECT_EQ(2, COUNTER("unknown_frees"));
	EXPECT_EQ(1, COUNTER("failed_allocs"));
	EXPECT_EQ(2, COUNTER("unmatched_exits"));
	EXPECT_EQ(5, GLOBAL("live_bytes"));
}

TEST_F(replay, huge_numbers_keep_their_digits)
{
	replay(self, ALLOC(1, "a", 9223372036854775807, "0xffffffffffffff00")
		     ALLOC(4294967295, "b", 18446744073709551615, "0x0"));
	ASSERT_EQ(0, self->status) TH_LOG("%s", self->err);
	EXPECT_EQ(INT64_MAX, GLOBAL("live_bytes"));
	EXPECT_EQ(INT64_MAX, LIVE("0xffffffffffffff00"));
	EXPECT_EQ(1, COUNTER("failed_allocs"));
}

TEST_F(replay, blank_lines_and_unknown_keys_are_left_alone)
{
	replay(self, "\n  \t\r\n{\"x\":[1,{\"y\":2}]," "\"op\":\"dealloc\","
		     "\"tid\":1,\"ptr\":\"0x0\"}\r\n\n");
	EXPECT_EQ(0, self->status) TH_LOG("%s", self->err);
	replay(self, "");
	EXPECT_EQ(0, self->status);
	EXPECT_EQ(0, GLOBAL("seen_callsites"));
	/* the last line needs no end */
	replay(self, "{\"op\":\"dealloc\",\"tid\":1,\"ptr\":\"0x5\"}");
	EXPECT_EQ(1, COUNTER("unknown_frees"));
}

TEST_F(replay, names_come_out_as_they_went_in)
{
	replay(self, ALLOC(1, "f(a/b, \\\"c\\\") \\u00e9 \\n", 3, "0x10"));
	EXPECT_EQ(3, SITE("f(a/b, \"c\") \xc3\xa9 \n", "live_bytes"));
}

TEST_F(replay, names_may_have_any_character)
{
	replay(self, ALLOC(1, "f(\xc3\xa9, \xe6\x97\xa5)", 3, "0x10"));
	ASSERT_EQ(0, self->status) TH_LOG("%s", self->err);
	EXPECT_EQ(3, SITE("f(\xc3\xa9, \xe6\x97\xa5)", "live_bytes"));
}

TEST_F(replay, unknown_keys_may_have_any_value)
{
	static const char * const values[] = {
		"18446744073709551616", "-9223372036854775809", "1e999", "-0",
		"0.5", "1E+3", "true", "false", "null", "\"\xc3\xa9\\u00e9\\/\"",
		"[]", "{}", "[ ]", "[1 ,[2], {\"a\" : [ {} ]}]",
	};
	char text[256];
	size_t i;

	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		snprintf(text, sizeof(text), "{\"op\":\"dealloc\",\"tid\":1,"
			 "\"ptr\":\"0x1\",\"x\":%s}", values[i]);
		replay(self, text);
		EXPECT_EQ(0, self->status)
			TH_LOG("%s: %s", values[i], self->err);
		EXPECT_EQ(1, COUNTER("unknown_frees"));
	}
}

TEST_F(replay, what_json_c_adds_to_json_is_refused)
{
	static const char * const values[] = {
		"NaN", "-NaN", "Infinity", "-Infinity", "True", "NULL", "nul",
		"'a'", "/* a */ 1", "01", "-", "-01", "+1", "1.", ".5", "1e",
		"1e+", "0x1", "[1,]", "[,]", "[1 2]", "[1", "{\"a\":1,}",
		"{a:1}", "{'a':1}", "{\"a\"}", "{\"a\" 1}", "{1:1}", "\"a",
		"\"\t\"", "\"\\x\"", "\"\\u12g4\"", "\"\xff\"", "",
	};
	char text[256];
	size_t i;

	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		snprintf(text, sizeof(text), "{\"op\":\"dealloc\",\"tid\":1,"
			 "\"ptr\":\"0x1\",\"x\":%s}", values[i]);
		replay(self, text);
		EXPECT_EQ(1, self->status) TH_LOG("accepted %s", values[i]);
		EXPECT_NE(NULL, strstr(self->err, "line 1: not a JSON object"))
			TH_LOG("%s: %s", values[i], self->err);
	}
}

TEST_F(replay, nesting_has_a_limit)
{
	static const char open[] = "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[";
	static const char end[] = "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]";
	char text[256];
	int depth;

	/* the line itself is an object, too */
	for (depth = 31; depth <= 32; depth++) {
		snprintf(text, sizeof(text), "{\"op\":\"dealloc\",\"tid\":1,"
			 "\"ptr\":\"0x1\",\"x\":%.*s%.*s}", depth, open,
			 depth, end);
		replay(self, text);
		EXPECT_EQ(depth > 31, self->status) TH_LOG("%s", self->err);
	}
}

TEST_F(replay, wrong_lines_are_named_and_print_nothing)
{
	static const char * const bad[] = {
		"x", "[]", "1", "{", "{}", "{\"op\":1}", "{\"op\":\"x\"}",
		DEALLOC(1, "10"), DEALLOC(1, "0x"), DEALLOC(1, "0xg"),
		DEALLOC(1, "0x-1"), DEALLOC(1, "0x1ffffffffffffffff"),
		DEALLOC(1, "-0x1"), DEALLOC(1, " 0x1"), DEALLOC(1, "0x1 "),
		DEALLOC(-1, "0x1"), DEALLOC(4294967296, "0x1"),
		DEALLOC(1.5, "0x1"), DEALLOC("1", "0x1"), DEALLOC(null, "0x1"),
		"{\"op\":\"dealloc\",\"tid\":1,\"ptr\":16}",
		"{\"op\":\"dealloc\",\"ptr\":\"0x1\"}",
		"{\"op\":\"dealloc\",\"tid\":1}",
		"{\"op\":\"dealloc\",\"tid\":1,\"ptr\":\"0x1\"} {}",
		ALLOC(1, "a", -1, "0x1"), ALLOC(1, "a", "1", "0x1"),
		"{\"op\":\"alloc\",\"tid\":1,\"size\":1,\"ptr\":\"0x1\"}",
		"{\"op\":\"alloc\",\"tid\":1,\"size\":1,\"ptr\":\"0x1\","
		"\"callsite\":7}",
		"{\"op\":\"alloc_enter\",\"tid\":1,\"callsite\":\"a\"}",
		"{\"op\":\"realloc_exit\",\"tid\":1,\"ptr\":\"0x1\"}",
		"{\"op\":\"realloc_enter\",\"tid\":1,\"new_size\":1,"
		"\"old_ptr\":\"0x1\",\"callsite\":\"a\"}",
		"{\"op\":\"dealloc\",\"tid\":1,\"ptr\":\"0x1\",\"a\":NaN}",
	};
	char text[1024];
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(text, sizeof(text), "\n%s%s\n%s",
			 ALLOC(1, "a", 1, "0x10"), bad[i],
			 DEALLOC(1, "0x10"));
		replay(self, text);
		EXPECT_EQ(1, self->status) TH_LOG("accepted %s", bad[i]);
		EXPECT_STREQ("", self->out);
		EXPECT_NE(NULL, strstr(self->err, "/log, line 3: "))
			TH_LOG("%s: %s", bad[i], self->err);
	}
}

TEST_F(replay, a_command_line_is_checked_first)
{
	char command[512];

	snprintf(command, sizeof(command), "%s replay 2>/dev/null </dev/null",
		 MP_PROGRAM);
	EXPECT_EQ(2, WEXITSTATUS(system(command)));
	snprintf(command, sizeof(command),
		 "%s replay --kind x 2>/dev/null </dev/null", MP_PROGRAM);
	EXPECT_EQ(2, WEXITSTATUS(system(command)));
	snprintf(command, sizeof(command),
		 "%s replay --kind heap %s/none 2>/dev/null", MP_PROGRAM,
		 self->dir);
	EXPECT_EQ(1, WEXITSTATUS(system(command)));
	/* a log may come from a pipe */
	snprintf(command, sizeof(command),
		 "echo | %s replay --kind heap - | grep -q '^{.*}$'",
		 MP_PROGRAM);
	EXPECT_EQ(0, WEXITSTATUS(system(command)));
}

/* Lists the keys of an object, in their order. */
static void keys_of(struct json_object *object, char *text)
{
	text[0] = '\0';
	json_object_object_foreach(object, key, value) {
		(void)value;
		strcat(strcat(text, key), " ");
	}
}

#define EXPECT_KEYS(expected, object) do {				\
	keys_of(object, text);						\
	EXPECT_STREQ(expected, text);					\
} while (0)

TEST_F(replay, the_keys_are_the_documented_ones)
{
	struct json_object *part, *one;
	char text[512];

	replay(self, ALLOC(1, "a", 100, "0x10"));
	ASSERT_EQ(0, self->status);
	EXPECT_KEYS("callsites global counters live ", self->root);
	json_object_object_get_ex(self->root, "global", &part);
	EXPECT_KEYS("live_bytes peak_bytes total_allocs total_frees "
		    "active_callsites seen_callsites ", part);
	json_object_object_get_ex(self->root, "counters", &part);
	EXPECT_KEYS("unknown_frees failed_allocs failed_reallocs "
		    "unmatched_exits ", part);
	json_object_object_get_ex(self->root, "callsites", &part);
	json_object_object_get_ex(part, "a", &one);
	EXPECT_KEYS("live_bytes peak_bytes total_allocs total_frees "
		    "total_bytes ", one);
	json_object_object_get_ex(self->root, "live", &part);
	json_object_object_get_ex(part, "0x10", &one);
	EXPECT_KEYS("callsite size ", one);
	json_object_object_get_ex(one, "callsite", &part);
	EXPECT_STREQ("a", json_object_get_string(part));
}

static bool has_word(const char *page, const char *word)
{
	char quoted[32];
	size_t len;

	len = snprintf(quoted, sizeof(quoted), "Cm %s", word);
	while ((page = strstr(page, quoted)) && !strchr(" \n", page[len]))
		page++;
	return page;
}

TEST_F(replay, its_man_page_has_every_operation_and_key)
{
	static const char * const words[] = {
		"alloc", "dealloc", "realloc", "alloc_enter", "alloc_exit",
		"realloc_enter", "realloc_exit", "tid", "size", "new_size",
		"ptr", "new_ptr", "old_ptr", "old_size", "callsite",
		"callsites", "global", "counters", "live", "live_bytes",
		"peak_bytes", "total_allocs", "total_frees", "total_bytes",
		"active_callsites", "seen_callsites", "unknown_frees",
		"failed_allocs", "failed_reallocs", "unmatched_exits",
		"start", "end", "flush", "invoke", "return", "fail", "id",
		"cu", "heap", "total_cu", "net_cu", "total", "net",
		"remaining", "enter", "exit", "end_run", "ev", "name", "tick",
		"time_ns",
	};
	static char page[32768];
	char line[32];
	size_t i, len;
	FILE *file;

	file = fopen(MP_TOP "/Documentation/man/memprofctl-replay.1", "r");
	ASSERT_NE(NULL, file);
	len = fread(page, 1, sizeof(page) - 1, file);
	page[len] = '\0';
	fclose(file);
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		snprintf(line, sizeof(line), "%s", words[i]);
		EXPECT_TRUE(has_word(page, line))
			TH_LOG("%s is missing", line);
	}
}

TEST_HARNESS_MAIN

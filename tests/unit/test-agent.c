// SPDX-License-Identifier: GPL-2.0-only
/*
 * agent: its configuration, and the times that --since and --until take
 */
#include "agent-config.h"
#include "moment.h"
#include "kselftest_harness.h"

#include <stdlib.h>
#include <string.h>

static struct mp_agent_config config, moved;

static int read_text(const char *text)
{
	FILE *file = fmemopen((void *)text, strlen(text), "r");
	int status = mp_agent_config_read(&config, file, "agent.conf");

	fclose(file);
	return status;
}

TEST(every_key_is_read)
{
	ASSERT_EQ(0, read_text("# comment\n\n folder = /srv/history \ninterval=10s\n"
			       "max-size = 64M\nmax-age = 2d\ncomm = redis-server\n"
			       "alloc = 512K\ninject = yes\nfaults = 10\nsource = kmod\n"));
	EXPECT_STREQ("/srv/history", config.folder);
	EXPECT_EQ(10000, config.interval_ms);
	EXPECT_EQ(64 << 20, config.limits.bytes);
	EXPECT_EQ(2 * 86400, config.limits.age_s);
	ASSERT_EQ(1, config.options.targets.nr);
	EXPECT_STREQ("redis-server", config.options.targets.list[0].text);
	EXPECT_EQ(512 << 10, config.options.start.alloc_rate);
	EXPECT_TRUE(config.options.inject);
	EXPECT_EQ(10, config.options.start.minor_period);
	EXPECT_EQ(MP_SOURCE_KMOD, config.options.source);
}

TEST(keys_that_go_together)
{
	ASSERT_EQ(0, read_text(""));
	EXPECT_EQ(MP_ALLOC_OFF, config.options.alloc);
	/* a library in the targets samples, whether alloc says how often or not */
	ASSERT_EQ(0, read_text("inject = yes\n"));
	EXPECT_EQ(MP_ALLOC_ON, config.options.alloc);
	EXPECT_EQ(512 << 10, config.options.start.alloc_rate);
	ASSERT_EQ(0, read_text("inject = yes\ncomm = redis-server\n"));
	EXPECT_EQ(512 << 10, config.options.start.alloc_rate);
	EXPECT_NE(0, read_text("inject = yes\nalloc = off\n"));
	EXPECT_NE(0, read_text("inject = yes\nalloc = exact\n"));
	EXPECT_NE(0, read_text("comm = redis-server\nsource = perf\n"));
	EXPECT_EQ(0, read_text("cgroup = web\nsource = perf\n"));
}

TEST(limits_of_its_own)
{
	ASSERT_EQ(0, read_text(""));
	EXPECT_EQ(0, config.max_cpu);
	EXPECT_EQ(0, config.max_memory);
	ASSERT_EQ(0, read_text("max-cpu = 10%\nmax-memory = 200M\n"));
	EXPECT_EQ(100, config.max_cpu);
	EXPECT_EQ(200 << 20, config.max_memory);
	EXPECT_NE(0, read_text("max-cpu = 10\n"));
	EXPECT_NE(0, read_text("max-cpu = 0%\n"));
	EXPECT_NE(0, read_text("max-memory = 0\n"));
}

TEST(numbers_are_for_this_machine)
{
	ASSERT_EQ(0, read_text("listen = 127.0.0.1:9753\ntop = 3\n"
			       "textfile = /var/lib/prometheus/node-exporter/memprof.prom\n"));
	EXPECT_STREQ("127.0.0.1:9753", config.listen);
	EXPECT_STREQ("/var/lib/prometheus/node-exporter/memprof.prom", config.textfile);
	EXPECT_EQ(3, config.top);
}

TEST(captures_are_bounded)
{
	ASSERT_EQ(0, read_text("captures = 3\ncaptures-size = 1M\npressure = off\n"));
	EXPECT_EQ(3, config.captures.nr);
	EXPECT_EQ(1 << 20, config.captures.bytes);
	EXPECT_EQ(0, config.pressure_ms);
}

TEST(triggers_have_bounds)
{
	ASSERT_EQ(0, read_text(""));
	EXPECT_EQ(90, config.triggers.limit_percent);
	EXPECT_EQ(0, config.triggers.growth_bytes);
	EXPECT_EQ(3600000, config.triggers.growth_window_ms);
	EXPECT_EQ(0, config.triggers.exit_bytes);
	ASSERT_EQ(0, read_text("capture-limit = off\ncapture-growth = 512M\n"
			       "capture-growth-window = 10m\ncapture-exit = 2G\n"));
	EXPECT_EQ(0, config.triggers.limit_percent);
	EXPECT_EQ(512 << 20, config.triggers.growth_bytes);
	EXPECT_EQ(600000, config.triggers.growth_window_ms);
	EXPECT_EQ(2ULL << 30, config.triggers.exit_bytes);
	ASSERT_EQ(0, read_text("capture-limit = 75%\ncapture-growth = off\ncapture-exit = off\n"));
	EXPECT_EQ(75, config.triggers.limit_percent);
}

TEST(profiles_go_where_the_keys_say)
{
	ASSERT_EQ(0, read_text("push = https://far.example.org/x\npush-format = otlp\n"
			       "push-interval = 5m\npush-name = web-1\npush-queue = 1M\n"
			       "push-timeout = 500ms\npush-header = A: 1\npush-header = B: 2\n"));
	EXPECT_STREQ("https://far.example.org/x", config.push.url);
	EXPECT_EQ(MP_PUSH_OTLP, config.push.format);
	EXPECT_EQ(300000, config.push.interval_ms);
	EXPECT_STREQ("web-1", config.push.name);
	EXPECT_EQ(1 << 20, config.push.max_bytes);
	EXPECT_EQ(500, config.push.timeout_ms);
	EXPECT_STREQ("A: 1\nB: 2\n", config.push.headers);
}

TEST(targets_move_with_their_texts)
{
	ASSERT_EQ(0, read_text("comm = one\ncomm = two\n"));
	mp_agent_config_move(&moved, &config);
	memset(&config, 'x', sizeof(config));
	ASSERT_EQ(2, moved.options.targets.nr);
	EXPECT_STREQ("one", moved.options.targets.list[0].text);
	EXPECT_STREQ("two", moved.options.targets.list[1].text);
}

TEST(without_keys_there_are_defaults)
{
	ASSERT_EQ(0, read_text("#\n"));
	EXPECT_STREQ(MP_HISTORY_FOLDER, config.folder);
	EXPECT_EQ(60000, config.interval_ms);
	EXPECT_EQ(1ULL << 30, config.limits.bytes);
	EXPECT_EQ(30 * 86400, config.limits.age_s);
	EXPECT_EQ(MP_ALLOC_OFF, config.options.alloc);
	EXPECT_FALSE(config.options.inject);
	EXPECT_STREQ("", config.listen);
	EXPECT_STREQ("", config.textfile);
	EXPECT_EQ(10, config.top);
	EXPECT_EQ(20, config.captures.nr);
	EXPECT_EQ(300, config.pressure_ms);
	EXPECT_STREQ("", config.push.url);
	EXPECT_EQ(MP_PUSH_PYROSCOPE, config.push.format);
	EXPECT_EQ(60000, config.push.interval_ms);
	EXPECT_EQ(64 << 20, config.push.max_bytes);
	EXPECT_EQ(30000, config.push.timeout_ms);
}

TEST(mistakes_are_refused)
{
	static const char * const texts[] = {
		"nothing\n", "colour = red\n", "folder = relative\n", "interval = 0.1\n",
		"interval =\n", "max-size = much\n", "max-age = old\n", "alloc = some\n",
		"inject = maybe\n", "faults = -1\n", "source = rumours\n", "= 5\n",
		"interval = 10 20\n", "listen = 0.0.0.0:80\n", "listen =\n",
		"textfile = memprof.prom\n", "textfile = /tmp/\n", "textfile =\n", "top = 0\n",
		"captures = many\n", "captures-size = 0\n", "pressure = 2s\n",
		"capture-limit = 0%\n", "capture-limit = 101%\n", "capture-limit = 90\n",
		"capture-limit = 00000000000000000090%\n", "capture-limit = %\n",
		"capture-growth = fast\n", "capture-growth-window = 1s\n",
		"capture-growth-window = 8d\n", "capture-exit = 0\n",
	};
	char *line = malloc(10000);
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		EXPECT_NE(0, read_text(texts[i]));
	memset(line, 'x', 9999);
	line[9999] = '\0';
	EXPECT_NE(0, read_text(line));
	free(line);
}

static uint64_t parse(const char *text, time_t now)
{
	uint64_t seconds;

	return mp_moment_parse(text, now, &seconds) ? seconds : UINT64_MAX;
}

TEST(times_are_before_now_or_of_the_calendar)
{
	const time_t now = 1780000000;		/* 2026-05-28 20:26:40 UTC */
	char text[MP_MOMENT_SIZE];

	setenv("TZ", "UTC", 1);
	EXPECT_EQ(now, parse("now", now));
	EXPECT_EQ(now - 7200, parse("-2h", now));
	EXPECT_EQ(now - 90, parse("-90", now));
	EXPECT_EQ(0, parse("-10000d", 1000));
	EXPECT_EQ(5, parse("@5", now));
	EXPECT_EQ(1779998400, parse("2026-05-28 20:00", now));
	EXPECT_EQ(1779998405, parse("2026-05-28 20:00:05", now));
	EXPECT_EQ(1779926400, parse("2026-05-28", now));
	EXPECT_EQ(1779998400, parse("20:00", now));
	EXPECT_EQ(UINT64_MAX, parse("", now));
	EXPECT_EQ(UINT64_MAX, parse("tomorrow", now));
	EXPECT_EQ(UINT64_MAX, parse("-", now));
	EXPECT_EQ(UINT64_MAX, parse("20:00x", now));
	EXPECT_EQ(UINT64_MAX, parse("@-1", now));
	EXPECT_STREQ("2026-05-28 20:26:40", mp_moment_write(text, now));
}

TEST_HARNESS_MAIN

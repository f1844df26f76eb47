// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the memprofctl program: wrong command lines, commands without a session,
 * and reports of prepared data from a server.
 */
#include "json.h"
#include "metric.h"
#include "serving.h"

#include "kselftest_harness.h"

#include <glob.h>
#include <sys/stat.h>

#define OUTPUT_SIZE	65536

FIXTURE(cli)
{
	struct serving serving;
	char output[OUTPUT_SIZE];
	int status;
};

FIXTURE_SETUP(cli)
{
	ASSERT_EQ(0, serving_init(&self->serving));
	setenv("LC_ALL", "C", 1);
	setenv("MEMPROF_SYMBOL_CACHE", "off", 1);
}

FIXTURE_TEARDOWN(cli)
{
	serving_end(&self->serving);
}

/* Runs memprofctl in a shell. Keeps the exit status, and both streams as one text. */
static void run(FIXTURE_DATA(cli) *self, const char *format, ...)
{
	char args[1024], command[4096];
	va_list list;
	size_t len;
	FILE *pipe;

	va_start(list, format);
	vsnprintf(args, sizeof(args), format, list);
	va_end(list);
	snprintf(command, sizeof(command), "exec 2>&1; %s %s", MP_PROGRAM, args);
	pipe = popen(command, "r");
	len = fread(self->output, 1, OUTPUT_SIZE - 1, pipe);
	self->output[len] = '\0';
	self->status = WEXITSTATUS(pclose(pipe));
}

static size_t nr_lines(const char *text)
{
	size_t nr = 0;

	for (; *text; text++)
		nr += *text == '\n';
	return nr;
}

/* Expects one line of output, which begins with the program's name, and an exit status. */
#define EXPECT_COMPLAINT(code, text) do {				\
	EXPECT_EQ(code, self->status);					\
	EXPECT_EQ(1, nr_lines(self->output));				\
	EXPECT_EQ(0, strncmp(self->output, "memprofctl: ", 12));	\
	EXPECT_NE(NULL, strstr(self->output, text)) {			\
		TH_LOG("got: %s", self->output);			\
	}								\
} while (0)

static const char * const verbs[] = {
	"start", "status", "report", "top", "reset", "stop", "agent", "check", "help",
	"list", "record", "recover", "snapshot", "mark", "pause",
	"resume", "dump", "sections", "replay", "export", "diff", "inject", "merge",
	"eject", "leaks", "postmortem",
};

#define NR_VERBS	(sizeof(verbs) / sizeof(verbs[0]))

TEST_F(cli, every_verb_refuses_options_that_it_lacks)
{
	size_t i;

	for (i = 0; i < NR_VERBS; i++) {
		run(self, "%s --no-such-option", verbs[i]);
		EXPECT_COMPLAINT(2, "'--no-such-option'");
		run(self, "%s -Z", verbs[i]);
		EXPECT_COMPLAINT(2, "'-Z'");
		run(self, "%s --help=yes", verbs[i]);
		EXPECT_COMPLAINT(2, "takes no value");
	}
}

TEST_F(cli, every_verb_refuses_arguments_that_it_lacks)
{
	size_t i;

	for (i = 0; i < NR_VERBS; i++) {
		/* these take binaries, a command, a file */
		if (!strcmp(verbs[i], "list") || verbs[i][2] == 'c' ||
		    !strcmp(verbs[i], "replay"))
			continue;
		run(self, "%s status too-many arguments", verbs[i]);
		EXPECT_EQ(2, self->status);
		EXPECT_EQ(1, nr_lines(self->output));
	}
}

TEST_F(cli, the_nearest_name_is_proposed)
{
	run(self, "reprot");
	EXPECT_COMPLAINT(2, "unknown verb 'reprot': report?");
	run(self, "record --duraton 5 true");
	EXPECT_COMPLAINT(2, "'--duraton': --duration?");
	run(self, "report --caller");
	EXPECT_EQ(1, nr_lines(self->output));
	/* what is like no verb has no proposal */
	run(self, "bogus");
	EXPECT_COMPLAINT(2, "unknown verb 'bogus' (see");
}

TEST_F(cli, wrong_values_are_refused_before_anything_is_opened)
{
	static const char * const bad[] = {
		"start -p", "start -p 0", "start -p -1", "start -p 1x",
		"start -p ' 1'", "start -p +1", "start -p ''",
		"start -p 99999999999999999999", "start -p 4194305",
		"start -G ''", "start --comm ''",
		"start -a -p 1",
		"start --faults", "start --faults 0", "start --faults on",
		"start --faults 16777217", "start --faults 1.5",
		"start --growth", "start --growth 1", "start --growth ''",
		"start --max-processes 0", "start --max-processes 1048577",
		"report --by", "report --by thread", "report --by ''",
		"report --sort", "report --sort bogus", "report --sort ''",
		"report -n", "report -n -1", "report -n 1k",
		"report -n 2147483648", "help bogus", "bogus", "--bogus", "",
		"report --view", "report --view all", "report --view ''",
		"report --by callsite --callers --sort peak",
		"report --by process --filter symbol=x",
		"report --by process --callers", "report --by cgroup --stack",
		"record --duration 0", "record --duration 1.2.3", "record --duration 5x",
		"record --duration .5", "record --duration 1e3",
		"record --snapshot-interval -1",
		"report --by cgroup --filter comm=x",
		"report --by cgroup --filter cgroup=/x,pid=1",
		"report --b process", "list -p", "list -p 0", "list -p x",
		"start -p 1 --alloc", "start -p 1 --alloc 0",
		"start -p 1 --alloc 1.5M", "start -p 1 --alloc 512X",
		"start -p 1 --alloc 512KK", "start -p 1 --alloc 2000G",
		"start -p 1 --alloc 99999999999999999999G",
		"start -p 1 --alloc ''", "start -p 1 --alloc on",
		"start --alloc exact", "start -a --alloc 1M",
		"start -p 1 --alloc-all", "start --alloc-all --alloc off",
		"start -p 1 --alloc-fn malloc",
		"list -a -p 1", "list -a /bin/true", "list --alloc-fn", "list --alloc-fn x", "list --alloc-fn =free",
		"export", "export --format", "export --format ''", "export --format gif",
		"export --format csv --by thread", "export --format csv --top 1",
		"export --format openmetrics --top 1001",
		"export --format svg --metric bogus", "export --format svg --metric peak",
		"export --format svg --prefix all", "export --format svg --by process",
		"export --format pprof --group-by pid", "export --format csv --prefix pid",
		"export --format csv --by process --filter symbol=x",
		"list --alloc-fn x=", "list --alloc-fn x=usdt_free",
		"stop -f", "snapshot --since-mark", "diff one two three", "diff --by cgroup a b",
		"diff --format", "diff --format csv a b", "diff --format '' a b",
		"diff --sort bogus a b", "diff -n -1 a b", "diff -o x a b", "diff -f a b",
		"diff --json --format svg a b", "diff --by process --format svg a b",
		"diff --format svg --sort peak a b", "diff --filter x a b",
	};
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		run(self, "%s", bad[i]);
		EXPECT_EQ(2, self->status) {
			TH_LOG("accepted case %zu", i);
		}
		EXPECT_EQ(1, nr_lines(self->output));
		EXPECT_NE(NULL, strstr(self->output, "(see memprofctl help"));
	}
	EXPECT_NE(0, access(self->serving.control.lock, F_OK));
}

TEST_F(cli, too_many_targets_are_refused)
{
	run(self, "start $(seq -f '-p %%.0f' 1 65)");
	EXPECT_COMPLAINT(2, "more than 64 targets");
}

TEST_F(cli, help_of_a_verb_is_the_same_by_both_ways)
{
	char *first;
	size_t i;

	for (i = 0; i < NR_VERBS; i++) {
		run(self, "%s --help", verbs[i]);
		EXPECT_EQ(0, self->status);
		first = strdup(self->output);
		run(self, "help %s", verbs[i]);
		EXPECT_EQ(0, self->status);
		EXPECT_STREQ(first, self->output);
		EXPECT_NE(NULL, strstr(first, "--help"));
		free(first);
	}
}

TEST_F(cli, help_names_every_verb)
{
	size_t i;

	run(self, "--help");
	EXPECT_EQ(0, self->status);
	for (i = 0; i < NR_VERBS; i++)
		EXPECT_NE(NULL, strstr(self->output, verbs[i]));
	run(self, "help --complete");
	EXPECT_EQ(NR_VERBS, nr_lines(self->output));
}

TEST_F(cli, help_is_short_and_help_all_is_whole)
{
	static const char * const long_ones[] = {
		"report", "record", "start", "export", "diff",
	};
	char *rest, *option, options[OUTPUT_SIZE];
	size_t i;

	for (i = 0; i < sizeof(long_ones) / sizeof(long_ones[0]); i++) {
		run(self, "help %s", long_ones[i]);
		EXPECT_GE(24, nr_lines(self->output));
		run(self, "help --complete %s", long_ones[i]);
		strcpy(options, self->output);
		run(self, "%s --help-all", long_ones[i]);
		EXPECT_EQ(0, self->status);
		for (rest = options; (option = strsep(&rest, "\n")) && option[0];)
			EXPECT_NE(NULL, strstr(self->output, option));
	}
}

static int times_in(const char *text, const char *word)
{
	int n = 0;

	while ((text = strstr(text, word))) {
		text += strlen(word);
		n++;
	}
	return n;
}

TEST_F(cli, each_metric_is_in_one_group)
{
	char line[64];
	int i;

	run(self, "help metrics");
	EXPECT_EQ(0, self->status);
	for (i = 0; i < MP_NR_METRICS; i++) {
		/* the other nodes are one line */
		if (i > MP_NODE_0 && i <= MP_NODE_7)
			continue;
		snprintf(line, sizeof(line), "\n  %-12s %-21s ", mp_metrics[i].heading,
			 mp_metrics[i].key);
		EXPECT_EQ(1, times_in(self->output, line));
	}
}

TEST_F(cli, version_is_one_line)
{
	run(self, "--version");
	EXPECT_EQ(0, self->status);
	EXPECT_EQ(1, nr_lines(self->output));
}

static bool page_has(const char *page, const char *option)
{
	char escaped[64], *text = calloc(1, OUTPUT_SIZE);
	FILE *file = fopen(page, "r");
	bool found = false;

	/* mdoc: a dash of its own begins a long option */
	snprintf(escaped, sizeof(escaped), "Fl \\-%s", option + 2);
	if (file && text && fread(text, 1, OUTPUT_SIZE - 1, file))
		found = strstr(text, escaped);
	if (file)
		fclose(file);
	free(text);
	return found;
}

TEST_F(cli, every_option_of_every_verb_is_in_its_man_page)
{
	char page[4096], *option, *rest;
	size_t i;

	for (i = 0; i < NR_VERBS; i++) {
		snprintf(page, sizeof(page),
			 "%s/Documentation/man/memprofctl-%s.1", MP_TOP,
			 verbs[i]);
		run(self, "help --complete %s", verbs[i]);
		EXPECT_LT(0, nr_lines(self->output));
		rest = self->output;
		while ((option = strsep(&rest, "\n")) && option[0])
			EXPECT_TRUE(page_has(page, option)) {
				TH_LOG("%s lacks %s", page, option);
			}
	}
}

TEST_F(cli, every_man_page_belongs_to_a_verb)
{
	glob_t pages;

	ASSERT_EQ(0, glob(MP_TOP "/Documentation/man/memprofctl-*.1", 0, NULL,
			  &pages));
	EXPECT_EQ(NR_VERBS, pages.gl_pathc);
	globfree(&pages);
	EXPECT_EQ(0, access(MP_TOP "/Documentation/man/memprofctl.1", R_OK));
}

TEST_F(cli, metrics_complete_for_sort)
{
	run(self, "help --complete -- report --sort");
	EXPECT_EQ(0, self->status);
	EXPECT_EQ(MP_NR_METRICS + 1, nr_lines(self->output));
	run(self, "help --complete -- report -s");
	EXPECT_EQ(MP_NR_METRICS + 1, nr_lines(self->output));
	run(self, "help --complete -- bogus --sort");
	EXPECT_STREQ("", self->output);
}

TEST_F(cli, without_a_session_verbs_say_so)
{
	static const char * const asking[] = {
		"status", "status --json", "report", "report --json", "reset",
		"export --format folded", "export --format json",
		"stop",
	};
	size_t i;

	for (i = 0; i < sizeof(asking) / sizeof(asking[0]); i++) {
		run(self, "%s", asking[i]);
		EXPECT_COMPLAINT(1, "no session is running (memprofctl start");
	}
}

TEST_F(cli, start_without_the_module_leaves_nothing_behind)
{
	if (!access(MEMPROF_DEVICE, F_OK))
		SKIP(return, "the module is loaded");
	run(self, "start -a --source kmod");
	EXPECT_COMPLAINT(1, "cannot open /dev/memprof: No such file");
	EXPECT_NE(0, access(self->serving.control.socket.sun_path, F_OK));
	run(self, "status");
	EXPECT_COMPLAINT(1, "no session is running");
}

TEST_F(cli, a_second_start_says_that_one_is_running)
{
	int lock = mp_control_lock(&self->serving.control);

	ASSERT_LE(0, lock);
	run(self, "start");
	EXPECT_COMPLAINT(1, "a session is already running");
	close(lock);
}

TEST_F(cli, a_bad_folder_is_an_error)
{
	setenv(MP_CONTROL_DIR_ENV, "relative", 1);
	run(self, "start");
	EXPECT_COMPLAINT(1, "MEMPROF_RUNDIR");
	run(self, "status");
	EXPECT_COMPLAINT(1, "MEMPROF_RUNDIR");
	setenv(MP_CONTROL_DIR_ENV, "/no/such/folder", 1);
	run(self, "start");
	EXPECT_COMPLAINT(1, "/no/such/folder");
	setenv(MP_CONTROL_DIR_ENV, self->serving.dir, 1);
	chmod(self->serving.dir, 0777);
	run(self, "start");
	EXPECT_COMPLAINT(1, "only you can write");
}

TEST_F(cli, output_that_cannot_be_written_is_a_failure)
{
	run(self, "--help >/dev/full");
	EXPECT_COMPLAINT(1, "cannot write standard output: No space left");
}

static void read_golden(char *text, const char *name)
{
	char path[4096];
	FILE *file;
	size_t len;

	snprintf(path, sizeof(path), "%s/tests/unit/golden/%s.txt", MP_TOP,
		 name);
	file = fopen(path, "r");
	len = file ? fread(text, 1, OUTPUT_SIZE - 1, file) : 0;
	text[len] = '\0';
	if (file)
		fclose(file);
}

TEST_F(cli, report_prints_the_table)
{
	char golden[OUTPUT_SIZE];

	ASSERT_EQ(0, serving_start(&self->serving));
	run(self, "report -v");
	EXPECT_EQ(0, self->status);
	read_golden(golden, "process");
	EXPECT_STREQ(golden, self->output);
	run(self, "report -n 2 -v");
	read_golden(golden, "process-limit");
	EXPECT_STREQ(golden, self->output);
	run(self, "report --bytes -n 0 -v");
	read_golden(golden, "process-bytes");
	EXPECT_STREQ(golden, self->output);
	run(self, "report --by cgroup --sort rss -v");
	/* sizes are sums of the living processes here */
	read_golden(golden, "cgroup-sums");
	EXPECT_STREQ(golden, self->output);
}

TEST_F(cli, json_holds_all_rows_of_a_kind_and_a_summary)
{
	ASSERT_EQ(0, serving_start(&self->serving));
	run(self, "report --json");
	EXPECT_EQ(0, self->status);
	EXPECT_EQ(7, nr_lines(self->output));
	EXPECT_EQ(NULL, strstr(self->output, "\"type\":\"cgroup\""));
	EXPECT_NE(NULL, strstr(self->output, "\n{\"type\":\"summary\""));
	run(self, "report --json --by cgroup -n 1");
	EXPECT_EQ(2, nr_lines(self->output));
	EXPECT_NE(NULL, strstr(self->output, "\"rows_hidden\":2"));
}

TEST_F(cli, status_says_what_is_watched)
{
	ASSERT_EQ(0, serving_start(&self->serving));
	run(self, "status");
	EXPECT_EQ(0, self->status);
	EXPECT_EQ(0, strncmp(self->output, "target: everything\n", 19));
	EXPECT_NE(NULL, strstr(self->output, "tables: 6 of 16384 processes"));
	run(self, "status --json");
	EXPECT_EQ(1, nr_lines(self->output));
	EXPECT_NE(NULL, strstr(self->output, "\"type\":\"status\""));
}

TEST_F(cli, reset_and_stop_print_a_line)
{
	ASSERT_EQ(0, serving_start(&self->serving));
	run(self, "reset");
	EXPECT_EQ(0, self->status);
	EXPECT_STREQ("reset session 7\n", self->output);
	run(self, "reset -q");
	EXPECT_STREQ("", self->output);
	run(self, "stop");
	EXPECT_EQ(0, self->status);
	EXPECT_STREQ("stopped session 7 after 12.3 s: 4 processes, MINFLT 124e6, "
		     "MAJFLT 12, BRK+ 432M, MMAP+ 863M, GROWTH -432M, lost 3\n",
		     self->output);
	run(self, "status");
	EXPECT_COMPLAINT(1, "no session is running");
}

TEST_F(cli, a_hostile_collector_is_an_error_in_one_line)
{
	ASSERT_EQ(0, serving_hostile(&self->serving, "\033[2J\n", 5, 3, 0));
	run(self, "report");
	EXPECT_COMPLAINT(1, "cannot read the collector's answer to report");
}

TEST_F(cli, an_error_of_the_collector_is_shown_without_its_escapes)
{
	const char *text = "{\"type\":\"error\",\"errno\":16,"
			   "\"message\":\"bad\\u001b[2J\"}\n"
			   "{\"type\":\"end\"}\n";

	ASSERT_EQ(0, serving_hostile(&self->serving, text, strlen(text), 1, 0));
	run(self, "report");
	EXPECT_COMPLAINT(1, "bad\\x1b[2J: Device or resource busy");
}

TEST_F(cli, check_exits_by_its_verdict)
{
	struct mp_profile profile = { 0 };
	struct mp_json_line parsed;
	char *line, *rest = self->output;
	bool works;

	run(self, "check --json");
	EXPECT_NE(NULL, strstr(self->output, "\"can_start\":"));
	works = strstr(self->output, "\"name\":\"library\",\"level\":\"ok\"") ||
		strstr(self->output, "\"can_start\":true");
	EXPECT_EQ(works ? 0 : 1, self->status);
	while ((line = strsep(&rest, "\n")) && line[0])
		EXPECT_EQ(0, mp_json_read(&profile, line, strlen(line),
					  &parsed));
	run(self, "check");
	EXPECT_EQ(works ? 0 : 1, self->status);
	EXPECT_EQ(works, !!strstr(self->output, "here, with"));
}

TEST_F(cli, check_as_nobody_says_what_is_missing)
{
	char copy[128];

	if (geteuid())
		SKIP(return, "needs root to become another user");
	/* the build folder may be closed to others */
	snprintf(copy, sizeof(copy), "%s/memprofctl", self->serving.dir);
	chmod(self->serving.dir, 0755);
	run(self, "help >/dev/null; install -m 755 %s %s; "
		  "setpriv --reuid 65534 --clear-groups --bounding-set=-all "
		  "--inh-caps=-all %s check; s=$?; rm -f %s; exit $s",
	    MP_PROGRAM, copy, copy, copy);
	/* the library needs no rights, if it is installed */
	EXPECT_EQ(!strstr(self->output, "ok       library"), self->status);
	EXPECT_NE(NULL, strstr(self->output, "missing  perf"));
	EXPECT_NE(NULL, strstr(self->output, "missing  capability"));
	/* where no module can be loaded, nothing else is said of it */
	EXPECT_NE(NULL, strstr(self->output, access("/proc/modules", F_OK) ? "missing  modules" :
					     "missing  permission"));
}

TEST_F(cli, list_shows_what_a_library_defines)
{
	struct mp_json_line parsed;
	struct mp_profile profile = { 0 };

	run(self, "list /lib/*-linux-gnu/libc.so.6");
	if (strstr(self->output, "cannot open"))
		SKIP(return, "no glibc in the usual place");
	EXPECT_EQ(0, self->status);
	EXPECT_EQ(0, strncmp(self->output, "FUNCTION", 8));
	EXPECT_NE(NULL, strstr(self->output, "\n  malloc  "));
	run(self, "list --json /lib/*-linux-gnu/libc.so.6");
	EXPECT_EQ(0, self->status);
	EXPECT_EQ(1, nr_lines(self->output));
	EXPECT_EQ(0, mp_json_read(&profile, self->output,
				  strlen(self->output) - 1, &parsed));
	EXPECT_NE(NULL, strstr(self->output, "\"symbol\":\"malloc\""));
}

TEST_F(cli, list_names_binaries_and_processes_that_it_cannot_read)
{
	run(self, "list /no/such/file");
	EXPECT_EQ(1, self->status);
	EXPECT_NE(NULL, strstr(self->output, "memprofctl: cannot open "));
	run(self, "list %s/Makefile", MP_TOP);
	EXPECT_EQ(1, self->status);
	EXPECT_NE(NULL, strstr(self->output, "not an ELF file"));
	run(self, "list -p 4194304");
	EXPECT_EQ(1, self->status);
	EXPECT_NE(NULL, strstr(self->output, "process 4194304"));
	run(self, "list -p $$ --alloc-fn no_such=malloc");
	EXPECT_EQ(0, self->status);
	EXPECT_NE(NULL, strstr(self->output, "no binary defines no_such"));
}

TEST_F(cli, list_shows_what_the_targets_of_a_session_use)
{
	self->serving.target = getpid();
	self->serving.alloc_rate = 1;
	ASSERT_EQ(0, serving_start(&self->serving));
	run(self, "list");
	EXPECT_EQ(0, self->status);
	EXPECT_EQ(0, strncmp(self->output, "targets of the running session: "
			     "everything\nFUNCTION", 51));
	EXPECT_NE(NULL, strstr(self->output, "\n  malloc  "));
	run(self, "list --json");
	EXPECT_EQ(0, self->status);
	EXPECT_EQ('{', self->output[0]);
}

TEST_F(cli, list_shows_no_others_while_a_session_runs)
{
	/* gone, as it can be by then */
	self->serving.target = 1 << 29;
	self->serving.alloc_rate = 1;
	ASSERT_EQ(0, serving_start(&self->serving));
	run(self, "list");
	EXPECT_EQ(0, self->status);
	EXPECT_EQ(NULL, strstr(self->output, "\n  malloc  "));
	run(self, "list --all");
	EXPECT_EQ(0, self->status);
	EXPECT_EQ(NULL, strstr(self->output, "running session"));
	EXPECT_NE(NULL, strstr(self->output, "\n  malloc  "));
}

TEST_F(cli, list_shows_all_without_a_session_that_follows_allocations)
{
	run(self, "list");
	EXPECT_EQ(0, self->status);
	EXPECT_NE(NULL, strstr(self->output, "\n  malloc  "));
	self->serving.target = 1 << 29;
	ASSERT_EQ(0, serving_start(&self->serving));
	run(self, "list");
	EXPECT_EQ(0, self->status);
	EXPECT_EQ(NULL, strstr(self->output, "running session"));
	EXPECT_NE(NULL, strstr(self->output, "\n  malloc  "));
}

TEST_HARNESS_MAIN

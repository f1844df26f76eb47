// SPDX-License-Identifier: GPL-2.0-only
/*
 * agent-config: the keys of agent.conf, which have the values of start's options
 *
 * A mistake in the file is reported with its line, and nothing of the file is used.
 */
#include "agent-config.h"
#include "message.h"
#include "number.h"
#include "record-arguments.h"
#include "scrape.h"

#include <ctype.h>
#include <errno.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LINE	4096
#define SPACES		" \t\r\n"
#define DAY_S		86400ULL

static const char verb[] = "agent";

struct key {
	const char *name;
	/* returns 0, or MP_EXIT_USAGE */
	int (*set)(struct mp_agent_config *config, const char *value);
	const char *hint;		/* what a value may be; NULL: the man page has it */
};

static int set_folder(struct mp_agent_config *config, const char *value)
{
	if (*value != '/' || strlen(value) >= sizeof(config->folder))
		return MP_EXIT_USAGE;
	strcpy(config->folder, value);
	return 0;
}

static int set_interval(struct mp_agent_config *config, const char *value)
{
	return mp_command_duration(value, 1000, DAY_S * 1000, &config->interval_ms) ?
	       0 : MP_EXIT_USAGE;
}

static int set_max_size(struct mp_agent_config *config, const char *value)
{
	return mp_command_bytes(value, 1, INT64_MAX, &config->limits.bytes) ?
	       0 : MP_EXIT_USAGE;
}

static int set_max_age(struct mp_agent_config *config, const char *value)
{
	uint64_t ms;

	if (!mp_command_duration(value, 1000, 10000 * DAY_S * 1000, &ms))
		return MP_EXIT_USAGE;
	config->limits.age_s = ms / 1000;
	return 0;
}

static int set_listen(struct mp_agent_config *config, const char *value)
{
	if (!mp_scrape_is_near(value))
		return MP_EXIT_USAGE;
	strcpy(config->listen, value);
	return 0;
}

static int set_listen_group(struct mp_agent_config *config, const char *value)
{
	const struct group *group = getgrnam(value);

	if (!group)
		return MP_EXIT_USAGE;
	config->listen_group = group->gr_gid;
	return 0;
}

static int set_textfile(struct mp_agent_config *config, const char *value)
{
	if (*value != '/' || value[strlen(value) - 1] == '/' ||
	    strlen(value) + 8 >= sizeof(config->textfile))
		return MP_EXIT_USAGE;
	strcpy(config->textfile, value);
	return 0;
}

static int set_top(struct mp_agent_config *config, const char *value)
{
	return mp_command_number(value, 1, 1000, &config->top) ? 0 : MP_EXIT_USAGE;
}

static int set_captures(struct mp_agent_config *config, const char *value)
{
	return mp_command_number(value, 0, 1000, &config->captures.nr) ? 0 : MP_EXIT_USAGE;
}

static int set_captures_size(struct mp_agent_config *config, const char *value)
{
	return mp_command_bytes(value, 1, INT64_MAX, &config->captures.bytes) ?
	       0 : MP_EXIT_USAGE;
}

static int set_pressure(struct mp_agent_config *config, const char *value)
{
	config->pressure_ms = 0;
	return !strcmp(value, "off") ||
	       mp_command_duration(value, 10, 999, &config->pressure_ms) ? 0 : MP_EXIT_USAGE;
}

static int set_percent(uint64_t *percent, const char *value, uint64_t max)
{
	const size_t len = strlen(value);
	char number[8];

	if (!len || len > sizeof(number) || value[len - 1] != '%')
		return MP_EXIT_USAGE;
	memcpy(number, value, len - 1);
	number[len - 1] = '\0';
	return mp_command_number(number, 1, max, percent) ? 0 : MP_EXIT_USAGE;
}

static int set_capture_limit(struct mp_agent_config *config, const char *value)
{
	uint64_t *percent = &config->triggers.limit_percent;

	*percent = 0;
	return strcmp(value, "off") ? set_percent(percent, value, 100) : 0;
}

static int set_max_cpu(struct mp_agent_config *config, const char *value)
{
	uint64_t percent;
	int status = set_percent(&percent, value, 10000);

	if (!status)
		config->max_cpu = percent * 10;
	return status;
}

static int set_max_memory(struct mp_agent_config *config, const char *value)
{
	return mp_command_bytes(value, 1, INT64_MAX, &config->max_memory) ?
	       0 : MP_EXIT_USAGE;
}

static int set_bytes_or_off(uint64_t *bytes, const char *value)
{
	*bytes = 0;
	return !strcmp(value, "off") || mp_command_bytes(value, 1, INT64_MAX, bytes) ?
	       0 : MP_EXIT_USAGE;
}

static int set_capture_growth(struct mp_agent_config *config, const char *value)
{
	return set_bytes_or_off(&config->triggers.growth_bytes, value);
}

static int set_capture_growth_window(struct mp_agent_config *config, const char *value)
{
	return mp_command_duration(value, 10 * 1000, 7 * DAY_S * 1000,
				   &config->triggers.growth_window_ms) ? 0 : MP_EXIT_USAGE;
}

static int set_capture_exit(struct mp_agent_config *config, const char *value)
{
	return set_bytes_or_off(&config->triggers.exit_bytes, value);
}

/* Users and passwords are for push-header-file: messages show the address. */
static int set_push(struct mp_agent_config *config, const char *value)
{
	const char *host = strstr(value, "://");
	size_t len;

	if (!host || strlen(value) >= sizeof(config->push.url) ||
	    (strncmp(value, "http://", 7) && strncmp(value, "https://", 8)))
		return MP_EXIT_USAGE;
	host += 3;
	len = strcspn(host, "/?");
	if (!len || memchr(host, '@', len) || strpbrk(value, " \t#"))
		return MP_EXIT_USAGE;
	strcpy(config->push.url, value);
	return 0;
}

static int set_push_format(struct mp_agent_config *config, const char *value)
{
	int i;

	for (i = 0; i < MP_PUSH_NR_FORMATS; i++)
		if (!strcmp(value, mp_push_format_names[i])) {
			config->push.format = (enum mp_push_format)i;
			return 0;
		}
	return MP_EXIT_USAGE;
}

static int set_push_interval(struct mp_agent_config *config, const char *value)
{
	return mp_command_duration(value, 1000, DAY_S * 1000, &config->push.interval_ms) ?
	       0 : MP_EXIT_USAGE;
}

/* A name that Pyroscope and Parca take, too. */
static int set_push_name(struct mp_agent_config *config, const char *value)
{
	const char *at;

	if (!*value || strlen(value) >= sizeof(config->push.name))
		return MP_EXIT_USAGE;
	for (at = value; *at; at++)
		if (!isascii(*at) || (!isalnum(*at) && !strchr("_.-", *at)))
			return MP_EXIT_USAGE;
	strcpy(config->push.name, value);
	return 0;
}

static int set_push_header(struct mp_agent_config *config, const char *value)
{
	char *headers = config->push.headers;
	size_t used = strlen(headers);

	if (!*value || !mp_push_headers_are_valid(value) ||
	    used + strlen(value) + 2 > sizeof(config->push.headers))
		return MP_EXIT_USAGE;
	sprintf(headers + used, "%s\n", value);
	return 0;
}

static int set_readable(char *path, const char *value)
{
	char *text;

	if (*value != '/' || strlen(value) >= PATH_MAX)
		return MP_EXIT_USAGE;
	text = mp_push_file_read(value);
	if (!text)
		return MP_EXIT_USAGE;
	free(text);
	strcpy(path, value);
	return 0;
}

static int set_push_header_file(struct mp_agent_config *config, const char *value)
{
	return set_readable(config->push.header_file, value);
}

static int set_push_ca(struct mp_agent_config *config, const char *value)
{
	return set_readable(config->push.ca, value);
}

static int set_push_cert(struct mp_agent_config *config, const char *value)
{
	return set_readable(config->push.cert, value);
}

static int set_push_key(struct mp_agent_config *config, const char *value)
{
	return set_readable(config->push.key, value);
}

static int set_push_queue(struct mp_agent_config *config, const char *value)
{
	return mp_command_bytes(value, 1, INT64_MAX, &config->push.max_bytes) ?
	       0 : MP_EXIT_USAGE;
}

static int set_push_timeout(struct mp_agent_config *config, const char *value)
{
	return mp_command_duration(value, 100, 3600 * 1000, &config->push.timeout_ms) ?
	       0 : MP_EXIT_USAGE;
}

/* Keeps a text as long as the configuration. */
static const char *keep(struct mp_agent_config *config, const char *text)
{
	size_t size = strlen(text) + 1;
	char *at = config->texts + config->used;

	if (size > sizeof(config->texts) - config->used)
		return NULL;
	memcpy(at, text, size);
	config->used += size;
	return at;
}

static int add_target(struct mp_agent_config *config, uint32_t kind, const char *value)
{
	const char *text = keep(config, value);
	struct mp_diag diag = { 0 };

	if (!text || mp_targets_add_option(&config->options.targets, kind, text, &diag))
		return MP_EXIT_USAGE;
	return 0;
}

static int set_cgroup(struct mp_agent_config *config, const char *value)
{
	return add_target(config, MEMPROF_TARGET_CGROUP, value);
}

static int set_comm(struct mp_agent_config *config, const char *value)
{
	return add_target(config, MEMPROF_TARGET_COMM, value);
}

static int set_alloc(struct mp_agent_config *config, const char *value)
{
	return mp_record_set_alloc(&config->options, value) ? 0 : MP_EXIT_USAGE;
}

static int set_faults(struct mp_agent_config *config, const char *value)
{
	return mp_record_set_faults(&config->options, value) ? 0 : MP_EXIT_USAGE;
}

static int set_inject(struct mp_agent_config *config, const char *value)
{
	config->options.inject = !strcmp(value, "yes");
	return config->options.inject || !strcmp(value, "no") ? 0 : MP_EXIT_USAGE;
}

static int set_source(struct mp_agent_config *config, const char *value)
{
	static const enum mp_source sources[] = {
		MP_SOURCE_AUTO, MP_SOURCE_KMOD, MP_SOURCE_PERF, MP_SOURCE_SMAPS,
	};
	size_t i;

	for (i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
		if (!strcmp(value, i ? mp_source_name(sources[i]) : "auto")) {
			config->options.source = sources[i];
			return 0;
		}
	return MP_EXIT_USAGE;
}

static const char readable[] = "the path of a file that can be read, of 64K at most";

static const struct key keys[] = {
	{ "folder", set_folder, NULL },
	{ "interval", set_interval, NULL },
	{ "max-size", set_max_size, NULL },
	{ "max-age", set_max_age, NULL },
	{ "max-cpu", set_max_cpu, "a part of one CPU from 1%, such as 10%" },
	{ "max-memory", set_max_memory, "bytes, such as 200M" },
	{ "cgroup", set_cgroup, NULL },
	{ "comm", set_comm, NULL },
	{ "alloc", set_alloc, NULL },
	{ "inject", set_inject, NULL },
	{ "faults", set_faults, NULL },
	{ "source", set_source, NULL },
	{ "listen", set_listen,
	  "a path, 127.0.0.1:PORT or [::1]:PORT: without TLS and passwords only this machine may ask" },
	{ "listen-group", set_listen_group, "the name of a group of this machine" },
	{ "textfile", set_textfile, NULL },
	{ "top", set_top, NULL },
	{ "captures", set_captures, NULL },
	{ "captures-size", set_captures_size, NULL },
	{ "pressure", set_pressure, "off, or a time from 10ms to 999ms" },
	{ "capture-limit", set_capture_limit, "off, or a part from 1% to 100%" },
	{ "capture-growth", set_capture_growth, "off, or bytes in an hour, such as 512M" },
	{ "capture-growth-window", set_capture_growth_window, "a time from 10s to 7d" },
	{ "capture-exit", set_capture_exit, "off, or bytes of RSS, such as 2G" },
	{ "push", set_push,
	  "http:// or https:// and an address; users and passwords belong in push-header-file" },
	{ "push-format", set_push_format, "pyroscope, parca or otlp" },
	{ "push-interval", set_push_interval, NULL },
	{ "push-name", set_push_name, "letters, digits, '_', '.' and '-'" },
	{ "push-header", set_push_header, "NAME: VALUE" },
	{ "push-header-file", set_push_header_file, readable },
	{ "push-ca", set_push_ca, readable },
	{ "push-cert", set_push_cert, readable },
	{ "push-key", set_push_key, readable },
	{ "push-queue", set_push_queue, NULL },
	{ "push-timeout", set_push_timeout, "a time from 100ms to 1h" },
};

/* Removes spaces at both ends. */
static char *trim(char *text)
{
	char *end;

	text += strspn(text, SPACES);
	for (end = text + strlen(text); end > text && strchr(SPACES, end[-1]); end--)
		;
	*end = '\0';
	return text;
}

static int read_line(struct mp_agent_config *config, char *line, const char *name,
		     unsigned int number)
{
	char *value, *key = trim(line);
	size_t i;

	if (!*key || *key == '#')
		return 0;
	value = strchr(key, '=');
	if (!value)
		return mp_fail(0, "man memprofctl-agent lists the keys",
			       "%s:%u: a line has the form KEY = VALUE", name, number);
	*value++ = '\0';
	key = trim(key);
	value = trim(value);
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (!strcmp(key, keys[i].name))
			return !keys[i].set(config, value) ? 0 :
			       mp_fail(0, strstr(value, " #") ?
				       "comments have lines of their own" :
				       keys[i].hint ?: "man memprofctl-agent describes it",
				       "%s:%u: %s cannot be '%s'", name, number, key,
				       value);
	return mp_fail(0, "man memprofctl-agent lists the keys", "%s:%u: unknown key '%s'",
		       name, number, key);
}

static void set_defaults(struct mp_agent_config *config)
{
	memset(config, 0, sizeof(*config));
	mp_record_options_init(&config->options);
	config->options.lasts = true;
	strcpy(config->folder, MP_HISTORY_FOLDER);
	config->interval_ms = 60000;
	config->limits.bytes = 1ULL << 30;
	config->limits.age_s = 30 * DAY_S;
	config->listen_group = (gid_t)-1;
	config->top = 10;
	config->captures.nr = 20;
	config->captures.bytes = 256ULL << 20;
	config->pressure_ms = 300;
	config->triggers.limit_percent = 90;
	config->triggers.growth_window_ms = 3600 * 1000;
	strcpy(config->push.name, "memprof");
	config->push.interval_ms = 60000;
	config->push.timeout_ms = 30000;
	config->push.max_bytes = 64ULL << 20;
}

/* Keys that go together, in their words and not in those of start's options */
static int check_options(struct mp_agent_config *config, const char *name)
{
	struct mp_record_options *options = &config->options;
	const struct mp_targets *targets = &options->targets;
	unsigned int i;

	if (options->inject && (options->alloc == MP_ALLOC_OFF ||
				(options->alloc == MP_ALLOC_ON && options->start.alloc_rate <= 1)))
		return mp_fail(0, "alloc = 512K",
			       "%s: inject samples allocations, so alloc has to be a number of bytes from 2 on",
			       name);
	for (i = 0; i < targets->nr && options->source == MP_SOURCE_PERF; i++)
		if (targets->list[i].kind == MEMPROF_TARGET_COMM)
			return mp_fail(0, "source = kmod or auto, or cgroup in place of comm",
				       "%s: perf's events cannot follow commands by comm", name);
	if (options->alloc == MP_ALLOC_DEFAULT && !options->inject)
		options->alloc = MP_ALLOC_OFF;
	/* an agent runs for long: it needs fewer samples than a recording of some seconds */
	if (options->inject && !options->start.alloc_rate) {
		options->start.alloc_rate = MEMPROF_DEFAULT_RATE;
		options->pace = MP_PACE_LOW;
	}
	return mp_record_arguments_check(options, verb);
}

int mp_agent_config_read(struct mp_agent_config *config, FILE *file, const char *name)
{
	unsigned int number = 0;
	char line[MAX_LINE];
	int status = 0;

	set_defaults(config);
	/* all mistakes are shown, but what follows a line that is cut is not known */
	while (fgets(line, sizeof(line), file)) {
		number++;
		if (strlen(line) == sizeof(line) - 1)
			return mp_fail(0, NULL, "%s:%u: the line is too long", name, number);
		if (read_line(config, line, name, number))
			status = MP_EXIT_FAILURE;
	}
	if (!status && ferror(file))
		status = mp_fail(errno, NULL, "cannot read %s", name);
	if (!status && !config->push.cert[0] != !config->push.key[0])
		status = mp_fail(0, NULL, "%s: push-cert and push-key go together", name);
	return status ? status : check_options(config, name);
}

int mp_agent_config_load(struct mp_agent_config *config, const char *path)
{
	const char *name = path ?: MP_AGENT_CONFIG_FILE;
	FILE *file = fopen(name, "re");
	int status;

	if (!file && !path && errno == ENOENT) {
		set_defaults(config);
		return check_options(config, name);
	}
	if (!file)
		return mp_fail(errno, NULL, "cannot open %s", name);
	status = mp_agent_config_read(config, file, name);
	fclose(file);
	return status;
}

void mp_agent_config_move(struct mp_agent_config *to, const struct mp_agent_config *from)
{
	struct mp_targets *targets = &to->options.targets;
	unsigned int i;

	*to = *from;
	/* their texts moved, too */
	for (i = 0; i < targets->nr; i++)
		if (targets->list[i].text >= from->texts &&
		    targets->list[i].text < from->texts + from->used)
			targets->list[i].text = to->texts + (targets->list[i].text - from->texts);
}

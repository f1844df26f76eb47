// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf-describe: makes the sections that describe a recording
 *
 * The sections for machine, command line and clocks are written once. Those for
 * events and formats are written again each time an event is added.
 */
#include "perf-writer.h"
#include "blob.h"
#include "dynamic-events.h"
#include "metric.h"
#include "perf-ranked.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static int describe(struct mp_perf_writer *writer, uint32_t what,
		    struct mp_blob *blob)
{
	int err = blob->failed ? -ENOMEM :
		  mp_perf_writer_piece(writer, what, blob->data, blob->size);

	free(blob->data);
	*blob = (struct mp_blob){ 0 };
	return err;
}

static void put_ids(struct mp_blob *blob, const struct mp_perf_events *events,
		    uint32_t number)
{
	size_t i;

	for (i = 0; i < events->by_id.nr_slots; i++)
		if (events->by_id.slots[i].used &&
		    events->by_id.slots[i].value == number)
			mp_blob_u64(blob, events->by_id.slots[i].a);
}

static void put_event(struct mp_blob *blob, const struct mp_perf_events *events, uint32_t number)
{
	const struct mp_perf_event *event = &events->list[number];
	struct perf_event_attr attr = event->attr;
	char name[MP_PERF_NAME_SIZE];
	struct mp_blob ids = { 0 };

	attr.size = MP_PERF_ATTR_SIZE;
	attr.sample_type = mp_perf_ranked_type(event);
	mp_perf_ranked_name(event, name, sizeof(name));
	put_ids(&ids, events, number);
	mp_blob_put(blob, &attr, MP_PERF_ATTR_SIZE);
	mp_blob_u32(blob, (uint32_t)(ids.size / sizeof(uint64_t)));
	mp_blob_text(blob, name);
	mp_blob_put(blob, ids.data, ids.size);
	blob->failed |= ids.failed;
	free(ids.data);
}

/* Writes the events that perf shows first before all others. */
static void put_events(struct mp_blob *blob, const struct mp_perf_events *events)
{
	uint32_t i;
	int rest;

	mp_blob_u32(blob, (uint32_t)events->nr);
	mp_blob_u32(blob, MP_PERF_ATTR_SIZE);
	for (rest = 0; rest < 2; rest++)
		for (i = 0; i < events->nr; i++)
			if (mp_perf_ranks_first(&events->list[i]) != rest)
				put_event(blob, events, i);
}

/* Adds the text with its length before it; length 0 if @text is NULL. */
static void put_file(struct mp_blob *blob, char *text)
{
	mp_blob_u64(blob, text ? strlen(text) : 0);
	if (text)
		mp_blob_put(blob, text, strlen(text));
	free(text);
}

/*
 * How the kernel's ring buffers begin, where this process may not read it from tracefs:
 * as on 64-bit machines with pages of 4 KiB. perf refuses a recording without it, and
 * uses none of it: no data of such a buffer is in the recording.
 */
static const char header_page[] =
	"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
	"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
	"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
	"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";

static const char header_event[] =
	"# compressed entry header\n"
	"\ttype_len    :    5 bits\n"
	"\ttime_delta  :   27 bits\n"
	"\tarray       :   32 bits\n";

static void put_header(struct mp_blob *blob, const char *path, const char *otherwise)
{
	char *text = mp_tracing_text(path);

	if (text && !*text) {
		free(text);
		text = NULL;
	}
	put_file(blob, text ? text : strdup(otherwise));
}

#define TEXT(number)	#number
#define STRING(number)	TEXT(number)

#define COMMON_FIELDS								\
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"	\
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"	\
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

char *mp_perf_format_text(const char *name)
{
	uint32_t id = !strcmp(name, "site") ? MP_PERF_ID_SITE :
					      MP_PERF_ID_PROCESS;
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	int i;

	if (!file)
		return NULL;
	fprintf(file, "name: %s\nID: %u\nformat:\n" COMMON_FIELDS, name, id);
	for (i = 0; i < MP_NR_METRICS; i++)
		fprintf(file, "\tfield:%s %s;\toffset:%d;\tsize:8;\tsigned:%d;\n",
			mp_metrics[i].is_signed ? "s64" : "u64",
			mp_metrics[i].key, 8 + 8 * i, mp_metrics[i].is_signed);
	fputs("\nprint fmt: \"live=%llu peak=%llu allocs=%llu allocated=%llu growth=%lld touched=%llu\", REC->inuse_space, REC->peak_space, REC->alloc_objects, REC->alloc_space, REC->growth_space, REC->touched_space\n",
	      file);
	if (fclose(file)) {
		free(text);
		return NULL;
	}
	return text;
}

/* As struct memprof_region_function; "record" is all of it. */
static char *function_format(void)
{
	return strdup("name: function\nID: " STRING(MP_PERF_ID_FUNCTION) "\nformat:\n"
		      COMMON_FIELDS
		      "\tfield:u8 record[512];\toffset:8;\tsize:512;\tsigned:0;\n"
		      "\tfield:u32 line;\toffset:16;\tsize:4;\tsigned:0;\n"
		      "\tfield:char text[496];\toffset:24;\tsize:496;\tsigned:0;\n"
		      "\nprint fmt: \"%s:%u\", REC->text, REC->line\n");
}

/* A stack is shown as a call chain, and not once more as a field. */
#define SAMPLE_PRINTED								\
	"print fmt: \"(%lx) ptr=0x%llx size=%llu weight=%llu\", REC->__probe_ip, "	\
	"REC->ptr, REC->size, REC->weight\n"

/* Gives a format of tracefs another name. Returns NULL if memory is short. */
static char *rename_format(char *text, const char *name, bool tells_stack)
{
	char *end = text ? strchr(text, '\n') : NULL, *renamed = NULL;
	char *printed = tells_stack && end ? strstr(end, "print fmt:") : NULL;

	if (!end || strncmp(text, "name: ", 6))
		return text;
	if (printed)
		*printed = '\0';
	if (asprintf(&renamed, "name: %s%s%s", name, end, printed ? SAMPLE_PRINTED : "") < 0)
		renamed = NULL;
	free(text);
	return renamed;
}

static char *format_text(const struct mp_perf_event *event, const char *name)
{
	char system[MP_PERF_NAME_SIZE];
	const char *colon = strchr(event->name, ':');

	if (event->attr.config == MP_PERF_ID_SITE ||
	    event->attr.config == MP_PERF_ID_PROCESS)
		return mp_perf_format_text(colon + 1);
	if (event->attr.config == MP_PERF_ID_FUNCTION)
		return function_format();
	snprintf(system, sizeof(system), "%.*s", (int)(colon - event->name),
		 event->name);
	return rename_format(mp_tracepoint_text(system, colon + 1), strchr(name, ':') + 1,
			     mp_perf_ranked_type(event) != event->attr.sample_type);
}

static bool is_tracepoint(const struct mp_perf_event *event)
{
	return event->attr.type == PERF_TYPE_TRACEPOINT &&
	       strchr(event->name, ':');
}

/*
 * The file lists systems, each with its events. Here each event gets an entry
 * for its system, even if another entry has the same system name. So the events
 * need not be sorted by system.
 */
static void put_formats(struct mp_blob *blob, const struct mp_perf_events *events)
{
	static const char magic[] = { 0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i',
				      'n', 'g', '0', '.', '6', 0,
				      0 /* little-endian */, sizeof(long) };
	uint32_t i, nr = 0;

	mp_blob_put(blob, magic, sizeof(magic));
	mp_blob_u32(blob, (uint32_t)sysconf(_SC_PAGESIZE));
	mp_blob_put(blob, "header_page", sizeof("header_page"));
	put_header(blob, "events/header_page", header_page);
	mp_blob_put(blob, "header_event", sizeof("header_event"));
	put_header(blob, "events/header_event", header_event);
	mp_blob_u32(blob, 0);
	for (i = 0; i < events->nr; i++)
		nr += is_tracepoint(&events->list[i]);
	mp_blob_u32(blob, nr);
	for (i = 0; i < events->nr; i++) {
		const struct mp_perf_event *event = &events->list[i];
		char name[MP_PERF_NAME_SIZE];

		if (!is_tracepoint(event))
			continue;
		mp_perf_ranked_name(event, name, sizeof(name));
		mp_blob_put(blob, name, (size_t)(strchr(name, ':') - name));
		mp_blob_put(blob, "", 1);
		mp_blob_u32(blob, 1);
		put_file(blob, format_text(event, name));
	}
	/* no kernel symbols, printk formats or command names */
	mp_blob_u32(blob, 0);
	mp_blob_u32(blob, 0);
	mp_blob_u64(blob, 0);
}

/* Reads the first "KEY : VALUE" line of /proc/cpuinfo. */
static void cpu_info(const char *key, char *value, size_t size)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[256], *colon;

	snprintf(value, size, "unknown");
	while (file && fgets(line, sizeof(line), file)) {
		colon = strchr(line, ':');
		if (!colon || strncmp(line, key, strlen(key)) ||
		    (line[strlen(key)] != '\t' && line[strlen(key)] != ' '))
			continue;
		line[strcspn(line, "\n")] = '\0';
		snprintf(value, size, "%s", colon + 1 + (colon[1] == ' '));
		break;
	}
	if (file)
		fclose(file);
}

static int describe_text(struct mp_perf_writer *writer, uint32_t what,
			 const char *text)
{
	struct mp_blob blob = { 0 };

	mp_blob_text(&blob, text);
	return describe(writer, what, &blob);
}

static int describe_cpu(struct mp_perf_writer *writer)
{
	char vendor[64], family[16], model[16], stepping[16], text[160];
	struct mp_blob blob = { 0 };
	int err;

	cpu_info("model name", text, sizeof(text));
	err = describe_text(writer, MP_PERF_CPUDESC, text);
	cpu_info("vendor_id", vendor, sizeof(vendor));
	cpu_info("cpu family", family, sizeof(family));
	cpu_info("model", model, sizeof(model));
	cpu_info("stepping", stepping, sizeof(stepping));
	snprintf(text, sizeof(text), "%s-%s-%X-%s", vendor, family,
		 atoi(model), stepping);
	mp_blob_u32(&blob, (uint32_t)sysconf(_SC_NPROCESSORS_CONF));
	mp_blob_u32(&blob, (uint32_t)sysconf(_SC_NPROCESSORS_ONLN));
	return err ?: describe_text(writer, MP_PERF_CPUID, text) ?:
	       describe(writer, MP_PERF_NRCPUS, &blob);
}

static int describe_clock(struct mp_perf_writer *writer)
{
	struct timespec wall, mono;
	struct mp_blob blob = { 0 };
	int err;

	clock_gettime(CLOCK_REALTIME, &wall);
	clock_gettime(CLOCK_MONOTONIC, &mono);
	mp_blob_u32(&blob, 1);
	mp_blob_u32(&blob, CLOCK_MONOTONIC);
	mp_blob_u64(&blob, wall.tv_sec * 1000000000ULL + wall.tv_nsec);
	mp_blob_u64(&blob, mono.tv_sec * 1000000000ULL + mono.tv_nsec);
	err = describe(writer, MP_PERF_CLOCK_DATA, &blob);
	/* clock resolution in ns */
	mp_blob_u64(&blob, 1);
	return err ?: describe(writer, MP_PERF_CLOCKID, &blob);
}

static int describe_machine(struct mp_perf_writer *writer, char * const *argv,
			    int argc)
{
	struct mp_blob blob = { 0 };
	struct utsname uts;
	int i, err;

	uname(&uts);
	mp_blob_u32(&blob, (uint32_t)argc);
	for (i = 0; i < argc; i++)
		mp_blob_text(&blob, argv[i]);
	err = describe(writer, MP_PERF_CMDLINE, &blob);
	mp_blob_u64(&blob, (uint64_t)sysconf(_SC_PHYS_PAGES) *
		    (uint64_t)sysconf(_SC_PAGESIZE) / 1024);
	return err ?: describe(writer, MP_PERF_TOTAL_MEM, &blob) ?:
	       describe_text(writer, MP_PERF_HOSTNAME, uts.nodename) ?:
	       describe_text(writer, MP_PERF_OSRELEASE, uts.release) ?:
	       describe_text(writer, MP_PERF_VERSION, "memprofctl") ?:
	       describe_text(writer, MP_PERF_ARCH, uts.machine) ?:
	       describe_cpu(writer) ?: describe_clock(writer);
}

int mp_perf_writer_describe(struct mp_perf_writer *writer,
			    const struct mp_perf_events *events,
			    char * const *argv, int argc)
{
	struct mp_blob blob = { 0 };
	int err = 0;

	if (!writer->features[MP_PERF_CMDLINE].data)
		err = describe_machine(writer, argv, argc);
	if (err)
		return err;
	put_events(&blob, events);
	err = describe(writer, MP_PERF_EVENT_DESC, &blob);
	if (err)
		return err;
	put_formats(&blob, events);
	return describe(writer, MP_PERF_TRACING_DATA, &blob);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * dump: prints offset, time, type, thread and contents of each record
 */
#include "dump.h"
#include "text.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define TEXT_SIZE	1024

static const char *type_name(uint32_t type)
{
	static const char * const names[] = {
		[PERF_RECORD_MMAP] = "MMAP", [PERF_RECORD_LOST] = "LOST",
		[PERF_RECORD_COMM] = "COMM", [PERF_RECORD_EXIT] = "EXIT",
		[PERF_RECORD_THROTTLE] = "THROTTLE",
		[PERF_RECORD_UNTHROTTLE] = "UNTHROTTLE",
		[PERF_RECORD_FORK] = "FORK", [PERF_RECORD_READ] = "READ",
		[PERF_RECORD_SAMPLE] = "SAMPLE", [PERF_RECORD_MMAP2] = "MMAP2",
		[PERF_RECORD_LOST_SAMPLES] = "LOST_SAMPLES",
		[PERF_RECORD_CGROUP] = "CGROUP",
		[65] = "(private)", [66] = "TRACING_DATA", [67] = "BUILD_ID",
		[68] = "FINISHED_ROUND", [69] = "ID_INDEX",
		[71] = "AUXTRACE", [73] = "THREAD_MAP", [74] = "CPU_MAP",
		[79] = "TIME_CONV", [80] = "FEATURE", [82] = "FINISHED_INIT",
	};

	return type < sizeof(names) / sizeof(names[0]) && names[type] ?
	       names[type] : "(unknown)";
}

/* Prints the text at an offset of a record if it is valid text. */
static void print_text(FILE *to, const struct perf_event_header *record,
		       size_t size, size_t offset)
{
	char text[TEXT_SIZE];
	size_t len;

	if (offset >= size)
		return;
	len = strnlen((const char *)record + offset, size - offset);
	mp_text_escape(text, sizeof(text), (const char *)record + offset, len);
	fprintf(to, " %s", text);
}

static void print_words(FILE *to, const struct perf_event_header *record,
			size_t size, const char * const *names)
{
	const uint64_t *words = (const void *)(record + 1);
	size_t i;

	for (i = 0; names[i] && sizeof(*record) + 8 * (i + 1) <= size; i++)
		fprintf(to, " %s=0x%" PRIx64, names[i], words[i]);
}

static void print_other(FILE *to, const struct mp_perf_events *events,
			const struct perf_event_header *record)
{
	static const char * const map[] = { "pid/tid", "addr", "len", "pgoff",
					    NULL };
	static const char * const task[] = { "pid/ppid", "tid/ptid", NULL };
	static const char * const lost[] = { "id", "lost", NULL };
	static const char * const cgroup[] = { "id", NULL };
	struct mp_perf_sample sample;
	size_t size;

	if (!mp_perf_trailer_parse(events, record, &sample, &size)) {
		fputs(" (too short)", to);
		return;
	}
	fprintf(to, " time=%" PRIu64, sample.time_ns);
	switch (record->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		print_words(to, record, size, map);
		print_text(to, record, size,
			   record->type == PERF_RECORD_MMAP ? 40 : 72);
		break;
	case PERF_RECORD_COMM:
		if (size >= 16)
			fprintf(to, " pid=%" PRIu32,
				((const uint32_t *)record)[2]);
		print_text(to, record, size, 16);
		break;
	case PERF_RECORD_CGROUP:
		print_words(to, record, size, cgroup);
		print_text(to, record, size, 16);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		print_words(to, record, size, task);
		break;
	case PERF_RECORD_LOST:
		print_words(to, record, size, lost);
		break;
	}
}

static void print_fields(FILE *to, const struct mp_perf_event *event,
			 const struct mp_perf_sample *sample)
{
	uint32_t i;

	for (i = 0; i < event->format.nr_fields; i++) {
		const struct mp_field *field = &event->format.fields[i];
		uint64_t value = mp_field_read(field, sample->raw,
					       sample->raw_size);

		if (field->is_signed)
			fprintf(to, " %s=%" PRId64, field->name,
				(int64_t)value);
		else
			fprintf(to, " %s=0x%" PRIx64, field->name, value);
	}
}

static void print_sample(FILE *to, const struct mp_perf_events *events,
			 const struct perf_event_header *record)
{
	const struct mp_perf_event *event;
	struct mp_perf_sample sample;
	char name[2 * MP_PERF_NAME_SIZE];
	uint64_t i;

	if (!mp_perf_sample_parse(events, record, &sample)) {
		fputs(" (not of any event, or too short)", to);
		return;
	}
	event = &events->list[sample.event];
	mp_text_escape(name, sizeof(name), event->name,
		       strnlen(event->name, sizeof(event->name)));
	fprintf(to, " time=%" PRIu64 " pid=%" PRIu32 " tid=%" PRIu32
		" cpu=%" PRIu32 " %s ip=0x%" PRIx64 " addr=0x%" PRIx64
		" period=%" PRIu64, sample.time_ns, sample.pid, sample.tid,
		sample.cpu, name, sample.ip, sample.addr, sample.period);
	if (sample.raw)
		print_fields(to, event, &sample);
	for (i = 0; i < sample.nr_frames; i++)
		fprintf(to, "%s0x%" PRIx64, i ? "," : " chain=",
			sample.frames[i]);
}

int mp_dump(const char *path, FILE *to, char *why)
{
	const struct perf_event_header *record;
	struct mp_perf_file file;
	int got = mp_perf_file_open(&file, path);
	uint64_t at = 0;

	while (!got && (got = mp_perf_file_next(&file, &record)) > 0) {
		fprintf(to, "0x%" PRIx64 " %s", file.header.data.offset + at,
			type_name(record->type));
		if (record->type == PERF_RECORD_SAMPLE)
			print_sample(to, &file.events, record);
		else if (record->type < PERF_RECORD_MAX)
			print_other(to, &file.events, record);
		fputc('\n', to);
		at = file.at;
		got = ferror(to) ? -EIO : 0;
	}
	snprintf(why, MP_PERF_FILE_WHY_SIZE, "%s", file.why);
	mp_perf_file_close(&file);
	return got;
}

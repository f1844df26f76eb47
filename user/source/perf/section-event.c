// SPDX-License-Identifier: GPL-2.0-only
/*
 * section-event: reads section records field by field
 *
 * Fields are found by name, because the file may come from another version.
 */
#include "section-event.h"

#include <stddef.h>
#include <string.h>

#define FIELD(name)							\
	{ #name, offsetof(struct memprof_section, name),		\
	  sizeof(((struct memprof_section *)NULL)->name) }

static const struct {
	const char *name;
	size_t offset;
	size_t size;
} fields[] = {
	FIELD(index), FIELD(total_cu), FIELD(net_cu), FIELD(total_heap),
	FIELD(net_heap), FIELD(remaining_heap), FIELD(start_seq),
	FIELD(end_seq), FIELD(start_ns), FIELD(end_ns), FIELD(left),
	FIELD(allocated_bytes), FIELD(freed_bytes), FIELD(touched_bytes),
	FIELD(grown_bytes), FIELD(streams), FIELD(flags), FIELD(meter),
	FIELD(id_len),
};

static void read_fields(const struct mp_perf_event *event,
			const struct mp_perf_sample *sample,
			struct memprof_section *record)
{
	const struct mp_field *field;
	uint64_t value;
	size_t i;

	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		field = mp_format_field(&event->format, fields[i].name);
		value = mp_field_read(field, sample->raw, sample->raw_size);
		/* little endian, like every machine that the module supports */
		memcpy((char *)record + fields[i].offset, &value,
		       fields[i].size);
	}
}

static bool read_tracepoint(const struct mp_perf_event *event,
			    const struct mp_perf_sample *sample,
			    struct memprof_section *record)
{
	size_t nr;
	const char *id = mp_field_bytes(mp_format_field(&event->format, "id"),
					sample->raw, sample->raw_size, &nr);

	read_fields(event, sample, record);
	if (!id || nr < record->id_len ||
	    record->id_len > MEMPROF_SECTION_MAX_ID)
		return false;
	memcpy(record->id, id, record->id_len);
	return true;
}

/* Reads the field "record", a copy of the process's struct memprof_section. */
static bool read_copy(const struct mp_perf_event *event,
		      const struct mp_perf_sample *sample,
		      struct memprof_section *record)
{
	const struct mp_field *field = mp_format_field(&event->format,
						       "record");

	if (!field || field->size != sizeof(*record) ||
	    field->offset > sample->raw_size ||
	    sample->raw_size - field->offset < field->size)
		return false;
	memcpy(record, (const char *)sample->raw + field->offset,
	       sizeof(*record));
	return record->id_len <= MEMPROF_SECTION_MAX_ID;
}

bool mp_section_event_parse(const struct mp_perf_events *events,
			    const struct perf_event_header *header,
			    struct mp_section_event *event)
{
	const struct mp_perf_event *what;
	struct mp_perf_sample sample;

	if (header->type != PERF_RECORD_SAMPLE ||
	    !mp_perf_sample_parse(events, header, &sample) || !sample.raw)
		return false;
	what = &events->list[sample.event];
	*event = (struct mp_section_event){
		.pid = sample.pid, .tid = sample.tid,
		.time_ns = sample.time_ns,
	};
	if (!strcmp(what->name, "memprof:section"))
		return read_tracepoint(what, &sample, &event->record);
	return !strncmp(what->name, "memprof_", 8) &&
	       strstr(what->name, ":section_") &&
	       read_copy(what, &sample, &event->record);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf-ranked: gives samples of allocations their bytes as period, and their stack
 *
 * perf ranks functions by the periods of samples. The kernel gives each sample of a probe
 * the period 1, and its call chain ends in the library that has the probe. The cost is a
 * copy of each sample of an allocation.
 */
#include "perf-ranked.h"

#include <stdio.h>
#include <string.h>

/* Fields before the call chain, a word each; PERF_SAMPLE_READ may follow them. */
#define BEFORE_PERIOD							\
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |	\
	 PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |		\
	 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU)

/* A chain has its length, a mark, and the frames. */
#define CHAIN_WORDS	2

static bool is_probe(const struct mp_perf_event *event)
{
	return event->attr.type == PERF_TYPE_TRACEPOINT &&
	       !strncmp(event->name, "memprof_", 8) && strchr(event->name, ':');
}

bool mp_perf_ranks_first(const struct mp_perf_event *event)
{
	return is_probe(event) && mp_format_field(&event->format, "size") &&
	       event->attr.sample_type & PERF_SAMPLE_PERIOD;
}

/* Whether the program tells the stack of each sample. */
static bool tells_stack(const struct mp_perf_event *event)
{
	return mp_perf_ranks_first(event) && mp_format_field(&event->format, "frames") &&
	       mp_format_field(&event->format, "nr_frames") &&
	       event->attr.sample_type & PERF_SAMPLE_IDENTIFIER &&
	       event->attr.sample_type & PERF_SAMPLE_IP &&
	       event->attr.sample_type & PERF_SAMPLE_RAW &&
	       !(event->attr.sample_type & (PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN));
}

uint64_t mp_perf_ranked_type(const struct mp_perf_event *event)
{
	return event->attr.sample_type | (tells_stack(event) ? PERF_SAMPLE_CALLCHAIN : 0);
}

void mp_perf_ranked_name(const struct mp_perf_event *event, char *name, size_t size)
{
	const char *function = strchr(event->name, ':'), *end, *sampled = "";
	size_t len;

	if (!is_probe(event)) {
		snprintf(name, size, "%s", event->name);
		return;
	}
	function++;
	/* those of the library inside a program */
	if (!strncmp(function, "usdt_", 5)) {
		function += 5;
		sampled = "sampled_";
	}
	end = strstr(function, "__return") ?: function + strlen(function);
	len = (size_t)(end - function);
	/* a number makes names in tracefs different */
	while (len > 1 && strchr("0123456789_", function[len - 1]))
		len--;
	/* readers know probes that are on no allocator by NAME_ and a number */
	if (mp_format_field(&event->format, "record"))
		end = "_0";
	snprintf(name, size, MP_PERF_PROBES ":%s%.*s%s", sampled, (int)len, function, end);
}

static uint64_t value_of(const struct mp_perf_event *event, const struct mp_perf_sample *sample,
			 const char *name)
{
	const struct mp_field *field = mp_format_field(&event->format, name);

	return field ? mp_field_read(field, sample->raw, sample->raw_size) : 0;
}

/* Bytes of the allocation, at least 1: perf leaves out what has a period of 0. */
static uint64_t bytes_of(const struct mp_perf_event *event, const struct mp_perf_sample *sample)
{
	uint64_t bytes = value_of(event, sample, "weight") ?: value_of(event, sample, "size");

	if (mp_format_field(&event->format, "count") &&
	    __builtin_mul_overflow(bytes, value_of(event, sample, "count"), &bytes))
		bytes = 0;
	return bytes ?: 1;
}

/* Frames that the program has told, as far as the sample has them. */
static const char *frames_of(const struct mp_perf_event *event,
			     const struct mp_perf_sample *sample, uint32_t *nr)
{
	const struct mp_field *field = mp_format_field(&event->format, "frames");
	const uint32_t max = field->size / sizeof(uint64_t);

	*nr = (uint32_t)value_of(event, sample, "nr_frames");
	*nr = *nr < max ? *nr : max;
	if (field->offset > sample->raw_size ||
	    sample->raw_size - field->offset < *nr * sizeof(uint64_t))
		*nr = 0;
	return (const char *)sample->raw + field->offset;
}

/* Puts a chain in after the words before it; the first frame is where the sample was. */
static void add_chain(struct perf_event_header *to, size_t before, const char *frames,
		      uint32_t nr)
{
	uint64_t *words = (uint64_t *)(to + 1);
	const size_t rest = to->size - sizeof(*to) - before * sizeof(*words);

	memmove(words + before + CHAIN_WORDS + nr, words + before, rest);
	words[before] = 1 + nr;
	words[before + 1] = (uint64_t)PERF_CONTEXT_USER;
	memcpy(words + before + CHAIN_WORDS, frames, nr * sizeof(*words));
	if (nr)
		memcpy(&words[1], frames, sizeof(*words));
	to->size = (uint16_t)(to->size + (CHAIN_WORDS + nr) * sizeof(*words));
}

const struct perf_event_header *mp_perf_ranked(const struct mp_perf_event *event,
					       const struct mp_perf_sample *sample,
					       const struct perf_event_header *record,
					       void *room)
{
	const size_t period = (size_t)__builtin_popcountll(event->attr.sample_type & BEFORE_PERIOD);
	struct perf_event_header *to = room;
	const char *frames;
	uint32_t nr;

	if (!mp_perf_ranks_first(event) || sample->is_borrowed)
		return record;
	memcpy(to, record, record->size);
	((uint64_t *)(to + 1))[period] = bytes_of(event, sample);
	if (!tells_stack(event))
		return to;
	frames = frames_of(event, sample, &nr);
	if (record->size + (CHAIN_WORDS + nr) * sizeof(uint64_t) > UINT16_MAX)
		nr = 0;
	/* no kernel writes such a record: it has 8 KB of fields at most */
	if (record->size + CHAIN_WORDS * sizeof(uint64_t) > UINT16_MAX)
		return record;
	add_chain(to, period + 1, frames, nr);
	return to;
}

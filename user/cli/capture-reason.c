// SPDX-License-Identifier: GPL-2.0-only
/*
 * capture-reason: the words for the events of memory.events, pressure and triggers
 *
 * An event that a newer agent wrote is one that is not known.
 */
#include "capture-reason.h"
#include "human.h"
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char * const sentences[MP_NR_MEMORY_EVENTS + 1] = {
	[MP_MEMORY_HIGH] = "was slowed down at memory.high",
	[MP_MEMORY_MAX] = "reached memory.max",
	[MP_MEMORY_OOM] = "found no memory below memory.max",
	[MP_MEMORY_OOM_KILL] = "had a process killed for memory",
	[MP_MEMORY_PRESSURE] = "waited for memory",
	[MP_MEMORY_LIMIT] = "came near its limit",
	[MP_MEMORY_GROWTH] = "keeps growing",
	[MP_MEMORY_EXIT] = "had a process that exited with much memory",
	[MP_NR_MEMORY_EVENTS] = "had an event that is not known",
};

/* Writes ", and so did 3 other cgroups". */
static void add_others(const struct mp_memory_trouble *trouble, const char *what,
		       char *text, size_t size)
{
	const uint64_t nr = trouble->counts[trouble->event];
	const size_t len = strlen(text);

	if (nr > 1)
		snprintf(text + len, size - len, "; at the same time %" PRIu64 " other%s %s",
			 nr - 1, nr > 2 ? "s" : "", what);
}

static void write_limit(const struct mp_memory_trouble *trouble, char *text, size_t size)
{
	const struct mp_memory_cause *cause = &trouble->cause;
	char value[MP_HUMAN_SIZE], limit[MP_HUMAN_SIZE];

	snprintf(text, size, "has %s without file cache, %.0f %% of memory.%s (%s); the bound is %.0f %%",
		 mp_human_bytes(value, cause->value),
		 cause->limit ? 100 * (double)cause->value / (double)cause->limit : 0,
		 cause->is_high ? "high" : "max", mp_human_bytes(limit, cause->limit),
		 cause->limit ? 100 * (double)cause->bound / (double)cause->limit : 0);
	add_others(trouble, "came near their limits", text, size);
}

static void write_growth(const struct mp_memory_trouble *trouble, char *text, size_t size)
{
	const struct mp_memory_cause *cause = &trouble->cause;
	char value[MP_HUMAN_SIZE], bound[MP_HUMAN_SIZE], window[MP_HUMAN_SIZE];

	snprintf(text, size, "keeps growing: by %s an hour, in the last %s; the bound is %s",
		 mp_human_bytes(value, cause->value),
		 mp_human_span(window, cause->window_s * 1000000000),
		 mp_human_bytes(bound, cause->bound));
	add_others(trouble, "grew, too", text, size);
}

static void write_exit(const struct mp_memory_trouble *trouble, char *text, size_t size)
{
	const struct mp_memory_cause *cause = &trouble->cause;
	char value[MP_HUMAN_SIZE], bound[MP_HUMAN_SIZE], comm[4 * MP_MEMORY_COMM_SIZE];

	mp_text_escape(comm, sizeof(comm), cause->comm, sizeof(cause->comm));
	snprintf(text, size, "lost %s (process %" PRIu32 "), which exited with an RSS of %s; the bound is %s",
		 comm, cause->pid, mp_human_bytes(value, cause->value),
		 mp_human_bytes(bound, cause->bound));
	add_others(trouble, "exited", text, size);
}

void mp_capture_reason(const struct mp_capture *capture, char *text, size_t size)
{
	const struct mp_memory_trouble *trouble = &capture->trouble;
	char current[MP_HUMAN_SIZE], max[MP_HUMAN_SIZE];
	size_t len;

	if (trouble->cause.bound && trouble->event == MP_MEMORY_LIMIT)
		return write_limit(trouble, text, size);
	if (trouble->cause.bound && trouble->event == MP_MEMORY_GROWTH)
		return write_growth(trouble, text, size);
	if (trouble->cause.bound && trouble->event == MP_MEMORY_EXIT)
		return write_exit(trouble, text, size);
	snprintf(text, size, "%s", sentences[trouble->event]);
	len = strlen(text);
	if (capture->max)
		snprintf(text + len, size - len, " (%s of %s)",
			 mp_human_bytes(current, capture->current),
			 mp_human_bytes(max, capture->max));
}

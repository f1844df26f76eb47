// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf-events: parses records field by field, in the order of the sample_type
 * ABI
 *
 * Every step is checked against the end of the record, because records may come
 * from untrusted files.
 */
#include "perf-events.h"

#include <stdlib.h>
#include <string.h>

/* The words of a record that are not parsed yet. */
struct cursor {
	const uint64_t *at;
	size_t nr;
};

static bool take_word(struct cursor *cursor, uint64_t *value)
{
	if (!cursor->nr)
		return false;
	*value = *cursor->at++;
	cursor->nr--;
	return true;
}

static bool skip(struct cursor *cursor, uint64_t nr)
{
	if (cursor->nr < nr)
		return false;
	cursor->at += nr;
	cursor->nr -= nr;
	return true;
}

static bool skip_value(struct cursor *cursor)
{
	return skip(cursor, 1);
}

static bool take_halves(struct cursor *cursor, uint32_t *low, uint32_t *high)
{
	uint64_t value;

	if (!take_word(cursor, &value))
		return false;
	*low = (uint32_t)value;
	*high = (uint32_t)(value >> 32);
	return true;
}

static bool skip_read(struct cursor *cursor, uint64_t format)
{
	uint64_t each = 1 + !!(format & PERF_FORMAT_ID) +
			!!(format & PERF_FORMAT_LOST);
	uint64_t times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
			 !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING), nr;

	if (!(format & PERF_FORMAT_GROUP))
		return skip(cursor, each + times);
	return take_word(cursor, &nr) && nr <= cursor->nr &&
	       skip(cursor, times) && skip(cursor, nr * each);
}

static bool take_chain(struct cursor *cursor, struct mp_perf_sample *sample)
{
	if (!take_word(cursor, &sample->nr_frames))
		return false;
	sample->frames = cursor->at;
	return skip(cursor, sample->nr_frames);
}

static bool take_raw(struct cursor *cursor, struct mp_perf_sample *sample)
{
	const uint32_t *size = (const uint32_t *)cursor->at;

	if (!cursor->nr || *size > cursor->nr * sizeof(uint64_t) - sizeof(*size))
		return false;
	sample->raw_size = *size;
	sample->raw = size + 1;
	return skip(cursor, (sizeof(*size) + *size + 7) / 8);
}

static bool skip_branches(struct cursor *cursor, uint64_t type)
{
	uint64_t nr;

	return take_word(cursor, &nr) && nr <= cursor->nr &&
	       (!(type & PERF_SAMPLE_BRANCH_HW_INDEX) || skip(cursor, 1)) &&
	       skip(cursor, nr * 3);
}

static bool skip_regs(struct cursor *cursor, uint64_t mask)
{
	uint64_t abi;

	return take_word(cursor, &abi) &&
	       (abi == PERF_SAMPLE_REGS_ABI_NONE ||
		skip(cursor, __builtin_popcountll(mask)));
}

static bool take_user_regs(struct cursor *cursor, uint64_t mask,
			   struct mp_dump *dump)
{
	uint64_t abi;

	if (!take_word(cursor, &abi))
		return false;
	if (abi == PERF_SAMPLE_REGS_ABI_NONE)
		return true;
	if (abi == PERF_SAMPLE_REGS_ABI_64)
		dump->mask = mask;
	dump->regs = cursor->at;
	return skip(cursor, __builtin_popcountll(mask));
}

/* Takes the user stack: its requested size, the bytes, and how many of them are valid. */
static bool take_stack(struct cursor *cursor, struct mp_dump *dump)
{
	uint64_t size, used;

	if (!take_word(cursor, &size) || size / 8 > cursor->nr)
		return false;
	if (!size)
		return true;
	dump->stack = (const uint8_t *)cursor->at;
	if (!skip(cursor, size / 8) || !take_word(cursor, &used))
		return false;
	dump->size = used < size ? used : size;
	return true;
}

/* Takes the fields after the call chain, up to the cgroup. */
static bool take_rest(struct cursor *cursor, const struct perf_event_attr *attr,
		      struct mp_perf_sample *sample)
{
	uint64_t type = attr->sample_type;

	return (!(type & PERF_SAMPLE_RAW) || take_raw(cursor, sample)) &&
	       (!(type & PERF_SAMPLE_BRANCH_STACK) ||
		skip_branches(cursor, attr->branch_sample_type)) &&
	       (!(type & PERF_SAMPLE_REGS_USER) ||
		take_user_regs(cursor, attr->sample_regs_user,
			       &sample->dump)) &&
	       (!(type & PERF_SAMPLE_STACK_USER) ||
		take_stack(cursor, &sample->dump)) &&
	       (!(type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT)) ||
		skip_value(cursor)) &&
	       (!(type & PERF_SAMPLE_DATA_SRC) || skip_value(cursor)) &&
	       (!(type & PERF_SAMPLE_TRANSACTION) || skip_value(cursor)) &&
	       (!(type & PERF_SAMPLE_REGS_INTR) ||
		skip_regs(cursor, attr->sample_regs_intr)) &&
	       (!(type & PERF_SAMPLE_PHYS_ADDR) || skip_value(cursor)) &&
	       (!(type & PERF_SAMPLE_CGROUP) ||
		take_word(cursor, &sample->cgroup));
}

static bool take_fixed(struct cursor *cursor, const struct perf_event_attr *attr,
		       struct mp_perf_sample *sample)
{
	uint64_t type = attr->sample_type;
	uint32_t reserved;

	return (!(type & PERF_SAMPLE_IDENTIFIER) || skip_value(cursor)) &&
	       (!(type & PERF_SAMPLE_IP) || take_word(cursor, &sample->ip)) &&
	       (!(type & PERF_SAMPLE_TID) ||
		take_halves(cursor, &sample->pid, &sample->tid)) &&
	       (!(type & PERF_SAMPLE_TIME) || take_word(cursor, &sample->time_ns)) &&
	       (!(type & PERF_SAMPLE_ADDR) || take_word(cursor, &sample->addr)) &&
	       (!(type & PERF_SAMPLE_ID) || skip_value(cursor)) &&
	       (!(type & PERF_SAMPLE_STREAM_ID) || skip_value(cursor)) &&
	       (!(type & PERF_SAMPLE_CPU) ||
		take_halves(cursor, &sample->cpu, &reserved)) &&
	       (!(type & PERF_SAMPLE_PERIOD) || take_word(cursor, &sample->period)) &&
	       (!(type & PERF_SAMPLE_READ) ||
		skip_read(cursor, attr->read_format)) &&
	       (!(type & PERF_SAMPLE_CALLCHAIN) || take_chain(cursor, sample));
}

/* Returns the word that holds the id in a sample; -1 if there is none. */
static int id_position(uint64_t type)
{
	if (type & PERF_SAMPLE_IDENTIFIER)
		return 0;
	if (!(type & PERF_SAMPLE_ID))
		return -1;
	return !!(type & PERF_SAMPLE_IP) + !!(type & PERF_SAMPLE_TID) +
	       !!(type & PERF_SAMPLE_TIME) + !!(type & PERF_SAMPLE_ADDR);
}

/* Finds the event by the id, whose position is the same in all samples. */
static bool find_event(const struct mp_perf_events *events,
		       const struct cursor *cursor, int position,
		       uint32_t *number)
{
	uint32_t *known;

	*number = 0;
	if (position < 0)
		return events->nr == 1;
	if ((size_t)position >= cursor->nr)
		return false;
	known = mp_map_find(&events->by_id, cursor->at[position], 0);
	if (!known)
		return false;
	*number = *known;
	return true;
}

static struct cursor begin(const struct perf_event_header *record)
{
	return (struct cursor){
		.at = (const uint64_t *)(record + 1),
		.nr = (record->size - sizeof(*record)) / sizeof(uint64_t),
	};
}

/*
 * Only so many events are looked at for each such record: a hostile file may have any number.
 * Those of each call of some dozens of allocators come first.
 */
#define MAX_TRIED	1024

/* Finds the next event of page faults, from @number on. */
static bool next_fault(const struct mp_perf_events *events, uint32_t *number)
{
	const struct perf_event_attr *attr;

	for (; *number < events->nr && *number < MAX_TRIED; ++*number) {
		attr = &events->list[*number].attr;
		if (attr->type == PERF_TYPE_SOFTWARE &&
		    (attr->config == PERF_COUNT_SW_PAGE_FAULTS ||
		     attr->config == PERF_COUNT_SW_PAGE_FAULTS_MIN ||
		     attr->config == PERF_COUNT_SW_PAGE_FAULTS_MAJ))
			return true;
	}
	return false;
}

static bool take_all(struct cursor *cursor, const struct perf_event_attr *attr,
		     struct mp_perf_sample *sample)
{
	return take_fixed(cursor, attr, sample) && take_rest(cursor, attr, sample);
}

static bool take_borrowed(const struct mp_perf_events *events,
			  const struct perf_event_header *record,
			  struct mp_perf_sample *sample)
{
	struct cursor cursor;
	uint32_t number;

	for (number = 0; next_fault(events, &number); number++) {
		cursor = begin(record);
		*sample = (struct mp_perf_sample){ .event = number, .is_borrowed = true };
		if (take_all(&cursor, &events->list[number].attr, sample) && !cursor.nr)
			return true;
	}
	return false;
}

bool mp_perf_sample_parse(const struct mp_perf_events *events,
			  const struct perf_event_header *record,
			  struct mp_perf_sample *sample)
{
	struct cursor cursor = begin(record);

	*sample = (struct mp_perf_sample){ 0 };
	if (!events->nr)
		return false;
	if (!find_event(events, &cursor, id_position(events->list[0].attr.sample_type),
			&sample->event))
		return take_borrowed(events, record, sample);
	return take_all(&cursor, &events->list[sample->event].attr, sample);
}

bool mp_perf_trailer_parse(const struct mp_perf_events *events,
			   const struct perf_event_header *record,
			   struct mp_perf_sample *sample, size_t *size)
{
	struct cursor cursor = begin(record);
	const struct perf_event_attr *attr;
	uint64_t type;
	uint32_t reserved;
	size_t nr;

	*sample = (struct mp_perf_sample){ 0 };
	*size = record->size;
	if (!events->nr)
		return false;
	/*
	 * sample_type and sample_id_all are equal in all events of a recording
	 */
	attr = &events->list[0].attr;
	type = attr->sample_type;
	if (!attr->sample_id_all)
		return true;
	nr = !!(type & PERF_SAMPLE_TID) + !!(type & PERF_SAMPLE_TIME) +
	     !!(type & PERF_SAMPLE_ID) + !!(type & PERF_SAMPLE_STREAM_ID) +
	     !!(type & PERF_SAMPLE_CPU) + !!(type & PERF_SAMPLE_IDENTIFIER);
	if (!skip(&cursor, cursor.nr > nr ? cursor.nr - nr : 0) ||
	    cursor.nr < nr)
		return false;
	*size = record->size - nr * sizeof(uint64_t);
	return (!(type & PERF_SAMPLE_TID) ||
		take_halves(&cursor, &sample->pid, &sample->tid)) &&
	       (!(type & PERF_SAMPLE_TIME) ||
		take_word(&cursor, &sample->time_ns)) &&
	       (!(type & PERF_SAMPLE_ID) || skip_value(&cursor)) &&
	       (!(type & PERF_SAMPLE_STREAM_ID) || skip_value(&cursor)) &&
	       (!(type & PERF_SAMPLE_CPU) ||
		take_halves(&cursor, &sample->cpu, &reserved));
}

void mp_perf_events_free(struct mp_perf_events *events)
{
	free(events->list);
	mp_map_free(&events->by_id);
	*events = (struct mp_perf_events){ 0 };
}

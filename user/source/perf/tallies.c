// SPDX-License-Identifier: GPL-2.0-only
/*
 * tallies: keeps the last complete set of sums of a recording
 *
 * A file may be hostile: pieces must come in order, and the size of a set is
 * limited. A row costs about 1 us and 400 bytes, besides its text.
 */
#include "tallies.h"
#include "array.h"
#include "perf-writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Limit of the text's bytes, more than the rows of a large machine need. */
#define MAX_TEXT	(1UL << 30)
#define MAX_VALUES	(MAX_TEXT / sizeof(uint64_t[MP_NR_METRICS]))

static void free_set(struct mp_tally_set *set)
{
	free(set->text);
	free(set->values);
	*set = (struct mp_tally_set){ 0 };
}

/* Finds the field of each metric, once for each of the two events. */
static const struct mp_field *find_metrics(struct mp_tallies *tallies,
					   const struct mp_perf_event *event,
					   uint32_t number)
{
	struct mp_tally_fields *fields = &tallies->fields[number & 1];
	const struct mp_field *field;
	int i;

	if (fields->event == number + 1)
		return fields->metrics;
	*fields = (struct mp_tally_fields){ .event = number + 1 };
	for (i = 0; i < MP_NR_METRICS; i++) {
		field = mp_format_field(&event->format, mp_metrics[i].key);
		if (field)
			fields->metrics[i] = *field;
	}
	return fields->metrics;
}

int mp_tallies_sample(struct mp_tallies *tallies,
		      const struct mp_perf_event *event,
		      const struct mp_perf_sample *sample)
{
	const struct mp_field *metrics;
	struct mp_tally_set *set = &tallies->next;
	int i;

	if (tallies->until_ns && sample->time_ns > tallies->until_ns) {
		tallies->nr_late++;
		return 0;
	}
	/*
	 * drop the earlier samples: the description that followed them was not
	 * complete
	 */
	if (tallies->described)
		set->nr = 0;
	tallies->described = false;
	if (set->nr >= MAX_VALUES)
		return 0;
	if (set->nr == set->max &&
	    !mp_array_grow(&set->values, &set->max, sizeof(*set->values)))
		return -ENOMEM;
	metrics = find_metrics(tallies, event, sample->event);
	for (i = 0; i < MP_NR_METRICS; i++)
		set->values[set->nr][i] = mp_field_read(&metrics[i],
							sample->raw,
							sample->raw_size);
	set->nr++;
	return 0;
}

static bool is_description(const struct mp_perf_piece *piece)
{
	return piece->header.size >= sizeof(*piece) &&
	       (piece->what == MP_PERF_PIECE_PROFILE ||
		piece->what == MP_PERF_PIECE_ROWS) && piece->bytes &&
	       !memcmp(piece->magic, MP_PERF_PIECE_MAGIC,
		       sizeof(piece->magic)) &&
	       piece->bytes <= piece->header.size - sizeof(*piece);
}

int mp_tallies_piece(struct mp_tallies *tallies,
		     const struct perf_event_header *record)
{
	const struct mp_perf_piece *piece = (const void *)record;
	struct mp_tally_set *set = &tallies->next;
	char *text;

	/* a recording has its sets in the order of time, and each row has a sample */
	if (!is_description(piece) || tallies->nr_late)
		return 0;
	tallies->described = true;
	if (!piece->offset)
		set->size = 0;
	if (piece->offset != set->size ||
	    piece->bytes > MAX_TEXT - set->size)
		return 0;
	if (set->size + piece->bytes > set->max_text) {
		text = realloc(set->text, 2 * (set->size + piece->bytes));
		if (!text)
			return -ENOMEM;
		set->text = text;
		set->max_text = 2 * (set->size + piece->bytes);
	}
	memcpy(set->text + set->size, piece + 1, piece->bytes);
	set->size += piece->bytes;
	if (set->size != piece->total)
		return 0;
	set->split = piece->what == MP_PERF_PIECE_ROWS;
	free_set(&tallies->last);
	tallies->last = *set;
	*set = (struct mp_tally_set){ 0 };
	return 0;
}

void mp_tallies_free(struct mp_tallies *tallies)
{
	free_set(&tallies->last);
	free_set(&tallies->next);
	*tallies = (struct mp_tallies){ 0 };
}

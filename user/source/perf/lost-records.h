/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lost-records: reads how many events the kernel dropped because a ring was
 * full
 */
#ifndef MP_LOST_RECORDS_H
#define MP_LOST_RECORDS_H

#include <linux/perf_event.h>
#include <stdint.h>

/** mp_lost_records - events that this record reports as lost; 0 for other records */
static inline uint64_t mp_lost_records(const struct perf_event_header *record)
{
	const uint64_t *words = (const uint64_t *)(record + 1);

	/*
	 * PERF_RECORD_LOST has the event's id before the number;
	 * PERF_RECORD_LOST_SAMPLES has only the number
	 */
	if (record->type == PERF_RECORD_LOST &&
	    record->size >= sizeof(*record) + 2 * sizeof(*words))
		return words[1];
	if (record->type == PERF_RECORD_LOST_SAMPLES &&
	    record->size >= sizeof(*record) + sizeof(*words))
		return words[0];
	return 0;
}

#endif

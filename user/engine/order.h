/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * order: sorts the events of many CPUs by time, with bounded memory
 *
 * The events of one CPU arrive in order, and the CPUs are read one after the
 * other. The recorder marks the end of each round over all CPUs. Then all events
 * from before the end of the previous round have arrived (perf's FINISHED_ROUND).
 */
#ifndef MP_ORDER_H
#define MP_ORDER_H

#include "event.h"

#include <stddef.h>

/* Limit of waiting events: 256 MB, including the memory for sorting. */
#define MP_ORDER_MAX	(2UL << 20)

/**
 * struct mp_order - the queue; to initialise it, set @take and @context, and all
 * other fields to zero
 * @take: callback that receives the events in order. Returns 0, or a negative
 *	errno that the calling function returns
 * @context: passed to @take
 * @nr_late: number of events older than an event that was already passed on
 * @nr_forced: how often the queue was full, so that half of it was passed on
 */
struct mp_order {
	int (*take)(void *context, const struct mp_event *event);
	void *context;
	uint64_t nr_late;
	uint64_t nr_forced;
	struct mp_event *events;
	struct mp_event *spare;
	size_t nr, max;
	uint64_t newest_ns;		/* time of this round's newest event */
	uint64_t limit_ns;		/* time of the previous round's newest event */
	uint64_t handed_ns;
};

/** mp_order_add - add an event. Return: 0, -ENOMEM, or the error of @take */
int mp_order_add(struct mp_order *order, const struct mp_event *event);

/** mp_order_round - end a round over all CPUs. Return: 0, or the error of @take */
int mp_order_round(struct mp_order *order);

/** mp_order_flush - pass on all events. Return: 0, or the error of @take */
int mp_order_flush(struct mp_order *order);

/** mp_order_free - free the queue and its events */
void mp_order_free(struct mp_order *order);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * order: events of many CPUs in the order of time, with bounded memory
 *
 * Each CPU's events come in order, and one CPU after the other. The recorder marks
 * when it has been to all of them: whatever happened before the mark before the
 * last one has then arrived (perf's FINISHED_ROUND).
 */
#ifndef MP_ORDER_H
#define MP_ORDER_H

#include "event.h"

#include <stddef.h>

/* Events that are held back at most: 256 MB with the room to sort them. */
#define MP_ORDER_MAX	(2UL << 20)

/**
 * struct mp_order - the queue; all zero but @take and @context to begin with
 * @take: gets the events, in order; 0 or a negative errno, which ends it all
 * @context: for it
 * @nr_late: events that were older than one that was handed on already
 * @nr_forced: times that the queue was full and half of it was handed on
 */
struct mp_order {
	int (*take)(void *context, const struct mp_event *event);
	void *context;
	uint64_t nr_late;
	uint64_t nr_forced;
	struct mp_event *events;
	struct mp_event *spare;
	size_t nr, max;
	uint64_t newest_ns;		/* of this round */
	uint64_t limit_ns;		/* newest of the round before */
	uint64_t handed_ns;
};

/** mp_order_add - an event came. Return: 0, -ENOMEM, or what @take says. */
int mp_order_add(struct mp_order *order, const struct mp_event *event);

/** mp_order_round - all CPUs were visited */
int mp_order_round(struct mp_order *order);

/** mp_order_flush - nothing comes any more: hand on all */
int mp_order_flush(struct mp_order *order);

/** mp_order_free - free the queue, with what is in it */
void mp_order_free(struct mp_order *order);

#endif

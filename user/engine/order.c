// SPDX-License-Identifier: GPL-2.0-only
/*
 * order: sorts the events of each round with a natural merge sort
 *
 * The events of a round consist of a sorted run per CPU. Runs are merged in pairs,
 * so each event is moved log2(CPUs) times. Events with the same time keep their
 * order. If the queue is full, half of it is passed on too early, and this is
 * counted. Functions fail with -ENOMEM.
 */
#include "order.h"
#include "array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static size_t run_end(const struct mp_event *events, size_t from, size_t nr)
{
	size_t i = from + 1;

	while (i < nr && events[i - 1].time_ns <= events[i].time_ns)
		i++;
	return i < nr ? i : nr;
}

static void merge_pair(const struct mp_event *a, size_t nr_a,
		  const struct mp_event *b, size_t nr_b, struct mp_event *to)
{
	while (nr_a && nr_b) {
		if (b->time_ns < a->time_ns) {
			*to++ = *b++;
			nr_b--;
		} else {
			*to++ = *a++;
			nr_a--;
		}
	}
	memcpy(to, a, nr_a * sizeof(*a));
	memcpy(to + nr_a, b, nr_b * sizeof(*b));
}

static void swap(struct mp_order *order)
{
	struct mp_event *events = order->events;

	order->events = order->spare;
	order->spare = events;
}

/* Merges neighbouring runs in pairs. Returns 0 if there is only one run. */
static int merge_runs(struct mp_order *order)
{
	size_t from = 0, middle, end;

	if (run_end(order->events, 0, order->nr) == order->nr)
		return 0;
	while (from < order->nr) {
		middle = run_end(order->events, from, order->nr);
		end = middle < order->nr ?
		      run_end(order->events, middle, order->nr) : middle;
		merge_pair(order->events + from, middle - from,
			   order->events + middle, end - middle,
			   order->spare + from);
		from = end;
	}
	swap(order);
	return 1;
}

/* Passes the events up to a time to the callback. */
static int pass_on(struct mp_order *order, uint64_t limit_ns)
{
	size_t i;
	int err = 0;

	if (!order->nr)
		return 0;
	while (merge_runs(order))
		;
	for (i = 0; !err && i < order->nr; i++) {
		if (order->events[i].time_ns > limit_ns)
			break;
		order->handed_ns = order->events[i].time_ns;
		err = order->take(order->context, &order->events[i]);
	}
	order->nr -= i;
	memmove(order->events, order->events + i,
		order->nr * sizeof(*order->events));
	return err;
}

static int make_room(struct mp_order *order)
{
	size_t max = order->max;

	if (order->max == MP_ORDER_MAX) {
		order->nr_forced++;
		while (merge_runs(order))
			;
		return pass_on(order, order->events[order->nr / 2].time_ns);
	}
	return mp_array_grow(&order->events, &max, sizeof(*order->events)) &&
	       mp_array_grow(&order->spare, &order->max, sizeof(*order->spare)) ?
	       0 : -ENOMEM;
}

int mp_order_add(struct mp_order *order, const struct mp_event *event)
{
	int err = order->nr == order->max ? make_room(order) : 0;

	if (err)
		return err;
	order->nr_late += event->time_ns < order->handed_ns;
	if (event->time_ns > order->newest_ns)
		order->newest_ns = event->time_ns;
	order->events[order->nr++] = *event;
	return 0;
}

int mp_order_round(struct mp_order *order)
{
	int err = pass_on(order, order->limit_ns);

	order->limit_ns = order->newest_ns;
	return err;
}

int mp_order_flush(struct mp_order *order)
{
	return pass_on(order, UINT64_MAX);
}

void mp_order_free(struct mp_order *order)
{
	free(order->events);
	free(order->spare);
	order->events = order->spare = NULL;
	order->nr = order->max = 0;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * history-page: reads a range of the agent's history interval by interval, for a page
 */
#ifndef MP_HISTORY_PAGE_H
#define MP_HISTORY_PAGE_H

#include "choice.h"
#include "history-range.h"
#include "intervals.h"

/**
 * mp_history_page_read - read the intervals of a range
 * @range: of one session, the last one, as a report shows it
 * @choice: what is shown; its keys are changed
 * @intervals: out; free it also after an error
 *
 * Each snapshot costs a report; there are at most MP_INTERVALS_MAX intervals.
 *
 * Return: 0, or an exit status after a message.
 */
int mp_history_page_read(const struct mp_history_range *range, struct mp_choice *choice,
			 struct mp_intervals *intervals);

/** mp_history_page_free - free all; the object is empty afterwards */
void mp_history_page_free(struct mp_intervals *intervals);

#endif

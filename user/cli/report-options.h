/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * report-options: what a user asks of a report
 */
#ifndef MP_REPORT_OPTIONS_H
#define MP_REPORT_OPTIONS_H

#include "choice.h"
#include "history-range.h"
#include "split-wrapper.h"
#include "writer.h"

#define MP_REPORT_DEFAULT_MIN	0.5

/**
 * struct mp_report_options - the options, and what follows from them
 * @out: kind, view, sort and limit of the table
 * @grouped, @limited, @sorted, @viewed: --by, -n, --sort or --view was given
 * @per_process, @stacks, @json, @timeline, @since_last, @live: options without a value
 * @bounded: --min was given
 * @trees: bit mask: 1 << enum mp_tree_shape for each option
 * @cold_ms: --cold; 0: not given
 * @input, @range: a recording or a history instead of the session
 * @at_ms: --at; 0: not given
 * @choice: which rows
 * @split: functions that are left out of callsites, see report-sentence.h
 */
struct mp_report_options {
	struct mp_out out;
	bool grouped, limited, sorted, viewed, bounded;
	bool per_process, stacks, json, timeline, since_last, live;
	unsigned int trees;
	uint64_t cold_ms, at_ms;
	const char *input;
	struct mp_history_range range;
	struct mp_choice choice;
	struct mp_split split;
};

/* The options of the verb, into a struct mp_report_options. Ends with an empty one. */
extern const struct mp_option mp_report_option_table[];

/**
 * mp_report_options_check - check combinations of options, and set what follows from them
 *
 * Return: 0, or the exit status of a misuse, which was told.
 */
int mp_report_options_check(struct mp_report_options *chosen);

/** mp_report_has_locations - whether rows of a table are callsites or stacks */
bool mp_report_has_locations(const struct mp_out *out);

/**
 * mp_report_shows_both - whether a table of callsites follows the one of processes
 *
 * Who chose nothing wants to know who allocated the memory, too.
 */
bool mp_report_shows_both(const struct mp_report_options *chosen);

/** mp_report_chooses_code - whether only some callsites are shown: who leaks may be another one */
bool mp_report_chooses_code(const struct mp_report_options *chosen);

#endif

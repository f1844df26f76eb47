/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * split-wrapper: leaves out functions that allocate for others, so that rows are their callers
 */
#ifndef MP_SPLIT_WRAPPER_H
#define MP_SPLIT_WRAPPER_H

#include "choice.h"
#include "keepers-text.h"
#include "location-text.h"

/* Functions that are left out: an allocator of a program may have layers. */
#define MP_MAX_SPLIT	3

/**
 * struct mp_split - what was left out; zeroed: nothing
 * @nr: number of functions
 * @names: their short names, with commas
 * @sentence: who keeps what he has from the first one, see mp_keepers_text()
 * @keeper: the callsite that @sentence is about
 * @pid: of several processes, the one that @sentence is about; 0: there is one
 */
struct mp_split {
	unsigned int nr;
	char names[MP_MAX_SPLIT * (MP_COMM_SIZE + 2)];
	char sentence[MP_KEEPERS_TEXT_SIZE];
	char keeper[MP_LOCATION_TEXT_SIZE];
	uint32_t pid;
};

/**
 * mp_split_arrange - arrange callsites without those that allocate for a leak and for others
 * @choice: its --hide gets the names of these functions; if the user gave some, nothing more is
 *	left out
 * @out, @sizes, @profile: as for mp_choice_rows(); of several processes, nothing is left out
 * @sites: out; free it also after an error
 * @split: out: what was left out; NULL: leave out nothing
 *
 * Return: 0, or -ENOMEM.
 */
int mp_split_arrange(struct mp_choice *choice, const struct mp_out *out,
		     const struct mp_sizes *sizes, struct mp_profile *profile,
		     struct mp_profile *sites, struct mp_split *split);

/**
 * mp_split_leave_out - leave out the function that allocates for a leak and for others
 * @choice: its --hide gets the name
 * @sites: callsites, arranged
 * @process: row of the process that they are of
 * @is_alone: there is no other one
 * @split: tells what was left out
 *
 * Return: whether there was one: then the callsites are to be arranged anew.
 */
bool mp_split_leave_out(struct mp_choice *choice, const struct mp_profile *sites,
			const struct mp_row *process, bool is_alone, struct mp_split *split);

#endif

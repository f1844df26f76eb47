/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * renamed: finds the command whose name is another one in the new build of a program
 *
 * Rows are matched by command. Where each side has one command that the other one does not
 * have, these are taken for the same.
 */
#ifndef MP_RENAMED_H
#define MP_RENAMED_H

#include "profile.h"

/* Limit of the commands on each side; with more of them, none is taken for another. */
#define MP_RENAMED_MAX	64

/**
 * struct mp_renamed_side - the commands of a side, each once
 * @runs: for each, in how many of the side's runs it is
 * @last: the last one of these, from 1
 * @nr_runs: of the side
 * @has_more: not all had room
 */
struct mp_renamed_side {
	char list[MP_RENAMED_MAX][MP_COMM_SIZE];
	size_t runs[MP_RENAMED_MAX], last[MP_RENAMED_MAX];
	size_t nr, nr_runs;
	bool has_more;
};

/**
 * struct mp_renamed - all zero: no commands yet
 * @sides: the old one and the new one
 * @was: after mp_renamed_find(), the old name
 * @is: the new name
 */
struct mp_renamed {
	struct mp_renamed_side sides[2];
	char was[MP_COMM_SIZE], is[MP_COMM_SIZE];
};

/** mp_renamed_begin - begin a run of a side */
void mp_renamed_begin(struct mp_renamed_side *side);

/** mp_renamed_add - add a command of the run that was begun last; an empty name is none */
void mp_renamed_add(struct mp_renamed_side *side, const char *command);

/**
 * mp_renamed_find - find the only command of all runs of each side that no run of the other has
 *
 * Return: whether there is one on each side.
 */
bool mp_renamed_find(struct mp_renamed *renamed);

#endif

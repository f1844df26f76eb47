/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * judged: arranges the callsites that the sentence of a report is about
 */
#ifndef MP_JUDGED_H
#define MP_JUDGED_H

#include "split-wrapper.h"

/**
 * mp_judged_arrange - arrange callsites, each of one process
 * @choice: what the user chose; its keys say how callsites are told apart within a process
 * @sizes: of a recording; NULL: of this machine
 * @profile: rows of a source
 * @judged: out; free it also after an error
 * @split: out: wrappers that were left out; NULL: none is
 *
 * Tables add up the processes that run one program, and then tell nothing of one of them.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_judged_arrange(struct mp_choice *choice, enum mp_metric sort,
		      const struct mp_sizes *sizes, struct mp_profile *profile,
		      struct mp_profile *judged, struct mp_split *split);

/**
 * mp_judged_process - arrange the callsites of one process of several
 * @choice: what the user chose; its keys and filter are not used
 * @pid: the process
 *
 * It costs as much as a table of the callsites of that process alone. The rest is as for
 * mp_judged_arrange().
 *
 * Return: 0, or -ENOMEM.
 */
int mp_judged_process(struct mp_choice *choice, uint32_t pid, enum mp_metric sort,
		      const struct mp_sizes *sizes, struct mp_profile *profile,
		      struct mp_profile *judged);

/**
 * mp_judged_split - leave out wrappers of one process of several
 * @choice: its --hide gets their names
 * @process: row of the process
 * @split: out: what was left out
 *
 * The rest is as for mp_judged_process().
 *
 * Return: 0, or -ENOMEM.
 */
int mp_judged_split(struct mp_choice *choice, const struct mp_row *process, enum mp_metric sort,
		    const struct mp_sizes *sizes, struct mp_profile *profile,
		    struct mp_split *split);

#endif

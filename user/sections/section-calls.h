/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * section-calls: sections as calls, for flame graphs and sums
 */
#ifndef MP_SECTION_CALLS_H
#define MP_SECTION_CALLS_H

#include "calls.h"
#include "section-flushes.h"

/**
 * mp_section_calls - enter and leave the sections of a flush
 * @calls: of a run that goes on; no call is open before and after
 * @top_only: only those that are inside of no other, each with its total
 *
 * Ticks are units. Without @top_only a section's own are its net ones, and it is
 * called by the last started of those that it is inside of: of two that cross neither
 * calls the other. A total is more than the sum of that tree where sections that
 * cross have others inside: these are taken off both.
 *
 * Return: 0, -ENOMEM, or what the toplevel's function returned.
 */
int mp_section_calls(struct mp_calls *calls,
		     const struct mp_section_flush *flush, bool top_only);

#endif

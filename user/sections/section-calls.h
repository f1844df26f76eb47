/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * section-calls: turns sections into calls, for flame graphs and sums
 */
#ifndef MP_SECTION_CALLS_H
#define MP_SECTION_CALLS_H

#include "calls.h"
#include "section-flushes.h"

/**
 * mp_section_calls - add the sections of a flush as calls
 * @calls: a run without open calls; no call is open afterwards
 * @flush: the sections
 * @top_only: add only the sections outside of all others, each with its total
 *
 * The ticks of a call are the units of its section. Without @top_only, a call has
 * the section's net units. The caller of a section is the last started section
 * that contains it. If two sections cross, neither is the caller of the other. A
 * section inside of both is subtracted from both, so a section's total can then
 * exceed the sum of its tree.
 *
 * Return: 0, -ENOMEM, or the error of mp_calls.top.
 */
int mp_section_calls(struct mp_calls *calls,
		     const struct mp_section_flush *flush, bool top_only);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * section-calls: turns sections into calls, for flame graphs and sums
 */
#ifndef MP_SECTION_CALLS_H
#define MP_SECTION_CALLS_H

#include "calls.h"
#include "section-flushes.h"

/**
 * mp_section_calls - enter and leave the sections of a flush
 * @calls: a run without open calls; no call is open afterwards
 * @flush: the sections
 * @top_only: only sections that are inside of no other, each with its total
 *
 * Ticks are units. Without @top_only, the own ticks of a section are its net
 * units. Its caller is the last started section that contains it. Of two
 * sections that cross, neither calls the other. If crossing sections contain
 * others, a total can exceed the sum of its tree, because the contained
 * sections are subtracted from both.
 *
 * Return: 0, -ENOMEM, or the error of mp_calls.top.
 */
int mp_section_calls(struct mp_calls *calls,
		     const struct mp_section_flush *flush, bool top_only);

#endif

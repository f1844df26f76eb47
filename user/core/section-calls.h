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
 * @tick: of the run, 0 at its beginning; goes on
 *
 * A section's own ticks are its net units. It is called by the last started of those
 * that it is inside of: of two that cross neither calls the other.
 *
 * Return: 0, -ENOMEM, or what the toplevel's function returned.
 */
int mp_section_calls(struct mp_calls *calls,
		     const struct mp_section_flush *flush, uint64_t *tick);

#endif

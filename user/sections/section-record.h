/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-or-later */
/*
 * section-record: converts a completed section to the record of <linux/memprof.h>
 */
#ifndef MP_SECTION_RECORD_H
#define MP_SECTION_RECORD_H

#include "sections.h"

#ifdef __KERNEL__
#include <uapi/linux/memprof.h>
#else
#include <linux/memprof.h>
#endif

/**
 * mp_section_to_record - convert a section to a record
 * @meter: enum memprof_section_meter
 * @left: number of sections that follow in the same flush
 */
void mp_section_to_record(struct memprof_section *record,
			  const struct mp_section *section, uint32_t meter,
			  uint64_t left);

/**
 * mp_section_of_record - convert a record to a section
 * @record: untrusted; the section's id points into the record
 */
void mp_section_of_record(struct mp_section *section,
			  struct memprof_section *record);

#endif

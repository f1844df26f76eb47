/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-or-later */
/*
 * section-record: a completed section as it travels, see <linux/memprof.h>
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
 * mp_section_to_record - fill in a record
 * @meter: enum memprof_section_meter
 * @left: sections that wait behind it
 */
void mp_section_to_record(struct memprof_section *record,
			  const struct mp_section *section, uint32_t meter,
			  uint64_t left);

/**
 * mp_section_of_record - the other way round
 * @record: from anywhere; the section's id is the record's
 */
void mp_section_of_record(struct mp_section *section,
			  struct memprof_section *record);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * section-log: writes completed sections as lines
 */
#ifndef MP_SECTION_LOG_H
#define MP_SECTION_LOG_H

#include "section-flushes.h"
#include "sections.h"

#include <stdio.h>

/**
 * mp_section_log - write a line with the units of a section, and a line with its heap
 * if that is known
 *
 * Ids are escaped: bytes that are not text become \xNN.
 */
void mp_section_log(FILE *file, const struct mp_section *section);

/**
 * mp_section_json - write the sections of a flush as one line with a JSON list
 *
 * Return: 0, or -ENOMEM.
 */
int mp_section_json(FILE *file, const struct mp_section *sections, size_t nr);

/** mp_section_seen - write a line with the event streams of a section, if any was active */
void mp_section_seen(FILE *file, const struct memprof_section *record);

/**
 * mp_section_flush_json - write a thread's flush as one line with a JSON object
 *
 * Return: 0, or -ENOMEM.
 */
int mp_section_flush_json(FILE *file, struct mp_section_flush *flush);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * section-log: completed sections as lines
 */
#ifndef MP_SECTION_LOG_H
#define MP_SECTION_LOG_H

#include "section-flushes.h"
#include "sections.h"

#include <stdio.h>

/**
 * mp_section_log - a line of units, and one of heap where it is known
 *
 * Ids come out as they are, but for what would not be text: \xNN.
 */
void mp_section_log(FILE *file, const struct mp_section *section);

/**
 * mp_section_json - a flush's sections as one JSON list on a line of its own
 *
 * Return: 0, or -ENOMEM.
 */
int mp_section_json(FILE *file, const struct mp_section *sections, size_t nr);

/**
 * mp_section_seen - a line of what a session saw in it; none where none watched
 */
void mp_section_seen(FILE *file, const struct memprof_section *record);

/**
 * mp_section_flush_json - a thread's flush as one JSON object on a line of its own
 *
 * Return: 0, or -ENOMEM.
 */
int mp_section_flush_json(FILE *file, struct mp_section_flush *flush);

#endif

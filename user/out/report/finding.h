/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * finding: what a check of the machine found
 */
#ifndef MP_FINDING_H
#define MP_FINDING_H

#include <stdbool.h>
#include <stdio.h>

/**
 * enum mp_level - how bad it is
 * @MP_LEVEL_OK: as it should be
 * @MP_LEVEL_WARNING: something does less than it could
 * @MP_LEVEL_MISSING: no session can start
 */
enum mp_level {
	MP_LEVEL_OK,
	MP_LEVEL_WARNING,
	MP_LEVEL_MISSING,
	MP_NR_LEVELS,
};

/**
 * struct mp_finding - of one check
 * @name: what was looked at
 * @level: how it stands
 * @text: what was found
 * @fix: what to do about it; NULL where there is nothing to do
 */
struct mp_finding {
	const char *name;
	enum mp_level level;
	char text[256];
	const char *fix;
};

/** mp_finding_print - a line of text */
void mp_finding_print(FILE *file, const struct mp_finding *finding);

/** mp_finding_json - a line of JSON, "type" being "check" */
void mp_finding_json(FILE *file, const struct mp_finding *finding);

/** mp_finding_json_verdict - the last line, "type" being "verdict" */
void mp_finding_json_verdict(FILE *file, bool can_start);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * finding: writes the results of checks of the machine
 */
#ifndef MP_FINDING_H
#define MP_FINDING_H

#include <stdbool.h>
#include <stdio.h>

/**
 * enum mp_level - severity of a finding
 * @MP_LEVEL_OK: no problem
 * @MP_LEVEL_WARNING: a feature of memprof is limited
 * @MP_LEVEL_MISSING: a source cannot be used
 */
enum mp_level {
	MP_LEVEL_OK,
	MP_LEVEL_WARNING,
	MP_LEVEL_MISSING,
	MP_NR_LEVELS,
};

/**
 * struct mp_finding - result of one check
 * @name: name of the check
 * @level: severity
 * @text: what was found
 * @fix: what to do; NULL: nothing
 */
struct mp_finding {
	const char *name;
	enum mp_level level;
	char text[256];
	const char *fix;
};

/** mp_finding_print - write a finding as a line of text */
void mp_finding_print(FILE *file, const struct mp_finding *finding);

/** mp_finding_json - write a finding as a JSON line of a type: "check" or "source" */
void mp_finding_json(FILE *file, const char *type, const struct mp_finding *finding);

/** mp_finding_json_verdict - write the last JSON line: whether a session can start */
void mp_finding_json_verdict(FILE *file, bool can_start);

#endif

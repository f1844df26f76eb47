/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * grouping: selects the fields (keys) by which rows of callsites are grouped
 */
#ifndef MP_GROUPING_H
#define MP_GROUPING_H

#include "profile.h"

/* Keys, as bits. If several keys are code locations, the finest one is used. */
#define MP_GROUP_PID		(1 << 0)
#define MP_GROUP_COMM		(1 << 1)
#define MP_GROUP_CGROUP		(1 << 2)
#define MP_GROUP_CALLSITE	(1 << 3)
#define MP_GROUP_SYMBOL		(1 << 4)
#define MP_GROUP_SOURCE		(1 << 5)
#define MP_GROUP_BINARY		(1 << 6)
/* A source line or, where it is not known, a callsite. */
#define MP_GROUP_LINE		(1 << 7)
#define MP_GROUP_HOST		(1 << 8)

#define MP_GROUP_DEFAULT	(MP_GROUP_COMM | MP_GROUP_CALLSITE)
/* For tables, where two callsites in one line would have the same text. */
#define MP_GROUP_TABLE		(MP_GROUP_COMM | MP_GROUP_LINE)

/**
 * mp_grouping_find - parse a list of keys
 * @text: "KEY[,KEY]...": pid, comm, cgroup, host, callsite, line, symbol, source,
 *	binary
 *
 * Return: MP_GROUP_* bits; 0 if a name is unknown.
 */
unsigned int mp_grouping_find(const char *text);

/**
 * mp_grouping_apply - clear the fields that are not keys
 *
 * Rows with the same keys are equal then, and mp_profile_merge() merges them.
 */
void mp_grouping_apply(struct mp_profile *profile, unsigned int keys);

#endif

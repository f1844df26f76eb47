// SPDX-License-Identifier: GPL-2.0-only
/*
 * human: formats numbers with units
 *
 * Only integers are used, so all 64-bit values are correct. Nothing can fail.
 */
#include "human.h"

#include <inttypes.h>
#include <stdio.h>

/*
 * Formats a number with a unit. Numbers below 100 have one decimal. A value that
 * would be rounded up to the next unit (1023.97K) is shown in that unit.
 */
static const char *scale(char *buf, uint64_t value, unsigned int base,
			 const char * const *units)
{
	uint64_t unit = base, tenths, whole;
	int i = 0;

	if (value < base) {
		snprintf(buf, MP_HUMAN_SIZE, "%" PRIu64, value);
		return buf;
	}
	for (;; i++, unit *= base) {
		whole = value / unit + (value % unit >= unit / 2);
		if (whole < base || !units[i + 1])
			break;
	}
	/* the sum cannot overflow, because unit is at most 2^60 */
	tenths = value / unit * 10 + (value % unit * 10 + unit / 2) / unit;
	if (tenths < 1000)
		snprintf(buf, MP_HUMAN_SIZE, "%u.%u%s", (unsigned int)tenths / 10,
			 (unsigned int)tenths % 10, units[i]);
	else
		snprintf(buf, MP_HUMAN_SIZE, "%" PRIu64 "%s", whole, units[i]);
	return buf;
}

const char *mp_human_bytes(char *buf, uint64_t bytes)
{
	static const char * const units[] = { "K", "M", "G", "T", "P", "E", NULL };

	return scale(buf, bytes, 1024, units);
}

const char *mp_human_count(char *buf, uint64_t count)
{
	/* m and M would be two letters for two things in one table */
	static const char * const units[] = {
		"k", "e6", "e9", "e12", "e15", "e18", NULL,
	};

	if (count >= 100000)
		return scale(buf, count, 1000, units);
	snprintf(buf, MP_HUMAN_SIZE, "%" PRIu64, count);
	return buf;
}

const char *mp_human_span(char *buf, uint64_t ns)
{
	uint64_t ms = ns / 1000000, s = ms / 1000, min = s / 60, h = min / 60;

	if (ms < 1000)
		snprintf(buf, MP_HUMAN_SIZE, "%" PRIu64 " ms", ms);
	else if (s < 60)
		snprintf(buf, MP_HUMAN_SIZE, "%" PRIu64 ".%" PRIu64 " s", s,
			 ms % 1000 / 100);
	else if (min < 60)
		snprintf(buf, MP_HUMAN_SIZE, "%" PRIu64 " min %02" PRIu64 " s",
			 min, s % 60);
	else if (h < 24)
		snprintf(buf, MP_HUMAN_SIZE, "%" PRIu64 " h %02" PRIu64 " min",
			 h, min % 60);
	else
		snprintf(buf, MP_HUMAN_SIZE, "%" PRIu64 " d %02" PRIu64 " h",
			 h / 24, h % 24);
	return buf;
}

const char *mp_human_metric(char *buf, enum mp_metric metric, uint64_t value,
			    bool exact)
{
	const struct mp_metric_info *info = &mp_metrics[metric];
	bool negative = info->is_signed && (int64_t)value < 0;
	char digits[MP_HUMAN_SIZE - 1];

	if (negative)
		value = -value;
	if (exact)
		snprintf(digits, sizeof(digits), "%" PRIu64, value);
	else if (info->unit == MP_UNIT_BYTES)
		mp_human_bytes(buf, value);
	else
		mp_human_count(buf, value);
	if (!exact)
		snprintf(digits, sizeof(digits), "%.30s", buf);
	snprintf(buf, MP_HUMAN_SIZE, "%s%s", negative ? "-" : "", digits);
	return buf;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * number: parses digits and units of bytes; it returns false for invalid text
 */
#include "number.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool mp_command_number(const char *text, uint64_t min, uint64_t max,
		       uint64_t *number)
{
	char *end;

	/* reject spaces and signs, which strtoull() would accept */
	if (!isdigit((unsigned char)text[0]))
		return false;
	errno = 0;
	*number = strtoull(text, &end, 10);
	return !errno && !*end && *number >= min && *number <= max;
}

/* Milliseconds of a unit; 0: there is no such unit. */
static double unit_ms(const char *unit)
{
	static const struct {
		const char *name;
		double ms;
	} units[] = {
		{ "", 1000 }, { "s", 1000 }, { "ms", 1 }, { "m", 60e3 }, { "h", 3600e3 },
		{ "d", 86400e3 },
	};
	size_t i;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(unit, units[i].name))
			return units[i].ms;
	return 0;
}

bool mp_command_duration(const char *text, uint64_t min_ms, uint64_t max_ms,
			 uint64_t *ms)
{
	size_t len = strspn(text, "0123456789."), i;
	double value = 0, scale = 1;
	bool fraction = false;

	if (!isdigit((unsigned char)text[0]) || text[len - 1] == '.')
		return false;
	/* strtod() would follow the locale */
	for (i = 0; i < len; i++) {
		if (text[i] == '.' && fraction)
			return false;
		fraction |= text[i] == '.';
		if (text[i] == '.')
			continue;
		value = value * 10 + (text[i] - '0');
		scale *= fraction ? 10 : 1;
	}
	value *= unit_ms(text + len) / scale;
	*ms = value <= (double)max_ms ? (uint64_t)(value + 1e-6) : 0;
	return unit_ms(text + len) && value <= (double)max_ms && *ms >= min_ms;
}

bool mp_command_bytes(const char *text, uint64_t min, uint64_t max,
		      uint64_t *bytes)
{
	static const char units[] = "kmg";
	char digits[24];
	size_t len = strspn(text, "0123456789");
	const char *unit = "";
	int shift = 0;

	if (!len || len >= sizeof(digits))
		return false;
	memcpy(digits, text, len);
	digits[len] = '\0';
	if (text[len]) {
		unit = strchr(units, tolower((unsigned char)text[len]));
		if (!unit || text[len + 1])
			return false;
		shift = 10 * (int)(unit - units + 1);
	}
	if (!mp_command_number(digits, 0, max >> shift, bytes))
		return false;
	*bytes <<= shift;
	return *bytes >= min;
}

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

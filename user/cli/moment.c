// SPDX-License-Identifier: GPL-2.0-only
/*
 * moment: parses and writes times
 */
#include "moment.h"
#include "number.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define MAX_BEFORE_MS	(100ULL * 365 * 86400 * 1000)

static bool parse_local(const char *text, time_t now, uint64_t *seconds)
{
	static const char * const formats[] = {
		"%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d", "%H:%M:%S", "%H:%M",
	};
	const char *end;
	struct tm local;
	time_t result;
	size_t i;

	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		/* a time without a date is of today */
		if (!localtime_r(&now, &local))
			return false;
		local.tm_hour = local.tm_min = local.tm_sec = 0;
		local.tm_isdst = -1;
		end = strptime(text, formats[i], &local);
		if (!end || *end)
			continue;
		result = mktime(&local);
		*seconds = (uint64_t)result;
		return result >= 0;
	}
	return false;
}

bool mp_moment_parse(const char *text, time_t now, uint64_t *seconds)
{
	uint64_t ms;

	if (!strcmp(text, "now")) {
		*seconds = (uint64_t)now;
		return true;
	}
	if (*text == '@')
		return mp_command_number(text + 1, 0, INT64_MAX / 2, seconds);
	if (*text == '-') {
		if (!mp_command_duration(text + 1, 0, MAX_BEFORE_MS, &ms))
			return false;
		ms /= 1000;
		*seconds = (uint64_t)now > ms ? (uint64_t)now - ms : 0;
		return true;
	}
	return parse_local(text, now, seconds);
}

const char *mp_moment_write(char text[MP_MOMENT_SIZE], uint64_t seconds)
{
	const time_t time = (time_t)seconds;
	struct tm local;

	if (!localtime_r(&time, &local) ||
	    !strftime(text, MP_MOMENT_SIZE, "%Y-%m-%d %H:%M:%S", &local))
		snprintf(text, MP_MOMENT_SIZE, "@%llu", (unsigned long long)seconds);
	return text;
}

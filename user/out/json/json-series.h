/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * json-series: writes and reads values over time as lines of JSON
 */
#ifndef MP_JSON_SERIES_H
#define MP_JSON_SERIES_H

#include "profile.h"

#include <json-c/json.h>

/** mp_json_nr_series - number of series of a profile that are not empty */
size_t mp_json_nr_series(const struct mp_profile *profile);

/** mp_json_add_series - add the @i-th series that is not empty to a line, from 0 */
void mp_json_add_series(struct json_object *line,
			const struct mp_profile *profile, size_t i);

/** mp_json_read_series - read a series. Return: 0, or -EBADMSG */
int mp_json_read_series(struct mp_profile *profile, struct json_object *object);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * json-series: values over time, in JSON
 */
#ifndef MP_JSON_SERIES_H
#define MP_JSON_SERIES_H

#include "profile.h"

#include <json-c/json.h>

/** mp_json_nr_series - series of a profile that hold anything */
size_t mp_json_nr_series(const struct mp_profile *profile);

/** mp_json_add_series - add the @i-th of them to a line: of, start_ns, step_ns, values */
void mp_json_add_series(struct json_object *line,
			const struct mp_profile *profile, size_t i);

/** mp_json_read_series - take one in. Return: 0, or -EBADMSG */
int mp_json_read_series(struct mp_profile *profile, struct json_object *object);

#endif

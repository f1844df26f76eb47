// SPDX-License-Identifier: GPL-2.0-only
/*
 * json-series: writes and reads a line per series
 */
#include "json-series.h"
#include "json-frames.h"
#include "json-object.h"

#include <errno.h>
#include <string.h>

static const char * const names[MP_NR_SERIES] = {
	[MP_SERIES_LIVE] = "inuse_space",
	[MP_SERIES_GROWTH] = "growth_space",
	[MP_SERIES_RESIDENT] = "resident_space",
};

size_t mp_json_nr_series(const struct mp_profile *profile)
{
	size_t i, nr = 0;

	for (i = 0; i < MP_NR_SERIES; i++)
		nr += profile->series[i].nr > 0;
	return nr;
}

void mp_json_add_series(struct json_object *line,
			const struct mp_profile *profile, size_t i)
{
	struct json_object *values = json_object_new_array();
	const struct mp_series *series;
	int kind = 0;
	uint32_t step;

	while (!profile->series[kind].nr || i--)
		kind++;
	series = &profile->series[kind];
	mp_json_add_text(line, "of", names[kind]);
	mp_json_add_number(line, "start_ns", series->start_ns);
	mp_json_add_number(line, "step_ns", series->step_ns);
	for (step = 0; values && step < series->nr; step++)
		json_object_array_add(values, json_object_new_int64(
			series->value[step]));
	mp_json_add(line, "values", values);
	mp_json_add(line, "last", json_object_new_int64(series->last));
}

static int read_values(struct json_object *list, struct mp_series *series)
{
	struct json_object *one;
	size_t i, nr;

	if (!json_object_is_type(list, json_type_array))
		return -EBADMSG;
	nr = json_object_array_length(list);
	if (!nr || nr > MP_SERIES_POINTS)
		return -EBADMSG;
	for (i = 0; i < nr; i++) {
		one = json_object_array_get_idx(list, i);
		if (!json_object_is_type(one, json_type_int))
			return -EBADMSG;
		series->value[i] = json_object_get_int64(one);
	}
	series->nr = (uint32_t)nr;
	series->last = series->value[nr - 1];
	return 0;
}

int mp_json_read_series(struct mp_profile *profile, struct json_object *object)
{
	const char *of = mp_json_read_string(object, "of");
	struct mp_series series = { 0 };
	struct json_object *list, *last;
	int kind = 0, err;

	while (of && kind < MP_NR_SERIES && strcmp(of, names[kind]))
		kind++;
	/* a later version wrote a series of an unknown kind: ignore it */
	if (of && kind == MP_NR_SERIES)
		return 0;
	if (!of || !json_object_object_get_ex(object, "values", &list))
		return -EBADMSG;
	err = mp_json_read_number(object, "start_ns", UINT64_MAX,
				  &series.start_ns) ?:
	      mp_json_read_number(object, "step_ns", UINT64_MAX / 1024,
				  &series.step_ns) ?:
	      read_values(list, &series);
	if (!err && !series.step_ns)
		err = -EBADMSG;
	/* an earlier version wrote none: then it is that of the last step */
	if (!err && json_object_object_get_ex(object, "last", &last))
		series.last = json_object_get_int64(last);
	if (!err)
		profile->series[kind] = series;
	return err;
}

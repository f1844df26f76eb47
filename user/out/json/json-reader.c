// SPDX-License-Identifier: GPL-2.0-only
/*
 * json-reader: makes a profile from lines of JSON
 *
 * Lines are untrusted: their length and depth, types and ranges are checked, and an
 * invalid line adds no row. A row costs about 6 us. Memory is needed for the rows and
 * for the objects of one line.
 */
#include "json.h"
#include "json-frames.h"
#include "json-series.h"
#include "sites.h"
#include "text.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

/* Limit of nested objects and lists in a line. Valid lines have few levels. */
#define MAX_DEPTH	4

/* Limit of counters in a profile, far more than exist. */
#define MAX_COUNTERS	1024

static int read_u32(struct json_object *object, const char *key,
		    uint32_t *value)
{
	uint64_t wide = *value;
	int err = mp_json_read_number(object, key, UINT32_MAX, &wide);

	*value = wide;
	return err;
}

static bool read_flag(struct json_object *object, const char *key)
{
	struct json_object *found;

	return json_object_object_get_ex(object, key, &found) &&
	       json_object_is_type(found, json_type_boolean) &&
	       json_object_get_boolean(found);
}

static int read_metric(struct json_object *object, enum mp_metric metric,
		       uint64_t *value)
{
	const struct mp_metric_info *info = &mp_metrics[metric];
	struct json_object *found;

	if (!info->is_signed)
		return mp_json_read_number(object, info->key, UINT64_MAX, value);
	if (!json_object_object_get_ex(object, info->key, &found))
		return 0;
	if (!json_object_is_type(found, json_type_int))
		return -EBADMSG;
	*value = (uint64_t)json_object_get_int64(found);
	return 0;
}

static int read_cgroup(struct mp_profile *profile, struct json_object *object,
		       uint64_t id)
{
	const char *path = mp_json_read_string(object, "cgroup");

	/* for an unknown path the writer has written "id:N": ignore it */
	if (!path || path[0] != '/')
		return 0;
	if (strlen(path) > 4 * MEMPROF_PATH_LEN)
		return -EBADMSG;
	return mp_id_names_add(&profile->names, id, path);
}

/* Reads the machine of a row, of which there are few: a row has no name of its own. */
static int read_host(struct mp_profile *profile, struct json_object *object, uint32_t *host)
{
	const char *text = mp_json_read_string(object, "host");
	char name[MP_ORIGIN_NAME_SIZE];
	uint32_t number;

	if (!text)
		return 0;
	mp_text_escape(name, sizeof(name), text, strlen(text));
	number = mp_names_add(&profile->hosts, name);
	*host = number + 1;
	return number == MP_NAMES_NONE ? -ENOMEM : 0;
}

/* Reads what a runtime said of a container; the other members follow from the path. */
static int read_container(struct mp_profile *profile, struct json_object *object,
			  uint64_t cgroup)
{
	const char *text;
	int what, err = 0;

	for (what = 0; !err && what < MP_NR_CONTAINER_TEXTS; what++) {
		text = mp_json_read_string(object, mp_container_key(what));
		if (text)
			err = mp_containers_add(&profile->containers, cgroup, what, text);
	}
	return err;
}

static int read_title(struct mp_profile *profile, struct json_object *object,
		      uint32_t pid)
{
	const char *title = mp_json_read_string(object, "title");

	return title && strlen(title) <= 4 * MEMPROF_PATH_LEN ?
	       mp_id_names_add(&profile->titles, pid, title) : 0;
}

static int read_bins(struct json_object *object, const char *key,
		     uint64_t *bins)
{
	struct json_object *list, *one;
	size_t i;

	if (!json_object_object_get_ex(object, key, &list))
		return 0;
	if (!json_object_is_type(list, json_type_array) ||
	    json_object_array_length(list) > MEMPROF_HISTOGRAM)
		return -EBADMSG;
	for (i = 0; i < json_object_array_length(list); i++) {
		one = json_object_array_get_idx(list, i);
		if (!json_object_is_type(one, json_type_int))
			return -EBADMSG;
		bins[i] = json_object_get_uint64(one);
	}
	return 0;
}

/* Reads a location. Names of functions, which only reports have, are ignored. */
static int read_location(struct mp_profile *profile, struct json_object *object,
			 struct mp_location *location)
{
	struct mp_histogram histogram = { 0 };
	int err;

	err = read_u32(object, "func", &location->func) ?:
	      mp_json_read_number(object, "address", UINT64_MAX, &location->address) ?:
	      mp_json_read_number(object, "offset", UINT64_MAX, &location->offset) ?:
	      read_bins(object, "sizes", histogram.sizes) ?:
	      read_bins(object, "lifetimes", histogram.lifetimes);
	err = err ?: mp_json_read_binary(profile, object, &location->binary) ?:
	      mp_json_read_stack(profile, object, location);
	/* rows of stacks have no histogram */
	return err || !json_object_object_get_ex(object, "sizes", NULL) ? err :
	       mp_sites_histogram(profile, &histogram, &location->histogram);
}

static int read_keeper(struct mp_profile *profile, struct json_object *object,
		       struct mp_row *row)
{
	struct json_object *keeper;

	if (!json_object_object_get_ex(object, "keeper", &keeper))
		return 0;
	if (!json_object_is_type(keeper, json_type_object))
		return -EBADMSG;
	return mp_json_read_number(keeper, "bytes", UINT64_MAX, &row->kept) ?:
	       read_location(profile, keeper, &row->keeper);
}

static int read_row(struct mp_profile *profile, struct json_object *object,
		    enum mp_row_kind kind)
{
	struct mp_row row = { .kind = kind };
	const char *comm = mp_json_read_string(object, "comm");
	int i, err;

	if (comm)
		mp_text_escape(row.comm, sizeof(row.comm), comm, strlen(comm));
	err = read_u32(object, "pid", &row.pid) ?:
	      read_u32(object, "processes", &row.nr_processes) ?:
	      mp_json_read_number(object, "cgroup_id", UINT64_MAX, &row.cgroup) ?:
	      mp_json_read_number(object, "start_ns", UINT64_MAX, &row.start_ns) ?:
	      mp_json_read_number(object, "exit_ns", UINT64_MAX, &row.exit_ns) ?:
	      mp_json_read_number(object, "began_ns", UINT64_MAX, &row.began_ns) ?:
	      mp_json_read_number(object, "peak_before_space", UINT64_MAX, &row.peak_before) ?:
	      read_u32(object, "signal", &row.signal);
	for (i = 0; !err && i < MP_NR_METRICS; i++)
		err = read_metric(object, i, &row.value[i]);
	for (i = 0; i < MP_JSON_NR_ROW_BITS; i++)
		if (read_flag(object, mp_json_row_bits[i].key))
			row.flags |= mp_json_row_bits[i].bit;
	if (!err && mp_row_has_location(&row))
		err = read_location(profile, object, &row.location) ?:
		      read_keeper(profile, object, &row);
	return err ?: read_host(profile, object, &row.host) ?:
	       read_cgroup(profile, object, row.cgroup) ?:
	       read_container(profile, object, row.cgroup) ?:
	       read_title(profile, object, row.pid) ?:
	       mp_profile_add(profile, &row);
}

static int read_state(struct json_object *object, struct mp_meta *meta)
{
	const char *state = mp_json_read_string(object, "state");
	uint32_t i;

	for (i = 0; state && i < MP_JSON_NR_STATES; i++) {
		if (!strcmp(state, mp_json_states[i])) {
			meta->status.state = i;
			return 0;
		}
	}
	return -EBADMSG;
}

/* Reads the source of the numbers, which older collectors do not send. */
static int read_source(struct json_object *object, struct mp_meta *meta)
{
	const char *source = mp_json_read_string(object, "source");
	enum mp_source i;

	for (i = 0; source && i < MP_NR_SOURCES; i++) {
		if (!strcmp(source, mp_source_name(i))) {
			meta->source = i;
			return 0;
		}
	}
	return source ? -EBADMSG : 0;
}

static int read_meta(struct json_object *object, struct mp_meta *meta)
{
	const char *targets = mp_json_read_string(object, "targets");
	char *base = (char *)meta;
	uint32_t narrow;
	uint64_t wide;
	int i, err;

	err = read_state(object, meta) ?: read_source(object, meta);
	for (i = 0; !err && i < MP_JSON_NR_FIELDS; i++) {
		wide = 0;
		err = mp_json_read_number(object, mp_json_fields[i].key,
				  mp_json_fields[i].size == 8 ? UINT64_MAX :
					  UINT32_MAX,
					  &wide);
		narrow = wide;
		if (mp_json_fields[i].size == 8)
			memcpy(base + mp_json_fields[i].offset, &wide, 8);
		else
			memcpy(base + mp_json_fields[i].offset, &narrow, 4);
	}
	meta->status.streams =
		(read_flag(object, "faults") ? MEMPROF_START_FAULTS : 0) |
		(read_flag(object, "growth") ? MEMPROF_START_GROWTH : 0) |
		(read_flag(object, "alloc") ? MEMPROF_START_ALLOC : 0);
	if (targets)
		mp_text_escape(meta->targets, sizeof(meta->targets), targets,
			       strlen(targets));
	return err;
}

static int read_counters(struct mp_profile *profile, struct json_object *object)
{
	struct json_object *counters;
	uint64_t value;
	int err;

	if (!json_object_object_get_ex(object, "counters", &counters))
		return 0;
	if (!json_object_is_type(counters, json_type_object) ||
	    profile->nr_counters > MAX_COUNTERS)
		return -EBADMSG;
	json_object_object_foreach(counters, name, unused) {
		(void)unused;
		value = 0;
		err = mp_json_read_number(counters, name, UINT64_MAX, &value) ?:
		      mp_profile_add_counter(profile, name, value);
		if (err)
			return err;
	}
	return 0;
}

static int read_warnings(struct mp_profile *profile, struct json_object *object)
{
	struct json_object *list, *one;
	size_t i;
	int err = 0;

	if (!json_object_object_get_ex(object, "warnings", &list))
		return 0;
	if (!json_object_is_type(list, json_type_array))
		return -EBADMSG;
	for (i = 0; !err && i < json_object_array_length(list); i++) {
		one = json_object_array_get_idx(list, i);
		if (!json_object_is_type(one, json_type_string))
			return -EBADMSG;
		err = mp_profile_warn(profile, json_object_get_string(one));
	}
	return err;
}

static int read_error(struct json_object *object, struct mp_json_line *line)
{
	const char *message = mp_json_read_string(object, "message");
	uint64_t err = 0;

	if (!message || mp_json_read_number(object, "errno", INT_MAX, &err))
		return -EBADMSG;
	line->err = (int)err;
	mp_text_escape(line->message, sizeof(line->message), message,
		       strlen(message));
	return 0;
}

static int read_object(struct mp_profile *profile, struct json_object *object,
		       struct mp_json_line *line)
{
	const char *type = mp_json_read_string(object, "type");
	int i;

	if (!type)
		return -EBADMSG;
	for (i = MP_JSON_UNKNOWN + 1; i < MP_NR_JSON_TYPES; i++)
		if (!strcmp(type, mp_json_types[i]))
			line->type = i;
	switch (line->type) {
	case MP_JSON_PROCESS:
		return read_row(profile, object, MP_ROW_PROCESS);
	case MP_JSON_CGROUP:
		return read_row(profile, object, MP_ROW_CGROUP);
	case MP_JSON_SITE:
		return read_row(profile, object, MP_ROW_SITE);
	case MP_JSON_STACK:
		return read_row(profile, object, MP_ROW_STACK);
	case MP_JSON_FRAME:
		return mp_json_read_frame(profile, object);
	case MP_JSON_SERIES:
		return mp_json_read_series(profile, object);
	case MP_JSON_SUMMARY:
		return read_meta(object, &profile->meta) ?:
		       read_counters(profile, object) ?:
		       read_warnings(profile, object);
	case MP_JSON_STATUS:
		return read_meta(object, &profile->meta);
	case MP_JSON_ERROR:
		return read_error(object, line);
	default:
		return 0;
	}
}

/* Whether only blanks follow the first value of a line. */
static bool is_whole(struct json_tokener *tokener, const char *text, size_t len)
{
	size_t at = json_tokener_get_parse_end(tokener);

	while (at < len && (text[at] == ' ' || text[at] == '\r'))
		at++;
	return at == len;
}

int mp_json_read(struct mp_profile *profile, const char *text, size_t len,
		 struct mp_json_line *line)
{
	struct json_tokener *tokener;
	struct json_object *object;
	int err = -EBADMSG;

	*line = (struct mp_json_line){ .type = MP_JSON_UNKNOWN };
	if (len > MP_JSON_MAX_LINE)
		return -EBADMSG;
	tokener = json_tokener_new_ex(MAX_DEPTH);
	if (!tokener)
		return -ENOMEM;
	json_tokener_set_flags(tokener, JSON_TOKENER_VALIDATE_UTF8);
	object = json_tokener_parse_ex(tokener, text, (int)len);
	if (object && is_whole(tokener, text, len) &&
	    json_object_is_type(object, json_type_object))
		err = read_object(profile, object, line);
	json_object_put(object);
	json_tokener_free(tokener);
	return err;
}

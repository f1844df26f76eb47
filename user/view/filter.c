// SPDX-License-Identifier: GPL-2.0-only
/*
 * filter: parses conditions once, then tests each row
 *
 * Conditions are in an array of fixed size. If a condition cannot be parsed, the
 * reason is returned as a text.
 */
#include "filter.h"
#include "cgroup-path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Digits of a container's id that select it; docker ps has as many. */
#define MIN_ID	12

static const char * const keys[MP_NR_FILTER_KEYS] = {
	[MP_FILTER_PID] = "pid=", [MP_FILTER_COMM] = "comm=",
	[MP_FILTER_CGROUP] = "cgroup=", [MP_FILTER_CONTAINER] = "container=",
	[MP_FILTER_POD] = "pod=", [MP_FILTER_HOST] = "host=",
	 [MP_FILTER_SYMBOL] = "symbol=",
	[MP_FILTER_SIZE] = "size>=",
};

/* Parses a number. @units: it may be followed by K, M or G (powers of 1024). */
static bool parse_number(const char *text, bool units, uint64_t *number)
{
	static const char suffixes[] = "KMG";
	const char *found;
	char *end;

	errno = 0;
	*number = strtoull(text, &end, 10);
	if (errno || end == text || *text == '-')
		return false;
	found = units && *end ? strchr(suffixes, *end) : NULL;
	if (found) {
		end++;
		for (; found >= suffixes; found--)
			if (__builtin_mul_overflow(*number, 1024, number))
				return false;
	}
	return !*end;
}

static bool compile_regex(struct mp_filter_term *term, const char *text, char *why)
{
	int err = regcomp(&term->regex, text, REG_EXTENDED | REG_NOSUB);
	char said[MP_FILTER_WHY_SIZE / 2];

	if (!err)
		return true;
	regerror(err, &term->regex, said, sizeof(said));
	snprintf(why, MP_FILTER_WHY_SIZE, "'%.80s' is no regular expression: %s",
		 text, said);
	return false;
}

static bool parse_value(struct mp_filter_term *term, const char *text, char *why)
{
	if (!*text) {
		snprintf(why, MP_FILTER_WHY_SIZE, "%s what?", keys[term->key]);
		return false;
	}
	term->text = text;
	if (term->key == MP_FILTER_SYMBOL)
		return compile_regex(term, text, why);
	if (term->key != MP_FILTER_PID && term->key != MP_FILTER_SIZE)
		return true;
	if (parse_number(text, term->key == MP_FILTER_SIZE, &term->number))
		return true;
	snprintf(why, MP_FILTER_WHY_SIZE, "%s takes a number, not '%.80s'",
		 keys[term->key], text);
	return false;
}

static bool add_term(struct mp_filter *filter, const char *text, char *why)
{
	struct mp_filter_term *term = &filter->terms[filter->nr];
	enum mp_filter_key key;

	for (key = 0; key < MP_NR_FILTER_KEYS; key++)
		if (!strncmp(text, keys[key], strlen(keys[key])))
			break;
	if (key == MP_NR_FILTER_KEYS) {
		snprintf(why, MP_FILTER_WHY_SIZE,
			 "'%.80s' is none of pid=, comm=, cgroup=, container=, pod=, host=, symbol=, size>=",
			 text);
		return false;
	}
	if (filter->nr == MP_FILTER_TERMS) {
		snprintf(why, MP_FILTER_WHY_SIZE, "more than %d conditions",
			 MP_FILTER_TERMS);
		return false;
	}
	term->key = key;
	if (!parse_value(term, text + strlen(keys[key]), why))
		return false;
	filter->nr++;
	return true;
}

/*
 * Ends the first term at a comma, and returns the next term. A comma ends a term
 * only if a key follows, because regular expressions and names can contain commas.
 */
static char *next_term(char *text)
{
	enum mp_filter_key key;
	char *comma = text;

	while ((comma = strchr(comma, ','))) {
		for (key = 0; key < MP_NR_FILTER_KEYS; key++)
			if (!strncmp(comma + 1, keys[key], strlen(keys[key]))) {
				*comma = '\0';
				return comma + 1;
			}
		comma++;
	}
	return NULL;
}

bool mp_filter_add(struct mp_filter *filter, char *text, char *why)
{
	char *next;

	for (; text; text = next) {
		next = next_term(text);
		if (!add_term(filter, text, why))
			return false;
	}
	return true;
}

bool mp_filter_has(const struct mp_filter *filter, enum mp_filter_key key)
{
	size_t i;

	for (i = 0; i < filter->nr; i++)
		if (filter->terms[i].key == key)
			return true;
	return false;
}

static bool in_cgroup(const struct mp_profile *profile, uint64_t id,
		      const char *wanted)
{
	char buf[MP_CGROUP_ID_SIZE];
	const char *path = mp_profile_cgroup(profile, id, buf);
	size_t len = strlen(wanted);

	while (len > 1 && wanted[len - 1] == '/')
		len--;
	return !strncmp(path, wanted, len) &&
	       (!path[len] || path[len] == '/' || len == 1);
}

static bool is_text(const struct mp_profile *profile, uint64_t id, enum mp_container_text what,
		    const char *wanted)
{
	const char *text = mp_containers_find(&profile->containers, id, what);

	return text && !strcmp(text, wanted);
}

/* By name, or by as much of its id as runtimes print. */
static bool in_container(const struct mp_profile *profile, uint64_t id, const char *wanted)
{
	const char *path = mp_id_names_find(&profile->names, id);
	struct mp_cgroup_path parsed;

	mp_cgroup_path_parse(path ?: "", &parsed);
	return is_text(profile, id, MP_CONTAINER_NAME, wanted) ||
	       !strcmp(parsed.machine, wanted) ||
	       (strlen(wanted) >= MIN_ID && !strncmp(parsed.id, wanted, strlen(wanted)));
}

static bool in_pod(const struct mp_profile *profile, uint64_t id, const char *wanted)
{
	const char *path = mp_id_names_find(&profile->names, id);
	struct mp_cgroup_path parsed;

	mp_cgroup_path_parse(path ?: "", &parsed);
	return is_text(profile, id, MP_CONTAINER_POD, wanted) ||
	       !strcmp(parsed.pod_uid, wanted);
}

static bool matches_frame(const struct mp_profile *profile,
			  const struct mp_frame *frame, const regex_t *regex)
{
	const char *text;
	uint32_t i;

	for (i = 0; i < frame->nr; i++) {
		text = mp_symbols_text(&profile->symbols,
			profile->symbols.lines[frame->first + i].function);
		if (text && !regexec(regex, text, 0, NULL, 0))
			return true;
	}
	return false;
}

static bool has_symbol(const struct mp_profile *profile,
		       const struct mp_location *location, const regex_t *regex)
{
	struct mp_frames_stack stack;
	uint32_t i;

	if (!location->stack)
		return false;
	stack = mp_frames_stack(&profile->frames, location->stack - 1);
	for (i = 0; i < stack.nr; i++)
		if (matches_frame(profile, &profile->frames.list[stack.list[i] -
							 MP_FRAMES_FIRST],
				  regex))
			return true;
	return false;
}

static bool is_applicable(const struct mp_row *row, enum mp_filter_key key)
{
	switch (key) {
	case MP_FILTER_SYMBOL:
	case MP_FILTER_SIZE:
		return mp_row_has_location(row);
	case MP_FILTER_CGROUP:
	case MP_FILTER_CONTAINER:
	case MP_FILTER_POD:
	case MP_FILTER_HOST:
		return true;
	default:
		return row->kind != MP_ROW_CGROUP;
	}
}

static bool matches_term(const struct mp_filter_term *term,
		  const struct mp_profile *profile, const struct mp_row *row)
{
	uint64_t objects = row->value[MP_ALLOC_OBJECTS];

	switch (term->key) {
	case MP_FILTER_PID:
		return row->pid == term->number;
	case MP_FILTER_COMM:
		return !strcmp(row->comm, term->text);
	case MP_FILTER_CGROUP:
		return in_cgroup(profile, row->cgroup, term->text);
	case MP_FILTER_CONTAINER:
		return in_container(profile, row->cgroup, term->text);
	case MP_FILTER_POD:
		return in_pod(profile, row->cgroup, term->text);
	case MP_FILTER_HOST:
		return !strcmp(mp_profile_host(profile, row), term->text);
	case MP_FILTER_SYMBOL:
		return has_symbol(profile, &row->location, &term->regex);
	default:
		return objects && row->value[MP_ALLOC_SPACE] / objects >=
				  term->number;
	}
}

bool mp_filter_passes(const struct mp_filter *filter,
		      const struct mp_profile *profile, const struct mp_row *row)
{
	bool applicable[MP_NR_FILTER_KEYS] = { 0 }, matched[MP_NR_FILTER_KEYS] = { 0 };
	enum mp_filter_key key;
	size_t i;

	for (i = 0; i < filter->nr; i++) {
		key = filter->terms[i].key;
		applicable[key] |= is_applicable(row, key);
		matched[key] |= matches_term(&filter->terms[i], profile, row);
	}
	for (key = 0; key < MP_NR_FILTER_KEYS; key++)
		if (applicable[key] && !matched[key])
			return false;
	return true;
}

void mp_filter_apply(const struct mp_filter *filter, struct mp_profile *profile)
{
	size_t i, kept = 0;

	for (i = 0; i < profile->nr_rows; i++)
		if (mp_filter_passes(filter, profile, &profile->rows[i]))
			profile->rows[kept++] = profile->rows[i];
	profile->nr_rows = kept;
}

void mp_filter_free(struct mp_filter *filter)
{
	size_t i;

	for (i = 0; i < filter->nr; i++)
		if (filter->terms[i].key == MP_FILTER_SYMBOL)
			regfree(&filter->terms[i].regex);
	filter->nr = 0;
}

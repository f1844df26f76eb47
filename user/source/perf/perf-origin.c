// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf-origin: reads the machine, the command line and the clock of a recording
 *
 * The file is untrusted: each length is checked, and texts are made printable. What
 * cannot be read stays empty; nothing fails.
 */
#include "perf-origin.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The rest of a feature. */
struct rest {
	const char *at;
	size_t left;
};

static uint32_t take_u32(struct rest *rest)
{
	uint32_t value = 0;

	if (rest->left < sizeof(value)) {
		rest->left = 0;
		return 0;
	}
	memcpy(&value, rest->at, sizeof(value));
	rest->at += sizeof(value);
	rest->left -= sizeof(value);
	return value;
}

/* Takes a text: its length with padding, and its bytes. NULL: there is none. */
static const char *take_text(struct rest *rest, size_t *size)
{
	const char *text;

	*size = take_u32(rest);
	if (!*size || *size > rest->left)
		return NULL;
	text = rest->at;
	rest->at += *size;
	rest->left -= *size;
	return text;
}

static void read_text(struct mp_perf_file *file, enum mp_perf_feature feature,
		      char *to, size_t room)
{
	struct rest rest;
	size_t size;
	char *copy = mp_perf_file_feature(file, feature, &rest.left);
	const char *text;

	if (!copy)
		return;
	rest.at = copy;
	text = take_text(&rest, &size);
	if (text)
		mp_text_escape(to, room, text, size);
	free(copy);
}

/* Appends an argument after a blank. */
static void append(char *to, size_t room, const char *text, size_t size)
{
	size_t used = strlen(to);

	if (used && used + 1 < room)
		to[used++] = ' ';
	if (used < room)
		mp_text_escape(to + used, room - used, text, size);
}

static void read_command(struct mp_perf_file *file, struct mp_origin *origin)
{
	bool is_target = false;
	struct rest rest;
	const char *text;
	uint32_t i, nr;
	size_t size;
	char *copy = mp_perf_file_feature(file, MP_PERF_CMDLINE, &rest.left);

	if (!copy)
		return;
	rest.at = copy;
	nr = take_u32(&rest);
	for (i = 0; i < nr; i++) {
		text = take_text(&rest, &size);
		if (!text)
			break;
		append(origin->command, sizeof(origin->command), text, size);
		if (is_target)
			append(origin->target, sizeof(origin->target), text, size);
		is_target |= size > 2 && !memcmp(text, "--", 3);
	}
	free(copy);
}

static void read_clock(struct mp_perf_file *file, struct mp_origin *origin)
{
	struct {
		uint32_t version, clock;
		uint64_t real_ns, clock_ns;
	} data;
	size_t size;
	char *copy = mp_perf_file_feature(file, MP_PERF_CLOCK_DATA, &size);

	if (copy && size >= sizeof(data)) {
		memcpy(&data, copy, sizeof(data));
		if (data.clock == CLOCK_MONOTONIC && data.real_ns > data.clock_ns)
			origin->zero_ns = data.real_ns - data.clock_ns;
	}
	free(copy);
}

void mp_perf_origin_read(struct mp_perf_file *file, struct mp_origin *origin)
{
	*origin = (struct mp_origin){ 0 };
	read_text(file, MP_PERF_HOSTNAME, origin->host, sizeof(origin->host));
	read_text(file, MP_PERF_OSRELEASE, origin->kernel, sizeof(origin->kernel));
	read_text(file, MP_PERF_ARCH, origin->machine, sizeof(origin->machine));
	read_command(file, origin);
	read_clock(file, origin);
}

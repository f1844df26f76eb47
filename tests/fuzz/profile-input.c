// SPDX-License-Identifier: GPL-2.0-only
/*
 * profile-input: an input as a profile
 */
#include "profile-input.h"
#include "json.h"
#include "sites.h"
#include "text.h"

#include <string.h>

static void read_lines(struct mp_profile *profile, const char *at, const char *end)
{
	struct mp_json_line line;
	const char *newline;

	for (; at < end; at = newline + 1) {
		newline = memchr(at, '\n', (size_t)(end - at));
		if (!newline)
			newline = end;
		if (mp_json_read(profile, at, (size_t)(newline - at), &line))
			return;
	}
}

/* Gives a frame the name, as a function and as its file. */
static void name_frame(struct mp_profile *profile, struct mp_frame *frame,
		       const char *name, size_t len)
{
	struct mp_symbols *symbols = &profile->symbols;
	char text[MP_SYMBOL_TEXT_SIZE];
	struct mp_line line = { .line = (uint32_t)len };

	mp_text_escape(text, sizeof(text), name, len);
	line.function = mp_names_add(&symbols->names, text);
	line.file = len % 2 ? line.function : MP_NAMES_NONE;
	frame->first = (uint32_t)symbols->nr_lines;
	/* a function that was inlined into itself */
	frame->nr = 1 + len % 3 / 2;
	mp_symbols_add(symbols, &line);
	mp_symbols_add(symbols, &line);
}

static void name_frames(struct mp_profile *profile, const char *at, const char *end)
{
	const char *newline;
	size_t i;

	for (i = 0; i < profile->frames.nr && at < end; i++, at = newline + 1) {
		newline = memchr(at, '\n', (size_t)(end - at));
		if (!newline)
			newline = end;
		name_frame(profile, &profile->frames.list[i], at,
			   (size_t)(newline - at));
	}
	profile->frames.nr_named = profile->frames.nr;
}

void profile_read(struct mp_profile *profile, const struct input *input)
{
	const char *text = (const char *)input->data, *end = text + input->size;
	const char *names = input->size ? memchr(text, 0, input->size) : NULL;

	read_lines(profile, text, names ? names : end);
	if (!mp_sites_adopt(profile) && !mp_callsites_frames(profile) && names)
		name_frames(profile, names + 1, end);
}

static bool is_wrapper(void *context, const char *name)
{
	(void)context;
	return name[0] == 'm';
}

bool profile_arrange(struct mp_profile *profile, enum mp_row_kind kind,
		     unsigned int keys)
{
	const struct mp_arrange arrange = {
		.kind = kind, .top = kind == MP_ROW_CGROUP,
		.sort = MP_INUSE_SPACE, .keys = keys,
		.recursive = kind == MP_ROW_CGROUP,
		.callsites = {
			.is_wrapper = is_wrapper, .is_wrapper_file = is_wrapper,
		},
	};

	return !mp_arrange_rows(&arrange, profile, profile);
}

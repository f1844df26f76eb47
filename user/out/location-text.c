// SPDX-License-Identifier: GPL-2.0-only
/*
 * location-text: writes the most specific text for a code location
 *
 * The text has the source line if it is known, else the function and offset, else
 * the address. Nothing is allocated and nothing can fail: a long text is cut.
 */
#include "location-text.h"
#include "frame-text.h"
#include "scan.h"
#include "sampler-library.h"
#include "short-name.h"
#include "sites.h"
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Limit of the characters of a function name. A longer name is shortened. */
#define NAME_WIDTH	80
#define BASE_WIDTH	80

/* Prefix of a caller, if the callsite itself is missing in the stack. */
#define NEAR		"[called by] "

void mp_location_place(const struct mp_profile *profile, const struct mp_line *line,
		       char *text)
{
	const char *file = mp_symbols_text(&profile->symbols, line->file);

	text[0] = '\0';
	if (!file)
		return;
	mp_file_base(file, text, BASE_WIDTH);
	if (line->line)
		snprintf(text + strlen(text), 16, ":%" PRIu32, line->line);
}

static void line_text(const struct mp_profile *profile,
		      const struct mp_frame *frame, const struct mp_line *line,
		      char *text)
{
	const char *name = mp_symbols_text(&profile->symbols, line->function);
	char where[MP_LOCATION_TEXT_SIZE - NAME_WIDTH - 32], brief[NAME_WIDTH + 1];
	bool has_place;

	if (name)
		mp_short_name(brief, NAME_WIDTH, name);
	mp_location_place(profile, line, where);
	has_place = where[0];
	if (!has_place)
		mp_frame_text(profile, frame, where, sizeof(where));
	/* kernel addresses differ between boots, so write "[k]" instead */
	if (name && mp_frame_is_kernel(frame))
		snprintf(where, sizeof(where), "[k]");
	if (name && has_place)
		snprintf(text, MP_LOCATION_TEXT_SIZE, "%s %s", brief, where);
	else if (name)
		snprintf(text, MP_LOCATION_TEXT_SIZE, "%s+0x%" PRIx64 " %s",
			 brief, line->distance, where);
	else
		snprintf(text, MP_LOCATION_TEXT_SIZE, "%s", where);
}

void mp_location_point(const struct mp_profile *profile,
		       const struct mp_call_point *point, char *text)
{
	const struct mp_frame *frame;

	if (point->frame == MP_FRAMES_NONE) {
		snprintf(text, MP_LOCATION_TEXT_SIZE, MP_FRAME_TRUNCATED);
		return;
	}
	frame = &profile->frames.list[point->frame];
	if (point->line == MP_CALL_NO_LINE || point->line >= frame->nr)
		mp_frame_text(profile, frame, text, MP_LOCATION_TEXT_SIZE);
	else
		line_text(profile, frame,
			  &profile->symbols.lines[frame->first + point->line],
			  text);
}

void mp_location_points(const struct mp_profile *profile,
			const struct mp_call_point *first,
			const struct mp_call_point *last, char *text)
{
	const struct mp_line *from = mp_point_line(profile, first);
	const struct mp_line *to = mp_point_line(profile, last);
	const struct mp_frame *frame;
	char base[BASE_WIDTH], brief[NAME_WIDTH + 1];
	size_t len;

	mp_location_point(profile, first, text);
	if (!from || !to || from == to)
		return;
	frame = &profile->frames.list[first->frame];
	len = strlen(text);
	if (from->line && to->line > from->line) {
		snprintf(text + len, MP_LOCATION_TEXT_SIZE - len, "-%" PRIu32, to->line);
	} else if (!from->line && from->distance != to->distance && frame->binary) {
		mp_file_base(profile->binaries[frame->binary - 1].path, base, sizeof(base));
		mp_short_name(brief, NAME_WIDTH,
			      mp_symbols_text(&profile->symbols, from->function) ?: "?");
		snprintf(text, MP_LOCATION_TEXT_SIZE, "%s %s", brief, base);
	}
}

static void address_of_row(const struct mp_profile *profile,
			   const struct mp_location *location, char *text)
{
	const struct mp_frame frame = {
		.binary = location->binary,
		.offset = location->binary ? location->offset : location->address,
	};

	if (!frame.binary && !frame.offset)
		snprintf(text, MP_LOCATION_TEXT_SIZE, "[unknown]");
	else
		mp_frame_text(profile, &frame, text, MP_LOCATION_TEXT_SIZE);
}

static void put_before(const char *mark, char *text)
{
	memmove(text + strlen(mark), text, MP_LOCATION_TEXT_SIZE - strlen(mark));
	memcpy(text, mark, strlen(mark));
	text[MP_LOCATION_TEXT_SIZE - 1] = '\0';
}

/* Writes the text of a row that stands for a function, a source file or a binary. */
static void wide_text(const struct mp_profile *profile,
		      const struct mp_location *location, const struct mp_line *line,
		      char *text)
{
	const char *path = location->binary ? profile->binaries[location->binary - 1].path : NULL;
	const char *name = NULL;

	if (location->scope == MP_SCOPE_FUNCTION && line)
		name = mp_symbols_text(&profile->symbols, line->function);
	else if (location->scope == MP_SCOPE_SOURCE && line)
		name = mp_symbols_text(&profile->symbols, line->file);
	if (location->scope == MP_SCOPE_BINARY && path && mp_sampler_library_is(path))
		snprintf(text, MP_LOCATION_TEXT_SIZE, "[memprof's sampler]");
	else if (location->scope == MP_SCOPE_BINARY && path)
		mp_text_escape(text, MP_LOCATION_TEXT_SIZE, path, MEMPROF_PATH_LEN);
	else
		snprintf(text, MP_LOCATION_TEXT_SIZE, "%.*s",
			 MP_LOCATION_TEXT_SIZE - 1,
			 location->scope == MP_SCOPE_ANY ? "-" : name ?: "[unknown]");
}

static void function_text(const struct mp_profile *profile,
			  const struct mp_frame *frame, const struct mp_line *line,
			  char *text)
{
	char base[BASE_WIDTH];

	mp_short_name(text, NAME_WIDTH, mp_symbols_text(&profile->symbols, line->function) ?: "?");
	if (!frame->binary && !mp_frame_is_kernel(frame))
		return;
	if (frame->binary)
		mp_file_base(profile->binaries[frame->binary - 1].path, base, sizeof(base));
	else
		strcpy(base, "[k]");
	snprintf(text + strlen(text), MP_LOCATION_TEXT_SIZE - strlen(text), " %s", base);
}

void mp_location_row(const struct mp_profile *profile, const struct mp_row *row,
		     char *text)
{
	const struct mp_location *location = &row->location;
	const struct mp_line *line = mp_profile_line(profile, location);
	const struct mp_frame *frame;

	if (row->flags & MP_ROW_OVERFLOW) {
		snprintf(text, MP_LOCATION_TEXT_SIZE,
			 "[dropped] callsites that found the table full");
		return;
	}
	if (location->scope > MP_SCOPE_LINE) {
		wide_text(profile, location, line, text);
		return;
	}
	if (line) {
		frame = mp_frames_at(&profile->frames, location->stack - 1,
				     location->level);
		/* without lines, a row is all of a function */
		if (location->scope == MP_SCOPE_LINE && line->file == MP_NAMES_NONE &&
		    line->function != MP_NAMES_NONE)
			function_text(profile, frame, line, text);
		else
			line_text(profile, frame, line, text);
	} else {
		address_of_row(profile, location, text);
	}
	if (line && mp_location_is_near(profile, location))
		put_before(NEAR, text);
	if (location->func == MP_FUNC_MMAP)
		put_before(MP_FRAME_MAPPING " ", text);
}

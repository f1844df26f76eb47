// SPDX-License-Identifier: GPL-2.0-only
/*
 * frame-text: writes the text for a frame
 *
 * No memory is allocated. Nothing can fail: a text that is too long is cut.
 */
#include "frame-text.h"
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define BASE_WIDTH	80

void mp_file_base(const char *path, char *to, size_t size)
{
	const char *base = strrchr(path, '/');

	base = base ? base + 1 : path;
	mp_text_escape(to, size, base[0] ? base : "?", strlen(base) + 1);
}

void mp_frame_text(const struct mp_profile *profile,
		   const struct mp_frame *frame, char *to, size_t size)
{
	char base[BASE_WIDTH];

	if (mp_frame_is_gap(frame)) {
		snprintf(to, size, "[missing: no frame pointer]");
		return;
	}
	if (mp_frame_is_mapping(frame)) {
		snprintf(to, size, MP_FRAME_MAPPING);
		return;
	}
	if (!frame->binary && mp_address_is_trampoline(frame->offset)) {
		snprintf(to, size, "[uprobes]");
		return;
	}
	if (!frame->binary) {
		snprintf(to, size, "0x%" PRIx64 "%s", frame->offset,
			 mp_frame_is_kernel(frame) ? " [k]" : "");
		return;
	}
	mp_file_base(profile->binaries[frame->binary - 1].path, base,
		     sizeof(base));
	snprintf(to, size, "%s+0x%" PRIx64, base, frame->offset);
}

const struct mp_line *mp_point_line(const struct mp_profile *profile,
				    const struct mp_call_point *point)
{
	const struct mp_frame *frame;

	if (point->frame == MP_FRAMES_NONE || point->line == MP_CALL_NO_LINE)
		return NULL;
	frame = &profile->frames.list[point->frame];
	return point->line < frame->nr ?
	       &profile->symbols.lines[frame->first + point->line] : NULL;
}

const char *mp_point_name(const struct mp_profile *profile,
			  const struct mp_call_point *point, char *text,
			  size_t size)
{
	const struct mp_line *line = mp_point_line(profile, point);
	const char *name = line ? mp_symbols_text(&profile->symbols,
						  line->function) : NULL;

	/* flame graph tools recognise kernel functions by the suffix _[k] */
	if (name && mp_frame_is_kernel(&profile->frames.list[point->frame])) {
		snprintf(text, size, "%s_[k]", name);
		return text;
	}
	if (name)
		return name;
	if (point->frame == MP_FRAMES_NONE)
		snprintf(text, size, MP_FRAME_TRUNCATED);
	else
		mp_frame_text(profile, &profile->frames.list[point->frame],
			      text, size);
	return text;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * frame-text: where code is, in the fewest words
 *
 * Cannot fail: what does not fit is cut.
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
	if (!frame->binary) {
		snprintf(to, size, "0x%" PRIx64, frame->offset);
		return;
	}
	mp_file_base(profile->binaries[frame->binary - 1].path, base,
		     sizeof(base));
	snprintf(to, size, "%s+0x%" PRIx64, base, frame->offset);
}

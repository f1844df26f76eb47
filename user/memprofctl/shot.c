// SPDX-License-Identifier: GPL-2.0-only
/*
 * shot: lines, as a collector sends them
 *
 * Arranging uses a profile up. 6 us to read a row again.
 */
#include "shot.h"
#include "input.h"
#include "json.h"
#include "message.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int write_down(const struct mp_profile *profile, char **text,
		      size_t *size)
{
	FILE *file = open_memstream(text, size);
	size_t i;
	int failed;

	if (!file)
		return -ENOMEM;
	for (i = 0; i < mp_json_nr_lines(profile); i++)
		mp_json_line(file, profile, i);
	mp_json_summary(file, profile, MP_ROW_PROCESS, 0);
	failed = ferror(file);
	return fclose(file) || failed ? -ENOMEM : 0;
}

int mp_shot_take(struct mp_shot *shot, const char *path)
{
	const struct mp_input input = { .path = path, .places = true };
	struct mp_shot new = { .of_file = path };
	struct mp_profile profile = { 0 };
	int status = mp_input_read(&input, &profile, &new.sizes);

	if (!status && write_down(&profile, &new.text, &new.size))
		status = mp_fail(ENOMEM, NULL, "cannot keep the profile");
	mp_profile_free(&profile);
	if (status) {
		mp_shot_free(&new);
		return status;
	}
	mp_shot_free(shot);
	*shot = new;
	return 0;
}

int mp_shot_read(const struct mp_shot *shot, struct mp_profile *profile)
{
	const char *line = shot->text, *end;
	struct mp_json_line got;
	int err = 0;

	for (; !err && line < shot->text + shot->size; line = end + 1) {
		end = strchr(line, '\n');
		err = mp_json_read(profile, line, (size_t)(end - line), &got);
	}
	return err;
}

void mp_shot_free(struct mp_shot *shot)
{
	free(shot->text);
	mp_sizes_free(&shot->sizes);
	*shot = (struct mp_shot){ 0 };
}

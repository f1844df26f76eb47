// SPDX-License-Identifier: GPL-2.0-only
/*
 * shot: lines, as a collector sends them
 *
 * Arranging uses a profile up. 6 us to read a row again.
 */
#include "profile-copy.h"
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

int mp_profile_copy_take(struct mp_profile_copy *copy, const char *path)
{
	const struct mp_input input = { .path = path, .locations = true };
	struct mp_profile_copy new = { .of_file = path };
	struct mp_profile profile = { 0 };
	int status = mp_input_read(&input, &profile, &new.sizes);

	if (!status && write_down(&profile, &new.text, &new.size))
		status = mp_fail(ENOMEM, NULL, "cannot keep the profile");
	mp_profile_free(&profile);
	if (status) {
		mp_profile_copy_free(&new);
		return status;
	}
	mp_profile_copy_free(copy);
	*copy = new;
	return 0;
}

int mp_profile_copy_read(const struct mp_profile_copy *copy, struct mp_profile *profile)
{
	const char *line = copy->text, *end;
	struct mp_json_line got;
	int err = 0;

	for (; !err && line < copy->text + copy->size; line = end + 1) {
		end = strchr(line, '\n');
		err = mp_json_read(profile, line, (size_t)(end - line), &got);
	}
	return err;
}

void mp_profile_copy_free(struct mp_profile_copy *copy)
{
	free(copy->text);
	mp_sizes_free(&copy->sizes);
	*copy = (struct mp_profile_copy){ 0 };
}

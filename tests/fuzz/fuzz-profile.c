// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz-profile: any lines of JSON as a profile: reports, and the difference
 * from another one
 */
#include "difference-table.h"
#include "grouping.h"
#include "location-text.h"
#include "profile-input.h"

#include <string.h>

static void show(const struct mp_profile *profile, enum mp_row_kind kind,
		 uint8_t choice)
{
	struct mp_out out = {
		.ops = choice & 1 ? &mp_json_ops : &mp_table_ops,
		.file = input_null(), .profile = profile, .kind = kind,
		.view = choice % MP_NR_VIEWS, .top = choice & 8,
		.tree = kind == MP_ROW_STACK ? choice >> 4 & 3 : MP_TREE_NONE,
		.histograms = true, .colour = choice & 2,
		.sort = MP_INUSE_SPACE, .limit = choice & 4,
	};

	mp_out_report(&out);
}

static void name_row(const struct mp_profile *profile, const struct mp_row *row,
		     char *text, char *place)
{
	mp_location_row(profile, row, text);
	mp_location_row(profile, row, place);
}

static void subtract(const struct mp_profile *before,
		     const struct mp_profile *after, enum mp_row_kind kind)
{
	const struct mp_difference_view view = {
		.kind = kind, .sort = MP_INUSE_SPACE,
	};
	struct mp_difference difference = { 0 };

	if (!mp_difference_add(&difference, before, kind, false, name_row,
			       MP_LOCATION_TEXT_SIZE) &&
	    !mp_difference_add(&difference, after, kind, true, name_row,
			       MP_LOCATION_TEXT_SIZE)) {
		mp_difference_sort(&difference, view.sort);
		mp_difference_table(input_null(), &difference, &view);
		mp_difference_json(input_null(), &difference, &view);
	}
	mp_difference_free(&difference);
}

/* Takes the text up to an empty line: another profile follows it. */
static struct input take_part(struct input *input)
{
	const uint8_t *end = memmem(input->data, input->size, "\n\n", 2);
	struct input part = *input;

	if (end)
		part.size = (size_t)(end + 1 - input->data);
	input->data += part.size;
	input->size -= part.size;
	return part;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = { data, size }, part;
	uint8_t choice = input_byte(&input);
	enum mp_row_kind kind = input_byte(&input) % MP_NR_ROW_KINDS;
	unsigned int keys = input_byte(&input);
	struct mp_profile profile = { 0 }, other = { 0 };

	part = take_part(&input);
	profile_read(&profile, &part);
	if (input.size)
		profile_read(&other, &input);
	if (profile_arrange(&profile, kind, keys ? keys : MP_GROUP_DEFAULT) &&
	    profile_arrange(&other, kind, MP_GROUP_DEFAULT)) {
		show(&profile, kind, choice);
		if (kind == MP_ROW_PROCESS || kind == MP_ROW_SITE)
			subtract(&other, &profile, kind);
	}
	mp_profile_free(&profile);
	mp_profile_free(&other);
	return 0;
}

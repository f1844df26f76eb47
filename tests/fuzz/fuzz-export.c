// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz-export: a recording, or lines of JSON as a profile, in one of the formats
 *
 * The first bytes choose the format, the metric and the owner of stacks.
 */
#include "export-formats.h"
#include "grouping.h"
#include "profile-input.h"
#include "recording.h"
#include "sites.h"

#include <string.h>

static void read_recording(struct mp_profile *profile, const struct input *input)
{
	const struct mp_recording_options wish = { .bins = true, .stacks = true };
	struct mp_recording recording = { 0 };

	input_file(input);
	if (!mp_recording_read(&recording, input_path(), &wish) &&
	    !mp_sites_adopt(&recording.profile) &&
	    !mp_callsites_frames(&recording.profile)) {
		*profile = recording.profile;
		recording.profile = (struct mp_profile){ 0 };
	}
	mp_recording_free(&recording);
}

static enum mp_row_kind rows_of(const struct mp_export *export)
{
	if (export->ops->shape == MP_EXPORT_PAGE || export->all_kinds)
		return MP_ROW_CGROUP;
	return mp_export_is_stacks(export->ops) ? MP_ROW_STACK : export->kind;
}

/* As cmd-export.c does. The kernel is the recording's: /proc would be read else. */
static void write_export(struct mp_export *export, struct mp_profile *profile)
{
	bool stacks = mp_export_is_stacks(export->ops);

	profile->meta.kernel_start = profile->meta.kernel_start ?: MP_KERNEL_START;
	export->all_kinds = export->ops->shape == MP_EXPORT_ALL_ROWS;
	if (profile_arrange(profile, rows_of(export), stacks ? MP_EXPORT_KEYS :
			    MP_GROUP_DEFAULT) &&
	    (!stacks || !mp_stack_samples_gather(&export->samples, profile, true)))
		export->ops->write(export);
	mp_stack_samples_free(&export->samples);
}

static const struct mp_export_ops *choose_format(uint8_t choice)
{
	int nr = 0;

	while (mp_export_formats[nr])
		nr++;
	return mp_export_formats[choice % nr];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = { data, size };
	struct mp_profile profile = { 0 };
	struct mp_export export = {
		.ops = choose_format(input_byte(&input)), .file = input_null(),
		.profile = &profile, .title = "title <&>", .exporter = "fuzz",
		.top = 10,
	};
	uint8_t choice = input_byte(&input);

	export.metric = choice % MP_NR_METRICS;
	if (export.ops->shape == MP_EXPORT_STACKS_OF_ONE &&
	    mp_metrics[export.metric].nature == MP_PEAK)
		export.metric = MP_INUSE_SPACE;
	choice = input_byte(&input);
	export.whose = choice & 7;
	export.kind = choice >> 3 & 3;
	if (input.size > 8 && !memcmp(input.data, "PERFILE2", 8))
		read_recording(&profile, &input);
	else
		profile_read(&profile, &input);
	write_export(&export, &profile);
	mp_profile_free(&profile);
	return 0;
}

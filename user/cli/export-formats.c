// SPDX-License-Identifier: GPL-2.0-only
/*
 * export-formats: the table of formats, and the steps that all exports have in
 * common
 */
#include "export-formats.h"
#include "export-perf.h"
#include "message.h"
#include "output.h"

#include <stdio.h>
#include <string.h>

const struct mp_export_ops * const mp_export_formats[] = {
	&mp_export_folded,
	&mp_export_svg,
	&mp_export_html,
	&mp_export_pprof,
	&mp_export_otlp,
	&mp_export_speedscope,
	&mp_export_dhat,
	&mp_export_json,
	&mp_export_csv,
	&mp_export_openmetrics,
	&mp_export_perf,
	NULL,
};

const struct mp_export_ops *mp_export_find(const char *name)
{
	int i;

	for (i = 0; mp_export_formats[i]; i++)
		if (!strcmp(name, mp_export_formats[i]->name))
			return mp_export_formats[i];
	return NULL;
}

void mp_export_names(char *to, size_t size)
{
	size_t used = 0;
	int i;

	to[0] = '\0';
	for (i = 0; mp_export_formats[i] && used < size; i++)
		used += (size_t)snprintf(to + used, size - used, "%s%s",
					 i ? ", " : "",
					 mp_export_formats[i]->name);
}

int mp_export_gather(const struct mp_choice *choice,
		     const struct mp_profile *profile,
		     struct mp_stack_samples *samples)
{
	const struct mp_filter *filter = &choice->arrange.filter;

	return mp_stack_samples_gather(samples, profile,
				       !mp_filter_has(filter, MP_FILTER_SYMBOL) &&
				       !mp_filter_has(filter, MP_FILTER_SIZE));
}

int mp_export_write(struct mp_export *export, const char *path, bool force)
{
	struct mp_output output;
	int status = mp_output_open(&output, path, force, export->ops->binary), err;

	if (status)
		return status;
	export->file = output.file;
	err = export->ops->write(export);
	return err ? mp_output_fail(&output, err) : mp_output_close(&output);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * section-read: reads the sections of a recording and skips all other records
 */
#include "lost-records.h"
#include "perf-file.h"
#include "section-event.h"
#include "section-source.h"

#include <errno.h>
#include <stdio.h>

static bool is_wanted(const struct mp_targets *targets, uint32_t pid)
{
	unsigned int i;

	for (i = 0; i < targets->nr; i++)
		if (targets->list[i].kind == MEMPROF_TARGET_ALL ||
		    targets->list[i].number == pid)
			return true;
	return false;
}

static int add_section(struct mp_section_source *source, struct mp_perf_file *file,
		       const struct perf_event_header *record)
{
	struct mp_section_event event;

	source->nr_lost += mp_lost_records(record);
	if (record->type == MP_PERF_RECORD_FINISHED_ROUND)
		return mp_section_flushes_round(source->flushes);
	if (!mp_section_event_parse(&file->events, record, &event) ||
	    !is_wanted(source->targets, event.pid))
		return 0;
	return mp_section_flushes_add(source->flushes, event.pid, event.tid,
				      event.time_ns, &event.record);
}

int mp_section_read(struct mp_section_source *source, struct mp_diag *diag)
{
	const struct perf_event_header *record;
	struct mp_perf_file file = { 0 };
	int err = mp_perf_file_open(&file, source->path), got = 0, last;

	while (!err && (got = mp_perf_file_next(&file, &record)) > 0)
		err = add_section(source, &file, record);
	err = err ? err : got;
	/* sections before an error in the file are used */
	last = mp_section_flushes_end(source->flushes);
	fflush(stdout);
	if (err == -EBADMSG)
		mp_diag_fail(diag, 0, NULL, "cannot read %s: %s", source->path, file.why);
	else if (err || last)
		mp_diag_fail(diag, err ? err : last, NULL, "cannot read %s", source->path);
	mp_perf_file_close(&file);
	return err ? err : last;
}

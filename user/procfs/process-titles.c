// SPDX-License-Identifier: GPL-2.0-only
/*
 * process-titles: reads a title for each row of a process
 *
 * A process may exit before this reads its title, and another one get its number. The
 * title is then the other one's.
 */
#include "process-titles.h"
#include "process.h"

int mp_process_titles(struct mp_profile *profile)
{
	char title[MP_PROCESS_TITLE_SIZE];
	const struct mp_row *row;
	int err = 0;

	for (row = profile->rows; !err && row < profile->rows + profile->nr_rows; row++)
		if (row->kind == MP_ROW_PROCESS && row->pid &&
		    !(row->flags & MP_ROW_EXITED) &&
		    mp_process_title((pid_t)row->pid, title))
			err = mp_id_names_add(&profile->titles, row->pid, title);
	return err;
}

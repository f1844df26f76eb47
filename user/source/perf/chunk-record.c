// SPDX-License-Identifier: GPL-2.0-only
/*
 * chunk-record: finds the record of a process by its id
 *
 * A record takes 48 bytes. The numbers of a file may be any.
 */
#include "chunk-record.h"
#include "array.h"
#include "size-record.h"

#include <errno.h>
#include <stdlib.h>

int mp_chunk_records_put(struct mp_chunk_records *records,
			 const struct mp_chunk_record *record)
{
	uint32_t *known = mp_map_find(&records->by_pid, record->pid, 0);

	if (known) {
		records->list[*known] = *record;
		return 0;
	}
	if (records->nr == MP_MAX_SIZES)
		return 0;
	if (records->nr == records->max &&
	    !mp_array_grow(&records->list, &records->max, sizeof(*records->list)))
		return -ENOMEM;
	known = mp_map_add(&records->by_pid, record->pid, 0);
	if (!known)
		return -ENOMEM;
	*known = (uint32_t)records->nr;
	records->list[records->nr++] = *record;
	return 0;
}

const struct mp_chunk_record *mp_chunk_records_find(const struct mp_chunk_records *records,
						    uint32_t pid)
{
	const uint32_t *known = mp_map_find(&records->by_pid, pid, 0);

	return known ? &records->list[*known] : NULL;
}

static uint64_t at_most(uint64_t value, uint64_t most)
{
	return value < most ? value : most;
}

void mp_chunk_records_join(const struct mp_chunk_records *records, struct mp_row *row)
{
	const struct mp_chunk_record *record = row->kind == MP_ROW_PROCESS &&
			!mp_row_is_sum(row) && !(row->flags & MP_ROW_EXITED) ?
			mp_chunk_records_find(records, row->pid) : NULL;
	const uint64_t heap = row->value[MP_HEAP_RESIDENT];

	if (!record)
		return;
	row->value[MP_MALLOC_FREE] = at_most(record->chunks.free, heap);
	row->value[MP_MALLOC_USED] = at_most(record->chunks.used,
					     heap - row->value[MP_MALLOC_FREE]);
	row->value[MP_MALLOC_UNREAD] = at_most(record->chunks.unknown, heap -
					       row->value[MP_MALLOC_FREE] -
					       row->value[MP_MALLOC_USED]);
	row->value[MP_MALLOC_TRIM] = at_most(record->chunks.trim,
					     row->value[MP_MALLOC_FREE]);
}

int mp_chunk_records_report(struct mp_profile *profile)
{
	uint64_t bytes = 0;
	size_t i;

	for (i = 0; i < profile->nr_rows; i++)
		if (profile->rows[i].kind == MP_ROW_PROCESS)
			bytes += profile->rows[i].value[MP_MALLOC_UNREAD];
	return bytes && profile->meta.page_size ?
	       mp_profile_add_counter(profile, "chunks_unread",
				      bytes / profile->meta.page_size) : 0;
}

void mp_chunk_records_free(struct mp_chunk_records *records)
{
	free(records->list);
	mp_map_free(&records->by_pid);
	*records = (struct mp_chunk_records){ 0 };
}

// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-or-later
/*
 * section-record: converts a section to a record and back, field by field
 *
 * The kernel module and the library compile this same file, as they compile
 * sections.c. The functions cannot fail.
 */
#include "section-record.h"

#ifdef __KERNEL__
#include <linux/string.h>
#else
#include <string.h>
#endif

void mp_section_to_record(struct memprof_section *record,
			  const struct mp_section *section, uint32_t meter,
			  uint64_t left)
{
	const struct mp_section_view *view = &section->view;

	*record = (struct memprof_section){
		.index = section->index,
		.total_cu = section->total.cu,
		.net_cu = section->net.cu,
		.total_heap = section->total.heap,
		.net_heap = section->net.heap,
		.remaining_heap = section->remaining_heap,
		.start_seq = section->start_seq,
		.end_seq = section->end_seq,
		.start_ns = view->time_ns,
		.end_ns = section->end_ns,
		.left = left,
		.streams = view->streams,
		.flags = section->has_heap ? MEMPROF_SECTION_HAS_HEAP : 0,
		.meter = meter,
		.id_len = section->id_len,
	};
	if (view->streams & MEMPROF_START_ALLOC) {
		record->allocated_bytes = view->allocated;
		record->freed_bytes = view->freed;
	}
	if (view->streams & MEMPROF_START_FAULTS)
		record->touched_bytes = view->touched;
	if (view->streams & MEMPROF_START_GROWTH)
		record->grown_bytes = view->grown;
	memcpy(record->id, section->id, section->id_len);
}

void mp_section_of_record(struct mp_section *section,
			  struct memprof_section *record)
{
	*section = (struct mp_section){
		.id = record->id,
		.id_len = record->id_len < MP_SECTIONS_ID ? record->id_len :
							    MP_SECTIONS_ID,
		.has_heap = record->flags & MEMPROF_SECTION_HAS_HEAP,
		.index = record->index,
		.total = { record->total_cu, record->total_heap },
		.net = { record->net_cu, record->net_heap },
		.remaining_heap = record->remaining_heap,
		.start_seq = record->start_seq,
		.end_seq = record->end_seq,
		.view = {
			.time_ns = record->start_ns,
			.allocated = record->allocated_bytes,
			.freed = record->freed_bytes,
			.touched = record->touched_bytes,
			.grown = record->grown_bytes,
			.streams = record->streams,
		},
		.end_ns = record->end_ns,
	};
}

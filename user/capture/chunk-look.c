// SPDX-License-Identifier: GPL-2.0-only
/*
 * chunk-look: limits the time that goes into reading the heaps of others
 */
#include "chunk-look.h"
#include "clock.h"
#include "mappings.h"
#include "page-walk.h"

/* A smaller heap explains no RSS. */
#define LEAST_HEAP	(1U << 20)

/* Of the time, a 50th is spent on a process; but what a report shows is not older than 5 s. */
#define SHARE		50
#define MAX_PAUSE	5000000000ULL

bool mp_chunk_look_wants(const struct mp_row *row)
{
	return row->kind == MP_ROW_PROCESS && row->pid &&
	       row->value[MP_HEAP_RESIDENT] >= LEAST_HEAP;
}

bool mp_chunk_look_at(struct mp_chunk_look *look, pid_t pid, uint64_t end_ns,
		      struct mp_chunks *chunks)
{
	const struct mp_page_walk walk = { .end_ns = end_ns };
	struct mp_mappings mappings = { 0 };
	struct mp_pages pages = { 0 };
	const struct mp_chunks_walk chunks_walk = {
		.memory = &look->memory, .pid = pid, .pages = &pages, .end_ns = end_ns,
		.idle = look->idle, .context = look->context,
	};

	*chunks = (struct mp_chunks){ 0 };
	if (!mp_mappings_read(pid, &mappings) &&
	    !mp_page_walk(&walk, pid, &mappings, &pages))
		mp_chunks_walk(&chunks_walk, chunks);
	mp_pages_free(&pages);
	mp_mappings_free(&mappings);
	return chunks->used || chunks->free || chunks->unknown;
}

void mp_chunk_look_fill(struct mp_chunk_look *look, struct mp_row *row, uint64_t end_ns)
{
	const struct mp_chunk_record *known = mp_chunk_records_find(&look->records, row->pid);
	/* the time of the program's begin, in 2^20 ns, tells it from others of this id */
	struct mp_chunk_record record = {
		.pid = row->pid, .reserved = (uint32_t)(row->start_ns >> 20),
	};
	const uint64_t now = mp_clock_ns();
	uint64_t pause;

	if (!mp_chunk_look_wants(row))
		return;
	if (known && known->reserved != record.reserved)
		known = NULL;
	if (now < end_ns ? !known || known->time_ns <= now : !known) {
		mp_chunk_look_at(look, (pid_t)row->pid, end_ns, &record.chunks);
		record.time_ns = mp_clock_ns();
		pause = SHARE * (record.time_ns - now);
		record.time_ns += pause < MAX_PAUSE ? pause : MAX_PAUSE;
		/* if the time or memory was short, the older look is used */
		if (!known || record.chunks.unknown <= record.chunks.used + record.chunks.free)
			mp_chunk_records_put(&look->records, &record);
	}
	mp_chunk_records_join(&look->records, row);
}

void mp_chunk_look_close(struct mp_chunk_look *look)
{
	mp_process_memory_close(&look->memory);
	mp_chunk_records_free(&look->records);
}

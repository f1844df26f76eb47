// SPDX-License-Identifier: GPL-2.0-only
/*
 * recorded-pages: joins the pages in a recording with the blocks of the engine
 *
 * The pages of a process come before its exit. They wait until the engine has counted all
 * events up to the exit, or to the end: then its living blocks are those that the pages
 * belong to. Pages of a moment are used if the reader stops there and the process still runs.
 * At most MP_RECORDED_PAGES_BYTES wait. A file may have any numbers: what is out
 * of order is left out. When the engine sums up exited processes, their callsites get other
 * numbers: then what is known of processes that have ended is dropped, and counted.
 */
#include "recorded-pages.h"
#include "array.h"
#include "heap-blame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Pages of a process: a struct mp_pages_record with its runs and its text. */
struct mp_recorded_process {
	uint32_t pid;
	bool is_moment;
	size_t size;
	void *data;
};

static void free_waiting(struct mp_recorded_pages *pages, size_t i)
{
	pages->bytes -= pages->waiting[i].size;
	free(pages->waiting[i].data);
	pages->waiting[i] = pages->waiting[--pages->nr_waiting];
}

static size_t find_waiting(const struct mp_recorded_pages *pages, uint32_t pid)
{
	size_t i;

	for (i = 0; i < pages->nr_waiting && pages->waiting[i].pid != pid; i++)
		;
	return i;
}

static bool is_sound(const struct mp_blob *piece)
{
	struct mp_pages_record record;
	size_t size = piece->size;

	if (piece->failed || size < sizeof(record))
		return false;
	memcpy(&record, piece->data, sizeof(record));
	size -= sizeof(record);
	return record.pid && record.nr_runs <= size / sizeof(struct mp_page_run) &&
	       record.nr_text == size - record.nr_runs * sizeof(struct mp_page_run);
}

/* Whether the reader stops before the pages were looked at. */
static bool is_later(const struct mp_recorded_pages *pages)
{
	struct mp_pages_record record;

	memcpy(&record, pages->piece.data, sizeof(record));
	return pages->until_ns && record.time_ns > pages->until_ns;
}

/* Keeps a complete piece. The latest one of a process is valid. */
static int keep_piece(struct mp_recorded_pages *pages, bool is_moment)
{
	struct mp_recorded_process process = {
		.size = pages->piece.size, .is_moment = is_moment,
	};
	size_t known;

	if (!is_sound(&pages->piece) || is_later(pages))
		return 0;
	memcpy(&process.pid, pages->piece.data, sizeof(process.pid));
	known = find_waiting(pages, process.pid);
	if (known < pages->nr_waiting)
		free_waiting(pages, known);
	if (pages->nr_waiting == MP_RECORDED_PAGES_MAX ||
	    pages->bytes + process.size > MP_RECORDED_PAGES_BYTES) {
		pages->nr_skipped++;
		return 0;
	}
	if (pages->nr_waiting == pages->max_waiting &&
	    !mp_array_grow(&pages->waiting, &pages->max_waiting, sizeof(process)))
		return -ENOMEM;
	process.data = malloc(process.size);
	if (!process.data)
		return -ENOMEM;
	memcpy(process.data, pages->piece.data, process.size);
	pages->waiting[pages->nr_waiting++] = process;
	pages->bytes += process.size;
	pages->has_any = true;
	return 0;
}

static bool is_wanted(struct mp_recorded_pages *pages, uint32_t what)
{
	pages->nr_unused += what == MP_PERF_PIECE_MOMENT && !pages->until_ns;
	return what == MP_PERF_PIECE_PAGES ||
	       (what == MP_PERF_PIECE_MOMENT && pages->until_ns);
}

int mp_recorded_pages_take(struct mp_recorded_pages *pages,
			   const struct perf_event_header *record)
{
	const struct mp_perf_piece *piece = (const void *)record;
	struct mp_blob *blob = &pages->piece;

	if (record->size < sizeof(*piece) || !is_wanted(pages, piece->what) ||
	    memcmp(piece->magic, MP_PERF_PIECE_MAGIC, sizeof(piece->magic)) ||
	    piece->bytes > record->size - sizeof(*piece))
		return 0;
	if (!piece->offset)
		blob->size = blob->failed = 0;
	if (piece->offset != blob->size || piece->total > MP_RECORDED_PAGES_BYTES ||
	    piece->bytes > piece->total - piece->offset)
		return 0;
	mp_blob_put(blob, piece + 1, piece->bytes);
	return blob->size == piece->total ?
	       keep_piece(pages, piece->what == MP_PERF_PIECE_MOMENT) : 0;
}

/* Makes room for the callsites that the engine has by now. */
static bool make_room(struct mp_recorded_pages *pages)
{
	struct mp_blame *blame = &pages->resident.blame;
	const size_t nr = pages->heap->nr_sites;
	struct mp_blame_sum *owners;

	if (nr <= blame->nr_owners)
		return true;
	owners = reallocarray(blame->owners, nr, sizeof(*owners));
	if (!owners)
		return false;
	memset(owners + blame->nr_owners, 0, (nr - blame->nr_owners) * sizeof(*owners));
	blame->owners = owners;
	blame->nr_owners = nr;
	return true;
}

static bool copy_blocks(const struct mp_recorded_pages *pages, uint32_t process,
			struct mp_blame_blocks *blocks)
{
	const struct mp_block *block = NULL;

	while ((block = mp_blocks_next(&pages->heap->blocks, process, block))) {
		const struct mp_blame_block copy = {
			.start = block->ptr, .size = block->size,
			.space = block->space, .owner = block->site,
		};

		if (blocks->nr == MP_RESIDENT_MAX_BLOCKS || mp_blame_add(blocks, &copy))
			return false;
	}
	return true;
}

static bool is_valid(const struct mp_page_run *run, uint64_t last_end, uint64_t page_size)
{
	return run->start >= last_end && run->start < run->end && !(run->end >> 63) &&
	       run->start % page_size == 0 && run->end % page_size == 0;
}

/* Copies the runs that are in order. */
static bool copy_runs(const struct mp_page_run *from, size_t nr, struct mp_page_runs *runs)
{
	const uint64_t page_size = (uint64_t)sysconf(_SC_PAGESIZE);
	struct mp_page_run *list = calloc(nr + 1, sizeof(*list));
	uint64_t last_end = 0;
	size_t i;

	*runs = (struct mp_page_runs){ .list = list };
	for (i = 0; list && i < nr; i++) {
		memcpy(&list[runs->nr], from + i, sizeof(*list));
		if (!is_valid(&list[runs->nr], last_end, page_size))
			continue;
		last_end = list[runs->nr++].end;
	}
	return list;
}

static bool charge(struct mp_recorded_pages *pages, const struct mp_recorded_process *from,
		   struct mp_blame_blocks *blocks, struct mp_row *row)
{
	const struct mp_pages_record *record = from->data;
	const struct mp_page_run *runs = (const void *)(record + 1);
	struct mp_resident_kept kept = { 0 };
	bool done = false;

	if (record->nr_text)
		kept.smaps = fmemopen((char *)(runs + record->nr_runs), record->nr_text,
				      "r");
	if (kept.smaps && copy_runs(runs, record->nr_runs, &kept.runs))
		done = mp_resident_read_kept(&pages->resident, &kept, blocks, row);
	if (kept.smaps)
		fclose(kept.smaps);
	free((void *)kept.runs.list);
	return done;
}

/* Joins the living blocks of a process with its pages. */
static void join(struct mp_recorded_pages *pages, uint32_t process, size_t waiting,
		 uint64_t exit_ns)
{
	const struct mp_heap_process *of = &pages->heap->processes[process];
	struct mp_row row = { .kind = MP_ROW_PROCESS, .pid = of->pid, .exit_ns = exit_ns };
	struct mp_blame_blocks blocks = { 0 };
	struct mp_freed freed = { 0 };
	bool done = pages->nr_rows < MP_RECORDED_PAGES_MAX && make_room(pages) &&
		    copy_blocks(pages, process, &blocks);

	pages->resident.freed = mp_freed_copy(&freed, &pages->heap->freed, process) ?
				NULL : &freed;
	pages->resident.unfreed += !pages->resident.freed;
	pages->resident.blame.is_sampled = pages->heap->is_sampled;
	if (done && pages->nr_rows == pages->max_rows)
		done = mp_array_grow(&pages->rows, &pages->max_rows, sizeof(row));
	if (done)
		done = charge(pages, &pages->waiting[waiting], &blocks, &row);
	if (done)
		pages->rows[pages->nr_rows++] = row;
	else
		pages->nr_skipped++;
	pages->resident.freed = NULL;
	mp_freed_free(&freed);
	mp_blame_free_blocks(&blocks);
	free_waiting(pages, waiting);
}

/* The engine will sum up exited processes, and use the numbers of their callsites again. */
static void drop_ended(struct mp_recorded_pages *pages)
{
	struct mp_blame *blame = &pages->resident.blame;

	pages->nr_skipped += pages->nr_rows;
	pages->nr_rows = 0;
	if (blame->nr_owners)
		memset(blame->owners, 0, blame->nr_owners * sizeof(*blame->owners));
}

static void close_process(void *context, uint32_t process, uint64_t exit_ns)
{
	struct mp_recorded_pages *pages = context;
	const struct mp_heap *heap = pages->heap;
	size_t waiting = find_waiting(pages, heap->processes[process].pid);

	/* its blocks are those of its exit, not of a moment before */
	if (waiting < pages->nr_waiting && pages->waiting[waiting].is_moment) {
		free_waiting(pages, waiting);
		waiting = pages->nr_waiting;
	}
	if (waiting < pages->nr_waiting)
		join(pages, process, waiting, exit_ns);
	else
		pages->nr_missing += mp_blocks_next(&heap->blocks, process, NULL) != NULL;
	if (heap->nr_exited >= heap->limit_exited)
		drop_ended(pages);
}

void mp_recorded_pages_begin(struct mp_recorded_pages *pages, struct mp_heap *heap)
{
	*pages = (struct mp_recorded_pages){ .heap = heap };
	heap->closing = close_process;
	heap->closing_context = pages;
}

void mp_recorded_pages_end(struct mp_recorded_pages *pages)
{
	const struct mp_map *map = &pages->heap->by_pid;
	size_t i, waiting;

	for (i = 0; i < map->nr_slots; i++) {
		if (!map->slots[i].used || map->slots[i].value == pages->heap->overflow)
			continue;
		waiting = find_waiting(pages, (uint32_t)map->slots[i].a);
		if (waiting < pages->nr_waiting)
			join(pages, map->slots[i].value, waiting, 0);
	}
}

static void put_process(struct mp_row *row, const struct mp_row *from)
{
	int i;

	mp_residence_take(row, from);
	for (i = MP_BLOCK_RESIDENT; i < MP_NR_METRICS; i++)
		if (from->value[i])
			row->value[i] = from->value[i];
	if (row->value[MP_PEAK_RESIDENT] < from->value[MP_RESIDENT])
		row->value[MP_PEAK_RESIDENT] = from->value[MP_RESIDENT];
}

int mp_recorded_pages_put(const struct mp_recorded_pages *pages, struct mp_profile *profile)
{
	struct mp_row *row;
	size_t i, j;
	int err = 0;

	mp_heap_put_blame(pages->heap, &pages->resident.blame, profile);
	for (i = 0; i < profile->nr_rows; i++) {
		row = &profile->rows[i];
		for (j = 0; row->kind == MP_ROW_PROCESS && j < pages->nr_rows; j++)
			if (pages->rows[j].pid == row->pid &&
			    pages->rows[j].exit_ns == row->exit_ns)
				put_process(row, &pages->rows[j]);
	}
	if (pages->has_any && pages->nr_missing)
		err = mp_profile_add_counter(profile, "end_pages_missing", pages->nr_missing);
	if (!err && pages->nr_skipped)
		err = mp_profile_add_counter(profile, "blame_skipped", pages->nr_skipped);
	return err ?: mp_resident_report(&pages->resident, profile);
}

void mp_recorded_pages_free(struct mp_recorded_pages *pages)
{
	while (pages->nr_waiting)
		free_waiting(pages, 0);
	free(pages->waiting);
	free(pages->rows);
	free(pages->resident.blame.owners);
	free(pages->piece.data);
	*pages = (struct mp_recorded_pages){ 0 };
}

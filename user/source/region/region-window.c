// SPDX-License-Identifier: GPL-2.0-only
/*
 * region-window: reads a section of the region in pieces of 64 KB
 *
 * The file is untrusted and can be a sparse file of terabytes. So the number of
 * elements is limited to the size of the library's tables, and to those inside
 * of the file: each missing one would cost a system call. The size of an
 * element is limited to 1 KB: enough for later versions of the format, which
 * may add fields. An invalid section is treated as empty.
 */
#include "region-window.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define WINDOW_BYTES	65536
#define MAX_STRIDE	1024

/*
 * Size of the elements of each section, and @most, the limit of their number:
 * the size of the library's table, or a higher limit if elements are small.
 */
static const struct {
	size_t size;
	uint64_t most;
} shapes[MEMPROF_REGION_NR_SECTIONS] = {
	[MEMPROF_REGION_COUNTERS] = {
		sizeof(struct memprof_region_counter), 1024 },
	[MEMPROF_REGION_MAPS] = { sizeof(struct memprof_region_map), 4096 },
	[MEMPROF_REGION_TALLIES] = {
		sizeof(struct memprof_region_tally), 1 << 16 },
	[MEMPROF_REGION_STACKS] = {
		sizeof(struct memprof_region_stack), 1 << 16 },
	[MEMPROF_REGION_ENTRIES] = {
		sizeof(struct memprof_region_entry), 1 << 20 },
	[MEMPROF_REGION_BLOCKS] = {
		sizeof(struct memprof_region_block), 1 << 20 },
	[MEMPROF_REGION_FUNCTIONS] = {
		sizeof(struct memprof_region_function), 1 << 16 },
	[MEMPROF_REGION_PEAKS] = { sizeof(struct memprof_region_peak), 1 << 16 },
	[MEMPROF_REGION_SMAPS] = { sizeof(struct memprof_region_text), 1 << 14 },
	[MEMPROF_REGION_PAGES] = { sizeof(struct memprof_region_pages), 1 << 20 },
};

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Returns the number of elements that can be inside of the file. */
static uint64_t nr_inside(const struct mp_region_window *window, uint64_t bytes)
{
	uint64_t begin = window->is.offset + window->size;

	return bytes < begin ? 0 : (bytes - begin) / window->is.stride + 1;
}

int mp_region_window_open(struct mp_region_window *window,
			  const struct mp_region *region, int section)
{
	*window = (struct mp_region_window){
		.fd = region->fd, .is = region->header.sections[section],
		.size = shapes[section].size,
	};
	/* an invalid section is empty */
	if (window->is.stride >= window->size &&
	    window->is.stride <= MAX_STRIDE && window->is.stride % 8 == 0 &&
	    window->is.offset % 4096 == 0 && window->is.offset < 1ULL << 62)
		window->nr = least(least(window->is.used, window->is.capacity),
				   least(shapes[section].most,
					 nr_inside(window, region->header.file_size)));
	window->buffer = malloc(WINDOW_BYTES);
	return window->buffer ? 0 : -ENOMEM;
}

static ssize_t read_at(const struct mp_region_window *window, uint64_t index,
		       void *to, size_t size)
{
	return pread(window->fd, to, size,
		     (off_t)(window->is.offset + index * window->is.stride));
}

/* At the end of the file the last element may be shorter than the stride. */
static void read_piece(struct mp_region_window *window, uint64_t index)
{
	const uint64_t stride = window->is.stride;
	uint64_t nr = least(window->nr - index, WINDOW_BYTES / stride);
	ssize_t got = read_at(window, index, window->buffer, nr * stride);

	window->first = index;
	window->nr_here = got < (ssize_t)window->size ? 0 :
			  ((uint64_t)got - window->size) / stride + 1;
}

const void *mp_region_window_at(struct mp_region_window *window, uint64_t index)
{
	if (index >= window->nr)
		return NULL;
	if (index < window->first || index - window->first >= window->nr_here)
		read_piece(window, index);
	return index - window->first < window->nr_here ?
	       window->buffer + (index - window->first) * window->is.stride :
	       NULL;
}

bool mp_region_window_read(const struct mp_region_window *window,
			   uint64_t index, void *to)
{
	return index < window->nr && read_at(window, index, to, window->size) ==
				     (ssize_t)window->size;
}

void mp_region_window_close(struct mp_region_window *window)
{
	free(window->buffer);
	window->buffer = NULL;
}

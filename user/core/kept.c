// SPDX-License-Identifier: GPL-2.0-only
/*
 * kept: a caller comes before what it called, and its ticks are known after. So the
 * latest calls are in memory, where nearly all of them end, and those before in a
 * temporary file, in which one that ends late is changed.
 */
#include "kept.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static off_t place(size_t number)
{
	return (off_t)(number * sizeof(struct mp_kept_call));
}

/* The number of bytes, or what is wrong. */
static int whole(ssize_t done, size_t size)
{
	if (done == (ssize_t)size)
		return 0;
	return done < 0 ? -errno : -EIO;
}

static int spill(struct mp_kept *kept)
{
	size_t nr = kept->nr - kept->first, done = 0;
	ssize_t n = 1;

	if (!kept->file)
		kept->file = tmpfile();
	if (!kept->file)
		return -errno;
	while (n > 0 && done < nr * sizeof(*kept->window)) {
		n = pwrite(fileno(kept->file), (char *)kept->window + done,
			   nr * sizeof(*kept->window) - done,
			   place(kept->first) + (off_t)done);
		if (n > 0)
			done += (size_t)n;
	}
	if (n < 0)
		return -errno;
	kept->first = kept->nr;
	return 0;
}

static int make_room(struct mp_kept *kept)
{
	size_t max = kept->max ? kept->max * 2 : 64;
	void *grown;

	if (kept->nr - kept->first < kept->max)
		return 0;
	if (kept->max == MP_KEPT_WINDOW)
		return spill(kept);
	grown = reallocarray(kept->window, max, sizeof(*kept->window));
	if (!grown)
		return -ENOMEM;
	kept->window = grown;
	kept->max = max;
	return 0;
}

int mp_kept_add(struct mp_kept *kept, uint32_t node)
{
	int err = make_room(kept);

	if (!err)
		kept->window[kept->nr++ - kept->first] =
			(struct mp_kept_call){ .node = node };
	return err;
}

int mp_kept_end(struct mp_kept *kept, size_t number, uint64_t ticks)
{
	off_t at = place(number) + (off_t)offsetof(struct mp_kept_call, ticks);

	if (number < kept->first)
		return whole(pwrite(fileno(kept->file), &ticks, sizeof(ticks),
				    at), sizeof(ticks));
	kept->window[number - kept->first].ticks = ticks;
	return 0;
}

/* Up to @first, where memory begins. */
static int read_page(struct mp_kept *kept, size_t number)
{
	size_t nr = kept->first - number;
	ssize_t n;

	if (!kept->page)
		kept->page = calloc(MP_KEPT_WINDOW, sizeof(*kept->page));
	if (!kept->page)
		return -ENOMEM;
	if (nr > MP_KEPT_WINDOW)
		nr = MP_KEPT_WINDOW;
	kept->page_nr = 0;
	n = pread(fileno(kept->file), kept->page, nr * sizeof(*kept->page),
		  place(number));
	if (n < (ssize_t)sizeof(*kept->page))
		return n < 0 ? -errno : -EIO;
	kept->page_first = number;
	kept->page_nr = (size_t)n / sizeof(*kept->page);
	return 0;
}

const struct mp_kept_call *mp_kept_at(struct mp_kept *kept, size_t number)
{
	if (number >= kept->first)
		return &kept->window[number - kept->first];
	if ((number < kept->page_first ||
	     number - kept->page_first >= kept->page_nr) &&
	    read_page(kept, number))
		return NULL;
	return &kept->page[number - kept->page_first];
}

void mp_kept_clear(struct mp_kept *kept)
{
	kept->nr = kept->first = 0;
	kept->page_nr = 0;
}

void mp_kept_free(struct mp_kept *kept)
{
	free(kept->window);
	free(kept->page);
	if (kept->file)
		fclose(kept->file);
	*kept = (struct mp_kept){ 0 };
}

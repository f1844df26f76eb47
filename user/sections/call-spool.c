// SPDX-License-Identifier: GPL-2.0-only
/*
 * call-spool: keeps the latest calls in memory and older ones in a temporary
 * file
 *
 * A caller is added before its callees, but its ticks are only known when it
 * ends, after its callees. Most calls end while they are in memory. The ticks of
 * other calls are written into the file. Functions fail with -ENOMEM or the errno
 * of the file.
 */
#include "call-spool.h"
#include "array.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static off_t file_offset(size_t number)
{
	return (off_t)(number * sizeof(struct mp_call_spool_call));
}

/* Checks the result of a read or write: 0 if complete, else a negative errno. */
static int check_transfer(ssize_t done, size_t size)
{
	if (done == (ssize_t)size)
		return 0;
	return done < 0 ? -errno : -EIO;
}

static int write_window(struct mp_call_spool *spool)
{
	size_t nr = spool->nr - spool->first, done = 0;
	ssize_t n = 1;

	if (!spool->file)
		spool->file = tmpfile();
	if (!spool->file)
		return -errno;
	while (n > 0 && done < nr * sizeof(*spool->window)) {
		n = pwrite(fileno(spool->file), (char *)spool->window + done,
			   nr * sizeof(*spool->window) - done,
			   file_offset(spool->first) + (off_t)done);
		if (n > 0)
			done += (size_t)n;
	}
	/* some file systems write 0 bytes and give no error */
	if (n <= 0)
		return n < 0 ? -errno : -EIO;
	spool->first = spool->nr;
	return 0;
}

static int make_room(struct mp_call_spool *spool)
{
	if (spool->nr - spool->first < spool->max)
		return 0;
	if (spool->max == MP_CALL_SPOOL_WINDOW)
		return write_window(spool);
	return mp_array_grow(&spool->window, &spool->max, sizeof(*spool->window)) ?
	       0 : -ENOMEM;
}

int mp_call_spool_add(struct mp_call_spool *spool, uint32_t node)
{
	int err = make_room(spool);

	if (!err)
		spool->window[spool->nr++ - spool->first] =
			(struct mp_call_spool_call){ .node = node };
	return err;
}

int mp_call_spool_end(struct mp_call_spool *spool, size_t number, uint64_t ticks)
{
	off_t at = file_offset(number) + (off_t)offsetof(struct mp_call_spool_call, ticks);

	if (number < spool->first)
		return check_transfer(pwrite(fileno(spool->file), &ticks, sizeof(ticks),
					     at), sizeof(ticks));
	spool->window[number - spool->first].ticks = ticks;
	return 0;
}

/* Reads calls from the file into the page, beginning with call @number. */
static int read_page(struct mp_call_spool *spool, size_t number)
{
	size_t nr = spool->first - number;
	ssize_t n;

	if (!spool->page)
		spool->page = calloc(MP_CALL_SPOOL_WINDOW, sizeof(*spool->page));
	if (!spool->page)
		return -ENOMEM;
	if (nr > MP_CALL_SPOOL_WINDOW)
		nr = MP_CALL_SPOOL_WINDOW;
	spool->page_nr = 0;
	n = pread(fileno(spool->file), spool->page, nr * sizeof(*spool->page),
		  file_offset(number));
	if (n < (ssize_t)sizeof(*spool->page))
		return n < 0 ? -errno : -EIO;
	spool->page_first = number;
	spool->page_nr = (size_t)n / sizeof(*spool->page);
	return 0;
}

const struct mp_call_spool_call *mp_call_spool_at(struct mp_call_spool *spool, size_t number)
{
	if (number >= spool->first)
		return &spool->window[number - spool->first];
	if ((number < spool->page_first ||
	     number - spool->page_first >= spool->page_nr) &&
	    read_page(spool, number))
		return NULL;
	return &spool->page[number - spool->page_first];
}

void mp_call_spool_clear(struct mp_call_spool *spool)
{
	spool->nr = spool->first = 0;
	spool->page_nr = 0;
}

void mp_call_spool_free(struct mp_call_spool *spool)
{
	free(spool->window);
	free(spool->page);
	if (spool->file)
		fclose(spool->file);
	*spool = (struct mp_call_spool){ 0 };
}

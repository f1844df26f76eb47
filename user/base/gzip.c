// SPDX-License-Identifier: GPL-2.0-only
/*
 * gzip: files in the format of gzip(1), by zlib
 *
 * Cost: some 20 ms per MB to compress, 5 ms to unpack; 300 KB of memory.
 */
#include "gzip.h"

#include "write-all.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#define PIECE	(64 * 1024)

bool mp_gzip_is(int fd)
{
	unsigned char magic[2];

	return pread(fd, magic, sizeof(magic), 0) == sizeof(magic) &&
	       magic[0] == 0x1f && magic[1] == 0x8b;
}

/* Opens a copy of the descriptor, because gzclose() closes it. */
static gzFile open_copy(int fd, const char *mode, int *err)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	gzFile file = copy < 0 ? NULL : gzdopen(copy, mode);

	*err = copy < 0 ? -errno : file ? 0 : -ENOMEM;
	if (!file && copy >= 0)
		close(copy);
	return file;
}

static int errno_of(gzFile file, int otherwise)
{
	int number;

	gzerror(file, &number);
	return number == Z_ERRNO && errno ? -errno :
	       number == Z_MEM_ERROR ? -ENOMEM : otherwise;
}

int mp_gzip_pack(int from, int to)
{
	char piece[PIECE];
	ssize_t n;
	int err;
	gzFile file = open_copy(to, "wb", &err);

	if (!file)
		return err;
	if (lseek(from, 0, SEEK_SET) < 0)
		err = -errno;
	while (!err) {
		n = read(from, piece, sizeof(piece));
		if (n < 0)
			err = -errno;
		if (n <= 0)
			break;
		if (gzwrite(file, piece, (unsigned int)n) != n)
			err = errno_of(file, -EIO);
	}
	errno = 0;
	if (gzclose(file) != Z_OK && !err)
		err = errno ? -errno : -EIO;
	return err;
}

int mp_gzip_unpack(int from, int to, uint64_t max_bytes)
{
	char piece[PIECE];
	uint64_t all = 0;
	int err, n;
	gzFile file;

	if (lseek(from, 0, SEEK_SET) < 0)
		return -errno;
	file = open_copy(from, "rb", &err);
	if (!file)
		return err;
	do {
		n = gzread(file, piece, sizeof(piece));
		all += n > 0 ? (uint64_t)n : 0;
		if (n < 0)
			err = errno_of(file, -EBADMSG);
		else if (all > max_bytes)
			err = -EFBIG;
		else
			err = mp_write_all(to, piece, (size_t)n);
	} while (!err && n);
	/* zlib tells only here that a file ends too early */
	n = gzclose(file);
	return !err && n != Z_OK ? -EBADMSG : err;
}

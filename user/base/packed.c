// SPDX-License-Identifier: GPL-2.0-only
/*
 * packed: files in the format of zstd(1), by libzstd
 *
 * Earlier versions wrote gzip's, which is read, too. A file may say how much memory its
 * reader needs: more than 8 MB are refused.
 */
#include "packed.h"

#include "gzip.h"
#include "write-all.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#define LEVEL		3
#define MAX_WINDOW	23	/* 2^23 bytes */
#define PIECE		(64 * 1024)

/* What a file begins with. */
static const unsigned char magic[] = { 0x28, 0xb5, 0x2f, 0xfd };

static bool is_zstd(int fd)
{
	unsigned char begin[sizeof(magic)];

	return pread(fd, begin, sizeof(begin), 0) == sizeof(begin) &&
	       !memcmp(begin, magic, sizeof(begin));
}

bool mp_packed_is(int fd)
{
	return is_zstd(fd) || mp_gzip_is(fd);
}

/* Compresses one piece; the last one ends the file. */
static int pack_piece(ZSTD_CCtx *context, ZSTD_inBuffer *in, bool is_last, int to)
{
	char piece[PIECE];
	ZSTD_outBuffer out = { piece, sizeof(piece), 0 };
	size_t left;
	int err = 0;

	do {
		out.pos = 0;
		left = ZSTD_compressStream2(context, &out, in,
					    is_last ? ZSTD_e_end : ZSTD_e_continue);
		err = ZSTD_isError(left) ? -EIO : mp_write_all(to, piece, out.pos);
	} while (!err && (is_last ? left : in->pos < in->size));
	return err;
}

int mp_packed_write(int from, int to)
{
	ZSTD_CCtx *context = ZSTD_createCCtx();
	char piece[PIECE];
	ssize_t n;
	int err = 0;

	if (!context)
		return -ENOMEM;
	if (lseek(from, 0, SEEK_SET) < 0)
		err = -errno;
	ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, LEVEL);
	ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
	do {
		n = err ? -1 : read(from, piece, sizeof(piece));
		if (!err)
			err = n < 0 ? -errno :
			      pack_piece(context, &(ZSTD_inBuffer){ piece, (size_t)n, 0 },
					 !n, to);
	} while (!err && n);
	ZSTD_freeCCtx(context);
	return err;
}

/* Unpacks one piece. @left: out, 0: a frame of the file is complete */
static int unpack_piece(ZSTD_DCtx *context, ZSTD_inBuffer *in, size_t *left, int to,
			uint64_t *room)
{
	char piece[PIECE];
	ZSTD_outBuffer out = { piece, sizeof(piece), 0 };
	int err = 0;

	/* the bytes that fill the piece may not be all that were unpacked */
	do {
		out.pos = 0;
		*left = ZSTD_decompressStream(context, &out, in);
		if (ZSTD_isError(*left))
			return -EBADMSG;
		if (out.pos > *room)
			return -EFBIG;
		*room -= out.pos;
		err = mp_write_all(to, piece, out.pos);
	} while (!err && (in->pos < in->size || (*left && out.pos == sizeof(piece))));
	return err;
}

static int unpack(ZSTD_DCtx *context, int from, int to, uint64_t room)
{
	char piece[PIECE];
	size_t left = 1;
	ssize_t n;
	int err = 0;

	while (!err) {
		n = read(from, piece, sizeof(piece));
		if (n < 0)
			return -errno;
		if (!n)
			return left ? -EBADMSG : 0;
		err = unpack_piece(context, &(ZSTD_inBuffer){ piece, (size_t)n, 0 }, &left,
				   to, &room);
	}
	return err;
}

int mp_packed_read(int from, int to, uint64_t max_bytes)
{
	ZSTD_DCtx *context;
	int err;

	if (!is_zstd(from))
		return mp_gzip_unpack(from, to, max_bytes);
	context = ZSTD_createDCtx();
	if (!context)
		return -ENOMEM;
	ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, MAX_WINDOW);
	err = lseek(from, 0, SEEK_SET) < 0 ? -errno : unpack(context, from, to, max_bytes);
	ZSTD_freeDCtx(context);
	return err;
}

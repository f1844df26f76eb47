// SPDX-License-Identifier: GPL-2.0-only
/*
 * blob: doubles the buffer when it is full
 *
 * If memory is short, the bytes to append are dropped and blob->failed is set.
 */
#include "blob.h"

#include <stdlib.h>
#include <string.h>

void mp_blob_put(struct mp_blob *blob, const void *data, size_t size)
{
	size_t room = (blob->size + size) * 2 + 256;
	char *more;

	if (!size)
		return;
	if (blob->size + size > blob->room) {
		more = realloc(blob->data, room);
		if (!more) {
			blob->failed = true;
			return;
		}
		blob->data = more;
		blob->room = room;
	}
	memcpy(blob->data + blob->size, data, size);
	blob->size += size;
}

void mp_blob_u32(struct mp_blob *blob, uint32_t value)
{
	mp_blob_put(blob, &value, sizeof(value));
}

void mp_blob_u64(struct mp_blob *blob, uint64_t value)
{
	mp_blob_put(blob, &value, sizeof(value));
}

void mp_blob_text(struct mp_blob *blob, const char *text)
{
	static const char zeros[64];
	size_t len = strlen(text) + 1, padded = (len + 63) & ~63UL;

	mp_blob_u32(blob, (uint32_t)padded);
	mp_blob_put(blob, text, len);
	mp_blob_put(blob, zeros, padded - len);
}

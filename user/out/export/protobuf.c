// SPDX-License-Identifier: GPL-2.0-only
/*
 * protobuf: encodes numbers in groups of seven bits, lowest first
 *
 * If memory is short, the blob is marked as failed.
 */
#include "protobuf.h"

#include <endian.h>

enum wire {
	WIRE_VARINT = 0,
	WIRE_FIXED64 = 1,
	WIRE_BYTES = 2,
};

void mp_protobuf_varint(struct mp_blob *message, uint64_t value)
{
	uint8_t bytes[10];
	size_t nr = 0;

	for (; value > 0x7f; value >>= 7)
		bytes[nr++] = (uint8_t)(value | 0x80);
	bytes[nr++] = (uint8_t)value;
	mp_blob_put(message, bytes, nr);
}

void mp_protobuf_number(struct mp_blob *message, uint32_t field, uint64_t value)
{
	if (!value)
		return;
	mp_protobuf_varint(message, field << 3 | WIRE_VARINT);
	mp_protobuf_varint(message, value);
}

void mp_protobuf_fixed64(struct mp_blob *message, uint32_t field, uint64_t value)
{
	value = htole64(value);
	mp_protobuf_varint(message, field << 3 | WIRE_FIXED64);
	mp_blob_put(message, &value, sizeof(value));
}

void mp_protobuf_bytes(struct mp_blob *message, uint32_t field,
		       const void *data, size_t size)
{
	mp_protobuf_varint(message, field << 3 | WIRE_BYTES);
	mp_protobuf_varint(message, size);
	mp_blob_put(message, data, size);
}

void mp_protobuf_message(struct mp_blob *message, uint32_t field,
			 struct mp_blob *inner)
{
	mp_protobuf_bytes(message, field, inner->data, inner->size);
	message->failed |= inner->failed;
	inner->size = 0;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * protobuf: fields of a message, as the wire has them
 *
 * What is zero or empty is left out, as proto3 wants it.
 */
#ifndef MP_PROTOBUF_H
#define MP_PROTOBUF_H

#include "blob.h"

/** mp_protobuf_number - append a field that is a number; negative ones take 10 bytes */
void mp_protobuf_number(struct mp_blob *message, uint32_t field,
			uint64_t value);

/** mp_protobuf_bytes - append a field that is a text or a message, even an empty one */
void mp_protobuf_bytes(struct mp_blob *message, uint32_t field,
		       const void *data, size_t size);

/** mp_protobuf_message - the same for a message, which is empty afterwards */
void mp_protobuf_message(struct mp_blob *message, uint32_t field,
			 struct mp_blob *inner);

/** mp_protobuf_varint - append a bare number, of a packed field */
void mp_protobuf_varint(struct mp_blob *message, uint64_t value);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * protobuf: encodes the fields of a protobuf message
 *
 * Fields with the value 0 are left out, as in proto3.
 */
#ifndef MP_PROTOBUF_H
#define MP_PROTOBUF_H

#include "blob.h"

/** mp_protobuf_number - append a number field; a negative number takes 10 bytes */
void mp_protobuf_number(struct mp_blob *message, uint32_t field,
			uint64_t value);

/** mp_protobuf_fixed64 - append a field with a number of 8 bytes */
void mp_protobuf_fixed64(struct mp_blob *message, uint32_t field, uint64_t value);

/** mp_protobuf_bytes - append a field with bytes, even if it is empty */
void mp_protobuf_bytes(struct mp_blob *message, uint32_t field,
		       const void *data, size_t size);

/** mp_protobuf_message - append a field with the message @inner, which is emptied */
void mp_protobuf_message(struct mp_blob *message, uint32_t field,
			 struct mp_blob *inner);

/** mp_protobuf_varint - append a number without a field number, for packed fields */
void mp_protobuf_varint(struct mp_blob *message, uint64_t value);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * blob: a growing buffer of bytes
 */
#ifndef MP_BLOB_H
#define MP_BLOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct mp_blob - the buffer; all zero means empty
 * @data: the bytes; the caller frees them
 * @failed: bytes were dropped because memory was short
 */
struct mp_blob {
	char *data;
	size_t size, room;
	bool failed;
};

/** mp_blob_put - append bytes */
void mp_blob_put(struct mp_blob *blob, const void *data, size_t size);

/** mp_blob_u32 - append a 32-bit number in the machine's byte order */
void mp_blob_u32(struct mp_blob *blob, uint32_t value);

/** mp_blob_u64 - append a 64-bit number in the machine's byte order */
void mp_blob_u64(struct mp_blob *blob, uint64_t value);

/**
 * mp_blob_text - append a text in perf's format: length, then text padded to 64
 * bytes
 */
void mp_blob_text(struct mp_blob *blob, const char *text);

#endif

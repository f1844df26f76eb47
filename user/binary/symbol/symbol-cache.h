/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * symbol-cache: stores symbols of earlier runs, one file per binary
 */
#ifndef MP_SYMBOL_CACHE_H
#define MP_SYMBOL_CACHE_H

#include "profile.h"
#include "symbol-answer.h"

/* Limit of the bytes of all files. Above it the oldest files are removed. */
#define MP_SYMBOL_CACHE_MAX	(256UL << 20)

/**
 * struct mp_cache_key - identifies a binary
 * @name: of its cache file; empty if the binary cannot be identified
 * @size: size of the binary; 0: it does not exist any more
 */
struct mp_cache_key {
	char name[64];
	uint64_t size;
};

/**
 * mp_symbol_cache_key - make the key of a binary
 * @key: out: made of the build-id; without one of path, inode, time and size
 * @fd: the file, or -1
 */
void mp_symbol_cache_key(struct mp_cache_key *key, int fd, const char *path,
			 const struct mp_binary *binary);

/**
 * mp_symbol_cache_load - load the symbols of a binary
 * @answer: out; the caller frees it. Empty if there is no cache file, if it is
 *	corrupt, or if a debug file was added or changed since it was written
 *
 * Source: $MEMPROF_SYMBOL_CACHE (a folder, or "off"), else memprof/symbols in
 * $XDG_CACHE_HOME, else in ~/.cache. A folder of another user is not used.
 */
void mp_symbol_cache_load(const struct mp_cache_key *key,
			  struct mp_symbol_answer *answer);

/** mp_symbol_cache_store - store the symbols of a binary; errors are ignored */
void mp_symbol_cache_store(const struct mp_cache_key *key,
			   const struct mp_symbol_answer *answer);

#endif

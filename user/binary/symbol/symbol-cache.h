/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * symbol-cache: answers of earlier runs, a file for each binary
 */
#ifndef MP_SYMBOL_CACHE_H
#define MP_SYMBOL_CACHE_H

#include "profile.h"
#include "symbol-answer.h"

/* Bytes of all files; beyond that the oldest are removed. */
#define MP_SYMBOL_CACHE_MAX	(256UL << 20)

/**
 * struct mp_cache_key - which file an answer is about
 * @name: of its cache file; empty where it cannot be told from others
 * @size: bytes of the file itself; 0 where it is gone
 */
struct mp_cache_key {
	char name[64];
	uint64_t size;
};

/**
 * mp_symbol_cache_key - name a file
 * @key: out: by the build-id or, of a file without one, by what tells it from
 *	others: path, number, time, size
 * @fd: the file, or -1
 */
void mp_symbol_cache_key(struct mp_cache_key *key, int fd, const char *path,
			 const struct mp_binary *binary);

/**
 * mp_symbol_cache_load - what is known of a file
 * @answer: out, to be freed; empty where there is nothing, or it is corrupt, or
 *	a debug file has come or changed since
 *
 * Source: $MEMPROF_SYMBOL_CACHE (a folder, or "off"), else memprof/symbols in
 * $XDG_CACHE_HOME, else in ~/.cache. One of another user is not touched.
 */
void mp_symbol_cache_load(const struct mp_cache_key *key,
			  struct mp_symbol_answer *answer);

/** mp_symbol_cache_store - keep what is known of a file; silent if it cannot */
void mp_symbol_cache_store(const struct mp_cache_key *key,
			   const struct mp_symbol_answer *answer);

#endif

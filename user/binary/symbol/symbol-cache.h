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
 * struct mp_cache_identity - the file that symbols were read of; all zero: none
 */
struct mp_cache_identity {
	uint64_t dev, inode, size, mtime_ns, ctime_ns;
};

/**
 * struct mp_cache_key - identifies a binary
 * @name: of its cache file; empty if the binary cannot be identified
 * @other: of another one, if there is none of that name and the binary does not
 *	exist any more; or empty
 * @file: the binary
 * @is_there: whether the binary exists
 */
struct mp_cache_key {
	char name[64];
	char other[64];
	struct mp_cache_identity file;
	bool is_there;
};

/**
 * mp_symbol_cache_key - make the key of a binary
 * @key: out
 * @fd: the file, or -1
 * @path: that it was opened by
 *
 * Everybody can make a file with the build-id of another one. So a build-id alone
 * names the cache file only of a binary that nobody but root and our user could
 * write, below our own root. The files of others are named by build-id, path, device
 * and inode. In both cases symbols are used only for the same file, unchanged, or
 * for one that is gone. Without a build-id the name has the file's identity.
 */
void mp_symbol_cache_key(struct mp_cache_key *key, int fd, const char *path,
			 const struct mp_binary *binary);

/**
 * mp_symbol_cache_load - load the symbols of a binary
 * @key: its name becomes the other one, if that was used
 * @answer: out; the caller frees it. Empty if there is no cache file, if it is
 *	corrupt or of another file, or if a debug file was added or changed since
 *	it was written
 *
 * Source: $MEMPROF_SYMBOL_CACHE (a folder, or "off"), else memprof/symbols in
 * $XDG_CACHE_HOME, else in ~/.cache. A folder of another user is not used.
 */
void mp_symbol_cache_load(struct mp_cache_key *key,
			  struct mp_symbol_answer *answer);

/** mp_symbol_cache_store - store the symbols of a binary; errors are ignored */
void mp_symbol_cache_store(const struct mp_cache_key *key,
			   const struct mp_symbol_answer *answer);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * symbol-cache: stores symbols of earlier runs, one file per binary
 */
#ifndef MP_SYMBOL_CACHE_H
#define MP_SYMBOL_CACHE_H

#include "profile.h"
#include "symbol-answer.h"

/** struct mp_cache_identity - the file that symbols were read from; all zero: none */
struct mp_cache_identity {
	uint64_t dev, inode, size, mtime_ns, ctime_ns;
};

/**
 * struct mp_cache_key - identifies a binary
 * @name: name of its cache file; empty if the binary cannot be identified
 * @other: name to try if @name does not exist and the binary was removed; or
 *	empty
 * @file: the binary
 * @is_there: the binary exists
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
 * @path: the path by which it was opened
 *
 * Everybody can make a file with the build-id of another one. So the cache file
 * is named by the build-id alone only if the binary is below our own root and
 * only root or our user can write it. Cache files of other binaries are named
 * by build-id, path, device and inode. In both cases symbols are used only for
 * the same unchanged file, or for a removed one. Without a build-id the name is
 * made from the file's identity.
 */
void mp_symbol_cache_key(struct mp_cache_key *key, int fd, const char *path,
			 const struct mp_binary *binary);

/**
 * mp_symbol_cache_load - load the symbols of a binary
 * @key: if the file named by @other was used, @name is set to @other
 * @answer: out; the caller frees it. Empty if there is no cache file, if the
 *	cache file is corrupt or of another binary, or if a debug file was added
 *	or changed since it was written
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

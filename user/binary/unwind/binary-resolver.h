/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * guide: answers what the engine asks of binaries
 */
#ifndef MP_BINARY_RESOLVER_H
#define MP_BINARY_RESOLVER_H

#include "unwind.h"
#include "wrappers.h"

struct mp_resolver_file;

/**
 * struct mp_binary_resolver - what was learnt so far
 * @unwind: of stacks
 * @nr_unwound: how many
 * @wrappers: what is one; the caller's, may be NULL
 * @files: where in each file there are some, by the engine's number
 */
struct mp_binary_resolver {
	struct mp_unwind unwind;
	uint64_t nr_unwound;
	const struct mp_wrappers *wrappers;
	struct mp_resolver_file *files;
	size_t nr_files, max_files;
	struct mp_map by_file;
};

/**
 * mp_binary_resolver_open - be there for an engine
 * @resolver: must not move afterwards
 * @wrappers: besides the known ones, or NULL
 * @ops: out, for the engine
 */
void mp_binary_resolver_open(struct mp_binary_resolver *resolver, const struct mp_wrappers *wrappers,
		   struct mp_merge_ops *ops);

/** mp_binary_resolver_close - forget all; the engine is done */
void mp_binary_resolver_close(struct mp_binary_resolver *resolver);

#endif

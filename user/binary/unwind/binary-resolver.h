/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * binary-resolver: the engine's callbacks that need to read binaries
 */
#ifndef MP_BINARY_RESOLVER_H
#define MP_BINARY_RESOLVER_H

#include "unwind.h"
#include "wrappers.h"

struct mp_resolver_file;

/**
 * struct mp_binary_resolver - state of the callbacks
 * @unwind: the unwinder
 * @nr_unwound: number of unwound stacks
 * @wrappers: wrappers to find; belongs to the caller, may be NULL
 * @files: wrappers in each file
 * @by_file: the engine's number of a file -> index in @files
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
 * mp_binary_resolver_open - set up the callbacks
 * @resolver: must not move afterwards
 * @wrappers: wrappers besides the known ones, or NULL
 * @ops: out, for the engine
 */
void mp_binary_resolver_open(struct mp_binary_resolver *resolver, const struct mp_wrappers *wrappers,
			     struct mp_merge_ops *ops);

/**
 * mp_binary_resolver_report - add a warning for files that were refused to a
 * profile
 *
 * Return: 0, or -ENOMEM.
 */
int mp_binary_resolver_report(const struct mp_binary_resolver *resolver,
			      struct mp_profile *profile);

/** mp_binary_resolver_close - free all; the engine must have ended */
void mp_binary_resolver_close(struct mp_binary_resolver *resolver);

#endif

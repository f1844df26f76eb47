/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * library.h: the functions of the libmemprof that is in this process.
 */
#ifndef MEMPROF_PYTHON_LIBRARY_H
#define MEMPROF_PYTHON_LIBRARY_H

#include <memprof/attach.h>
#include <memprof/memprof.h>
#include <memprof/region.h>

#include <stdbool.h>

/**
 * struct library - functions of libmemprof
 * @handle: of dlopen(); NULL: not opened yet. The library is never unloaded
 *
 * The others are described in memprof.h and attach.h.
 */
struct library {
	int (*start)(void);
	int (*stop)(void);
	int (*mark)(void);
	int (*attach)(struct memprof_attachment *attachment);
	int (*detach)(void);
	int (*get_stats)(MemProfStats *out);
	int (*get_state)(void);
	const struct memprof_region_header *(*get_region)(void);
	uint64_t (*get_sequence)(void);
	int (*exclude)(int is_excluded);
	void (*shutdown)(void);
	void *handle;
};

bool library_open(struct library *library, const char *path, const char **why);

#endif

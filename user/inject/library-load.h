/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * library-load: has a borrowed thread load libmemprof, and call its functions
 */
#ifndef MP_LIBRARY_LOAD_H
#define MP_LIBRARY_LOAD_H

#include "inject.h"
#include "remote-call.h"

/**
 * struct mp_library_file - the library
 * @path: as this process sees it
 * @is_visible: the target sees the same file by the same path
 * @data: its contents; NULL: not needed so far
 * @size: bytes of @data
 */
struct mp_library_file {
	const char *path;
	bool is_visible;
	char *data;
	size_t size;
};

/**
 * mp_library_file_read - read the library before a thread is stopped, if it is not visible
 * @file: in: @path; out: the other members, with memory that mp_library_file_free() frees
 *
 * Return: 0, or a negative errno with the reason in @diag.
 */
int mp_library_file_read(struct mp_library_file *file, pid_t pid, struct mp_diag *diag);

/** mp_library_file_free - free the contents */
void mp_library_file_free(struct mp_library_file *file);

/**
 * mp_library_load - load the library, by its path or from a memfd
 * @loaded: out: the path that dlopen() got; 64 bytes
 * @attach: out: address of memprof_attach()
 *
 * Return: 0, or a negative errno with the reason in @remote->diag.
 */
int mp_library_load(struct mp_remote *remote, struct mp_library_file *file,
		    char *loaded, uint64_t *attach);

/**
 * mp_library_attach - call memprof_attach()
 * @attach: its address
 * @attachment: in and out: its argument
 *
 * Return: what it returned; -EIO if it was not called, with the reason in
 * @remote->diag.
 */
int mp_library_attach(struct mp_remote *remote, uint64_t attach,
		      struct memprof_attachment *attachment);

/**
 * mp_library_detach - call memprof_detach()
 * @detach: its address
 *
 * Return: as mp_library_attach().
 */
int mp_library_detach(struct mp_remote *remote, uint64_t detach);

#endif

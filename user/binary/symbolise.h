/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * symbolise: the functions that addresses in a file's code belong to
 */
#ifndef MP_SYMBOLISE_H
#define MP_SYMBOLISE_H

#include "profile.h"

/**
 * struct mp_spot - an address to name
 * @offset: in the file, that a call returns to
 * @name: out; an empty function where none is known
 */
struct mp_spot {
	uint64_t offset;
	struct mp_place_name name;
};

/**
 * mp_symbolise_apart - name addresses, all of one file, in a child process
 * @fd: the file, open for reading; stays open
 * @path: to find a debug file beside it
 * @binary: what the file has to be, as far as its build-id tells
 * @spots: in and out; sorted here
 * @nr: how many
 *
 * Return: whether the file could be read; if not, no address has a name.
 */
bool mp_symbolise_apart(int fd, const char *path,
			const struct mp_binary *binary, struct mp_spot *spots,
			size_t nr);

#endif

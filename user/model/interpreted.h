/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * interpreted: functions that an interpreter runs, as binaries of a profile
 *
 * libmemprof tells the functions of Python in a stack. Each of them is a binary of the
 * profile, whose path is "py::NAME:FILE". A frame's offset in it is the line plus 1, as
 * other offsets are those of return addresses. So these frames are the same in all
 * processes, and are in all files that have binaries.
 */
#ifndef MP_INTERPRETED_H
#define MP_INTERPRETED_H

#include <stdbool.h>

/* What the paths begin with; paths of files begin with a slash. */
#define MP_INTERPRETED_PYTHON	"py::"

/* What the names of node's functions begin with, and what we write before Java's and PHP's */
#define MP_INTERPRETED_NODE	"JS:"
#define MP_INTERPRETED_JAVA	"java::"
#define MP_INTERPRETED_PHP	"php::"

/** mp_interpreted_is - whether the path of a binary is that of an interpreted function */
bool mp_interpreted_is(const char *path);

/** mp_interpreted_names - whether a name is that of an interpreted function */
bool mp_interpreted_names(const char *name);

/**
 * mp_interpreted_is_built_in - whether a function is a part of an interpreter
 * @name: name of an interpreted function
 * @file: its source file; or NULL
 */
bool mp_interpreted_is_built_in(const char *name, const char *file);

/**
 * mp_interpreted_file - find the file in "py::NAME:FILE"
 *
 * Return: the file, or NULL.
 */
const char *mp_interpreted_file(const char *path);

#endif

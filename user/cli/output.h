/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * output: writes to standard output, or to a file that appears only when it is
 * complete
 */
#ifndef MP_OUTPUT_H
#define MP_OUTPUT_H

#include "command.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

/* For the option table of a verb that writes a file. */
#define MP_OUTPUT_OPTIONS(type, path, replace, help)			\
	{ 'o', "output", "FILE", NULL, help, MP_TEXT(type, path) },	\
	{ 'f', "force", NULL, NULL, "replace an existing file", MP_FLAG(type, replace) }

/**
 * struct mp_output - an output
 * @file: stream to write to
 * @path: final path; NULL: standard output
 * @force: an existing file may be replaced
 * @temporary: path of the temporary file
 */
struct mp_output {
	FILE *file;
	const char *path;
	bool force;
	char temporary[PATH_MAX];
};

/**
 * mp_output_open - open an output
 * @path: of the file, which only its owner can read; or NULL
 * @force: replace an existing file
 * @binary: refuse a terminal
 *
 * After this call SIGPIPE is ignored, so writing to a closed pipe is an error.
 * A signal that ends the program removes the temporary file.
 *
 * Return: 0, or an exit status after printing a message. The functions below
 * return the same.
 */
int mp_output_open(struct mp_output *output, const char *path, bool force,
		   bool binary);

/** mp_output_close - complete the output: rename the temporary file to @path */
int mp_output_close(struct mp_output *output);

/**
 * mp_output_fail - report a write error and remove the file
 * @err: errno, positive or negative
 */
int mp_output_fail(struct mp_output *output, int err);

/** mp_output_drop - remove the temporary file; does nothing after mp_output_close() */
void mp_output_drop(struct mp_output *output);

#endif

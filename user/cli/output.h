/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * output: a file that is there when it is whole, or standard output
 */
#ifndef MP_OUTPUT_H
#define MP_OUTPUT_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

/**
 * struct mp_output - where something is written to
 * @file: to write to
 * @path: of the file that it becomes; NULL: standard output
 * @force: one that is there may be replaced
 * @temporary: what it is called until it is whole
 */
struct mp_output {
	FILE *file;
	const char *path;
	bool force;
	char temporary[PATH_MAX];
};

/**
 * mp_output_open - begin
 * @path: of a file that only its owner may read, or NULL
 * @binary: not for a terminal
 *
 * A reader who goes away is an error to be told from then on, no signal. A signal
 * that ends the program removes what is there of the file.
 *
 * Return: 0, or an exit status and a message was printed; so below.
 */
int mp_output_open(struct mp_output *output, const char *path, bool force,
		   bool binary);

/** mp_output_close - all is written: let the file have its name */
int mp_output_close(struct mp_output *output);

/**
 * mp_output_fail - it could not be written: say so, and drop it
 * @err: errno, positive or negative
 */
int mp_output_fail(struct mp_output *output, int err);

/** mp_output_drop - remove what is there of a file; nothing, after it was closed */
void mp_output_drop(struct mp_output *output);

#endif

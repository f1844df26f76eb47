/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * input: the bytes of one run as a file in memory, and a place for output
 *
 * What a run needs is made once. The functions abort if that fails, which is
 * not a finding of the fuzzer but an error of the machine.
 */
#ifndef FUZZ_INPUT_H
#define FUZZ_INPUT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/**
 * struct input - bytes that are not used yet
 * @data: @size bytes
 */
struct input {
	const uint8_t *data;
	size_t size;
};

/** input_byte - take a byte, with which a target chooses; 0 at the end */
uint8_t input_byte(struct input *input);

/** input_number - take the low @size bytes of a number; missing ones are 0 */
uint64_t input_number(struct input *input, size_t size);

/**
 * input_copy - copy the rest to new memory, which has just these bytes
 *
 * A read past the end is then found. The caller frees the copy.
 */
uint8_t *input_copy(const struct input *input);

/**
 * input_file - put the rest into the file in memory, of which there is one
 *
 * Return: its file descriptor, at offset 0, which stays open.
 */
int input_file(const struct input *input);

/** input_stream - a stream of the rest, to be closed */
FILE *input_stream(const struct input *input);

/** input_path - path by which the file in memory can be opened */
const char *input_path(void);

/** input_null - a stream that drops what is written, without a system call */
FILE *input_null(void);

#endif

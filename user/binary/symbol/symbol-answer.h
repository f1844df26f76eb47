/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * symbol-answer: the symbols of one file's addresses, in a format for transfer
 * and storage
 *
 * A child sends them after it has read a file, and the cache stores them.
 */
#ifndef MP_SYMBOL_ANSWER_H
#define MP_SYMBOL_ANSWER_H

#include "symbols.h"

#include <stdbool.h>
#include <stdio.h>

/* Limit of watched paths. */
#define MP_ANSWER_MAX_WATCHED	32

/* Size of the longest watched path, with its NUL. */
#define MP_ANSWER_PATH_SIZE	4096

/* Limit of the bytes of an answer: some millions of addresses. */
#define MP_ANSWER_MAX	(256UL << 20)

/**
 * struct mp_symbol_answer - symbols of addresses; all zero means empty
 * @spots: by ascending offset, each offset once
 * @nr: number of @spots
 * @symbols: of the spots
 * @watched: files whose creation or change makes the answer invalid
 */
struct mp_symbol_answer {
	struct mp_spot *spots;
	size_t nr;
	struct mp_symbols symbols;
	struct mp_names watched;
};

/** mp_symbol_answer_write - write as bytes. Return: false after a write error */
bool mp_symbol_answer_write(const struct mp_symbol_answer *answer, FILE *to);

/**
 * mp_symbol_answer_parse - read untrusted bytes
 * @data: aligned to 8 bytes
 * @answer: out; the caller frees it
 *
 * Return: true if the bytes are valid. If not, there is nothing to free.
 */
bool mp_symbol_answer_parse(struct mp_symbol_answer *answer, const void *data, size_t size);

/** mp_symbol_answer_find - find the spot of an offset, or NULL */
const struct mp_spot *mp_symbol_answer_find(const struct mp_symbol_answer *answer,
					    uint64_t offset);

/**
 * mp_symbol_answer_merge - add spots of @other that @answer does not have
 *
 * Return: 0, or -ENOMEM; then @answer has not changed.
 */
int mp_symbol_answer_merge(struct mp_symbol_answer *answer, const struct mp_symbol_answer *other);

/** mp_symbol_answer_free - free all memory and set @answer to empty */
void mp_symbol_answer_free(struct mp_symbol_answer *answer);

#endif

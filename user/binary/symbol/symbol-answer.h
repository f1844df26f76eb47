/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * symbol-answer: the symbols of one file's addresses, as bytes
 *
 * What a child sends of a file that it read, and what the cache keeps.
 */
#ifndef MP_SYMBOL_ANSWER_H
#define MP_SYMBOL_ANSWER_H

#include "symbols.h"

#include <stdbool.h>
#include <stdio.h>

/* Paths that are watched. */
#define MP_ANSWER_MAX_WATCHED	32

/* The longest path that is watched, with its end. */
#define MP_ANSWER_PATH_SIZE	4096

/* Bytes of an answer: some millions of addresses. */
#define MP_ANSWER_MAX	(256UL << 20)

/**
 * struct mp_symbol_answer - all zero is an empty one
 * @spots: by rising offset, each offset once
 * @symbols: of the spots
 * @watched: files whose coming, going or changing makes the answer an old one
 */
struct mp_symbol_answer {
	struct mp_spot *spots;
	size_t nr;
	struct mp_symbols symbols;
	struct mp_names watched;
};

/** mp_symbol_answer_write - as bytes. Return: whether all could be written. */
bool mp_symbol_answer_write(const struct mp_symbol_answer *answer, FILE *to);

/**
 * mp_symbol_answer_parse - from bytes that anyone may have written
 * @data: aligned to 8 bytes
 * @answer: out; to be freed
 *
 * Return: whether they are an answer; if not, there is nothing to free.
 */
bool mp_symbol_answer_parse(struct mp_symbol_answer *answer, const void *data, size_t size);

/** mp_symbol_answer_find - the spot of an offset, or NULL */
const struct mp_spot *mp_symbol_answer_find(const struct mp_symbol_answer *answer,
				     uint64_t offset);

/**
 * mp_symbol_answer_merge - take over what another answer has and this one lacks
 *
 * Return: 0, or -ENOMEM; then @answer is as it was.
 */
int mp_symbol_answer_merge(struct mp_symbol_answer *answer, const struct mp_symbol_answer *other);

/** mp_symbol_answer_free - free all; it is empty afterwards */
void mp_symbol_answer_free(struct mp_symbol_answer *answer);

#endif

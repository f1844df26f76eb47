/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * headline: the answer of a report, in a sentence
 */
#ifndef MP_HEADLINE_H
#define MP_HEADLINE_H

#include "writer.h"

/**
 * mp_headline_write - write who grew most, or who keeps what it allocates
 * @out: a table, sorted
 * @text: the sentence, printable; MP_HINT_SIZE bytes of hint.h
 *
 * Of a table of processes or cgroups without allocations, it is the process that grew most,
 * and the command that shows who allocates in it. Of allocations, it is the callsite that
 * frees nothing, if one that holds more frees much again: a leak beside a cache. Where most
 * blocks took the place of older ones, it is too early to tell these apart.
 *
 * Return: whether there is a headline.
 */
bool mp_headline_write(const struct mp_out *out, char *text);

/**
 * mp_headline_heap - write that a process grew by a heap that is not malloc()'s
 * @out: as for mp_headline_write()
 * @text: the sentence, printable; MP_HINT_SIZE bytes of hint.h
 *
 * Return: whether it did.
 */
bool mp_headline_heap(const struct mp_out *out, char *text);

/**
 * mp_headline_process - the process that the sentence would be about
 * @out: a table, sorted
 *
 * Return: the row of the process, or NULL.
 */
const struct mp_row *mp_headline_process(const struct mp_out *out);

/**
 * mp_headline_site - the callsite that the sentence would be about
 * @out: a table of callsites of one process
 * @site: out: a copy of its row
 *
 * Return: whether there is one.
 */
bool mp_headline_site(const struct mp_out *out, struct mp_row *site);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * grammar: whether a text is JSON
 *
 * json-c parses more than JSON: comments, texts in single quotes, NaN. Its strict mode
 * differs between its versions: that of 0.18 refuses texts with non-ASCII characters,
 * and integers of more than 64 bits, which are JSON.
 */
#ifndef MP_GRAMMAR_H
#define MP_GRAMMAR_H

/* Limit of nesting: a value inside more objects and arrays is refused. */
#define MP_GRAMMAR_DEPTH	32

/**
 * mp_grammar_value - find the end of the JSON value that a text begins with
 * @text: NUL-terminated; blanks before the value are skipped
 *
 * Whether the bytes of strings are UTF-8 is not checked.
 *
 * Return: the first character after the value; NULL if there is no value as
 * RFC 8259 defines it.
 */
const char *mp_grammar_value(const char *text);

#endif

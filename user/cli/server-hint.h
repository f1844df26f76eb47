/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * server-hint: names the tool of a server that shows what it keeps
 */
#ifndef MP_SERVER_HINT_H
#define MP_SERVER_HINT_H

#include "writer.h"

/**
 * mp_server_hint_write - write what shows the data that a server keeps
 * @out: a table with callsites of allocations, sorted
 * @text: the hint, printable; MP_HINT_SIZE bytes of hint.h
 *
 * It is about the process that the sentence is about.
 *
 * Return: whether it is a server that is known, and has grown.
 */
bool mp_server_hint_write(const struct mp_out *out, char *text);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * suspects: finds who may be what a process grows by
 */
#ifndef MP_SUSPECTS_H
#define MP_SUSPECTS_H

#include "fate.h"

#define MP_MAX_SUSPECTS	8

/**
 * mp_suspects_hold - whether a callsite, its function or a caller may be what grows
 * @row: the callsite
 * @held: bytes that it, or its function, holds
 * @all: they are about as many as the process grew by; if not, they are a part of that. Who is
 *	known to free its blocks again, or has stopped allocating, is none
 */
bool mp_suspects_hold(const struct mp_fates *fates, const struct mp_row *row, uint64_t held,
		      bool all);

/**
 * mp_suspects_find - find the largest callsites of functions that may be what grows
 * @fates: with callsites
 * @all: as for mp_suspects_hold()
 * @suspects: out; MP_MAX_SUSPECTS elements, the largest first, each of another function
 *
 * A cache may hold what the process grew by, by chance: so there may be some.
 *
 * Return: how many there are.
 */
size_t mp_suspects_find(const struct mp_fates *fates, bool all, const struct mp_row **suspects);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pager: long output on a terminal, a page at a time
 */
#ifndef MP_PAGER_H
#define MP_PAGER_H

#include <stdbool.h>

/**
 * mp_pager_start - send standard output through $PAGER, or less -FRX
 *
 * Only if it is a terminal; PAGER="" or "cat" switches it off. Where the pager
 * cannot be started output goes to the terminal as it is.
 */
void mp_pager_start(void);

/**
 * mp_pager_wait - let the user read to the end
 *
 * Return: whether there was a pager.
 */
bool mp_pager_wait(void);

/**
 * mp_pager_has_colour - whether standard output shows escape sequences
 *
 * A terminal that is not dumb, and NO_COLOR is not set. Ask before
 * mp_pager_start().
 */
bool mp_pager_has_colour(void);

#endif

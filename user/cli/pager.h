/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pager: shows long output on a terminal in pages
 */
#ifndef MP_PAGER_H
#define MP_PAGER_H

#include <stdbool.h>

/**
 * mp_pager_start - send standard output through $PAGER, or less -FRX
 *
 * It does nothing if standard output is not a terminal, or if PAGER is "" or
 * cat. If the pager cannot be started, output goes to the terminal.
 */
void mp_pager_start(void);

/**
 * mp_pager_wait - wait until the user quits the pager
 *
 * Return: true if there was a pager.
 */
bool mp_pager_wait(void);

/**
 * mp_pager_has_colour - check whether to use colours on standard output
 *
 * True for a terminal that is not dumb, if NO_COLOR is not set. Call it before
 * mp_pager_start().
 */
bool mp_pager_has_colour(void);

#endif

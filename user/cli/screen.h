/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * screen: a terminal that shows a table and tells keys
 */
#ifndef MP_SCREEN_H
#define MP_SCREEN_H

#include "browse.h"

/** mp_screen_open - take the terminal. Return: whether it can be had */
bool mp_screen_open(void);

/**
 * mp_screen_draw - show the rows that @browse is at
 * @title: the first line
 * @note: the last one; or NULL
 *
 * Sets @browse's page. Return: 0, or -ENOMEM.
 */
int mp_screen_draw(struct mp_browse *browse, const char *title,
		   const char *note);

/** mp_screen_key - wait for a key. Return: it, or MP_KEY_NONE when time is over */
int mp_screen_key(int timeout_ms);

/** mp_screen_close - give the terminal back */
void mp_screen_close(void);

#endif

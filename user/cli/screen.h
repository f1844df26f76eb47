/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * screen: shows a table on a terminal and reads keys
 */
#ifndef MP_SCREEN_H
#define MP_SCREEN_H

#include "browse.h"

/** mp_screen_open - set up the terminal. Return: false if its type is not known */
bool mp_screen_open(void);

/**
 * mp_screen_draw - draw the rows of @browse
 * @title: text of the first line
 * @headline: the answer in a sentence, below @title; or NULL
 * @note: text of the last line; or NULL
 *
 * It sets @browse->page to the number of rows that fit on the screen.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_screen_draw(struct mp_browse *browse, const char *title, const char *headline,
		   const char *note);

/** mp_screen_key - wait for a key. Return: the key, or MP_KEY_NONE at the timeout */
int mp_screen_key(int timeout_ms);

/** mp_screen_close - restore the terminal */
void mp_screen_close(void);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * moment: times that users give, and their text
 */
#ifndef MP_MOMENT_H
#define MP_MOMENT_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define MP_MOMENT_SIZE	32

/**
 * mp_moment_parse - parse a time
 * @text: "now"; "-2h" and the like, before now; "HH:MM" of today; "YYYY-MM-DD", with
 *	"HH:MM" or "HH:MM:SS" behind it; local time; "@SECONDS" of CLOCK_REALTIME
 * @now: CLOCK_REALTIME, seconds
 * @seconds: out, CLOCK_REALTIME
 *
 * Return: true if @text is a time.
 */
bool mp_moment_parse(const char *text, time_t now, uint64_t *seconds);

/** mp_moment_write - write a time as "YYYY-MM-DD HH:MM:SS", local. Return: @text */
const char *mp_moment_write(char text[MP_MOMENT_SIZE], uint64_t seconds);

#endif

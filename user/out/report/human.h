/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * human: formats numbers for users
 */
#ifndef MP_HUMAN_H
#define MP_HUMAN_H

#include "metric.h"

#include <stdbool.h>
#include <stdint.h>

/* Size of the buffer that each function needs, in bytes. */
#define MP_HUMAN_SIZE	32

/**
 * mp_human_bytes - format a size in the largest binary unit that gives 1 or
 * more
 * @buf: MP_HUMAN_SIZE bytes
 *
 * Numbers below 100 have one decimal: 1.5K, 53.1M, 512M, 1023G. Below 1024 bytes the
 * number is exact and has no unit.
 *
 * Return: @buf.
 */
const char *mp_human_bytes(char *buf, uint64_t bytes);

/**
 * mp_human_count - format a count: exact below 100000, else 123k, 4.5m
 * @buf: MP_HUMAN_SIZE bytes
 *
 * These decimal units are in lower case. The binary units of sizes are in upper case.
 *
 * Return: @buf.
 */
const char *mp_human_count(char *buf, uint64_t count);

/**
 * mp_human_span - format a duration
 * @buf: MP_HUMAN_SIZE bytes
 * @ns: nanoseconds
 *
 * Examples: 850 ms, 12.3 s, 4 min 05 s, 3 h 07 min, 2 d 04 h.
 *
 * Return: @buf.
 */
const char *mp_human_span(char *buf, uint64_t ns);

/**
 * mp_human_metric - format a metric's value, depending on its unit and sign
 * @buf: MP_HUMAN_SIZE bytes
 * @exact: write the exact number without a unit
 *
 * Return: @buf.
 */
const char *mp_human_metric(char *buf, enum mp_metric metric, uint64_t value,
			    bool exact);

#endif

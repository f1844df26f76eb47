/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * human: numbers as people read them
 */
#ifndef MP_HUMAN_H
#define MP_HUMAN_H

#include "metric.h"

#include <stdbool.h>
#include <stdint.h>

/* Room for any result below. */
#define MP_HUMAN_SIZE	32

/**
 * mp_human_bytes - a size in the largest unit of 1024 that leaves 1 or more
 * @buf: MP_HUMAN_SIZE bytes
 *
 * Three digits at least: 512, 1.5K, 53.1M, 512M, 1023G; below 1024 without a
 * unit.
 *
 * Return: @buf.
 */
const char *mp_human_bytes(char *buf, uint64_t bytes);

/**
 * mp_human_count - a count, exact below 100000, else by thousands: 123k, 4.5m
 * @buf: MP_HUMAN_SIZE bytes
 *
 * Lower case sets these decimal units apart from the binary ones of sizes.
 *
 * Return: @buf.
 */
const char *mp_human_count(char *buf, uint64_t count);

/**
 * mp_human_span - a time span: 850 ms, 12.3 s, 4 min 05 s, 3 h 07 min, 2 d 04 h
 * @buf: MP_HUMAN_SIZE bytes
 * @ns: nanoseconds
 *
 * Return: @buf.
 */
const char *mp_human_span(char *buf, uint64_t ns);

/**
 * mp_human_metric - a metric's value, by its unit and sign
 * @buf: MP_HUMAN_SIZE bytes
 * @exact: every digit instead
 *
 * Return: @buf.
 */
const char *mp_human_metric(char *buf, enum mp_metric metric, uint64_t value,
			    bool exact);

#endif

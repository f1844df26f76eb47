/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * frame-expression: checks the operations of an expression in call frame
 * information
 */
#ifndef MP_FRAME_EXPRESSION_H
#define MP_FRAME_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * mp_frame_expression_is_plain - check that libdw can compute an expression
 * @data: @size bytes
 *
 * Return: true if it has only operations that compute from registers, memory
 * and constants, and no jumps.
 */
bool mp_frame_expression_is_plain(const uint8_t *data, size_t size);

#endif

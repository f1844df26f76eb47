/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * array: arrays that grow
 */
#ifndef MP_ARRAY_H
#define MP_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/**
 * mp_array_grow - double an array
 * @array: address of the pointer to its elements, which may be NULL
 * @max: elements that there is room for; changed
 * @size: bytes of an element
 *
 * Numbers of elements are of 32 bits everywhere: no array gets longer.
 *
 * Return: whether it grew; if not, the array is as it was.
 */
bool mp_array_grow(void *array, size_t *max, size_t size);

#endif

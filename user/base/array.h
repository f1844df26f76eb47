/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * array: arrays that grow, and sorted arrays
 */
#ifndef MP_ARRAY_H
#define MP_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/**
 * mp_array_above - the first element of a sorted array whose key is above a value
 * @array: array of a struct, or NULL
 * @field: the key, a uint64_t
 *
 * Return: its index; @nr if there is none.
 */
#define mp_array_above(array, nr, field, value)				\
	mp_array_search(array, nr, sizeof(*(array)),			\
			offsetof(typeof(*(array)), field), value)

static inline size_t mp_array_search(const void *array, size_t nr, size_t size,
				     size_t offset, uint64_t value)
{
	size_t low = 0, high = nr, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (*(const uint64_t *)((const char *)array + middle * size +
					offset) <= value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * array: grows arrays, and searches sorted arrays
 */
#ifndef MP_ARRAY_H
#define MP_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * mp_array_grow - double the memory of an array
 * @array: address of the pointer to the elements; the pointer may be NULL
 * @max: number of elements that fit into the memory; updated
 * @size: bytes per element
 *
 * Elements are numbered with 32 bits, so the function refuses a longer array.
 *
 * Return: true, or false if the array is at its limit or memory is short. The
 * array does not change then.
 */
bool mp_array_grow(void *array, size_t *max, size_t size);

/**
 * mp_array_above - find the first element whose key is above a value
 * @array: array of structs, sorted by @field; NULL if @nr is 0
 * @field: member of the struct that is the key, a uint64_t
 *
 * A binary search.
 *
 * Return: index of the element; @nr if no key is above @value.
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

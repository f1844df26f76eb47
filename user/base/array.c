// SPDX-License-Identifier: GPL-2.0-only
/*
 * array: doubles an array when it is full
 *
 * Because the size doubles, each element is copied once on average.
 */
#include "array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ELEMENTS	64

bool mp_array_grow(void *array, size_t *max, size_t size)
{
	size_t more = *max ? *max * 2 : FIRST_ELEMENTS;
	void *old, *new;

	/* copy the bytes of the caller's pointer, because its type is not known here */
	memcpy(&old, array, sizeof(old));
	new = more < UINT32_MAX ? reallocarray(old, more, size) : NULL;
	if (!new)
		return false;
	memcpy(array, &new, sizeof(new));
	*max = more;
	return true;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * later.c: a library that attach.c opens after the sampler was attached. With -DWORDS=N
 * it has N slots in read-only pages, so that the dynamic linker works on it for longer.
 */
#include <stdlib.h>

void *later_block(size_t size);

#ifdef WORDS
static void *(*const volatile words[WORDS])(size_t size) = { [0 ... WORDS - 1] = malloc };

void *later_block(size_t size)
{
	return words[size % WORDS](size);
}
#else
void *later_block(size_t size)
{
	return malloc(size);
}
#endif

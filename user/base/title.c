// SPDX-License-Identifier: GPL-2.0-only
/*
 * title: overwrites the command line in memory
 *
 * The kernel shows the memory in which it passed the arguments, and continues
 * into the environment if the arguments do not end in NUL (proc(5), cmdline).
 * No privileges are needed. It cannot fail.
 */
#include "title.h"

#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* Set only by mp_title_init(). */
static char *begin;
static char *end;

void mp_title_init(int argc, char **argv)
{
	char **next;

	if (argc < 1)
		return;
	begin = argv[0];
	end = begin;
	for (next = argv; *next; next++)
		if (*next == end)
			end = *next + strlen(*next) + 1;
	for (next = environ; *next; next++)
		if (*next == end)
			end = *next + strlen(*next) + 1;
}

void mp_title_set(const char *title)
{
	size_t len = strlen(title);

	/* the kernel keeps 15 bytes */
	prctl(PR_SET_NAME, "memprof-collect");
	if (!begin || end - begin < 2)
		return;
	if (len > (size_t)(end - begin) - 1)
		len = end - begin - 1;
	memset(begin, 0, end - begin);
	memcpy(begin, title, len);
}

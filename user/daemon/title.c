// SPDX-License-Identifier: GPL-2.0-only
/*
 * title: overwrite the command line
 *
 * The kernel shows the memory in which it passed the arguments, and goes on
 * into the environment when the arguments no longer end in NUL (proc(5),
 * cmdline). Needs no privilege. Cannot fail.
 */
#include "title.h"

#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* Written by mp_title_init() only. */
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

	/* at most 15 bytes show */
	prctl(PR_SET_NAME, "memprof-collect");
	if (!begin || end - begin < 2)
		return;
	if (len > (size_t)(end - begin) - 1)
		len = end - begin - 1;
	memset(begin, 0, end - begin);
	memcpy(begin, title, len);
}

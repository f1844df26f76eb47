// SPDX-License-Identifier: GPL-2.0-only
/*
 * sampler-library: compares the name of a file
 */
#include "sampler-library.h"

#include <string.h>

bool mp_sampler_library_is(const char *path)
{
	/* an injected one can be in a memfd, whose name begins with "memfd:" */
	return strstr(path, "/libmemprof.so") || strstr(path, ":libmemprof.so");
}

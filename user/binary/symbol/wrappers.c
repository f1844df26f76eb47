// SPDX-License-Identifier: GPL-2.0-only
/*
 * wrappers: matches the known wrappers, and those that the user gave as regular
 * expressions
 *
 * Matching a known name takes less than a microsecond. Adding a regular
 * expression fails without memory.
 */
#include "wrappers.h"
#include "known-wrappers.h"
#include "sampler-library.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Files whose functions are all wrappers: C and C++ libraries, allocators; other profilers of
 * the heap, and the sampler, which call allocators.
 */
static const char * const files[] = {
	"libc.so.6", "libc-*.so", "libc.so", "libc.musl-*", "ld-linux*",
	"ld-musl*", "ld-*.so*", "libstdc++.so*", "libc++.so*", "libc++abi.so*",
	"libgcc_s*", "libjemalloc*", "libtcmalloc*", "libmimalloc*",
	"libsnmalloc*", "libpthread.so*", "libpthread-*.so",
	"libheaptrack_*",
};

bool mp_wrappers_match_file(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (!fnmatch(files[i], name, 0))
			return true;
	return mp_sampler_library_is(path);
}

bool mp_wrappers_add(struct mp_wrappers *wrappers, const char *regex, char *why)
{
	regex_t *user = reallocarray(wrappers->user, wrappers->nr + 1,
				     sizeof(*user));
	int err;

	if (!user) {
		snprintf(why, MP_WRAPPERS_WHY_SIZE, "out of memory");
		return false;
	}
	wrappers->user = user;
	err = regcomp(&user[wrappers->nr], regex, REG_EXTENDED | REG_NOSUB);
	if (err) {
		regerror(err, &user[wrappers->nr], why, MP_WRAPPERS_WHY_SIZE);
		return false;
	}
	wrappers->nr++;
	return true;
}

bool mp_wrappers_match(const struct mp_wrappers *wrappers, const char *name)
{
	size_t i;

	if (mp_known_wrapper(name))
		return true;
	for (i = 0; i < wrappers->nr; i++)
		if (!regexec(&wrappers->user[i], name, 0, NULL, 0))
			return true;
	return false;
}

void mp_wrappers_free(struct mp_wrappers *wrappers)
{
	size_t i;

	for (i = 0; i < wrappers->nr; i++)
		regfree(&wrappers->user[i]);
	free(wrappers->user);
	*wrappers = (struct mp_wrappers){ 0 };
}

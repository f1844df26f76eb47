// SPDX-License-Identifier: GPL-2.0-only
/*
 * library: finds libmemprof.so beside this program, or by the environment
 *
 * The file is checked here. If it were not the library, the loader would print
 * an error into the command's output, and run the command without the library.
 */
#include "library.h"
#include "elf-file.h"
#include "regular-file.h"

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIBRARY		"libmemprof.so"
#define LIBRARY_ENV	"MEMPROF_LIBRARY"

/* A symbol that no other library defines. */
#define A_SYMBOL	"memprof_mark"

#define INSTALLED	LIBRARY "." MP_ABI

/* Paths relative to this program's folder: in the build tree, and after installation. */
static const char * const locations[] = {
	"/../libmemprof/" LIBRARY, "/../lib/" INSTALLED, "/../lib64/" INSTALLED,
	"/../lib/" LIBRARY,
};

static bool find_library(char *path)
{
	const char *told = getenv(LIBRARY_ENV);
	char self[PATH_MAX], candidate[PATH_MAX + 64];
	ssize_t len;
	size_t i;

	if (told)
		return realpath(told, path);
	len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (len <= 0)
		return false;
	self[len] = '\0';
	*strrchr(self, '/') = '\0';
	for (i = 0; i < sizeof(locations) / sizeof(locations[0]); i++) {
		snprintf(candidate, sizeof(candidate), "%s%s", self, locations[i]);
		if (realpath(candidate, path))
			return true;
	}
	return realpath(MP_LIBDIR "/" INSTALLED, path);
}

static bool is_ours(void *context, const struct mp_symbol *symbol)
{
	bool *found = context;

	*found |= !strncmp(symbol->name, A_SYMBOL, strlen(A_SYMBOL));
	return !*found;
}

/* Returns NULL, or why the file is not the library. */
static const char *check_library(const char *path)
{
	int fd = mp_regular_open(path, NULL);
	bool found = false;
	struct mp_elf elf;
	const char *why;

	if (fd < 0)
		return "it cannot be read";
	why = mp_elf_open(&elf, fd, path);
	if (!why) {
		mp_elf_symbols(&elf, is_ours, &found);
		mp_elf_close(&elf);
		if (!found)
			why = "it is another program or library";
	}
	close(fd);
	return why;
}

int mp_library_find(char *path, struct mp_diag *diag)
{
	const char *why;

	if (!find_library(path))
		return mp_diag_fail(diag, 0, "make install, or " LIBRARY_ENV "=PATH",
				    "cannot find " LIBRARY);
	/* LD_PRELOAD separates paths by spaces and colons, which cannot be escaped */
	if (strpbrk(path, " :"))
		return mp_diag_fail(diag, 0, "a copy elsewhere, by " LIBRARY_ENV "=PATH, can",
			       "%s cannot be preloaded: there is a space or a colon in its path",
				    path);
	why = check_library(path);
	return why ? mp_diag_fail(diag, 0, "see " LIBRARY_ENV,
				  "%s is not " LIBRARY ": %s", path, why) : 0;
}

/* Escapes '%', which the library would expand in a file name. */
static void name_regions(char *to, const char *folder)
{
	for (; *folder; folder++) {
		if (*folder == '%')
			*to++ = '%';
		*to++ = *folder;
	}
	strcpy(to, "/%p");
}

void mp_library_preload(const char *library, const char *folder, uint64_t rate,
			uint32_t pace, bool only)
{
	const char *others = getenv("LD_PRELOAD");
	char text[2 * PATH_MAX + 32], *all = NULL;

	if (asprintf(&all, "%s%s%s", library, others ? ":" : "",
		     others ? others : "") > 0)
		setenv("LD_PRELOAD", all, 1);
	free(all);
	name_regions(text, folder);
	setenv("MEMPROF_OUT", text, 1);
	if (only)
		setenv("MEMPROF_OUT_ONLY", "1", 1);
	snprintf(text, sizeof(text), "%" PRIu32, pace);
	setenv("MEMPROF_PACE", text, 1);
	if (!rate)
		return;
	snprintf(text, sizeof(text), "%" PRIu64, rate);
	setenv("MEMPROF_RATE", text, 1);
}

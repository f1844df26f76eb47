// SPDX-License-Identifier: GPL-2.0-only
/*
 * program-copies: chooses the programs of a recording that are copied
 *
 * Cost: for each binary outside of the distribution's folders a few system calls; for one
 * that was not recorded before, a copy of up to 256 MB. At most NR_MOST are copied.
 */
#include "program-copies.h"
#include "kept-binary.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#define NR_MOST	64

static bool begins(const char *path, const char *folder)
{
	return !strncmp(path, folder, strlen(folder));
}

static bool is_of_distribution(const char *path)
{
	static const char * const folders[] = {
		"/usr/", "/lib", "/bin/", "/sbin/", "/snap/", "/nix/store/", "/memfd:",
	};
	size_t i;

	if (begins(path, "/usr/local/"))
		return false;
	for (i = 0; i < sizeof(folders) / sizeof(*folders); i++)
		if (begins(path, folders[i]))
			return true;
	return path[0] != '/';
}

static bool is_own(const char *path)
{
	char own[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", own, sizeof(own) - 1);

	own[len > 0 ? len : 0] = '\0';
	return !strcmp(path, own);
}

/* A command is memprofctl, for a moment. */
static bool keep(const char *path, const uint8_t *id, size_t size)
{
	return size && !is_of_distribution(path) && !is_own(path) &&
	       mp_kept_binary_put(path, id, size);
}

void mp_program_copies_keep(const struct mp_perf_writer *writer)
{
	const struct mp_perf_build_id *of;
	size_t i, nr = 0;

	for (i = 0; i < writer->nr_build_ids && nr < NR_MOST; i++) {
		of = &writer->build_ids[i];
		nr += keep(of->path, of->id, of->size);
	}
	if (nr)
		mp_kept_binaries_trim();
}

void mp_program_copies_keep_of(const struct mp_profile *profile)
{
	const struct mp_binary *of;
	size_t i, nr = 0;

	for (i = 0; i < profile->nr_binaries && nr < NR_MOST; i++) {
		of = &profile->binaries[i];
		nr += keep(of->path, of->build_id, of->build_id_size);
	}
	if (nr)
		mp_kept_binaries_trim();
}

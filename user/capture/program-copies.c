// SPDX-License-Identifier: GPL-2.0-only
/*
 * program-copies: chooses the programs of a recording that are copied
 *
 * Cost: for each binary outside of the distribution's folders a few system calls; for one
 * that was not recorded before, a copy. The recording is complete by then.
 */
#include "program-copies.h"
#include "kept-binary.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static void note(struct mp_program_copies *copies, const char *path, const uint8_t *id,
		 size_t size)
{
	struct mp_perf_build_id *to = &copies->list[copies->nr];

	/* a command is memprofctl, for a moment */
	if (copies->nr == MP_PROGRAM_COPIES || !size || size > sizeof(to->id) ||
	    is_of_distribution(path) || is_own(path))
		return;
	*to = (struct mp_perf_build_id){ .size = (uint32_t)size, .path = strdup(path) };
	memcpy(to->id, id, size);
	copies->nr += to->path != NULL;
}

void mp_program_copies_note(struct mp_program_copies *copies,
			    const struct mp_perf_writer *writer)
{
	size_t i;

	copies->nr = 0;
	for (i = 0; i < writer->nr_build_ids; i++)
		note(copies, writer->build_ids[i].path, writer->build_ids[i].id,
		     writer->build_ids[i].size);
}

void mp_program_copies_note_of(struct mp_program_copies *copies,
			       const struct mp_profile *profile)
{
	size_t i;

	copies->nr = 0;
	for (i = 0; i < profile->nr_binaries; i++)
		note(copies, profile->binaries[i].path, profile->binaries[i].build_id,
		     profile->binaries[i].build_id_size);
}

void mp_program_copies_keep(struct mp_program_copies *copies)
{
	uint64_t bytes = 0;
	int64_t copied;
	size_t i;

	for (i = 0; i < copies->nr; i++) {
		copied = bytes < MP_PROGRAM_COPIES_BYTES ?
			 mp_kept_binary_put(copies->list[i].path, copies->list[i].id,
					    copies->list[i].size) : 0;
		bytes += copied > 0 ? (uint64_t)copied : 0;
		free(copies->list[i].path);
	}
	copies->nr = 0;
}

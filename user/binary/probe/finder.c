// SPDX-License-Identifier: GPL-2.0-only
/*
 * finder: examines the files that processes have mapped
 *
 * A new file takes a millisecond or more, a known file takes a hash lookup. The
 * number of known files is limited. If the limit is reached, no more files are
 * examined.
 */
#include "finder.h"
#include "examine.h"
#include "exec-mapping.h"
#include "process.h"
#include "regular-file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_new(struct mp_finder *finder, int fd)
{
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return false;
	finder->met |= st.st_ino == finder->awaited;
	return mp_file_set_add(&finder->seen, st.st_dev, st.st_ino) > 0;
}

static void report_skipped(const struct mp_finder *finder, const char *path,
			   const char *why)
{
	if (finder->skipped)
		finder->skipped(finder->context, path, why);
}

/* @real is a path to the file in our namespace, used to find debug files. */
static void examine_file(struct mp_finder *finder, struct mp_found *found,
			 const char *real)
{
	struct mp_scan *scan = malloc(sizeof(*scan));
	char why[MP_REMARK_SIZE] = "out of memory";

	if (scan && mp_examine_isolated(finder->user, found->fd, real, scan, why)) {
		found->scan = scan;
		finder->found(finder->context, found);
	} else {
		report_skipped(finder, found->path, why);
	}
	free(scan);
}

int mp_finder_file(struct mp_finder *finder, const char *path)
{
	struct mp_found found = {
		.fd = mp_regular_open(path, NULL),
		.path = path,
	};

	if (found.fd == -EINVAL) {
		report_skipped(finder, path, mp_regular_error(found.fd));
		return 0;
	}
	if (found.fd < 0)
		return found.fd;
	if (is_new(finder, found.fd))
		examine_file(finder, &found, path);
	close(found.fd);
	return 0;
}

static void examine_mapping(void *context, pid_t pid,
			    const struct mp_exec_mapping *mapping)
{
	struct mp_finder *finder = context;
	char real[PATH_MAX + 32];
	struct mp_found found = { .path = mapping->path, .pid = pid };
	struct stat st;

	if (finder->named && !strstr(mapping->path, finder->named)) {
		finder->met |= mapping->inode == finder->awaited;
		return;
	}
	found.fd = mp_exec_mapping_open(pid, mapping);
	/* the process exited or changed its mappings */
	if (found.fd == -ENOENT || found.fd == -ESRCH)
		return;
	finder->met |= mapping->inode == finder->awaited;
	if (found.fd < 0) {
		report_skipped(finder, mapping->path, mp_regular_error(found.fd));
		return;
	}
	snprintf(real, sizeof(real), "/proc/%d/root%s", (int)pid,
		 mapping->path);
	if (is_new(finder, found.fd))
		examine_file(finder, &found, real);
	if (finder->mapped && !fstat(found.fd, &st))
		finder->mapped(finder->context, pid, &st, mapping);
	close(found.fd);
}

int mp_finder_process(struct mp_finder *finder, pid_t pid)
{
	return mp_exec_mapping_each(pid, examine_mapping, finder);
}

bool mp_finder_await(struct mp_finder *finder, pid_t pid, uint64_t inode)
{
	finder->awaited = inode;
	finder->met = false;
	mp_finder_process(finder, pid);
	finder->awaited = 0;
	return finder->met;
}

struct machine {
	struct mp_finder *finder;
	bool (*wanted)(void *context, pid_t pid);
	void *context;
	int nr;
};

static void examine_process(void *context, pid_t pid)
{
	struct machine *machine = context;

	if (!machine->wanted || machine->wanted(machine->context, pid))
		machine->nr += !mp_finder_process(machine->finder, pid);
}

int mp_finder_machine(struct mp_finder *finder,
		      bool (*wanted)(void *context, pid_t pid), void *context)
{
	struct machine machine = { finder, wanted, context, 0 };

	return mp_process_each(examine_process, &machine) ?: machine.nr;
}

void mp_finder_free(struct mp_finder *finder)
{
	mp_file_set_free(&finder->seen);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * container-file: reads what a runtime keeps of a container
 */
#ifndef MP_CONTAINER_FILE_H
#define MP_CONTAINER_FILE_H

#include "containers.h"

#include <limits.h>
#include <sys/types.h>

/**
 * struct mp_container_wanted - a container whose names are wanted
 * @cgroup: id of its cgroup
 * @path: what the cgroup's path says
 * @home: home of the user whose container it is; empty: the system's
 * @known: its names are known already
 */
struct mp_container_wanted {
	uint64_t cgroup;
	struct mp_cgroup_path path;
	char home[PATH_MAX / 2];
	bool known;
};

/**
 * struct mp_container_said - what a runtime's file says; empty texts: nothing
 * @text: by enum mp_container_text; not printable yet
 */
struct mp_container_said {
	char text[MP_NR_CONTAINER_TEXTS][MP_CONTAINER_TEXT_SIZE];
};

/* Lists of containers that are kept: those of the system, and of some users. */
#define MP_CONTAINER_LISTS	64

struct json_object;

struct mp_container_list {
	char path[PATH_MAX];
	struct json_object *object;
};

/**
 * struct mp_container_files - how the files are read
 * @root: path before /var and /run; empty: none
 * @nr_refused: files that are there and could not be used: no regular file, another
 *	user's, too large, or not in the runtime's format
 * @lists: lists that were read
 */
struct mp_container_files {
	const char *root;
	uint32_t nr_refused;
	struct mp_container_list lists[MP_CONTAINER_LISTS];
	size_t nr_lists;
};

/**
 * mp_container_file_read - find a container in the files of its runtime
 * @said: out
 *
 * If the path does not name the runtime, those of Kubernetes are asked in turn. Files are
 * untrusted: call this in an isolated child (binary/isolate). A file has 4 MiB at most.
 *
 * Sources: /var/lib/docker/containers/ID/config.v2.json; config.json of an OCI bundle below
 * /run/containerd (also that of k3s and microk8s) and /run/containers/storage; containers.json
 * of containers/storage; /run/systemd/machines/NAME.
 *
 * Return: whether something was found.
 */
bool mp_container_file_read(struct mp_container_files *files,
			    const struct mp_container_wanted *wanted,
			    struct mp_container_said *said);

/** mp_container_files_close - free the lists that were read */
void mp_container_files_close(struct mp_container_files *files);

#endif

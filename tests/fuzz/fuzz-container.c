// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz-container: any bytes as the files of container runtimes, as the answer of the child
 * that reads them, and as the path of a cgroup
 */
#include "cgroup-short.h"
#include "container-names.h"
#include "input.h"
#include "isolated.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ID	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/* Where each runtime has its file; all of them lead to the file in memory. */
static const char * const files[] = {
	"/var/lib/docker/containers/" ID "/config.v2.json",
	"/run/containerd/io.containerd.runtime.v2.task/k8s.io/" ID "/config.json",
	"/var/lib/containers/storage/overlay-containers/containers.json",
	"/run/containers/storage/overlay-containers/" ID "/userdata/config.json",
	"/run/systemd/machines/guest",
};

static const char * const paths[] = {
	"/docker/" ID, "/kubepods/pod0123456789abcdef0123456789abcdef/cri-containerd-" ID ".scope",
	"/libpod_parent/libpod-" ID, "/system.slice/crio-" ID ".scope",
	"/machine.slice/machine-guest.scope", "/kubepods/pod0123456789abcdef0123456789abcdef",
};

static char root[] = "/tmp/memprof-fuzz-XXXXXX";

static void remove_root(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", root);
	if (system(command))
		abort();
}

static void make_root(void)
{
	char path[256], *slash;
	size_t i;

	if (!mkdtemp(root) || atexit(remove_root) || setenv(MP_CONTAINER_ROOT_ENV, root, 1))
		abort();
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), "%s%s", root, files[i]);
		for (slash = path + sizeof(root); (slash = strchr(slash + 1, '/'));) {
			*slash = '\0';
			mkdir(path, 0700);
			*slash = '/';
		}
		if (symlink(input_path(), path))
			abort();
	}
}

static void show(const struct mp_profile *profile)
{
	char text[MP_CGROUP_SHORT_SIZE];
	size_t i;

	for (i = 0; i < profile->names.nr; i++)
		mp_cgroup_shown(text, sizeof(text), profile, profile->names.ids[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = { data, size };
	const uint8_t choice = input_byte(&input);
	struct mp_profile profile = { 0 };
	char path[512] = "/";
	size_t i;

	if (root[sizeof(root) - 2] == 'X')
		make_root();
	for (i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		mp_id_names_add(&profile.names, i + 1, paths[i]);
	memcpy(path + 1, input.data, input.size < 510 ? input.size : 510);
	if (choice & 2)
		mp_id_names_add(&profile.names, i + 1, path);
	input_file(&input);
	isolated_answer(choice & 1 ? &input : NULL);
	if (mp_container_names_find(&profile))
		abort();
	show(&profile);
	mp_profile_free(&profile);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * cgroup-path: reads a path from left to right, a component at a time
 *
 * Tables have what runtimes and managers put before a name. Nothing is allocated, and
 * nothing can fail: what is not known is skipped. A path of ten components takes 1 us.
 */
#include "cgroup-path.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Digits and dashes of a pod's uid; the uid of a static pod is 32 digits. */
#define MIN_UID		32
#define MAX_UID		36

/*
 * What is before the id of a container. The monitors of CRI-O and podman, crio-conmon-ID
 * and libpod-conmon-ID, are no containers: what follows is not an id.
 */
static const struct {
	const char *prefix;
	enum mp_runtime runtime;
} containers[] = {
	{ "docker-", MP_RUNTIME_DOCKER },
	{ "cri-containerd-", MP_RUNTIME_CONTAINERD },
	{ "containerd-", MP_RUNTIME_CONTAINERD },
	{ "nerdctl-", MP_RUNTIME_CONTAINERD },
	{ "crio-", MP_RUNTIME_CRIO },
	{ "libpod-payload-", MP_RUNTIME_PODMAN },
	{ "libpod-", MP_RUNTIME_PODMAN },
	{ "", MP_RUNTIME_NONE },
};

/* Folders in which a component that is only an id, or only a name, is a runtime's. */
static const struct {
	const char *folder;
	enum mp_runtime runtime;
} folders[] = {
	{ "docker", MP_RUNTIME_DOCKER },
	{ "libpod_parent", MP_RUNTIME_PODMAN },
	{ "lxc", MP_RUNTIME_LXC },
	{ "lxc.payload", MP_RUNTIME_LXC },
};

/* What is before, and behind, the name of a machine. */
static const struct {
	const char *prefix, *suffix;
	enum mp_runtime runtime;
} machines[] = {
	{ "machine-qemu-", ".scope", MP_RUNTIME_VM },
	{ "machine-lxc-", ".scope", MP_RUNTIME_LXC },
	{ "machine-", ".scope", MP_RUNTIME_NSPAWN },
	{ "systemd-nspawn@", ".service", MP_RUNTIME_NSPAWN },
	{ "lxc.payload.", "", MP_RUNTIME_LXC },
};

static const char * const services[] = { ".service", ".scope", ".mount", ".socket", ".swap" };

#define NR(array)	(sizeof(array) / sizeof((array)[0]))

const char *mp_runtime_name(enum mp_runtime runtime)
{
	static const char * const names[MP_NR_RUNTIMES] = {
		[MP_RUNTIME_NONE] = "",
		[MP_RUNTIME_DOCKER] = "docker",
		[MP_RUNTIME_CONTAINERD] = "containerd",
		[MP_RUNTIME_CRIO] = "cri-o",
		[MP_RUNTIME_PODMAN] = "podman",
		[MP_RUNTIME_NSPAWN] = "nspawn",
		[MP_RUNTIME_LXC] = "lxc",
		[MP_RUNTIME_VM] = "vm",
	};

	return names[runtime];
}

void mp_cgroup_unescape(char *text)
{
	unsigned int code;
	char *to = text;

	while (*text) {
		if (text[0] == '\\' && text[1] == 'x' && isxdigit(text[2]) &&
		    isxdigit(text[3]) && sscanf(text + 2, "%2x", &code) == 1 &&
		    code > ' ' && code < 0x7f && code != '/' && code != '\\') {
			*to++ = (char)code;
			text += 4;
		} else {
			*to++ = *text++;
		}
	}
	*to = '\0';
}

static bool begins(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

/* Whether a text ends so and is longer; the length without the end. */
static size_t length_before(const char *text, const char *end)
{
	size_t len = strlen(text), n = strlen(end);

	return len > n && !strcmp(text + len - n, end) ? len - n : 0;
}

static bool take_id(struct mp_cgroup_path *parsed, const char *id, enum mp_runtime runtime)
{
	size_t nr = strspn(id, "0123456789abcdef");

	if (nr != MP_CONTAINER_ID_DIGITS || (id[nr] && strcmp(id + nr, ".scope")))
		return false;
	memcpy(parsed->id, id, nr);
	parsed->id[nr] = '\0';
	parsed->machine[0] = '\0';
	parsed->unit[0] = '\0';
	parsed->runtime = runtime;
	return true;
}

static enum mp_runtime runtime_in(const char *folder)
{
	size_t i;

	for (i = 0; i < NR(folders); i++)
		if (!strcmp(folder, folders[i].folder))
			return folders[i].runtime;
	return MP_RUNTIME_NONE;
}

static bool take_container(struct mp_cgroup_path *parsed, const char *part, const char *folder)
{
	/* a service around a container of podman remains the container's unit */
	char unit[MP_CGROUP_PART_SIZE];
	size_t i;

	memcpy(unit, parsed->unit, sizeof(unit));
	for (i = 0; i < NR(containers); i++) {
		if (!begins(part, containers[i].prefix) ||
		    !take_id(parsed, part + strlen(containers[i].prefix),
			     containers[i].runtime ?: runtime_in(folder)))
			continue;
		if (begins(part, "libpod-payload-"))
			memcpy(parsed->unit, unit, sizeof(unit));
		return true;
	}
	return false;
}

static bool set_machine(struct mp_cgroup_path *parsed, const char *name, size_t len,
			enum mp_runtime runtime)
{
	snprintf(parsed->machine, sizeof(parsed->machine), "%.*s", (int)len, name);
	parsed->id[0] = '\0';
	parsed->unit[0] = '\0';
	parsed->runtime = runtime;
	return true;
}

static bool take_machine(struct mp_cgroup_path *parsed, const char *part, const char *folder)
{
	size_t i, len, skip;

	for (i = 0; i < NR(machines); i++) {
		skip = strlen(machines[i].prefix);
		len = length_before(part, machines[i].suffix);
		if (begins(part, machines[i].prefix) && len > skip)
			return set_machine(parsed, part + skip, len - skip, machines[i].runtime);
	}
	if (runtime_in(folder) == MP_RUNTIME_LXC)
		return set_machine(parsed, part, strlen(part), MP_RUNTIME_LXC);
	return false;
}

/* Takes a pod's uid, in which systemd's driver writes underscores for dashes. */
static bool take_uid(struct mp_cgroup_path *parsed, const char *uid)
{
	size_t nr = strspn(uid, "0123456789abcdef-_"), i;

	if (nr < MIN_UID || nr > MAX_UID || (uid[nr] && strcmp(uid + nr, ".slice")))
		return false;
	for (i = 0; i < nr; i++)
		parsed->pod_uid[i] = uid[i] == '_' ? '-' : uid[i];
	parsed->pod_uid[nr] = '\0';
	parsed->id[0] = '\0';
	parsed->runtime = MP_RUNTIME_NONE;
	if (!parsed->qos)
		parsed->qos = "guaranteed";
	return true;
}

/*
 * Takes "kubepods-burstable-podUID.slice", of systemd's driver, and "burstable" and
 * "podUID", of cgroupfs. The kubelet in a container has "kubelet-" before all of it.
 */
static bool take_pod(struct mp_cgroup_path *parsed, const char *part)
{
	const char *pods = strstr(part, "kubepods"), *pod = part;

	if (pods && pods != part && !begins(part, "kubelet-"))
		return false;
	if (pods)
		parsed->qos = strstr(pods, "-burstable") ? "burstable" :
			      strstr(pods, "-besteffort") ? "besteffort" : NULL;
	else if (!strcmp(part, "burstable"))
		parsed->qos = "burstable";
	else if (!strcmp(part, "besteffort"))
		parsed->qos = "besteffort";
	if (pods) {
		pod = strstr(pods, "-pod");
		pod = pod ? pod + 1 : "";
	}
	return begins(pod, "pod") && take_uid(parsed, pod + 3);
}

static void take_user(struct mp_cgroup_path *parsed, const char *part)
{
	const char *number = begins(part, "user-") ? part + 5 : begins(part, "user@") ?
			     part + 5 : "";
	char *end;
	unsigned long user = strtoul(number, &end, 10);

	if (!isdigit((unsigned char)*number) || user > UINT32_MAX ||
	    (strcmp(end, ".slice") && strcmp(end, ".service")))
		return;
	parsed->user = (uint32_t)user;
	parsed->has_user = true;
}

static void take_unit(struct mp_cgroup_path *parsed, const char *part)
{
	size_t i;

	if (length_before(part, ".slice"))
		snprintf(parsed->slice, sizeof(parsed->slice), "%s", part);
	for (i = 0; i < NR(services); i++)
		if (length_before(part, services[i]))
			snprintf(parsed->unit, sizeof(parsed->unit), "%s", part);
}

/*
 * containerd with the wrong driver makes a folder from what systemd would take apart:
 * "kubepods-burstable-podUID.slice:cri-containerd:ID".
 */
static bool take_triple(struct mp_cgroup_path *parsed, char *part)
{
	char *runtime = strchr(part, ':'), *id = runtime ? strchr(runtime + 1, ':') : NULL;
	char name[MP_CGROUP_PART_SIZE];

	if (!id)
		return false;
	*runtime++ = '\0';
	*id++ = '\0';
	take_pod(parsed, part);
	snprintf(name, sizeof(name), "%.60s-%.100s", runtime, id);
	return take_container(parsed, name, "");
}

static bool take_part(struct mp_cgroup_path *parsed, char *part, const char *folder)
{
	char plain[MP_CGROUP_PART_SIZE];

	memcpy(plain, part, sizeof(plain));
	mp_cgroup_unescape(plain);
	take_user(parsed, plain);
	take_unit(parsed, plain);
	return take_container(parsed, plain, folder) || take_machine(parsed, plain, folder) ||
	       take_pod(parsed, plain) || take_triple(parsed, plain);
}

void mp_cgroup_path_parse(const char *path, struct mp_cgroup_path *parsed)
{
	char part[MP_CGROUP_PART_SIZE], folder[MP_CGROUP_PART_SIZE] = "";
	size_t len;

	*parsed = (struct mp_cgroup_path){ .rest = path };
	while (true) {
		path += strspn(path, "/");
		len = strcspn(path, "/");
		if (!len)
			return;
		memset(part, 0, sizeof(part));
		memcpy(part, path, len < sizeof(part) ? len : sizeof(part) - 1);
		path += len;
		if (take_part(parsed, part, folder))
			parsed->rest = path;
		memcpy(folder, part, sizeof(folder));
	}
}

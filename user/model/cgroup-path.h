/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cgroup-path: what a cgroup's path says: runtime, container, pod, unit, machine
 */
#ifndef MP_CGROUP_PATH_H
#define MP_CGROUP_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Size of the texts of a path. A longer component is cut. */
#define MP_CGROUP_PART_SIZE	256

/* Digits of a container's id, in a path and in the folders of its runtime. */
#define MP_CONTAINER_ID_DIGITS	64
#define MP_POD_UID_SIZE		40

/**
 * enum mp_runtime - who made a container
 * @MP_RUNTIME_NONE: nobody; or the path has an id and does not say whose
 * @MP_RUNTIME_VM: a virtual machine of libvirt
 */
enum mp_runtime {
	MP_RUNTIME_NONE,
	MP_RUNTIME_DOCKER,
	MP_RUNTIME_CONTAINERD,
	MP_RUNTIME_CRIO,
	MP_RUNTIME_PODMAN,
	MP_RUNTIME_NSPAWN,
	MP_RUNTIME_LXC,
	MP_RUNTIME_VM,
	MP_NR_RUNTIMES,
};

/**
 * struct mp_cgroup_path - what a path says; empty texts: nothing
 * @runtime: of the innermost container
 * @id: of the innermost container: 64 digits
 * @pod_uid: of a pod of Kubernetes, with dashes
 * @qos: its class of service: guaranteed, burstable, besteffort
 * @unit: the innermost service or scope of systemd that is no container's
 * @slice: the innermost slice
 * @machine: name of a machine, as machinectl has it, or of a container of LXC
 * @user: user id of a session or a user's services
 * @has_user: whether @user is known
 * @rest: what is below the container, its machine or pod; points into the path
 */
struct mp_cgroup_path {
	enum mp_runtime runtime;
	char id[MP_CONTAINER_ID_DIGITS + 1];
	char pod_uid[MP_POD_UID_SIZE];
	const char *qos;
	char unit[MP_CGROUP_PART_SIZE];
	char slice[MP_CGROUP_PART_SIZE];
	char machine[MP_CGROUP_PART_SIZE];
	uint32_t user;
	bool has_user;
	const char *rest;
};

/** mp_runtime_name - name of a runtime for users; "" for none */
const char *mp_runtime_name(enum mp_runtime runtime);

/**
 * mp_cgroup_path_parse - find out what a path says
 * @path: from the root of the hierarchy; untrusted: who may make cgroups chooses names
 * @parsed: out; @rest points into @path
 *
 * Knows the paths of systemd's cgroup driver and those of cgroupfs, in both versions of
 * cgroups, and containers in containers: the innermost one counts.
 */
void mp_cgroup_path_parse(const char *path, struct mp_cgroup_path *parsed);

/**
 * mp_cgroup_unescape - decode systemd's escapes, such as \x2d for a dash, in place
 *
 * Slashes, backslashes and what is not printable stay escaped.
 */
void mp_cgroup_unescape(char *text);

#endif

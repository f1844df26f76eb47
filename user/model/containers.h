/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * containers: what runtimes say of the containers of cgroups
 */
#ifndef MP_CONTAINERS_H
#define MP_CONTAINERS_H

#include "cgroup-path.h"
#include "id-names.h"

/* Longest text of a container; longer ones are cut. */
#define MP_CONTAINER_TEXT_SIZE	256

/**
 * enum mp_container_text - what a runtime's files say of a container
 * @MP_CONTAINER_RUNTIME: name of the runtime whose file it was
 * @MP_CONTAINER_NAME: the container's name; in a pod that in the pod
 * @MP_CONTAINER_POD: name of its pod
 * @MP_CONTAINER_NAMESPACE: namespace of the pod
 * @MP_CONTAINER_IMAGE: name of its image
 */
enum mp_container_text {
	MP_CONTAINER_RUNTIME,
	MP_CONTAINER_NAME,
	MP_CONTAINER_POD,
	MP_CONTAINER_NAMESPACE,
	MP_CONTAINER_IMAGE,
	MP_NR_CONTAINER_TEXTS,
};

/**
 * struct mp_containers - texts by the id of the container's cgroup; all zero means empty
 *
 * The cgroup of a pod has the names of the pod.
 */
struct mp_containers {
	struct mp_id_names texts[MP_NR_CONTAINER_TEXTS];
};

/**
 * mp_containers_add - add a text
 * @cgroup: id of the cgroup
 * @text: untrusted; made printable, and cut at MP_CONTAINER_TEXT_SIZE
 *
 * A text that is known already stays.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_containers_add(struct mp_containers *containers, uint64_t cgroup,
		      enum mp_container_text what, const char *text);

/** mp_containers_find - a text of a cgroup; NULL if it is not known */
const char *mp_containers_find(const struct mp_containers *containers, uint64_t cgroup,
			       enum mp_container_text what);

/** mp_containers_knows - whether more than the runtime of a cgroup is known */
bool mp_containers_knows(const struct mp_containers *containers, uint64_t cgroup);

/** mp_container_key - key of a text in JSON and in labels */
const char *mp_container_key(enum mp_container_text what);

/** mp_containers_copy - add everything to @to. Return: 0, or -ENOMEM */
int mp_containers_copy(struct mp_containers *to, const struct mp_containers *from);

/** mp_containers_free - free all memory; the object is empty afterwards */
void mp_containers_free(struct mp_containers *containers);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * owner-labels: what labels say of the cgroup that a sample belongs to
 */
#ifndef MP_OWNER_LABELS_H
#define MP_OWNER_LABELS_H

#include "profile.h"

#define MP_MAX_OWNER_LABELS	8
#define MP_OWNER_LABEL_SIZE	512

/**
 * struct mp_owner_label - a label
 * @name: for pprof
 * @attribute: the same by OpenTelemetry's conventions, where they have a name for it
 * @value: printable; cut if it is longer
 */
struct mp_owner_label {
	const char *name;
	const char *attribute;
	char value[MP_OWNER_LABEL_SIZE];
};

/**
 * mp_owner_labels - the labels of a cgroup
 * @cgroup: its id; 0: not known
 * @labels: out: MP_MAX_OWNER_LABELS elements
 *
 * Return: number of labels: the cgroup's path, the systemd unit if it is one, and what is
 * known of its container.
 */
size_t mp_owner_labels(const struct mp_profile *profile, uint64_t cgroup,
		       struct mp_owner_label *labels);

/**
 * mp_owner_service - name of the service that a cgroup is
 * @labels: @nr labels of the cgroup
 * @other: the name for all cgroups that are no unit
 * @name: out: MP_OWNER_LABEL_SIZE bytes
 */
void mp_owner_service(const struct mp_owner_label *labels, size_t nr, const char *other,
		      char *name);

#endif

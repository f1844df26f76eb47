// SPDX-License-Identifier: GPL-2.0-only
/*
 * owner-labels: lists what is known of a cgroup
 *
 * No memory is allocated, and nothing can fail.
 */
#include "owner-labels.h"

#include <stdio.h>
#include <string.h>

/* Names of containers' texts by OpenTelemetry's conventions */
static const char * const attributes[MP_NR_CONTAINER_TEXTS] = {
	[MP_CONTAINER_RUNTIME] = "container.runtime",
	[MP_CONTAINER_NAME] = "container.name",
	[MP_CONTAINER_POD] = "k8s.pod.name",
	[MP_CONTAINER_NAMESPACE] = "k8s.namespace.name",
	[MP_CONTAINER_IMAGE] = "container.image.name",
};

static size_t add(struct mp_owner_label *labels, size_t nr, const char *name,
		  const char *attribute, const char *value)
{
	if (!value || !*value)
		return nr;
	labels[nr].name = name;
	labels[nr].attribute = attribute;
	snprintf(labels[nr].value, sizeof(labels[nr].value), "%s", value);
	return nr + 1;
}

size_t mp_owner_labels(const struct mp_profile *profile, uint64_t cgroup,
		       struct mp_owner_label *labels)
{
	char id[MP_CGROUP_ID_SIZE];
	const char *path = mp_profile_cgroup(profile, cgroup, id);
	struct mp_cgroup_path parsed;
	size_t nr;
	int what;

	mp_cgroup_path_parse(path, &parsed);
	nr = add(labels, 0, "cgroup", "process.linux.cgroup", path);
	nr = add(labels, nr, "unit", "systemd.unit", parsed.unit);
	for (what = 0; what < MP_NR_CONTAINER_TEXTS; what++)
		nr = add(labels, nr, mp_container_key(what), attributes[what],
			 mp_containers_find(&profile->containers, cgroup, what));
	return nr;
}

void mp_owner_service(const struct mp_owner_label *labels, size_t nr, const char *other,
		      char *name)
{
	char *end;
	size_t i;

	snprintf(name, MP_OWNER_LABEL_SIZE, "%s", other);
	for (i = 0; i < nr; i++)
		if (!strcmp(labels[i].name, "unit")) {
			snprintf(name, MP_OWNER_LABEL_SIZE, "%s", labels[i].value);
			end = strrchr(name, '.');
			if (end)
				*end = '\0';
		}
}

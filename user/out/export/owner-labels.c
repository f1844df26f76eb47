// SPDX-License-Identifier: GPL-2.0-only
/*
 * owner-labels: reads a cgroup's path, as systemd names the cgroups of its units
 *
 * No memory is allocated, and nothing can fail.
 */
#include "owner-labels.h"

#include <stdio.h>
#include <string.h>

static bool ends(const char *text, size_t len, const char *end)
{
	size_t n = strlen(end);

	return len > n && !memcmp(text + len - n, end, n);
}

/* Finds the innermost unit in a path, which is never in front of a slice. */
static size_t find_unit(const char *path, const char **unit)
{
	size_t len, found = 0;

	while (*path) {
		path += strspn(path, "/");
		len = strcspn(path, "/");
		if (ends(path, len, ".service") || ends(path, len, ".scope") ||
		    ends(path, len, ".socket")) {
			*unit = path;
			found = len;
		}
		path += len;
	}
	return found;
}

static size_t add(struct mp_owner_label *labels, size_t nr, const char *name,
		  const char *attribute, const char *value, size_t len)
{
	labels[nr].name = name;
	labels[nr].attribute = attribute;
	snprintf(labels[nr].value, sizeof(labels[nr].value), "%.*s", (int)len, value);
	return nr + 1;
}

size_t mp_owner_labels(const struct mp_profile *profile, uint64_t cgroup,
		       struct mp_owner_label *labels)
{
	char id[MP_CGROUP_ID_SIZE];
	const char *path = mp_profile_cgroup(profile, cgroup, id), *unit;
	size_t nr = 0, len = find_unit(path, &unit);

	if (*path)
		nr = add(labels, nr, "cgroup", "process.linux.cgroup", path, strlen(path));
	if (len)
		nr = add(labels, nr, "unit", "systemd.unit", unit, len);
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
			*end = '\0';
		}
}

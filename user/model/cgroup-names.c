// SPDX-License-Identifier: GPL-2.0-only
/*
 * cgroup-names: finds the paths of cgroups by a hash of the id
 *
 * The ids can come from untrusted files, so the hash is keyed. If memory is short, a
 * function returns -ENOMEM and the table does not change.
 */
#include "cgroup-names.h"
#include "array.h"
#include "text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool make_room(struct mp_cgroup_names *names)
{
	size_t max = names->max;

	return names->nr < names->max ||
	       (mp_array_grow(&names->ids, &max, sizeof(*names->ids)) &&
		mp_array_grow(&names->paths, &names->max, sizeof(*names->paths)));
}

int mp_cgroup_names_add(struct mp_cgroup_names *names, uint64_t id,
			const char *path)
{
	size_t size = strlen(path) * 4 + 1;
	uint32_t *known;
	char *copy;

	if (!id || !path[0] || mp_cgroup_names_find(names, id))
		return 0;
	if (!make_room(names))
		return -ENOMEM;
	copy = malloc(size);
	known = copy ? mp_map_add(&names->by_id, id, 0) : NULL;
	if (!known) {
		free(copy);
		return -ENOMEM;
	}
	mp_text_escape(copy, size, path, size);
	*known = (uint32_t)names->nr;
	names->ids[names->nr] = id;
	names->paths[names->nr++] = copy;
	return 0;
}

const char *mp_cgroup_names_find(const struct mp_cgroup_names *names,
				 uint64_t id)
{
	const uint32_t *known = mp_map_find(&names->by_id, id, 0);

	return known ? names->paths[*known] : NULL;
}

int mp_cgroup_names_copy(struct mp_cgroup_names *to,
			 const struct mp_cgroup_names *from)
{
	size_t i;

	if (mp_map_copy(&to->by_id, &from->by_id))
		return -ENOMEM;
	for (i = 0; i < from->nr; i++) {
		if (!make_room(to))
			return -ENOMEM;
		to->ids[i] = from->ids[i];
		to->paths[i] = strdup(from->paths[i]);
		if (!to->paths[i])
			return -ENOMEM;
		to->nr++;
	}
	return 0;
}

void mp_cgroup_names_free(struct mp_cgroup_names *names)
{
	size_t i;

	for (i = 0; i < names->nr; i++)
		free(names->paths[i]);
	free(names->paths);
	free(names->ids);
	mp_map_free(&names->by_id);
	*names = (struct mp_cgroup_names){ 0 };
}

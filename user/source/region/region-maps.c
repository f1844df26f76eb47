// SPDX-License-Identifier: GPL-2.0-only
/*
 * region-maps: keeps the mappings in a list and searches it linearly
 *
 * A process has tens of mappings. Functions return -ENOMEM without memory.
 */
#include "region-maps.h"
#include "region-window.h"
#include "sites.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int read_map(struct mp_region_code *code,
		    const struct memprof_region_map *map, pid_t pid,
		    struct mp_profile *profile)
{
	struct mp_binary binary = { .pid = (uint32_t)pid };

	if (!map->end || map->path[0] != '/')
		return 0;
	snprintf(binary.path, sizeof(binary.path), "%.*s",
		 (int)sizeof(map->path) - 1, map->path);
	if (map->build_id_size <= sizeof(binary.build_id)) {
		binary.build_id_size = map->build_id_size;
		memcpy(binary.build_id, map->build_id, map->build_id_size);
	}
	code->start = map->start;
	code->end = map->end;
	code->offset = map->offset;
	return mp_sites_binary(profile, &binary, &code->binary);
}

int mp_region_maps_read(struct mp_region_maps *maps,
			const struct mp_region *region, pid_t pid,
			struct mp_profile *profile)
{
	const struct memprof_region_map *map;
	struct mp_region_window window;
	int err = mp_region_window_open(&window, region, MEMPROF_REGION_MAPS);

	*maps = (struct mp_region_maps){ 0 };
	if (!err)
		maps->list = calloc(window.nr + 1, sizeof(*maps->list));
	if (!maps->list)
		err = -ENOMEM;
	while (!err && (map = mp_region_window_at(&window, maps->nr)))
		err = read_map(&maps->list[maps->nr++], map, pid, profile);
	mp_region_window_close(&window);
	return err;
}

/*
 * A return address can be the first address after the mapping of its code. So
 * the address before it is searched.
 */
const struct mp_region_code *
mp_region_maps_find(const struct mp_region_maps *maps, uint64_t address,
		    uint64_t nr_known)
{
	const struct mp_region_code *code, *found = NULL;
	uint64_t i;

	for (i = 0; i < maps->nr; i++) {
		code = &maps->list[i];
		if (!code->binary || address - 1 < code->start ||
		    address > code->end)
			continue;
		if (nr_known && i >= nr_known)
			return found ? found : code;
		found = code;
	}
	return found;
}

void mp_region_maps_free(struct mp_region_maps *maps)
{
	free(maps->list);
	maps->list = NULL;
}

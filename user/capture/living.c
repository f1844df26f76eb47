// SPDX-License-Identifier: GPL-2.0-only
/*
 * living: finds processes whose exit is missing in a recording
 *
 * When a ring is full, the kernel also drops records of exits. Cost: a
 * comparison of the type of each record, and 24 bytes per process. The exit of
 * the main thread counts as the exit of the process. If other threads run
 * longer, and the records of their exits are lost, the process is not found.
 */
#include "living.h"
#include "process.h"

void mp_living_add(struct mp_living *living, uint32_t pid)
{
	uint32_t *known = pid ? mp_map_add(&living->by_pid, pid, 0) : NULL;

	if (known)
		*known = 1;
}

pid_t mp_living_take(struct mp_living *living, const struct perf_event_header *record)
{
	/*
	 * Records of names, forks and exits begin with the pid. In forks and exits the
	 * parent's pid, the tid and the parent's tid follow.
	 */
	const uint32_t *ids = (const uint32_t *)(record + 1);

	if (record->size < sizeof(*record) + 4 * sizeof(*ids))
		return 0;
	if (record->type == PERF_RECORD_COMM || record->type == PERF_RECORD_FORK)
		mp_living_add(living, ids[0]);
	if (record->type != PERF_RECORD_EXIT || ids[0] != ids[2])
		return 0;
	mp_map_remove(&living->by_pid, ids[0], 0);
	return (pid_t)ids[0];
}

int mp_living_ended(const struct mp_living *living,
		    int (*take)(void *context, pid_t pid), void *context)
{
	const struct mp_map *map = &living->by_pid;
	size_t i;
	int err = 0;

	for (i = 0; !err && i < map->nr_slots; i++)
		if (map->slots[i].used && mp_process_has_ended((pid_t)map->slots[i].a))
			err = take(context, (pid_t)map->slots[i].a);
	return err;
}

void mp_living_free(struct mp_living *living)
{
	mp_map_free(&living->by_pid);
}

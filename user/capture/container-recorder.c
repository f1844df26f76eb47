// SPDX-License-Identifier: GPL-2.0-only
/*
 * container-recorder: notices cgroups of containers in records, and asks for their names
 *
 * A record that is not of a cgroup costs a comparison. While a look-up lasts, 2 ms, no ring
 * is read. If a runtime's files cannot be read in time, as those in a user's own file system,
 * nobody looks again before the end.
 */
#include "container-recorder.h"
#include "clock.h"
#include "container-names.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#define INTERVAL_NS	2000000000ULL

/* Containers of a recording; more have no names. */
#define MAX_CONTAINERS	16384

/* Cgroups that are remembered. */
#define MAX_SEEN	262144

/* A record has less than 64 KiB. */
#define PIECE_SIZE	32768

/* The kernel's record of a cgroup. */
struct cgroup_record {
	struct perf_event_header header;
	uint64_t id;
	char path[];
};

int mp_container_recorder_take(struct mp_container_recorder *recorder,
			       const struct perf_event_header *record)
{
	const struct cgroup_record *cgroup = (const void *)record;
	const size_t head = offsetof(struct cgroup_record, path);
	struct mp_id_names *names = &recorder->profile.names;
	struct mp_cgroup_path path;
	const size_t nr = names->nr;
	int err;

	if (record->type != PERF_RECORD_CGROUP || record->size <= head ||
	    !memchr(cgroup->path, 0, record->size - head))
		return 0;
	if (recorder->seen.nr < MAX_SEEN && !mp_map_add(&recorder->seen, cgroup->id, 0))
		return -ENOMEM;
	if (nr == MAX_CONTAINERS)
		return 0;
	mp_cgroup_path_parse(cgroup->path, &path);
	if (!path.id[0] && !path.machine[0] && !path.pod_uid[0])
		return 0;
	err = mp_id_names_add(names, cgroup->id, cgroup->path);
	recorder->is_due |= names->nr > nr;
	return err;
}

bool mp_container_recorder_knows(const struct mp_container_recorder *recorder,
				 const struct perf_event_header *record)
{
	const struct cgroup_record *cgroup = (const void *)record;

	return record->type == PERF_RECORD_CGROUP && record->size > offsetof(typeof(*cgroup), path) &&
	       (recorder->seen.nr == MAX_SEEN || mp_map_find(&recorder->seen, cgroup->id, 0));
}

static int put_piece(struct mp_container_recorder *recorder, const char *piece, size_t *size)
{
	const size_t nr = *size;

	*size = 0;
	return nr ? mp_perf_writer_piece(recorder->writer, MP_PERF_PIECE_CONTAINERS, piece, nr) : 0;
}

/* Writes the texts that came since the last time. */
static int put_new(struct mp_container_recorder *recorder)
{
	struct mp_container_record record = { 0 };
	const struct mp_id_names *names;
	char piece[PIECE_SIZE];
	size_t size = 0, *i;
	int err = 0;

	for (; record.what < MP_NR_CONTAINER_TEXTS; record.what++) {
		names = &recorder->profile.containers.texts[record.what];
		i = &recorder->nr_written[record.what];
		for (; !err && *i < names->nr; ++*i) {
			record.cgroup = names->ids[*i];
			record.size = (uint32_t)strnlen(names->texts[*i], MP_CONTAINER_TEXT_SIZE - 1);
			if (size + sizeof(record) + record.size > sizeof(piece))
				err = put_piece(recorder, piece, &size);
			memcpy(piece + size, &record, sizeof(record));
			memcpy(piece + size + sizeof(record), names->texts[*i], record.size);
			size += sizeof(record) + record.size;
		}
	}
	return err ?: put_piece(recorder, piece, &size);
}

int mp_container_recorder_work(struct mp_container_recorder *recorder, bool now)
{
	const uint64_t time_ns = recorder->is_due ? mp_clock_ns() : 0;
	int err;

	if (!recorder->is_due || (!now && (recorder->is_slow || time_ns < recorder->next_ns)))
		return 0;
	recorder->is_due = false;
	err = mp_container_names_find(&recorder->profile);
	recorder->is_slow = mp_profile_counter(&recorder->profile, "container_skipped");
	recorder->next_ns = time_ns + INTERVAL_NS;
	return err ?: put_new(recorder);
}

void mp_container_recorder_free(struct mp_container_recorder *recorder)
{
	mp_map_free(&recorder->seen);
	mp_profile_free(&recorder->profile);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf-synth: makes records from /proc and from the cgroup file system
 *
 * Each record ends with the same fields as the kernel's records: pid, tid,
 * time, CPU and id. The time is 0, except in records of exits, losses, and mappings
 * without code.
 */
#include "perf-synth.h"
#include "build-id.h"
#include "cgroup.h"
#include "clock.h"
#include "maps.h"
#include "metric.h"
#include "perf-rings.h"
#include "perf-writer.h"
#include "process.h"

#include <dirent.h>
#include <errno.h>
#include <fts.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define MAX_RECORD	(PATH_MAX + 512)

/* A record that is being built. */
struct record {
	union {
		struct perf_event_header header;
		uint64_t words[MAX_RECORD / 8];
		char bytes[MAX_RECORD];
	};
};

static void begin(struct record *record, uint32_t type, uint16_t misc)
{
	record->header = (struct perf_event_header){
		.type = type, .misc = misc, .size = sizeof(record->header),
	};
}

static void add(struct record *record, const void *data, size_t size)
{
	if (record->header.size + size > sizeof(record->bytes))
		return;
	memcpy(record->bytes + record->header.size, data, size);
	record->header.size += size;
}

static void add_u32(struct record *record, uint32_t value)
{
	add(record, &value, sizeof(value));
}

static void add_u64(struct record *record, uint64_t value)
{
	add(record, &value, sizeof(value));
}

/* Adds a text, padded with zeros to a multiple of eight bytes. */
static void add_text(struct record *record, const char *text)
{
	static const char zeros[8];

	add(record, text, strlen(text) + 1);
	add(record, zeros, -record->header.size & 7);
}

static int end_at(const struct mp_perf_synth *synth, struct record *record,
		  pid_t pid, uint64_t time_ns)
{
	add_u32(record, (uint32_t)pid);
	add_u32(record, (uint32_t)pid);
	add_u64(record, time_ns);
	add_u64(record, 0);
	add_u64(record, synth->id);
	return synth->put(synth->context, &record->header);
}

static int end(const struct mp_perf_synth *synth, struct record *record,
	       pid_t pid)
{
	return end_at(synth, record, pid, 0);
}

int mp_perf_synth_lost(const struct mp_perf_synth *synth, uint64_t nr, uint64_t time_ns)
{
	struct record record;

	begin(&record, PERF_RECORD_LOST, 0);
	add_u64(&record, synth->id);
	add_u64(&record, nr);
	return end_at(synth, &record, -1, time_ns);
}

int mp_perf_synth_exit(const struct mp_perf_synth *synth, pid_t pid, uint64_t time_ns)
{
	struct record record;

	begin(&record, PERF_RECORD_EXIT, 0);
	add_u32(&record, (uint32_t)pid);
	add_u32(&record, (uint32_t)pid);	/* the parent is not known */
	add_u32(&record, 0);
	add_u32(&record, 0);
	add_u64(&record, time_ns);
	return end_at(synth, &record, pid, time_ns);
}

int mp_perf_synth_kernel(const struct mp_perf_synth *synth, uint64_t text,
			 uint64_t etext)
{
	struct record record;

	if (!text || etext <= text)
		return 0;
	begin(&record, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL);
	add_u32(&record, UINT32_MAX);
	add_u32(&record, 0);
	add_u64(&record, text);
	add_u64(&record, etext - text);
	add_u64(&record, text);
	add_text(&record, "[kernel.kallsyms]_text");
	return end(synth, &record, -1);
}

static int put_comm(const struct mp_perf_synth *synth, pid_t pid, pid_t tid)
{
	char path[64], comm[64] = "";
	struct record record;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", (int)pid,
		 (int)tid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (!fgets(comm, sizeof(comm), file))
		comm[0] = '\0';
	fclose(file);
	comm[strcspn(comm, "\n")] = '\0';
	begin(&record, PERF_RECORD_COMM, 0);
	add_u32(&record, (uint32_t)pid);
	add_u32(&record, (uint32_t)tid);
	add_text(&record, comm);
	return end(synth, &record, pid);
}

/* Writes a fork record, as the kernel does for a new thread. */
static int put_thread(const struct mp_perf_synth *synth, pid_t pid, pid_t tid)
{
	struct record record;
	int err;

	begin(&record, PERF_RECORD_FORK, 0);
	add_u32(&record, (uint32_t)pid);
	add_u32(&record, (uint32_t)pid);
	add_u32(&record, (uint32_t)tid);
	add_u32(&record, (uint32_t)pid);
	add_u64(&record, 0);
	err = end(synth, &record, pid);
	return err ? err : put_comm(synth, pid, tid);
}

static int put_threads(const struct mp_perf_synth *synth, pid_t pid)
{
	struct dirent *entry;
	char path[64];
	int tid, err = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	while (dir && !err && (entry = readdir(dir))) {
		tid = atoi(entry->d_name);
		if (tid > 0 && tid != pid)
			err = put_thread(synth, pid, tid);
	}
	if (dir)
		closedir(dir);
	return err;
}

static uint32_t protection_of(const struct mp_map_line *line)
{
	return (line->permissions[0] == 'r' ? PROT_READ : 0) |
	       (line->permissions[1] == 'w' ? PROT_WRITE : 0) |
	       (mp_map_is_executable(line) ? PROT_EXEC : 0);
}

/* Names of mappings that mean something; all others need none. */
static const char *name_of(const struct mp_map_line *line)
{
	if (!line->name[0])
		return "//anon";
	return mp_map_is_executable(line) || line->name[0] == '[' ||
	       !strncmp(line->name, "/SYSV", 5) ? line->name : "//anon";
}

static int put_map(void *context, pid_t pid, const struct mp_map_line *line)
{
	const struct mp_perf_synth *synth = context;
	bool executable = mp_map_is_executable(line);
	uint8_t id[MP_BUILD_ID_SIZE];
	struct record record;
	uint32_t id_size = 0;
	char path[96];

	/* record code, and the [heap] mapping, whose end is the program break */
	if (!executable && !synth->areas && strcmp(line->name, "[heap]"))
		return 0;
	if (line->name[0] == '/' && executable) {
		snprintf(path, sizeof(path),
			 "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, (int)pid,
			 line->start, line->end);
		id_size = mp_build_id_read(path, id);
	}
	begin(&record, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER |
	      (id_size ? PERF_RECORD_MISC_MMAP_BUILD_ID : 0));
	add_u32(&record, (uint32_t)pid);
	add_u32(&record, (uint32_t)pid);
	add_u64(&record, line->start);
	add_u64(&record, line->end - line->start);
	add_u64(&record, line->offset);
	if (id_size) {
		/* one byte of size, and three reserved bytes */
		add_u32(&record, id_size);
		add(&record, id, sizeof(id));
	} else {
		add_u32(&record, line->major);
		add_u32(&record, line->minor);
		add_u64(&record, line->inode);
		add_u64(&record, 0);
	}
	add_u32(&record, protection_of(line));
	add_u32(&record, line->permissions[3] == 's' ? MAP_SHARED : MAP_PRIVATE);
	add_text(&record, name_of(line));
	/*
	 * events before this moment may be of a program that the process no longer
	 * runs: they must not be compared with this program break
	 */
	return end_at(synth, &record, pid, executable ? 0 : mp_clock_ns());
}

int mp_perf_synth_process(const struct mp_perf_synth *synth, pid_t pid)
{
	int err = put_comm(synth, pid, pid) ?: put_threads(synth, pid);

	if (!err)
		err = mp_maps_each(pid, put_map, (void *)synth);
	/* the process may have exited, or we may not be allowed to read it */
	return err == -ESRCH || err == -EACCES || err == -EPERM ? 0 : err;
}

struct walk {
	const struct mp_perf_synth *synth;
	int err;
};

static void take_process(void *context, pid_t pid)
{
	struct walk *walk = context;

	if (!walk->err)
		walk->err = mp_perf_synth_process(walk->synth, pid);
}

int mp_perf_synth_machine(const struct mp_perf_synth *synth)
{
	struct walk walk = { .synth = synth };

	mp_process_each(take_process, &walk);
	return walk.err;
}

int mp_perf_synth_cgroups(const struct mp_perf_synth *synth)
{
	char mount[PATH_MAX], *roots[] = { mount, NULL };
	struct record record;
	size_t len;
	FTSENT *entry;
	FTS *fts;
	int err = 0;

	if (mp_cgroup_mount(mount))
		return 0;
	len = strlen(mount);
	fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
	while (fts && !err && (entry = fts_read(fts))) {
		if (entry->fts_info != FTS_D)
			continue;
		begin(&record, PERF_RECORD_CGROUP, 0);
		add_u64(&record, entry->fts_statp->st_ino);
		add_text(&record, entry->fts_path[len] ?
			 entry->fts_path + len : "/");
		err = end(synth, &record, 0);
	}
	if (fts)
		fts_close(fts);
	return err;
}

int mp_perf_synth_comm(const struct mp_perf_synth *synth, pid_t pid,
		       const char *comm)
{
	struct record record;

	begin(&record, PERF_RECORD_COMM, 0);
	add_u32(&record, (uint32_t)pid);
	add_u32(&record, (uint32_t)pid);
	add_text(&record, comm);
	return end(synth, &record, pid);
}

int mp_perf_synth_map(const struct mp_perf_synth *synth, pid_t pid,
		      uint64_t start, uint64_t len,
		      const struct mp_binary *binary)
{
	struct record record;

	begin(&record, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER |
	      (binary->build_id_size ? PERF_RECORD_MISC_MMAP_BUILD_ID : 0));
	add_u32(&record, (uint32_t)pid);
	add_u32(&record, (uint32_t)pid);
	add_u64(&record, start);
	add_u64(&record, len);
	add_u64(&record, 0);
	if (binary->build_id_size) {
		/* one byte of size, and three reserved bytes */
		add_u32(&record, binary->build_id_size);
		add(&record, binary->build_id, sizeof(binary->build_id));
	} else {
		/* device, inode and inode generation */
		add_u64(&record, 0);
		add_u64(&record, binary->inode);
		add_u64(&record, 0);
	}
	add_u32(&record, 5);		/* PROT_READ, PROT_EXEC */
	add_u32(&record, 2);		/* MAP_PRIVATE */
	add_text(&record, binary->path);
	return end(synth, &record, pid);
}

int mp_perf_synth_function(const struct mp_perf_synth *synth, uint64_t time_ns, uint32_t pid,
			   uint32_t tid, const struct memprof_region_function *function)
{
	const uint64_t common = MP_PERF_ID_FUNCTION | (uint64_t)pid << 32;
	const uint32_t raw = sizeof(common) + sizeof(*function), padded = ((raw + 4 + 7) & ~7U) - 4;
	struct record record;

	begin(&record, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	add_u64(&record, synth->id);
	add_u64(&record, 0);		/* instruction */
	add_u32(&record, pid);
	add_u32(&record, tid);
	add_u64(&record, time_ns);
	add_u64(&record, 0);		/* address */
	add_u64(&record, 0);		/* CPU */
	add_u64(&record, 1);		/* period */
	add_u64(&record, 0);		/* frames */
	add_u32(&record, padded);
	add(&record, &common, sizeof(common));
	add(&record, function, sizeof(*function));
	add(&record, "\0\0\0\0\0\0\0", padded - raw);
	add_u64(&record, 0);		/* cgroup */
	return synth->put(synth->context, &record.header);
}

int mp_perf_synth_row(const struct mp_perf_synth *synth, uint16_t number,
		      uint64_t time_ns, uint64_t period,
		      const struct mp_row *row)
{
	const uint64_t frames[] = { PERF_CONTEXT_USER, row->location.address };

	return mp_perf_synth_stack(synth, number, time_ns, period, row, frames,
				   row->location.address ? 2 : 0);
}

/* Adds the fields of MP_PERF_SAMPLE_TYPE, then a call chain and raw data. */
int mp_perf_synth_stack(const struct mp_perf_synth *synth, uint16_t number,
			uint64_t time_ns, uint64_t period,
			const struct mp_row *row, const uint64_t *frames,
			uint32_t nr)
{
	uint32_t raw = 8 + sizeof(row->value), padded = ((raw + 4 + 7) & ~7U) - 4;
	uint64_t common = number | (uint64_t)row->pid << 32;
	struct record record;

	begin(&record, PERF_RECORD_SAMPLE, nr && frames[0] ==
	      PERF_CONTEXT_KERNEL ? PERF_RECORD_MISC_KERNEL :
	      PERF_RECORD_MISC_USER);
	add_u64(&record, synth->id);
	add_u64(&record, nr ? frames[1] : 0);
	add_u32(&record, row->pid);
	add_u32(&record, row->pid);
	add_u64(&record, time_ns);
	add_u64(&record, 0);		/* address */
	add_u64(&record, 0);		/* CPU */
	add_u64(&record, period);
	add_u64(&record, nr);
	add(&record, frames, nr * sizeof(*frames));
	add_u32(&record, padded);
	add(&record, &common, sizeof(common));
	add(&record, row->value, sizeof(row->value));
	add(&record, "\0\0\0\0\0\0\0", padded - raw);
	add_u64(&record, row->cgroup);
	return synth->put(synth->context, &record.header);
}

// SPDX-License-Identifier: GPL-2.0-only
#include "session.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int session_open(void)
{
	int fd = open(MEMPROF_DEVICE, O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int session_ioctl(int fd, unsigned long cmd, void *arg)
{
	return ioctl(fd, cmd, arg) < 0 ? -errno : 0;
}

static int target(int fd, uint32_t kind, uint32_t flags, uint64_t id,
		  const char *comm)
{
	struct memprof_target t = {
		.size = sizeof(t), .kind = kind, .flags = flags, .id = id,
	};

	strncpy(t.comm, comm, sizeof(t.comm) - 1);
	return session_ioctl(fd, MEMPROF_IOC_TARGET, &t);
}

int session_target_all(int fd)
{
	return target(fd, MEMPROF_TARGET_ALL, 0, 0, "");
}

int session_target_pid(int fd, pid_t pid, uint32_t flags)
{
	return target(fd, MEMPROF_TARGET_PROCESS, flags, pid, "");
}

int session_target_cgroup(int fd, uint64_t id)
{
	return target(fd, MEMPROF_TARGET_CGROUP, 0, id, "");
}

int session_target_comm(int fd, const char *comm)
{
	return target(fd, MEMPROF_TARGET_COMM, 0, 0, comm);
}

int session_start(int fd, uint32_t minor, uint32_t major, int growth)
{
	struct memprof_start a = {
		.size = sizeof(a),
		.minor_period = minor,
		.major_period = major,
	};

	if (minor || major)
		a.flags |= MEMPROF_START_FAULTS;
	if (growth)
		a.flags |= MEMPROF_START_GROWTH;
	return session_ioctl(fd, MEMPROF_IOC_START, &a);
}

const char *session_file_of(void *function, uint64_t *offset)
{
	struct link_map *map;
	Dl_info info;

	if (!dladdr1(function, &info, (void **)&map, RTLD_DL_LINKMAP))
		return NULL;
	/* the offset of code from the start of its mapping is its offset in the file */
	*offset = (char *)function - (char *)map->l_addr;
	return info.dli_fname;
}

int session_probe_like(int fd, void *function, struct memprof_probe *a)
{
	uint64_t offset;
	const char *file = session_file_of(function, &offset);
	int err;

	if (!file)
		return -ENOENT;
	a->fd = open(file, O_RDONLY | O_CLOEXEC);
	a->offset = offset;
	err = session_ioctl(fd, MEMPROF_IOC_PROBE, a);
	close(a->fd);
	return err;
}

int session_probe(int fd, void *function, uint32_t func)
{
	struct memprof_probe a = { .size = sizeof(a), .func = func };

	return session_probe_like(fd, function, &a);
}

int session_stop(int fd)
{
	struct memprof_stop a = { .size = sizeof(a) };

	return session_ioctl(fd, MEMPROF_IOC_STOP, &a);
}

int session_snapshot(int fd, uint32_t flags)
{
	struct memprof_snapshot a = { .size = sizeof(a), .flags = flags };

	return session_ioctl(fd, MEMPROF_IOC_SNAPSHOT, &a);
}

int session_status(int fd, struct memprof_status *out)
{
	memset(out, 0, sizeof(*out));
	out->size = sizeof(*out);
	return session_ioctl(fd, MEMPROF_IOC_STATUS, out);
}

static int read_row(int fd, uint32_t table, uint32_t i, void *row, size_t size)
{
	struct memprof_read a = {
		.size = sizeof(a), .table = table, .first = i, .nr = 1,
		.entry_size = size, .entries = (uintptr_t)row,
	};
	int err = session_ioctl(fd, MEMPROF_IOC_READ, &a);

	if (err)
		return err;
	return a.nr ? 0 : -ENOENT;
}

int session_process(int fd, pid_t pid, uint32_t flags,
		    struct memprof_process *out)
{
	uint32_t i;
	int err;

	for (i = 0; ; i++) {
		err = read_row(fd, MEMPROF_READ_PROCESSES, i, out, sizeof(*out));
		if (err || ((pid_t)out->pid == pid && out->flags == flags))
			return err;
	}
}

int session_cgroup(int fd, uint64_t id, struct memprof_cgroup *out)
{
	uint32_t i;
	int err;

	for (i = 0; ; i++) {
		err = read_row(fd, MEMPROF_READ_CGROUPS, i, out, sizeof(*out));
		if (err || out->id == id)
			return err;
	}
}

int64_t session_counter(int fd, const char *name)
{
	struct memprof_counter c;
	uint32_t i;
	int err;

	for (i = 0; ; i++) {
		err = read_row(fd, MEMPROF_READ_COUNTERS, i, &c, sizeof(c));
		if (err)
			return err;
		if (!strcmp(c.name, name))
			return c.value;
	}
}

int session_nr_rows(int fd, uint32_t table)
{
	char row[MEMPROF_MAX_ENTRY_SIZE] __attribute__((aligned(8)));
	uint32_t i;
	int err;

	for (i = 0; ; i++) {
		err = read_row(fd, table, i, row, 8);
		if (err)
			return err == -ENOENT ? (int)i : err;
	}
}

int session_site(int fd, int i, struct memprof_site *site)
{
	struct memprof_read a = {
		.size = sizeof(a), .table = MEMPROF_READ_SITES, .first = i,
		.nr = 1, .entry_size = sizeof(*site),
		.entries = (uintptr_t)site,
	};
	int err = session_ioctl(fd, MEMPROF_IOC_READ, &a);

	return err ?: a.nr ? 0 : -ENOENT;
}

int session_site_in(int fd, void *function, struct memprof_site *site)
{
	uint64_t begin = (uintptr_t)function, nearest = begin + 256;
	struct memprof_site row;
	int i;

	for (i = 0; !session_site(fd, i, &row); i++) {
		if (row.address <= begin || row.address >= nearest)
			continue;
		nearest = row.address;
		*site = row;
	}
	return nearest == begin + 256 ? -ENOENT : 0;
}

int64_t session_growth_of(int fd, void *function)
{
	uint64_t begin = (uintptr_t)function;
	struct memprof_site site;
	uint32_t i;
	int err;

	for (i = 0; ; i++) {
		err = read_row(fd, MEMPROF_READ_SITES, i, &site, sizeof(site));
		if (err)
			return err;
		if (site.address > begin && site.address < begin + 256)
			return site.growth_bytes;
	}
}

int session_look(int fd, pid_t pid, struct memprof_process *out)
{
	int err = session_snapshot(fd, 0);

	return err ? err : session_process(fd, pid, 0, out);
}

int session_move(const char *cgroup, pid_t pid)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "%s/cgroup.procs", cgroup);
	file = fopen(path, "w");
	if (!file)
		return -errno;
	fprintf(file, "%d", (int)pid);
	return fclose(file) ? -errno : 0;
}

/* Some architectures do not have this system call. */
#ifdef SYS_pause
#define PAUSE SYS_pause
#else
#define PAUSE SYS_ppoll
#endif

bool session_pauses(pid_t pid)
{
	char path[64];
	long number;
	FILE *file;
	int i;

	snprintf(path, sizeof(path), "/proc/%d/syscall", pid);
	for (i = 0; i < 3000; i++) {
		number = -1;
		file = fopen(path, "r");
		/* a running process has "running" instead of a number */
		if (file && fscanf(file, "%ld", &number) != 1)
			number = -1;
		if (file)
			fclose(file);
		if (number == PAUSE)
			return true;
		usleep(20000);
	}
	return false;
}

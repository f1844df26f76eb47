// SPDX-License-Identifier: GPL-2.0-only
/*
 * kmod: calls the ioctls of /dev/memprof
 *
 * Snapshot rows are read in pieces of 64 into a buffer on the stack. A failed
 * call returns the kernel's negative errno. Only EINTR is retried.
 */
#include "kmod.h"
#include "site-maps.h"
#include "sites.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>

#define NR_PIECE	64

/* Blocks that are read at a time: 48 KB. */
#define NR_BLOCKS	1024

int mp_dev_open(void)
{
	int fd = open(MEMPROF_DEVICE, O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int dev_ioctl(int fd, unsigned long request, void *arg)
{
	int ret;

	do {
		ret = ioctl(fd, request, arg);
	} while (ret < 0 && errno == EINTR);
	return ret < 0 ? -errno : 0;
}

int mp_dev_info(int fd, struct memprof_info *info)
{
	*info = (struct memprof_info){ .size = sizeof(*info) };
	return dev_ioctl(fd, MEMPROF_IOC_INFO, info);
}

int mp_dev_target(int fd, const struct memprof_target *target)
{
	struct memprof_target arg = *target;

	arg.size = sizeof(arg);
	return dev_ioctl(fd, MEMPROF_IOC_TARGET, &arg);
}

int mp_dev_start(int fd, const struct memprof_start *start)
{
	struct memprof_start arg = *start;

	arg.size = sizeof(arg);
	return dev_ioctl(fd, MEMPROF_IOC_START, &arg);
}

int mp_dev_python(int fd, const struct memprof_python *python)
{
	struct memprof_python arg = *python;

	arg.size = sizeof(arg);
	return dev_ioctl(fd, MEMPROF_IOC_PYTHON, &arg);
}

int mp_dev_probe(int fd, const struct memprof_probe *probe)
{
	struct memprof_probe arg = *probe;
	int err;

	arg.size = sizeof(arg);
	err = dev_ioctl(fd, MEMPROF_IOC_PROBE, &arg);
	if (err != -E2BIG)
		return err;
	/* an older module: callsites are then the static probe itself */
	arg.size = offsetof(struct memprof_probe, args[3]);
	return dev_ioctl(fd, MEMPROF_IOC_PROBE, &arg);
}

int mp_dev_stop(int fd)
{
	struct memprof_stop arg = { .size = sizeof(arg) };

	return dev_ioctl(fd, MEMPROF_IOC_STOP, &arg);
}

int mp_dev_status(int fd, struct memprof_status *status)
{
	*status = (struct memprof_status){ .size = sizeof(*status) };
	return dev_ioctl(fd, MEMPROF_IOC_STATUS, status);
}

/* @flags: enum memprof_snapshot_flag */
static int take_snapshot(int fd, uint32_t flags, struct memprof_snapshot *snapshot)
{
	*snapshot = (struct memprof_snapshot){
		.size = sizeof(*snapshot),
		.flags = flags,
	};
	return dev_ioctl(fd, MEMPROF_IOC_SNAPSHOT, snapshot);
}

/* As take_snapshot(). An older module cannot copy blocks, or memory may be short. */
static int take_snapshot_at_least(int fd, uint32_t flags, struct memprof_snapshot *snapshot)
{
	int err = take_snapshot(fd, flags, snapshot);

	if (!(flags & MEMPROF_SNAPSHOT_BLOCKS) || (err != -EINVAL && err != -ENOMEM))
		return err;
	return take_snapshot(fd, flags & ~(uint32_t)MEMPROF_SNAPSHOT_BLOCKS, snapshot);
}

int mp_dev_reset(int fd)
{
	struct memprof_reset arg = { .size = sizeof(arg) };

	return dev_ioctl(fd, MEMPROF_IOC_RESET, &arg);
}

/* Returns the number of rows, 0 past the end, or a negative errno. */
static int read_rows(int fd, uint32_t table, uint32_t first, void *entries,
		     uint32_t nr, uint32_t entry_size)
{
	struct memprof_read arg = {
		.size = sizeof(arg),
		.table = table,
		.first = first,
		.nr = nr,
		.entry_size = entry_size,
		.entries = (uintptr_t)entries,
	};
	int err = dev_ioctl(fd, MEMPROF_IOC_READ, &arg);

	if (err)
		return err;
	return arg.nr > nr ? -EPROTO : (int)arg.nr;
}

static void copy_tally(struct mp_row *row, const struct memprof_tally *tally)
{
	row->value[MP_MINOR_FAULTS] = tally->minor_faults;
	row->value[MP_MAJOR_FAULTS] = tally->major_faults;
	row->value[MP_MINOR_SAMPLES] = tally->minor_samples;
	row->value[MP_MAJOR_SAMPLES] = tally->major_samples;
	row->value[MP_GROWTH_CALLS] = tally->nr_growth;
	row->value[MP_BRK_UP] = tally->brk_up_bytes;
	row->value[MP_BRK_DOWN] = tally->brk_down_bytes;
	row->value[MP_MMAP_UP] = tally->mmap_up_bytes;
	row->value[MP_MMAP_DOWN] = tally->mmap_down_bytes;
	row->value[MP_GROWTH_PEAK] = tally->growth_peak_bytes;
}

static void copy_resident(struct mp_row *row,
			  const struct memprof_resident *resident)
{
	row->value[MP_RESIDENT_ANON] = resident->anon_bytes;
	row->value[MP_RESIDENT_FILE] = resident->file_bytes;
	row->value[MP_RESIDENT_SHMEM] = resident->shmem_bytes;
	row->value[MP_SWAPPED] = resident->swap_bytes;
}

static void copy_alloc(struct mp_row *row, const struct memprof_alloc *alloc)
{
	row->value[MP_ALLOC_OBJECTS] = alloc->alloc_objects;
	row->value[MP_ALLOC_SPACE] = alloc->alloc_space;
	row->value[MP_FREE_OBJECTS] = alloc->free_objects;
	row->value[MP_INUSE_OBJECTS] = alloc->inuse_objects;
	row->value[MP_INUSE_SPACE] = alloc->inuse_space;
	row->value[MP_PEAK_SPACE] = alloc->peak_space;
	row->value[MP_FAILED_ALLOCS] = alloc->failed;
	row->value[MP_TEMPORARY_OBJECTS] = alloc->temporary_objects;
	row->value[MP_UNKNOWN_FREES] = alloc->unknown_frees;
	row->value[MP_INHERITED_OBJECTS] = alloc->inherited_objects;
	row->value[MP_INHERITED_SPACE] = alloc->inherited_space;
	row->value[MP_INHERITED_FREES] = alloc->inherited_frees;
	row->value[MP_ALLOC_SAMPLES] = alloc->samples;
}

static int add_process(struct mp_profile *profile, const void *entry)
{
	const struct memprof_process *process = entry;
	struct mp_row row = {
		.kind = MP_ROW_PROCESS,
		.pid = process->pid,
		.cgroup = process->cgroup,
		.start_ns = process->start_ns,
		.exit_ns = process->exit_ns,
	};

	if (process->flags & MEMPROF_PROCESS_EXITED)
		row.flags |= MP_ROW_EXITED;
	if (process->flags & MEMPROF_PROCESS_FOLDED)
		row.flags |= MP_ROW_FOLDED;
	if (process->flags & MEMPROF_PROCESS_OVERFLOW)
		row.flags |= MP_ROW_OVERFLOW;
	if (process->flags & MEMPROF_PROCESS_LEFT)
		row.flags |= MP_ROW_LEFT;
	memcpy(row.comm, process->comm, sizeof(process->comm));
	copy_tally(&row, &process->tally);
	/* a process that is not a target any more has no current sizes */
	if (!(row.flags & MP_ROW_LEFT))
		copy_resident(&row, &process->resident);
	copy_alloc(&row, &process->alloc);
	row.value[MP_AT_PEAK] = process->alloc.peak_space;
	row.value[MP_AT_EXIT] = process->at_exit_space;
	row.value[MP_ADVISED] = process->advised_bytes;
	row.value[MP_PEAK_RESIDENT] = process->peak_rss_bytes;
	mp_row_derive(&row, profile->meta.page_size);
	return mp_profile_add(profile, &row);
}

static int add_cgroup(struct mp_profile *profile, const void *entry)
{
	const struct memprof_cgroup *cgroup = entry;
	struct mp_row row = {
		.kind = MP_ROW_CGROUP,
		.nr_processes = cgroup->nr_processes,
		.cgroup = cgroup->id,
	};
	char path[MEMPROF_PATH_LEN + 1] = "";
	int err;

	if (cgroup->flags & MEMPROF_CGROUP_OVERFLOW)
		row.flags |= MP_ROW_OVERFLOW;
	copy_tally(&row, &cgroup->tally);
	copy_resident(&row, &cgroup->resident);
	copy_alloc(&row, &cgroup->alloc);
	row.value[MP_AT_PEAK] = cgroup->alloc.peak_space;
	row.value[MP_AT_EXIT] = cgroup->at_exit_space;
	row.value[MP_ADVISED] = cgroup->advised_bytes;
	row.value[MP_PEAK_RESIDENT] = cgroup->peak_rss_bytes;
	mp_row_derive(&row, profile->meta.page_size);
	memcpy(path, cgroup->path, sizeof(cgroup->path));
	err = mp_id_names_add(&profile->names, cgroup->id, path);
	return err ? err : mp_profile_add(profile, &row);
}

/* Sites refer to binaries by their position in this table. */
static int add_binary(struct mp_profile *profile, const void *entry)
{
	const struct memprof_binary *from = entry;
	struct mp_binary binary = {
		.inode = from->inode,
		.dev = makedev(from->dev_major, from->dev_minor),
	};

	memcpy(binary.path, from->path, sizeof(binary.path) - 1);
	return mp_sites_add_binary(profile, &binary);
}

static int add_site(struct mp_profile *profile, const void *entry)
{
	const struct memprof_site *site = entry;
	struct mp_histogram histogram;
	struct mp_row row = {
		.kind = MP_ROW_SITE,
		.pid = site->pid,
		.start_ns = site->start_ns,
		.location = {
			.func = site->func,
			.address = site->address,
			.offset = site->offset,
		},
	};
	int i, err;

	if (site->flags & MEMPROF_SITE_DROPPED)
		row.flags |= MP_ROW_OVERFLOW;
	if (site->binary <= profile->nr_binaries)
		row.location.binary = site->binary;
	copy_alloc(&row, &site->alloc);
	row.value[MP_AT_PEAK] = site->at_peak_space;
	row.value[MP_AT_EXIT] = site->at_exit_space;
	row.value[MP_GROWTH] = (uint64_t)site->growth_bytes;
	row.value[MP_MMAP_DOWN] = site->shrunk_bytes;
	row.value[MP_ADVISED] = site->advised_bytes;
	row.value[MP_INSIDE_FAULTS] = site->inside_faults;
	row.value[MP_BLOCK_FAULTS] = site->block_faults;
	mp_row_derive(&row, profile->meta.page_size);
	for (i = 0; i < MEMPROF_HISTOGRAM; i++) {
		histogram.sizes[i] = site->sizes[i];
		histogram.lifetimes[i] = site->lifetimes[i];
	}
	err = mp_sites_histogram(profile, &histogram, &row.location.histogram);
	return err ? err : mp_profile_add(profile, &row);
}

static int add_counter(struct mp_profile *profile, const void *entry)
{
	const struct memprof_counter *counter = entry;
	char name[MEMPROF_NAME_LEN + 1] = "";

	memcpy(name, counter->name, sizeof(counter->name));
	return mp_profile_add_counter(profile, name, counter->value);
}

/* Reads @nr rows of a table, or fewer if the kernel returns fewer. */
static int read_table(int fd, struct mp_profile *profile, uint32_t table,
		      uint32_t nr, uint32_t entry_size,
		      int (*take)(struct mp_profile *, const void *))
{
	_Alignas(8) char piece[NR_PIECE * sizeof(struct memprof_site)];
	uint32_t first = 0;
	int got, i, err;

	while (first < nr) {
		got = read_rows(fd, table, first, piece, NR_PIECE, entry_size);
		if (got <= 0)
			return got;
		for (i = 0; i < got; i++) {
			err = take(profile, piece + (size_t)i * entry_size);
			if (err)
				return err;
		}
		first += got;
	}
	return 0;
}

_Static_assert(sizeof(struct memprof_site) >= sizeof(struct memprof_process) &&
	       sizeof(struct memprof_site) >= sizeof(struct memprof_cgroup) &&
	       sizeof(struct memprof_site) >= sizeof(struct memprof_binary),
	       "a piece holds rows of any table");

/* Binaries are read first, because sites refer to them. */
static int read_sites(int fd, struct mp_profile *profile,
		      const struct memprof_snapshot *snapshot)
{
	int err = read_table(fd, profile, MEMPROF_READ_BINARIES,
			     snapshot->nr_binaries,
			     sizeof(struct memprof_binary), add_binary);

	return err ? err : read_table(fd, profile, MEMPROF_READ_SITES,
				      snapshot->nr_sites,
				      sizeof(struct memprof_site), add_site);
}

int mp_kmod_meta(int fd, struct mp_meta *meta)
{
	struct memprof_info info;
	int err = mp_dev_info(fd, &info);

	if (err)
		return err;
	meta->page_size = info.page_size;
	return mp_dev_status(fd, &meta->status);
}

int mp_kmod_profile(int fd, uint32_t flags, struct mp_profile *profile)
{
	struct memprof_snapshot snapshot;
	int err;

	err = mp_kmod_meta(fd, &profile->meta);
	if (!err)
		err = take_snapshot_at_least(fd, flags, &snapshot);
	if (err)
		return err;
	profile->meta.status.now_ns = snapshot.time_ns;
	err = mp_profile_reserve(profile, (size_t)snapshot.nr_processes +
				 snapshot.nr_cgroups + snapshot.nr_sites);
	if (!err)
		err = read_table(fd, profile, MEMPROF_READ_PROCESSES,
				 snapshot.nr_processes,
				 sizeof(struct memprof_process), add_process);
	if (!err)
		err = read_table(fd, profile, MEMPROF_READ_CGROUPS,
				 snapshot.nr_cgroups,
				 sizeof(struct memprof_cgroup), add_cgroup);
	if (!err)
		err = read_sites(fd, profile, &snapshot);
	if (!err)
		err = read_table(fd, profile, MEMPROF_READ_COUNTERS,
				 snapshot.nr_counters,
				 sizeof(struct memprof_counter), add_counter);
	if (!err && snapshot.nr_left_blocks)
		err = mp_profile_add_counter(profile, "blocks_left",
					     snapshot.nr_left_blocks);
	return err ? err : mp_site_maps_name(profile);
}

int mp_kmod_blocks(int fd,
		   int (*take)(void *context, const struct memprof_living_block *block),
		   void *context)
{
	struct memprof_living_block piece[NR_BLOCKS];
	uint32_t first = 0;
	int got, i, err;

	for (;;) {
		got = read_rows(fd, MEMPROF_READ_BLOCKS, first, piece, NR_BLOCKS,
				sizeof(*piece));
		if (got <= 0)
			return got == -EINVAL ? 0 : got;
		for (i = 0; i < got; i++) {
			err = take(context, &piece[i]);
			if (err)
				return err;
		}
		first += (uint32_t)got;
	}
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * profile-sum: rows of stacks by machine, command, cgroup and stack, and rows of processes
 *
 * A row costs about 900 bytes. The number of rows is bounded, and so is the memory: each
 * profile may add its share of them, those with the largest values first. The smaller stacks
 * of all machines have rows in common, because machines of a kind run the same code. What
 * finds no room there either is in one row of its machine, so that sums stay exact. If memory
 * is short, -ENOMEM is returned.
 */
#include "profile-sum.h"
#include "interpreted.h"
#include "sites.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Limits of the whole sum. */
#define MAX_STACKS	131072
#define MAX_SHARED	131072
#define MAX_PROCESSES	65536
#define MAX_CGROUPS	65536
#define MAX_BINARIES	16384
#define MAX_FRAMES	(1 << 20)

/* The least that each profile may add, also if there are very many. */
#define MIN_SHARE	32

/* Ids of cgroups in a sum, which no cgroup has: inode numbers are smaller. */
#define CGROUP_ID	(1ULL << 62)

/* One profile while it is added. */
struct adding {
	struct mp_profile_sum *sum;
	const struct mp_profile *from;
	const char *host;
	uint32_t *binaries;		/* numbers in the sum, by number in @from; 0: not yet */
	struct mp_map left;		/* callsite -> index in @sites */
	struct mp_row *sites;		/* what no stack of a callsite has */
	size_t nr_sites;
	size_t room[MP_NR_ROW_KINDS];
};

/* Adds flows and levels; a peak is the highest. */
static void add_values(struct mp_row *to, const struct mp_row *from)
{
	int i;

	for (i = 0; i < MP_NR_METRICS; i++)
		if (mp_metrics[i].nature != MP_PEAK)
			to->value[i] += from->value[i];
		else if (to->value[i] < from->value[i])
			to->value[i] = from->value[i];
}

static bool has_values(const struct mp_row *row)
{
	int i;

	for (i = 0; i < MP_NR_METRICS; i++)
		if (row->value[i])
			return true;
	return false;
}

static int host_of(struct adding *adding, const struct mp_row *row, uint32_t *host)
{
	const struct mp_names *hosts = &adding->from->hosts;
	const char *name = row->host && row->host <= hosts->nr ? hosts->list[row->host - 1] :
			   adding->host;

	*host = 0;
	/* what several machines of a sum had in common */
	if (hosts->nr && !row->host)
		return 0;
	*host = mp_names_add(&adding->sum->profile.hosts, name);
	return (*host)++ == MP_NAMES_NONE ? -ENOMEM : 0;
}

/* Writes what identifies a binary on all machines, or else on its own. */
static void identify(const struct mp_binary *binary, const char *host, char *text, size_t size)
{
	uint32_t i;

	if (binary->build_id_size) {
		for (i = 0; i < binary->build_id_size; i++)
			snprintf(text + 2 * i, size - 2 * i, "%02x", binary->build_id[i]);
	} else if (mp_interpreted_is(binary->path)) {
		snprintf(text, size, "%s", binary->path);
	} else {
		snprintf(text, size, "%s:%" PRIu64 ":%" PRIu64 ":%s", host, binary->inode,
			 binary->dev, binary->path);
	}
}

static int binary_of(struct adding *adding, uint32_t number, const char *host, uint32_t *mapped)
{
	struct mp_profile_sum *sum = adding->sum;
	char text[MEMPROF_PATH_LEN + 2 * MP_ORIGIN_NAME_SIZE];
	struct mp_binary binary;
	uint32_t at;

	*mapped = adding->binaries[number];
	if (*mapped)
		return 0;
	binary = adding->from->binaries[number - 1];
	identify(&binary, host, text, sizeof(text));
	if (sum->binaries.nr == MAX_BINARIES && mp_names_find(&sum->binaries, text) == MP_NAMES_NONE)
		return -E2BIG;
	at = mp_names_add(&sum->binaries, text);
	if (at == MP_NAMES_NONE)
		return -ENOMEM;
	if (at == sum->profile.nr_binaries) {
		/* the process is none of this machine, nor is the inode */
		binary.pid = 0;
		binary.inode = binary.build_id_size ? 0 : binary.inode;
		binary.dev = binary.build_id_size ? 0 : binary.dev;
		if (mp_sites_add_binary(&sum->profile, &binary))
			return -ENOMEM;
	}
	adding->binaries[number] = at + 1;
	*mapped = at + 1;
	return 0;
}

/* Names a cgroup, and its container, in the sum. */
static int cgroup_of(struct adding *adding, uint64_t id, uint64_t *mapped)
{
	const char *path = mp_id_names_find(&adding->from->names, id), *text;
	struct mp_profile_sum *sum = adding->sum;
	uint32_t at;
	int what, err;

	*mapped = 0;
	if (!path || (sum->cgroups.nr == MAX_CGROUPS &&
		      mp_names_find(&sum->cgroups, path) == MP_NAMES_NONE))
		return 0;
	at = mp_names_add(&sum->cgroups, path);
	if (at == MP_NAMES_NONE)
		return -ENOMEM;
	*mapped = CGROUP_ID | (at + 1);
	err = mp_id_names_add(&sum->profile.names, *mapped, path);
	for (what = 0; !err && what < MP_NR_CONTAINER_TEXTS; what++) {
		text = mp_containers_find(&adding->from->containers, id, what);
		err = text ? mp_containers_add(&sum->profile.containers, *mapped, what, text) : 0;
	}
	return err;
}

/*
 * Finds the frame of the sum for a frame. Returns 0; 1 if it is left out, because it is the
 * kernel's; -E2BIG if there are too many; or -ENOMEM.
 */
static int frame_of(struct adding *adding, const struct mp_frame *frame, const char *host,
		    uint64_t *number)
{
	struct mp_frames *frames = &adding->sum->profile.frames;
	const bool mark = mp_frame_is_mark(frame);
	uint32_t binary = 0, at;
	int err = 0;

	if (!mark && mp_frame_is_kernel(frame))
		return 1;
	if (frame->binary)
		err = binary_of(adding, frame->binary, host, &binary);
	if (!err && frames->nr >= MAX_FRAMES)
		err = -E2BIG;
	if (err)
		return err;
	at = mp_frames_add(frames, binary, 0, binary || mark ? frame->offset : 0);
	*number = (uint64_t)at + MP_FRAMES_FIRST;
	return at == MP_FRAMES_NONE ? -ENOMEM : 0;
}

/* Makes the stack of a row, and where in it the callsite is. */
static int stack_of(struct adding *adding, const struct mp_row *row, const char *host,
		    struct mp_location *location)
{
	const struct mp_frames *frames = &adding->from->frames;
	const struct mp_frames_stack stack = mp_frames_stack(frames, row->location.stack - 1);
	uint64_t list[MP_STACKS_DEPTH + 1];
	uint32_t i, nr = 0, at;
	int err;

	*location = row->location;
	location->histogram = 0;
	location->line = 0;
	for (i = 0; i < stack.nr && nr < MP_STACKS_DEPTH; i++) {
		err = frame_of(adding, &frames->list[stack.list[i] - MP_FRAMES_FIRST], host,
			       &list[nr]);
		if (err < 0)
			return err;
		nr += !err;
		location->level -= err && i < row->location.level;
	}
	/* of a stack that is only the kernel's, nothing is known elsewhere */
	if (!nr) {
		at = mp_frames_add(&adding->sum->profile.frames, 0, 0, 0);
		if (at == MP_FRAMES_NONE)
			return -ENOMEM;
		list[nr++] = (uint64_t)at + MP_FRAMES_FIRST;
		location->level = 0;
	}
	if (stack.end)
		list[nr++] = stack.end;
	at = mp_stacks_add(&adding->sum->profile.frames.stacks, list, nr);
	location->stack = at + 1;
	return at == MP_STACKS_NONE ? -ENOMEM : 0;
}

/* Sets binary and offset to those of the callsite's frame in the sum. */
static void set_place(const struct mp_profile *profile, struct mp_location *location)
{
	const struct mp_frame *frame = mp_frames_at(&profile->frames, location->stack - 1,
						    location->level);

	location->binary = frame ? frame->binary : 0;
	location->offset = frame && frame->binary ? frame->offset : 0;
	location->address = 0;
}

/* Finds the row of a machine for what finds no room, or adds it. */
static int folded_row(struct adding *adding, uint32_t host, enum mp_row_kind kind,
		      struct mp_row **row)
{
	struct mp_profile *profile = &adding->sum->profile;
	/* the numbers of stacks are smaller */
	uint32_t *known = mp_map_add(&adding->sum->by_stack, host, UINT64_MAX - kind);
	const struct mp_row folded = {
		.kind = kind, .flags = MP_ROW_OVERFLOW, .host = host,
		.start_ns = kind == MP_ROW_PROCESS ? host : 0,
	};
	int err = 0;

	if (!known)
		return -ENOMEM;
	if (*known == MP_MAP_NEW) {
		*known = (uint32_t)profile->nr_rows;
		err = mp_profile_add(profile, &folded);
	}
	*row = err ? NULL : &profile->rows[*known];
	return err;
}

static int fold(struct adding *adding, const struct mp_row *from)
{
	const bool process = from->kind == MP_ROW_PROCESS;
	struct mp_row values = *from, *row;
	uint32_t host;
	int i, err;

	err = host_of(adding, from, &host) ?:
	      folded_row(adding, host, process ? MP_ROW_PROCESS : MP_ROW_SITE, &row);
	if (err)
		return err;
	/* sizes of processes that have ended are in no sum */
	for (i = 0; i < MP_NR_METRICS; i++)
		if (process && from->flags & MP_ROW_EXITED && mp_metrics[i].nature == MP_LEVEL)
			values.value[i] = 0;
	add_values(row, &values);
	adding->sum->nr_folded += !(from->flags & MP_ROW_OVERFLOW);
	return 0;
}

static uint64_t owner_of(const struct mp_row *row)
{
	uint64_t halves[sizeof(row->comm) / sizeof(uint64_t)], hash;
	size_t i;

	memcpy(halves, row->comm, sizeof(halves));
	hash = mp_map_hash((uint64_t)row->host << 32 | (row->flags & MP_ROW_FOLDED), row->cgroup);
	for (i = 0; i < sizeof(halves) / sizeof(halves[0]); i++)
		hash = mp_map_hash(hash, halves[i]);
	return hash;
}

static int put_stack(struct adding *adding, struct mp_row *row)
{
	struct mp_profile *profile = &adding->sum->profile;
	const uint64_t owner = owner_of(row);
	uint32_t *known = mp_map_find(&adding->sum->by_stack, owner, row->location.stack);

	if (known) {
		add_values(&profile->rows[*known], row);
		profile->rows[*known].nr_processes += row->nr_processes;
		return 0;
	}
	known = mp_map_add(&adding->sum->by_stack, owner, row->location.stack);
	if (!known)
		return -ENOMEM;
	*known = (uint32_t)profile->nr_rows;
	if (row->host)
		adding->room[MP_ROW_STACK]--;
	else
		adding->sum->nr_shared++;
	set_place(profile, &row->location);
	return mp_profile_add(profile, row);
}

static int add_stack(struct adding *adding, const struct mp_row *from)
{
	struct mp_profile_sum *sum = adding->sum;
	struct mp_row row = *from;
	const char *host;
	int err;

	if (from->flags & MP_ROW_OVERFLOW || !from->location.stack)
		return fold(adding, from);
	err = host_of(adding, from, &row.host);
	if (err)
		return err;
	host = row.host ? sum->profile.hosts.list[row.host - 1] : "";
	if (!adding->room[MP_ROW_STACK] && row.host) {
		row.host = 0;
		sum->nr_common++;
	}
	err = cgroup_of(adding, from->cgroup, &row.cgroup) ?:
	      stack_of(adding, from, host, &row.location);
	if (err == -E2BIG || (!err && !row.host && sum->nr_shared >= MAX_SHARED))
		return fold(adding, from);
	row.kind = MP_ROW_STACK;
	row.kept = 0;	/* of pages that are elsewhere */
	row.pid = 0;
	row.start_ns = 0;
	row.exit_ns = 0;
	/* the stacks of a callsite are of the same processes: these are not added up again */
	row.flags = MP_ROW_FOLDED;
	row.nr_processes = from->nr_processes ?: 1;
	return err ?: put_stack(adding, &row);
}

static int add_process(struct adding *adding, const struct mp_row *from)
{
	struct mp_row row = *from;
	int err;

	if (from->flags & MP_ROW_OVERFLOW || !adding->room[MP_ROW_PROCESS])
		return fold(adding, from);
	err = host_of(adding, from, &row.host) ?: cgroup_of(adding, from->cgroup, &row.cgroup);
	/* a pid is used again on each machine: the time tells, to the millisecond, whose it is */
	row.start_ns = (uint64_t)(adding->sum->nr + 1) << 48 |
		       (from->start_ns / 1000000 & ((1ULL << 48) - 1));
	adding->room[MP_ROW_PROCESS]--;
	return err ?: mp_profile_add(&adding->sum->profile, &row);
}

static uint64_t place_of(const struct mp_row *row)
{
	return row->location.offset ^ row->location.address;
}

/* The process, and the binary, of a callsite and of its stacks. */
static uint64_t site_owner(const struct mp_row *row)
{
	return mp_map_hash(owner_of(row), mp_map_hash(row->start_ns, (uint64_t)row->pid << 32 |
						      row->location.binary));
}

/*
 * Callsites have what their stacks have, and more if there was no room for a stack, or if
 * their source has none. That is kept as a stack of one function.
 */
static int collect_sites(struct adding *adding)
{
	const struct mp_profile *from = adding->from;
	const struct mp_row *row;
	uint32_t *known;

	adding->sites = calloc(from->nr_rows + 1, sizeof(*adding->sites));
	if (!adding->sites)
		return -ENOMEM;
	for (row = from->rows; row < from->rows + from->nr_rows; row++) {
		if (row->kind != MP_ROW_SITE)
			continue;
		known = mp_map_add(&adding->left, site_owner(row), place_of(row));
		if (!known)
			return -ENOMEM;
		if (*known == MP_MAP_NEW) {
			*known = (uint32_t)adding->nr_sites;
			adding->sites[adding->nr_sites++] = *row;
		} else {
			add_values(&adding->sites[*known], row);
		}
	}
	return 0;
}

/* A stack has its part of the callsite, whose peaks are then those of its stacks. */
static void take_from_site(struct adding *adding, const struct mp_row *stack)
{
	const uint32_t *known = mp_map_find(&adding->left, site_owner(stack), place_of(stack));
	struct mp_row *site;
	int i;

	if (!known)
		return;
	site = &adding->sites[*known];
	for (i = 0; i < MP_NR_METRICS; i++)
		site->value[i] = mp_metrics[i].nature == MP_PEAK ? 0 :
				 site->value[i] - stack->value[i];
}

/* Makes a stack of one function for what is left of a callsite. */
static int make_stack(struct mp_profile *from, struct mp_row *row)
{
	struct mp_location *location = &row->location;
	uint64_t frame;
	uint32_t stack;

	if (row->flags & MP_ROW_OVERFLOW)
		return 0;
	frame = mp_frames_add(&from->frames, location->binary, row->pid,
			      location->binary ? location->offset : location->address);
	if (frame == MP_FRAMES_NONE)
		return -ENOMEM;
	frame += MP_FRAMES_FIRST;
	stack = mp_stacks_add(&from->frames.stacks, &frame, 1);
	location->stack = stack + 1;
	location->level = 0;
	return stack == MP_STACKS_NONE ? -ENOMEM : 0;
}

/* Those with much in them come first, and find room. */
static uint64_t weight_of(const struct mp_row *row)
{
	if (row->kind == MP_ROW_PROCESS)
		return row->value[MP_RESIDENT] + row->value[MP_INUSE_SPACE] +
		       row->value[MP_TOUCHED] + row->value[MP_PEAK_RESIDENT];
	return row->value[MP_INUSE_SPACE] + row->value[MP_AT_PEAK] + row->value[MP_TOUCHED] +
	       row->value[MP_ALLOC_SPACE] / 16;
}

static int compare_weights(const void *x, const void *y)
{
	const uint64_t a = weight_of(*(const struct mp_row **)x);
	const uint64_t b = weight_of(*(const struct mp_row **)y);

	return (b > a) - (b < a);
}

static int add_rows(struct adding *adding)
{
	const struct mp_profile *from = adding->from;
	const size_t most = from->nr_rows + adding->nr_sites;
	const struct mp_row **rows = calloc(most + 1, sizeof(*rows));
	size_t i, nr = 0;
	int err = rows ? 0 : -ENOMEM;

	for (i = 0; rows && i < from->nr_rows; i++)
		if (from->rows[i].kind == MP_ROW_STACK || from->rows[i].kind == MP_ROW_PROCESS)
			rows[nr++] = &from->rows[i];
	for (i = 0; rows && i < adding->nr_sites; i++)
		if (has_values(&adding->sites[i]))
			rows[nr++] = &adding->sites[i];
	if (nr)
		qsort(rows, nr, sizeof(*rows), compare_weights);
	for (i = 0; !err && i < nr; i++)
		err = rows[i]->kind == MP_ROW_PROCESS ? add_process(adding, rows[i]) :
							add_stack(adding, rows[i]);
	free(rows);
	return err;
}

static int add_counters(struct mp_profile *to, const struct mp_profile *from)
{
	size_t i;
	int err = 0;

	for (i = 0; !err && i < from->nr_counters; i++)
		err = mp_profile_add_counter(to, from->counters[i].name, from->counters[i].value);
	for (i = 0; !err && i < from->nr_warnings; i++)
		err = mp_profile_warn(to, from->warnings[i]);
	return err;
}

static uint64_t length_of(const struct memprof_status *status)
{
	return status->now_ns > status->start_ns ? status->now_ns - status->start_ns : 0;
}

/*
 * What all have in common is what the sum has. It lasts as long as the longest, and is as
 * exact as the least exact.
 */
static void add_meta(struct mp_meta *to, const struct mp_meta *from, bool first)
{
	const uint64_t length = length_of(&from->status);
	struct mp_alloc_meta *alloc = &to->alloc;

	if (first) {
		*to = *from;
		to->status.start_ns = 0;
		to->status.reset_ns = 0;
		to->status.now_ns = 0;
		to->kernel_start = 0;
		to->kernel_end = 0;
		to->origin = (struct mp_origin){ 0 };
	} else {
		alloc->nr_probes += from->alloc.nr_probes;
		alloc->nr_binaries += from->alloc.nr_binaries;
		alloc->nr_samplers += from->alloc.nr_samplers;
		alloc->nr_unsampled += from->alloc.nr_unsampled;
		alloc->nr_brief += from->alloc.nr_brief;
	}
	if (from->alloc.rate > alloc->rate)
		alloc->rate = from->alloc.rate;
	if (from->alloc.pace > alloc->pace)
		alloc->pace = from->alloc.pace;
	if (from->status.minor_period > to->status.minor_period)
		to->status.minor_period = from->status.minor_period;
	if (from->source != to->source)
		to->source = MP_SOURCE_AUTO;
	to->status.state = MEMPROF_STATE_STOPPED;
	if (length > to->status.now_ns)
		to->status.now_ns = length;
	to->status.stop_ns = to->status.now_ns;
}

/* Refuses a profile that lacks what others have, or has more: sums would mean nothing. */
static int check_streams(const struct mp_meta *first, const struct mp_meta *from, char *why)
{
	static const struct {
		uint32_t bit;
		const char *name;
	} streams[] = {
		{ MEMPROF_START_ALLOC, "allocations (LIVE, ALLOCS)" },
		{ MEMPROF_START_FAULTS, "faults (TOUCHED)" },
		{ MEMPROF_START_GROWTH, "growth (GROWTH)" },
	};
	size_t i;

	for (i = 0; i < sizeof(streams) / sizeof(streams[0]); i++)
		if ((first->status.streams ^ from->status.streams) & streams[i].bit) {
			snprintf(why, MP_PROFILE_SUM_WHY_SIZE, "it has %s%s, unlike the first one",
				 from->status.streams & streams[i].bit ? "" : "no ",
				 streams[i].name);
			return -EXDEV;
		}
	if (first->page_size == from->page_size)
		return 0;
	snprintf(why, MP_PROFILE_SUM_WHY_SIZE, "it has pages of %u bytes, the first one of %u",
		 from->page_size, first->page_size);
	return -EXDEV;
}

static size_t share(const struct mp_profile_sum *sum, size_t most)
{
	const size_t part = most / (sum->nr_expected ?: 1);

	return part > MIN_SHARE ? part : MIN_SHARE;
}

int mp_profile_sum_add(struct mp_profile_sum *sum, struct mp_profile *from, const char *host,
		       char *why)
{
	struct adding adding = {
		.sum = sum, .from = from, .host = host[0] ? host : "(unknown)",
		.room = {
			[MP_ROW_STACK] = share(sum, MAX_STACKS),
			[MP_ROW_PROCESS] = share(sum, MAX_PROCESSES),
		},
	};
	size_t i;
	int err = sum->nr ? check_streams(&sum->profile.meta, &from->meta, why) : 0;

	if (err)
		return err;
	adding.binaries = calloc(from->nr_binaries + 1, sizeof(*adding.binaries));
	err = adding.binaries ? mp_sites_adopt(from) ?: collect_sites(&adding) : -ENOMEM;
	for (i = 0; !err && i < from->nr_rows; i++)
		if (from->rows[i].kind == MP_ROW_STACK)
			take_from_site(&adding, &from->rows[i]);
	for (i = 0; !err && i < adding.nr_sites; i++)
		err = make_stack(from, &adding.sites[i]);
	err = err ?: add_rows(&adding) ?: add_counters(&sum->profile, from);
	add_meta(&sum->profile.meta, &from->meta, !sum->nr);
	sum->nr += !err;
	free(adding.binaries);
	free(adding.sites);
	mp_map_free(&adding.left);
	return err;
}

int mp_profile_sum_end(struct mp_profile_sum *sum)
{
	int err = sum->nr_common ? mp_profile_add_counter(&sum->profile, "merge_common",
							  sum->nr_common) : 0;

	return err || !sum->nr_folded ? err :
	       mp_profile_add_counter(&sum->profile, "merge_folded", sum->nr_folded);
}

void mp_profile_sum_free(struct mp_profile_sum *sum)
{
	mp_profile_free(&sum->profile);
	mp_names_free(&sum->binaries);
	mp_names_free(&sum->cgroups);
	mp_map_free(&sum->by_stack);
}

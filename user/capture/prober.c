// SPDX-License-Identifier: GPL-2.0-only
/*
 * prober: examines binaries and probes their allocators
 *
 * Failures are counted and reported with the profile. Each new binary costs a
 * millisecond here, and each of its probes about 10 ms in the kernel.
 */
#include "prober.h"
#include "cgroup.h"
#include "kmod.h"
#include "process.h"
#include "process-file.h"
#include "text.h"
#include "tracer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Limit of ancestors; needed because a race could make a loop of parents. */
#define MAX_ANCESTORS	64

static void warn(struct mp_prober *prober, const char *path, const char *text)
{
	char line[MP_WARNING_SIZE], shown[MP_WARNING_SIZE];
	const char *name = strrchr(path, '/');
	size_t i;

	name = name ? name + 1 : path;
	mp_text_escape(shown, 64, name, strlen(name));
	snprintf(line, sizeof(line), "%.64s: %.240s", shown, text);
	for (i = 0; i < prober->nr_warnings; i++)
		if (!strcmp(prober->warnings[i], line))
			return;
	if (prober->nr_warnings < MP_MAX_WARNINGS)
		strcpy(prober->warnings[prober->nr_warnings++], line);
}

int mp_prober_attach_kmod(void *session, const struct mp_found *found,
			  const struct mp_point *point)
{
	struct memprof_probe arg = {
		.func = point->func,
		.fd = found->fd,
		.offset = point->offset,
		.ref_ctr_offset = point->ref_ctr_offset,
	};

	memcpy(arg.args, point->args, sizeof(arg.args));
	return mp_dev_probe(*(const int *)session, &arg);
}

/* @path: 32 bytes; works after a rename and in any mount namespace. */
static struct mp_uprobe uprobe_at(const struct mp_found *found, const struct mp_point *point,
				  char *path)
{
	snprintf(path, 32, "/proc/self/fd/%d", found->fd);
	return (struct mp_uprobe){
		.path = path,
		.func = point->func,
		.offset = point->offset,
		.ref_ctr_offset = point->ref_ctr_offset,
		.args = point->args,
		.nr_args = point->nr_args,
	};
}

int mp_prober_attach_tracer(void *session, const struct mp_found *found,
			    const struct mp_point *point)
{
	char path[32];
	const struct mp_uprobe probe = uprobe_at(found, point, path);

	return mp_tracer_probe(session, &probe);
}

static void note_failed(struct mp_prober *prober, const struct mp_found *found,
			const char *name, int err)
{
	char shown[MP_REMARK_SIZE];

	prober->nr_failed++;
	if (prober->err)
		return;
	prober->err = err;
	mp_text_escape(shown, 128, found->path, strlen(found->path));
	snprintf(prober->refused, sizeof(prober->refused), "%.64s in %.128s",
		 name, shown);
}

static bool probe(struct mp_prober *prober, const struct mp_found *found,
		  const struct mp_point *point)
{
	int err = prober->attach(prober->session, found, point);

	/* -EEXIST: overlay file systems report several inode numbers for one file */
	if (!err || err == -EEXIST) {
		prober->nr_probes += !err;
		return true;
	}
	note_failed(prober, found, point->name, err);
	return false;
}

static void probe_sections(struct mp_prober *prober,
			   const struct mp_found *found)
{
	const struct mp_scan *scan = found->scan;
	char path[32];
	uint32_t i;
	int err;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", found->fd);
	for (i = 0; i < scan->nr_sections; i++) {
		err = mp_tracer_section_probe(prober->sections, path,
					      &scan->sections[i]);
		if (err && err != -EEXIST)
			note_failed(prober, found, "sections", err);
	}
}

/*
 * What samplers tell besides blocks: names of interpreted functions, before the first
 * block with them; and what they count.
 */
static void probe_sampler(struct mp_prober *prober, const struct mp_found *found)
{
	const struct mp_scan *scan = found->scan;
	char path[32];
	int err = 0;

	if (prober->attach != mp_prober_attach_tracer)
		return;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", found->fd);
	if (scan->functions.offset)
		err = mp_tracer_functions_probe(prober->session, path, &scan->functions);
	if (err && err != -EEXIST)
		note_failed(prober, found, "otel_memory:function", err);
	err = 0;
	if (scan->counters.offset)
		err = mp_tracer_counters_probe(prober->session, path, &scan->counters);
	if (err && err != -EEXIST)
		note_failed(prober, found, "otel_memory:counter", err);
}

/* Whether a binary is a sampler: its functions call those of the C library, if they are called */
static bool is_sampler(const struct mp_scan *scan)
{
	const uint32_t both = 1U << MP_LAYER_USDT | 1U << MP_LAYER_MALLOC;

	return (mp_scan_layers(scan) & both) == both;
}

/*
 * If allocations come from samplers inside the programs, only their static probes are
 * set, and the allocators of programs that no loader can give a sampler. Otherwise the static
 * probes of such a sampler are left out: its allocations would be counted twice.
 */
static bool is_wanted(const struct mp_prober *prober, const struct mp_scan *scan,
		      const struct mp_point *point)
{
	const bool reports = point->layer == MP_LAYER_USDT;

	return prober->samplers ? reports || scan->is_static :
	       !(reports && is_sampler(scan));
}

/* Sets the probes of functions that free, or of all others. Returns false if one failed. */
static bool probe_some(struct mp_prober *prober, const struct mp_found *found, bool frees)
{
	const struct mp_scan *scan = found->scan;
	bool all = true;
	uint32_t i;

	for (i = 0; i < scan->nr_points; i++)
		if (mp_point_frees(&scan->points[i]) == frees &&
		    is_wanted(prober, scan, &scan->points[i]))
			all &= probe(prober, found, &scan->points[i]);
	return all;
}

/* One part of the most calls from which on it is told that traps are felt */
#define SLOWING	8

/*
 * Whether the targets call a binary's allocator too often for a probe at each call: the
 * calls of its first function that frees are counted for a moment.
 */
static bool is_too_busy(struct mp_prober *prober, const struct mp_found *found)
{
	const struct mp_scan *scan = found->scan;
	char text[MP_WARNING_SIZE], path[32];
	struct mp_uprobe probe;
	uint64_t rate = 0;
	uint32_t i;

	if (!prober->most_calls || prober->attach != mp_prober_attach_tracer)
		return false;
	for (i = 0; i < scan->nr_points; i++)
		if (scan->points[i].func == MEMPROF_FUNC_FREE &&
		    is_wanted(prober, scan, &scan->points[i]))
			break;
	if (i == scan->nr_points)
		return false;
	probe = uprobe_at(found, &scan->points[i], path);
	rate = mp_tracer_rate(prober->session, &probe);
	if (rate <= prober->most_calls) {
		snprintf(text, sizeof(text),
			 "free() runs %" PRIu64 "000 times a second, and a trap at each call slows the program down: --inject takes samples instead",
			 rate / 1000);
		if (rate > prober->most_calls / SLOWING && !scan->is_static)
			warn(prober, found->path, text);
		return false;
	}
	snprintf(text, sizeof(text),
		 "its calls are not followed: free() runs more than %" PRIu64 "000 times a second, and a trap at each call would slow the program down (--inject samples them, --alloc exact follows each)",
		 rate / 1000);
	warn(prober, found->path, text);
	prober->nr_busy++;
	return true;
}

/*
 * Functions that free are probed first: a block that is freed before the probe
 * of free is set would seem to live forever. For the same reason, if one of
 * these probes fails, the others are not set.
 */
static bool probe_all(struct mp_prober *prober, const struct mp_found *found)
{
	const struct mp_scan *scan = found->scan;
	size_t before = prober->nr_probes;

	if (prober->nr_probes + scan->nr_points > MEMPROF_MAX_PROBES) {
		warn(prober, found->path,
		     "not probed: there are as many probes as a session can have");
		prober->nr_failed += scan->nr_points;
		return false;
	}
	probe_sampler(prober, found);
	if (is_too_busy(prober, found))
		return false;
	if (probe_some(prober, found, true))
		probe_some(prober, found, false);
	else
		warn(prober, found->path,
		     "not probed: one of its functions that free cannot be");
	if (is_sampler(scan))
		prober->nr_in_samplers += prober->nr_probes - before;
	/*
	 * false if all probes exist already: the file was probed for another
	 * container
	 */
	return prober->nr_probes > before;
}

static void probe_allocators(struct mp_prober *prober,
			     const struct mp_found *found)
{
	const struct mp_scan *scan = found->scan;
	uint32_t i, j;

	for (i = 0; i < scan->nr_points; i++)
		for (j = 0; j < prober->user.nr; j++)
			if (!strcmp(scan->points[i].name,
				    prober->user.list[j].name))
				prober->named |= 1U << j;
	prober->nr_binaries += probe_all(prober, found);
	if (scan->nr_left_out)
		warn(prober, found->path,
		     "it has more allocator functions than a binary can have probed: some are left out");
	for (i = 0; i < scan->nr_remarks; i++)
		if (scan->remarks[i].warning &&
		    !(prober->samplers && scan->remarks[i].sampled))
			warn(prober, found->path, scan->remarks[i].text);
}

static void probe_found(void *context, const struct mp_found *found)
{
	struct mp_prober *prober = context;

	if (prober->attach)
		probe_allocators(prober, found);
	if (prober->sections)
		probe_sections(prober, found);
	mp_python_processes_file(&prober->python, found);
}

static void note_mapping(void *context, pid_t pid, const struct stat *st,
			 const struct mp_exec_mapping *mapping)
{
	struct mp_prober *prober = context;

	mp_python_processes_meet(&prober->python, pid, st, mapping);
}

static void add_filter(struct mp_prober *prober,
		       const struct mp_target *target, bool children)
{
	struct mp_target_filter *filter = &prober->filters[prober->nr_filters];

	*filter = (struct mp_target_filter){
		.kind = target->kind,
		.children = children,
		.id = target->number,
	};
	if (target->kind == MEMPROF_TARGET_CGROUP) {
		char path[PATH_MAX];

		/* a copy: the collector writes its title over the arguments of the command */
		filter->cgroup = strdup(mp_cgroup_path(target->text, path) ? target->text : path);
		if (!filter->cgroup)
			return;
	}
	if (target->kind == MEMPROF_TARGET_COMM)
		snprintf(filter->comm, sizeof(filter->comm), "%s",
			 target->text);
	prober->nr_filters++;
}

void mp_prober_open(struct mp_prober *prober,
		    const struct mp_targets *targets)
{
	unsigned int i;

	prober->finder = (struct mp_finder){
		.user = &prober->user,
		.found = probe_found,
		.mapped = note_mapping,
		.context = prober,
	};
	for (i = 0; i < targets->nr; i++)
		add_filter(prober, &targets->list[i], targets->children);
}

void mp_prober_close(struct mp_prober *prober)
{
	unsigned int i;

	for (i = 0; i < prober->nr_filters; i++)
		free(prober->filters[i].cgroup);
	prober->nr_filters = 0;
	mp_finder_free(&prober->finder);
	mp_python_processes_free(&prober->python);
}

static bool is_descendant(pid_t pid, pid_t ancestor)
{
	int i;

	for (i = 0; pid > 0 && i < MAX_ANCESTORS; i++) {
		if (pid == ancestor)
			return true;
		pid = mp_process_parent(pid);
	}
	return false;
}

static bool is_in_cgroup(pid_t pid, const char *cgroup)
{
	char path[MP_PROCESS_CGROUP_SIZE];

	return mp_process_cgroup(pid, path) && mp_cgroup_is_below(path, cgroup);
}

bool mp_prober_wants(const struct mp_prober *prober, pid_t pid)
{
	const struct mp_target_filter *filter;
	char comm[MP_PROCESS_COMM_SIZE];
	bool wanted = false;

	for (filter = prober->filters; !wanted &&
	     filter < prober->filters + prober->nr_filters; filter++) {
		switch (filter->kind) {
		case MEMPROF_TARGET_PROCESS:
			wanted = filter->children ?
				 is_descendant(pid, (pid_t)filter->id) :
				 pid == (pid_t)filter->id;
			break;
		case MEMPROF_TARGET_CGROUP:
			wanted = is_in_cgroup(pid, filter->cgroup);
			break;
		case MEMPROF_TARGET_COMM:
			wanted = mp_process_comm(pid, comm) &&
				 !strcmp(comm, filter->comm);
			break;
		default:
			wanted = true;
		}
	}
	return wanted;
}

static bool wanted(void *context, pid_t pid)
{
	return mp_prober_wants(context, pid);
}

void mp_prober_rescan(struct mp_prober *prober)
{
	mp_finder_machine(&prober->finder, wanted, prober);
}

void mp_prober_mapped(struct mp_prober *prober, pid_t pid)
{
	mp_finder_process(&prober->finder, pid);
}

struct target_rows {
	const struct mp_prober *prober;
	struct mp_profile *profile;
	int err;
};

static void add_target(void *context, pid_t pid)
{
	struct target_rows *rows = context;
	struct mp_row row = { .kind = MP_ROW_PROCESS, .pid = pid };

	if (!rows->err && mp_prober_wants(rows->prober, pid))
		rows->err = mp_profile_add(rows->profile, &row);
}

int mp_prober_targets(const struct mp_prober *prober,
		      struct mp_profile *profile)
{
	struct target_rows rows = { prober, profile, 0 };

	return mp_process_each(add_target, &rows) ?: rows.err;
}

bool mp_prober_await(struct mp_prober *prober, pid_t pid, uint64_t inode)
{
	return mp_finder_await(&prober->finder, pid, inode);
}

int mp_prober_begin(struct mp_prober *prober, struct mp_diag *diag)
{
	unsigned int i;

	mp_finder_process(&prober->finder, getpid());
	mp_prober_rescan(prober);
	for (i = 0; i < prober->user.nr; i++)
		if (!(prober->named & 1U << i))
			warn(prober, prober->user.list[i].name,
			     "no binary of the targets defines this function (is it the mangled name?)");
	if (prober->nr_probes || prober->nr_busy || !prober->attach)
		return 0;
	if (prober->err)
		return mp_diag_fail(diag, prober->err,
			       prober->err == -ENOTTY || prober->err == -EOPNOTSUPP ?
			       "this module or kernel cannot follow allocations: --alloc off" :
				    NULL, "cannot probe %s", prober->refused);
	return mp_diag_fail(diag, 0, "memprofctl list tells more",
			    "no allocator was found to probe");
}

int mp_prober_report(const struct mp_prober *prober,
		     struct mp_profile *profile)
{
	size_t i;
	int err;

	err = mp_profile_add_counter(profile, "probe_failed",
				     prober->nr_failed) ?:
	      mp_profile_add_counter(profile, "target_lost",
				     prober->nr_lost) ?:
	      mp_profile_add_counter(profile, "binary_set_full",
				     prober->finder.seen.nr_refused) ?:
	      mp_profile_add_counter(profile, "python_unknown",
				     prober->python.nr_unknown);
	for (i = 0; !err && i < prober->nr_warnings; i++)
		err = mp_profile_warn(profile, prober->warnings[i]);
	return err;
}

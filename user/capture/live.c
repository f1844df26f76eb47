// SPDX-License-Identifier: GPL-2.0-only
/*
 * live: makes reports from the module's tables, from perf's events, or from
 * /proc
 *
 * A report costs a snapshot, and up to a second for the parts of RSS of all
 * processes.
 */
#include "live.h"
#include "blamed-rows.h"
#include "callsites.h"
#include "clock.h"
#include "kmod.h"
#include "module-pages.h"
#include "residence.h"
#include "rss-base.h"
#include "smaps.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

/* Limit of the time that a report spends on reading mappings of processes. */
#define SIZES_NS	1000000000ULL

/* Limit of the time for looking into their heaps, and into that of the only one */
#define CHUNKS_NS	400000000ULL
#define ONLY_CHUNKS_NS	1200000000ULL

static void set_timer(struct mp_live *live)
{
	long ms = mp_rss_sampler_wait_ms(&live->sampler);
	struct itimerspec when = {
		.it_value = { ms / 1000, ms % 1000 * 1000000 + 1 },
	};

	timerfd_settime(live->timer_fd, 0, &when, NULL);
}

static void open_stream(struct mp_live *live)
{
	struct mp_perf_rings *rings = &live->session->tracer.rings;
	struct epoll_event event = { .events = EPOLLIN };

	if (live->session->prober.python.device)
		live->stream.names.processes = &live->session->prober.python;
	mp_stream_open(&live->stream, rings);
	live->stream.merge.dumps.max_bytes = live->session->dump_bytes;
	live->stream.decode.others_only = !mp_session_has_calls(live->session);
	live->fd = epoll_create1(EPOLL_CLOEXEC);
	epoll_ctl(live->fd, EPOLL_CTL_ADD, rings->poll_fd, &event);
	if (mp_session_follows(live->session))
		epoll_ctl(live->fd, EPOLL_CTL_ADD, live->session->follower.fd, &event);
}

static void open_sampler(struct mp_live *live)
{
	struct epoll_event event = { .events = EPOLLIN };

	live->timer_fd = timerfd_create(CLOCK_MONOTONIC,
					TFD_CLOEXEC | TFD_NONBLOCK);
	epoll_ctl(live->fd, EPOLL_CTL_ADD, live->timer_fd, &event);
	live->sampler.filter = &live->session->prober;
	if (live->session->alloc_rate)
		live->sampler.heap = &live->stream.merge.heap;
	mp_rss_sampler_open(&live->sampler);
	set_timer(live);
}

/* DELTA counts from now on. If memory is short, there is no DELTA. */
static void read_base(struct mp_live *live)
{
	struct mp_size_base *base = &live->sampler.sizes.base;

	if (mp_rss_base_read(&live->session->prober, base))
		mp_size_base_free(base);
}

static void put_resident(struct mp_live *live)
{
	struct mp_merge *merge = &live->stream.merge;
	uint64_t sum = mp_sizes_resident(&live->sampler.sizes,
					 &merge->heap.by_pid,
					 merge->series[MP_SERIES_LIVE].end_ns);

	mp_merge_resident(merge, mp_clock_ns(), sum);
}

/*
 * Reads sizes if the timer expired. If memory is short, the older sizes are
 * kept.
 */
static void take_sizes(struct mp_live *live)
{
	uint64_t times;

	if (read(live->timer_fd, &times, sizeof(times)) != sizeof(times) ||
	    live->stopped)
		return;
	mp_rss_sampler_work(&live->sampler);
	if (live->stream.rings)
		put_resident(live);
	set_timer(live);
}

void mp_live_open(struct mp_live *live, struct mp_session *session)
{
	*live = (struct mp_live){
		.session = session, .fd = -1,
	};
	if (mp_session_probes(session))
		live->fd = session->follower.fd;
	if (mp_session_streams(session))
		open_stream(live);
	if (session->source == MP_SOURCE_PERF)
		open_sampler(live);
	/* opening events takes time, and what grows meanwhile is not in DELTA */
	live->start_ns = live->reset_ns = mp_clock_ns();
	read_base(live);
}

void mp_live_work(struct mp_live *live)
{
	size_t nr_anew = live->session->cgroups.nr_anew;

	mp_session_work(live->session);
	if (live->stream.rings && live->session->cgroups.nr_anew != nr_anew)
		mp_stream_existing(&live->stream, &live->session->prober);
	if (live->stream.rings)
		mp_stream_drain(&live->stream);
	if (live->session->source == MP_SOURCE_PERF)
		take_sizes(live);
}

int mp_live_meta(struct mp_live *live, struct mp_meta *meta)
{
	const struct mp_session *session = live->session;
	struct memprof_status *status = &meta->status;

	if (session->source == MP_SOURCE_KMOD)
		return mp_kmod_meta(session->device, meta);
	meta->page_size = (uint32_t)sysconf(_SC_PAGESIZE);
	status->state = live->stopped ? MEMPROF_STATE_STOPPED :
					MEMPROF_STATE_RUNNING;
	status->streams = session->start.flags;
	status->minor_period = session->start.minor_period ?
			       session->start.minor_period :
			       MEMPROF_DEFAULT_MINOR_PERIOD;
	status->major_period = 1;
	/*
	 * the session number of a perf session is its process id, not one from
	 * the module
	 */
	status->session = (uint32_t)getpid();
	status->start_ns = live->start_ns;
	status->reset_ns = live->reset_ns;
	status->stop_ns = live->stop_ns;
	status->now_ns = mp_clock_ns();
	return 0;
}

/*
 * Keeps the sizes that a report read. If the process ends, they are its last
 * sizes.
 */
static void keep_sizes(struct mp_live *live, const struct mp_row *row, uint64_t time_ns)
{
	struct mp_size_record record;

	mp_size_make(&record, row, time_ns);
	/* if memory is short, the older sizes are kept */
	mp_sizes_put(&live->sampler.sizes, &record, row->value[MP_INUSE_SPACE], NULL);
}

/* Adds the current sizes of a process, and the parts of its RSS. */
static void fill_row(struct mp_live *live, struct mp_blamed_rows *blamed,
		     struct mp_module_pages *module, struct mp_row *row, uint64_t end_ns, uint64_t *nr_skipped)
{
	bool perf = live->session->source == MP_SOURCE_PERF;
	const uint64_t now = mp_clock_ns();

	if (now > end_ns) {
		++*nr_skipped;
		if (perf)
			mp_smaps_sums((pid_t)row->pid, row);
	} else if (mp_blamed_process(blamed, row) ||
		   mp_module_pages_process(module, row) ||
		   mp_rss_sampler_fill(blamed->heap, row, end_ns)) {
		if (!row->cgroup)
			mp_smaps_names((pid_t)row->pid, row);
		if (live->session->alloc_rate && !(row->flags & MP_ROW_SPLIT))
			mp_residence_split(row, row->value[MP_INUSE_SPACE], true);
		if (perf)
			keep_sizes(live, row, now);
	}
}

/* The engine also knows processes that are no targets, such as parents of targets. */
static bool is_target(const struct mp_live *live, const struct mp_row *row)
{
	return !mp_row_is_idle(row) ||
	       mp_prober_wants(&live->session->prober, (pid_t)row->pid);
}

/* The living blocks, if the collector has them */
static const struct mp_heap *heap_of(const struct mp_live *live)
{
	return live->session->source == MP_SOURCE_PERF && live->session->alloc_rate ?
	       &live->stream.merge.heap : NULL;
}

/* The module's callsites, unless callsites are those of its events. */
static void begin_module(const struct mp_live *live, bool stacks,
			 const struct mp_profile *profile, uint64_t end_ns,
			 struct mp_module_pages *module)
{
	const struct mp_session *session = live->session;

	if (session->source == MP_SOURCE_KMOD && session->alloc_rate &&
	    !(stacks && live->stream.rings && mp_session_has_calls(session)))
		mp_module_pages_begin(module, session->device, profile,
				      session->alloc_rate > 1, end_ns);
}

static void drain_rings(void *context)
{
	struct mp_live *live = context;

	if (live->stream.rings && !live->stopped)
		mp_stream_drain(&live->stream);
}

/*
 * Adds what is free inside malloc: after all else, because events are merged meanwhile, so
 * that none is lost.
 */
static int fill_chunks(struct mp_live *live, struct mp_profile *profile)
{
	size_t i, nr_heaps = 0;
	uint64_t end_ns;

	live->chunks.idle = drain_rings;
	live->chunks.context = live;
	for (i = 0; i < profile->nr_rows; i++)
		nr_heaps += mp_chunk_look_wants(&profile->rows[i]);
	end_ns = mp_clock_ns() + (nr_heaps == 1 ? ONLY_CHUNKS_NS : CHUNKS_NS);
	for (i = 0; i < profile->nr_rows; i++)
		if (!(profile->rows[i].flags & (MP_ROW_EXITED | MP_ROW_LEFT)))
			mp_chunk_look_fill(&live->chunks, &profile->rows[i], end_ns);
	/* as a fork, the reader keeps copies of what the collector changes */
	mp_process_memory_close(&live->chunks.memory);
	return mp_chunk_records_report(profile);
}

static int fill_sizes(struct mp_live *live, bool stacks, const struct mp_cold *cold,
		      struct mp_profile *profile)
{
	struct mp_module_pages module = { 0 };
	uint64_t end_ns = mp_clock_ns() + SIZES_NS, nr_skipped = 0;
	struct mp_blamed_rows blamed;
	size_t i;
	int err;

	mp_blamed_begin(&blamed, heap_of(live), end_ns);
	begin_module(live, stacks, profile, end_ns, &module);
	blamed.resident.cold = module.resident.cold = cold;
	for (i = 0; i < profile->nr_rows; i++) {
		struct mp_row *row = &profile->rows[i];

		if (row->kind == MP_ROW_PROCESS && !mp_row_is_sum(row) &&
		    !(row->flags & (MP_ROW_EXITED | MP_ROW_LEFT)) &&
		    is_target(live, row))
			fill_row(live, &blamed, &module, row, end_ns, &nr_skipped);
	}
	err = mp_blamed_put(&blamed, profile) ?: mp_module_pages_put(&module, profile);
	mp_blamed_end(&blamed);
	mp_module_pages_end(&module);
	/*
	 * rows of exited processes get the last sizes. A process that still
	 * runs also has such rows: of the programs that it ran before an exec
	 */
	for (i = 0; i < profile->nr_rows; i++)
		if (profile->rows[i].flags & MP_ROW_EXITED)
			mp_sizes_join(&live->sampler.sizes,
				      live->session->alloc_rate,
				      profile->meta.source, &profile->rows[i]);
	return err ?: mp_profile_add_counter(profile, "sizes_skipped", nr_skipped) ?:
	       mp_profile_add_counter(profile, "sizes_late",
				      live->sampler.nr_late);
}

static void join_base(const struct mp_live *live, struct mp_profile *profile)
{
	size_t i;

	for (i = 0; i < profile->nr_rows; i++)
		mp_size_base_join(&live->sampler.sizes.base, profile->meta.source,
				  &profile->rows[i]);
}

static bool has_no_location(const struct mp_row *row)
{
	return !mp_row_has_location(row);
}

/*
 * Adds the callsites of the module's tables, which are among the first @nr rows, to the
 * stacks, with one frame each: where a profile has stacks, they have all that callsites
 * have.
 */
static int add_stacks_of_sites(struct mp_profile *profile, size_t nr)
{
	size_t i;
	int err = 0;

	for (i = 0; !err && i < nr; i++) {
		struct mp_row row = profile->rows[i];

		if (row.kind != MP_ROW_SITE || row.flags & MP_ROW_OVERFLOW)
			continue;
		row.kind = MP_ROW_STACK;
		err = mp_profile_add(profile, &row);
	}
	return err;
}

static uint64_t hash_comm(const struct mp_row *row)
{
	uint64_t words[sizeof(row->comm) / sizeof(uint64_t)], hash = 0;
	size_t i;

	memcpy(words, row->comm, sizeof(words));
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		hash = mp_map_hash(hash, words[i]);
	return hash;
}

/*
 * The events tell when a process was first seen, the module when it started. Rows of the
 * same process, from @nr on, get the module's time. After an exec a process has several
 * rows: the name tells them apart, or the last one is taken.
 */
static int join_starts(struct mp_profile *profile, size_t nr)
{
	struct mp_map starts = { 0 };
	uint32_t *number, *any;
	size_t i;
	int err = 0;

	for (i = 0; !err && i < nr; i++) {
		const struct mp_row *row = &profile->rows[i];

		if (row->kind != MP_ROW_PROCESS || !row->pid)
			continue;
		number = mp_map_add(&starts, row->pid, hash_comm(row));
		if (number)
			*number = (uint32_t)i;
		any = mp_map_add(&starts, row->pid, 0);
		if (any)
			*any = (uint32_t)i;
		err = number && any ? 0 : -ENOMEM;
	}
	for (i = nr; !err && i < profile->nr_rows; i++) {
		struct mp_row *row = &profile->rows[i];
		const uint32_t *known = mp_map_find(&starts, row->pid, hash_comm(row));

		if (!known)
			known = mp_map_find(&starts, row->pid, 0);
		if (row->pid && known)
			row->start_ns = profile->rows[*known].start_ns;
	}
	mp_map_free(&starts);
	return err;
}

/*
 * Takes the rows of processes from the module's tables, and the rows of callsites and
 * stacks from the module's events. If those do not have the calls, callsites of
 * allocations are those of the tables, and the events tell who else touched memory or
 * mapped it: then *@nr_tables is the number of rows of the tables, which come first.
 */
static int kmod_profile(struct mp_live *live, bool stacks, size_t *nr_tables,
			struct mp_profile *profile)
{
	int err = mp_session_rows(live->session, profile);
	size_t nr;

	if (err || !stacks || !live->stream.rings)
		return err;
	if (mp_session_has_calls(live->session))
		mp_profile_drop(profile, 0, mp_row_has_location);
	else
		err = mp_callsites_frames(profile);
	nr = profile->nr_rows;
	*nr_tables = mp_session_has_calls(live->session) ? 0 : nr;
	if (!err && !live->stopped)
		err = mp_stream_settle(&live->stream);
	if (!err)
		err = mp_stream_profile(&live->stream, true, profile);
	mp_profile_drop(profile, nr, has_no_location);
	return err ?: join_starts(profile, nr);
}

static int perf_profile(struct mp_live *live, bool stacks,
			struct mp_profile *profile)
{
	int err = live->stopped ? 0 : mp_stream_settle(&live->stream);

	return err ?: mp_stream_profile(&live->stream, stacks, profile);
}

int mp_live_profile(struct mp_live *live, bool stacks, const struct mp_cold *cold,
		    struct mp_profile *profile)
{
	const struct mp_session *session = live->session;
	size_t nr_tables = 0;
	int err;

	/*
	 * a process may have become a target, and not have mapped a file since
	 * then
	 */
	if (session->alloc_rate && !live->stopped)
		mp_prober_rescan(&live->session->prober);
	if (session->source == MP_SOURCE_KMOD)
		err = kmod_profile(live, stacks, &nr_tables, profile);
	else
		err = mp_live_meta(live, &profile->meta);
	if (!err && session->source == MP_SOURCE_PERF)
		err = perf_profile(live, stacks, profile);
	if (!err && session->source == MP_SOURCE_SMAPS)
		err = mp_session_rows(session, profile);
	else if (!err)
		err = fill_sizes(live, stacks, cold, profile);
	/* RSS was read just now, but the time is of before unwinding: DELTA/S needs that of RSS */
	if (session->source != MP_SOURCE_KMOD)
		profile->meta.status.now_ns = mp_clock_ns();
	if (!err)
		err = add_stacks_of_sites(profile, nr_tables);
	join_base(live, profile);
	mp_profile_drop(profile, 0, mp_row_is_idle);
	if (!err && session->alloc_rate)
		err = mp_prober_report(&session->prober, profile);
	if (!err && session->source != MP_SOURCE_SMAPS)
		err = fill_chunks(live, profile);
	return err;
}

int mp_live_reset(struct mp_live *live)
{
	int err = live->stopped && live->session->source != MP_SOURCE_KMOD ?
		  -EBUSY : 0;

	if (live->session->source == MP_SOURCE_KMOD)
		err = mp_dev_reset(live->session->device);
	if (err)
		return err;
	live->reset_ns = mp_clock_ns();
	read_base(live);
	if (live->stream.rings) {
		err = mp_stream_settle(&live->stream);
		mp_heap_reset(&live->stream.merge.heap);
	}
	return err;
}

int mp_live_stop(struct mp_live *live)
{
	int err = live->session->source == MP_SOURCE_KMOD ?
		  mp_dev_stop(live->session->device) :
		  live->stopped ? -EBUSY : 0;

	if (err)
		return err;
	if (live->stream.rings)
		mp_stream_stop(&live->stream);
	live->stop_ns = mp_clock_ns();
	live->stopped = true;
	return 0;
}

void mp_live_close(struct mp_live *live)
{
	if (live->stream.rings) {
		mp_stream_close(&live->stream);
		close(live->fd);
	}
	mp_rss_sampler_close(&live->sampler);
	mp_chunk_look_close(&live->chunks);
	if (live->session->source == MP_SOURCE_PERF)
		close(live->timer_fd);
	live->fd = -1;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * recorder: writes the records of the rings into a file
 *
 * A round ends when all rings were read. If events were added in a round, the
 * file's description is written again, so that an incomplete recording can be
 * read.
 */
#include "recorder.h"
#include "cgroup.h"
#include "chunk-look.h"
#include "clock.h"
#include "container-names.h"
#include "existing.h"
#include "kernel-text.h"
#include "kmod.h"
#include "lost-records.h"
#include "module-pages.h"
#include "perf-synth.h"
#include "rss-base.h"
#include "titles.h"

#include <string.h>
#include <unistd.h>

/* Number of records that are written together */
#define NR_PIECE	1024

/* Time between two looks for new cgroups; one takes 2 us for each cgroup of the machine. */
#define CGROUPS_NS	1000000000ULL

/* Limit of the time for looking into the heaps of all processes, at the end */
#define CHUNKS_NS	2000000000ULL

/* The same if a command has ended, whose end must not be held up */
#define CHUNKS_ENDED_NS	250000000ULL

/* Limit of the time for the pages of all processes: meanwhile nobody empties the rings. */
#define PAGES_NS	250000000ULL

static struct mp_perf_rings *rings_of(struct mp_recorder *recorder)
{
	return &recorder->session->tracer.rings;
}

static int put_record(void *context, const struct perf_event_header *record)
{
	struct mp_recorder *recorder = context;

	return mp_perf_writer_put(&recorder->writer, &rings_of(recorder)->events, record);
}

static int write_record(void *context, const struct perf_event_header *record)
{
	struct mp_recorder *recorder = context;

	const pid_t ended = mp_living_take(&recorder->living, record);
	int err = 0;

	recorder->nr_lost += mp_lost_records(record);
	err = mp_container_recorder_take(&recorder->containers, record);
	if (err)
		return err;
	if (ended)
		err = mp_page_recorder_ended(&recorder->pages, ended);
	return err ?: mp_python_recorder_take(&recorder->python, record, put_record, recorder) ?:
	       put_record(recorder, record);
}

static struct mp_perf_synth synth_of(struct mp_recorder *recorder)
{
	return (struct mp_perf_synth){
		.put = write_record, .context = recorder,
		.id = mp_sums_event_id(&rings_of(recorder)->events, 0),
		.areas = rings_of(recorder)->all_maps,
	};
}

static int describe(struct mp_recorder *recorder)
{
	const struct mp_perf_events *events = &rings_of(recorder)->events;

	if (events->nr == recorder->nr_events &&
	    events->by_id.nr == recorder->nr_ids)
		return 0;
	recorder->nr_events = events->nr;
	recorder->nr_ids = events->by_id.nr;
	return mp_perf_writer_describe(&recorder->writer, events,
				       recorder->argv, recorder->argc);
}

/*
 * A command that is not running yet has only mappings of ours. perf would keep them beside those
 * that it has later, and look for the unwind tables of the same libraries there.
 */
static int write_existing(struct mp_recorder *recorder)
{
	const struct mp_perf_synth synth = synth_of(recorder);

	return recorder->launched ? mp_perf_synth_cgroups(&synth) :
	       mp_existing_write(&synth, &recorder->session->prober);
}

/* The kernel reported a cgroup that was made anew, and its first processes, too early. */
static int write_anew(struct mp_recorder *recorder)
{
	size_t nr = recorder->session->cgroups.nr_anew;

	if (nr == recorder->nr_anew)
		return 0;
	recorder->nr_anew = nr;
	return write_existing(recorder);
}

static int write_unknown(void *context, const struct perf_event_header *record)
{
	struct mp_recorder *recorder = context;

	return mp_container_recorder_knows(&recorder->containers, record) ? 0 :
	       write_record(recorder, record);
}

/*
 * Events of cgroups do not report a new cgroup below a target: who makes it is in another
 * one. So these are looked for.
 */
static int write_new_cgroups(struct mp_recorder *recorder)
{
	struct mp_perf_synth synth = synth_of(recorder);
	const uint64_t now_ns = mp_clock_ns();

	if (!recorder->session->cgroups.paths || now_ns < recorder->next_cgroups_ns)
		return 0;
	recorder->next_cgroups_ns = now_ns + CGROUPS_NS;
	synth.put = write_unknown;
	return mp_perf_synth_cgroups(&synth);
}

static int write_kernel(struct mp_recorder *recorder)
{
	const struct mp_perf_synth synth = synth_of(recorder);
	uint64_t text, etext;

	return mp_kernel_text(&text, &etext) ? mp_perf_synth_kernel(&synth, text, etext) : 0;
}

static int put_sizes(void *context, const struct mp_size_record *records,
		     size_t nr)
{
	struct mp_recorder *recorder = context;

	return mp_perf_writer_piece(&recorder->writer, MP_PERF_PIECE_SIZES,
				    records, nr * sizeof(*records));
}

static int put_alloc(struct mp_recorder *recorder)
{
	struct mp_alloc_meta alloc = { 0 };
	struct mp_alloc_record record;

	mp_session_alloc_meta(recorder->session, &alloc);
	record = (struct mp_alloc_record){
		.rate = alloc.rate, .nr_samplers = alloc.nr_samplers,
		.nr_unsampled = alloc.nr_unsampled, .pace = alloc.pace,
		.nr_brief = alloc.nr_brief,
	};
	return alloc.rate ? mp_perf_writer_piece(&recorder->writer, MP_PERF_PIECE_ALLOC,
						 &record, sizeof(record)) : 0;
}

/* A recording of a command lasts as long as the command; its first event shows its begin. */
static int put_span(struct mp_recorder *recorder, uint64_t end_ns)
{
	const struct mp_span_record record = {
		.begin_ns = recorder->launched ? 0 : recorder->begin_ns,
		.end_ns = recorder->ended_ns ?: end_ns,
	};

	return mp_perf_writer_piece(&recorder->writer, MP_PERF_PIECE_SPAN, &record,
				    sizeof(record));
}

/* A command has no RSS of its own before it runs. */
static int put_base(struct mp_recorder *recorder)
{
	struct mp_size_base base = { 0 };
	size_t i, nr;
	int err = recorder->launched ? 0 :
		  mp_rss_base_read(&recorder->session->prober, &base);

	for (i = 0; !err && i < base.nr; i += nr) {
		nr = base.nr - i < NR_PIECE ? base.nr - i : NR_PIECE;
		err = mp_perf_writer_piece(&recorder->writer, MP_PERF_PIECE_BASE,
					   base.list + i, nr * sizeof(*base.list));
	}
	mp_size_base_free(&base);
	return err;
}

/* Writes what is free inside malloc of the targets that run. */
static int put_chunks(struct mp_recorder *recorder)
{
	const struct mp_sizes *sizes = &recorder->sampler.sizes;
	const uint64_t end_ns = mp_clock_ns() +
				(recorder->ended_ns ? CHUNKS_ENDED_NS : CHUNKS_NS);
	struct mp_chunk_look look = { 0 };
	struct mp_chunk_record record;
	struct mp_row row;
	size_t i;
	int err = 0;

	for (i = 0; !err && i < sizes->nr; i++) {
		row = (struct mp_row){ .kind = MP_ROW_PROCESS, .pid = sizes->list[i].pid };
		mp_size_take(&sizes->list[i], &row);
		record = (struct mp_chunk_record){ .pid = row.pid, .time_ns = mp_clock_ns() };
		if (mp_chunk_look_wants(&row) &&
		    mp_prober_wants(&recorder->session->prober, (pid_t)row.pid) &&
		    mp_chunk_look_at(&look, (pid_t)row.pid, end_ns, &record.chunks))
			err = mp_perf_writer_piece(&recorder->writer, MP_PERF_PIECE_CHUNKS,
						   &record, sizeof(record));
	}
	mp_chunk_look_close(&look);
	return err;
}

/* The rows of the smaps source already contain the sizes. */
static bool has_sampler(const struct mp_recorder *recorder)
{
	return recorder->session->source != MP_SOURCE_SMAPS;
}

static int put_tallies(void *context)
{
	return mp_recorder_snapshot(context);
}

int mp_recorder_begin(struct mp_recorder *recorder)
{
	struct mp_perf_rings *rings = rings_of(recorder);
	int number;

	recorder->sums.writer = &recorder->writer;
	recorder->pages.writer = &recorder->writer;
	recorder->pages.has_blocks = recorder->session->source != MP_SOURCE_SMAPS &&
				     recorder->session->alloc_rate;
	if (recorder->session->source == MP_SOURCE_KMOD) {
		recorder->pages.put_tallies = put_tallies;
		recorder->pages.context = recorder;
	}
	recorder->containers.writer = &recorder->writer;
	recorder->sums.events = &rings->events;
	number = mp_sums_invent(&recorder->sums, rings);
	if (number)
		return number;
	if (recorder->session->prober.python.device) {
		recorder->python.names.processes = &recorder->session->prober.python;
		number = mp_python_recorder_open(&recorder->python, rings);
	}
	number = number ?: describe(recorder);
	if (number)
		return number;
	recorder->sampler.filter = &recorder->session->prober;
	recorder->sampler.put = put_sizes;
	recorder->sampler.context = recorder;
	mp_rss_sampler_open(&recorder->sampler);
	recorder->titles.filter = &recorder->session->prober;
	recorder->begin_ns = mp_clock_ns();
	return put_alloc(recorder) ?: put_base(recorder) ?:
	       mp_titles_begin(&recorder->titles, &recorder->writer, recorder->launched) ?:
	       write_kernel(recorder) ?: write_existing(recorder) ?:
	       mp_container_recorder_work(&recorder->containers, true);
}


int mp_recorder_work(struct mp_recorder *recorder)
{
	static const struct perf_event_header round = {
		.type = MP_PERF_RECORD_FINISHED_ROUND, .size = sizeof(round),
	};
	uint64_t before;
	int err;

	err = describe(recorder) ?: write_anew(recorder) ?: write_new_cgroups(recorder);
	before = recorder->writer.data_size;
	if (!err)
		err = mp_perf_rings_drain(rings_of(recorder), write_record, recorder);
	if (!err && has_sampler(recorder))
		err = mp_rss_sampler_work(&recorder->sampler);
	if (!err)
		err = mp_titles_work(&recorder->titles);
	if (!err)
		err = mp_container_recorder_work(&recorder->containers, false);
	if (!err)
		err = mp_page_recorder_work(&recorder->pages, &recorder->session->prober);
	if (err || before == recorder->writer.data_size)
		return err;
	/* a recorder that is killed leaves what it has recorded */
	return write_record(recorder, &round) ?: mp_perf_writer_flush(&recorder->writer);
}

static bool runs(const struct mp_row *row)
{
	return row->kind == MP_ROW_PROCESS && !mp_row_is_sum(row) &&
	       !(row->flags & (MP_ROW_EXITED | MP_ROW_LEFT));
}

/* Adds what the pages of the module's blocks say to the rows of the module's tallies. */
static int add_pages(const struct mp_session *session, struct mp_profile *profile)
{
	const uint64_t end_ns = mp_clock_ns() + PAGES_NS;
	struct mp_module_pages pages;
	size_t i;
	int err;

	if (session->source != MP_SOURCE_KMOD || !session->alloc_rate)
		return 0;
	mp_module_pages_begin(&pages, session->device, profile, session->alloc_rate > 1, end_ns);
	for (i = 0; i < profile->nr_rows; i++)
		if (runs(&profile->rows[i]))
			mp_module_pages_process(&pages, &profile->rows[i]);
	err = mp_module_pages_put(&pages, profile);
	mp_module_pages_end(&pages);
	return err;
}

static int read_profile(struct mp_recorder *recorder,
			struct mp_profile *profile)
{
	const struct mp_session *session = recorder->session;
	int err = mp_session_rows(session, profile) ?: add_pages(session, profile);

	profile->meta.source = session->source;
	memcpy(profile->meta.targets, session->targets,
	       sizeof(profile->meta.targets));
	if (!profile->meta.page_size)
		profile->meta.page_size = (uint32_t)sysconf(_SC_PAGESIZE);
	mp_session_alloc_meta(session, &profile->meta.alloc);
	if (!err && mp_session_probes(session))
		err = mp_prober_report(&session->prober, profile);
	return err ?: mp_cgroup_resolve(profile) ?: mp_container_names_find(profile);
}

int mp_recorder_snapshot(struct mp_recorder *recorder)
{
	struct mp_profile profile = { 0 };
	int err;

	/* perf's events are already in the file */
	if (recorder->session->source == MP_SOURCE_PERF)
		return 0;
	err = read_profile(recorder, &profile);
	if (!err)
		err = mp_sums_put(&recorder->sums, &profile);
	mp_profile_free(&profile);
	return err;
}

int mp_recorder_ended(struct mp_recorder *recorder, pid_t pid,
		      uint64_t max_rss, int signal)
{
	struct mp_row row = {
		.kind = MP_ROW_PROCESS, .pid = (uint32_t)pid,
	};
	const struct mp_sizes *sizes = &recorder->sampler.sizes;
	const uint32_t *known = mp_map_find(&sizes->by_id, (uint32_t)pid, 0);
	struct mp_size_record record;

	if (known)
		mp_size_take(&sizes->list[*known], &row);
	if (max_rss <= row.value[MP_PEAK_RESIDENT] && !signal)
		return 0;
	if (max_rss > row.value[MP_PEAK_RESIDENT])
		row.value[MP_PEAK_RESIDENT] = max_rss;
	row.signal = (uint32_t)signal;
	mp_size_make(&record, &row, known ? sizes->list[*known].time_ns : 0);
	if (known)
		record.cgroup = sizes->list[*known].cgroup;
	return put_sizes(recorder, &record, 1);
}

/*
 * Writes a record of the losses that the kernel has not reported in a record
 * yet.
 */
static int put_last_losses(struct mp_recorder *recorder)
{
	const struct mp_perf_synth synth = synth_of(recorder);
	uint64_t nr = mp_perf_rings_lost(rings_of(recorder));

	return nr <= recorder->nr_lost ? 0 :
	       mp_perf_synth_lost(&synth, nr - recorder->nr_lost, mp_clock_ns());
}

static int put_exit(void *context, pid_t pid)
{
	const struct mp_perf_synth synth = synth_of(context);

	return mp_perf_synth_exit(&synth, pid, mp_clock_ns());
}

/*
 * Writes a record of the exit of each process that has ended without such a
 * record. If records were lost, the record of a process's begin may be lost,
 * too. So then all processes whose sizes were read are also checked.
 */
static int put_lost_exits(struct mp_recorder *recorder)
{
	const struct mp_sizes *sizes = &recorder->sampler.sizes;
	size_t i;

	for (i = 0; recorder->nr_lost && i < sizes->nr; i++)
		mp_living_add(&recorder->living, sizes->list[i].pid);
	return mp_living_ended(&recorder->living, put_exit, recorder);
}

int mp_recorder_end(struct mp_recorder *recorder)
{
	int err = has_sampler(recorder) ? mp_rss_sampler_all(&recorder->sampler) : 0,
	    last;
	uint64_t end_ns;

	mp_perf_rings_enable(rings_of(recorder), false);
	end_ns = mp_clock_ns();
	if (recorder->session->source == MP_SOURCE_KMOD)
		mp_dev_stop(recorder->session->device);
	last = mp_recorder_work(recorder);
	err = err ? err : last;
	if (!err)
		err = mp_page_recorder_all(&recorder->pages, &recorder->session->prober);
	if (!err)
		err = put_last_losses(recorder);
	if (!err)
		err = put_lost_exits(recorder);
	/* by now, more processes may have got a sampler */
	if (!err)
		err = put_alloc(recorder) ?: put_span(recorder, end_ns) ?:
		      mp_titles_end(&recorder->titles, &recorder->writer) ?:
		      mp_container_recorder_work(&recorder->containers, true);
	if (!err)
		err = mp_recorder_snapshot(recorder);
	if (!err && has_sampler(recorder))
		err = put_chunks(recorder);
	mp_python_recorder_close(&recorder->python);
	mp_container_recorder_free(&recorder->containers);
	mp_id_names_free(&recorder->titles.known);
	mp_rss_sampler_close(&recorder->sampler);
	mp_living_free(&recorder->living);
	return err;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * section-listen: listens to the module's tracepoint and to static probes of
 * programs
 *
 * A program with static probes pays only for a nop while nobody listens. While
 * somebody listens, it pays a trap for each section.
 */
#include "loop.h"
#include "lost-records.h"
#include "section-event.h"
#include "section-source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/*
 * Sizes of rings in pages of 4 KiB: 16 MiB per CPU, and at most 256 MiB for all
 * CPUs. A flush writes all its sections at once, 500 bytes each.
 */
#define RING_PAGES	4096UL
#define ALL_PAGES	65536UL

struct listener {
	struct mp_section_source *source;
	struct mp_session session;
};

static int add_section(void *context, const struct perf_event_header *record)
{
	struct listener *listener = context;
	struct mp_section_event event;

	listener->source->nr_lost += mp_lost_records(record);
	if (!mp_section_event_parse(&listener->session.tracer.rings.events,
				    record, &event))
		return 0;
	return mp_section_flushes_add(listener->source->flushes, event.pid,
				      event.tid, event.time_ns, &event.record);
}

static int drain_rings(struct listener *listener)
{
	return mp_perf_rings_drain(&listener->session.tracer.rings, add_section,
				   listener);
}

static int take_turn(void *sink)
{
	struct listener *listener = sink;
	const struct mp_section_source *source = listener->source;
	int err = drain_rings(listener);

	if (!err)
		err = mp_section_flushes_round(source->flushes);
	if (err)
		return err;
	return ferror(stdout) || (!source->follow && *source->nr);
}

static size_t ring_pages(void)
{
	size_t pages = RING_PAGES, nr = (size_t)sysconf(_SC_NPROCESSORS_CONF);

	while (pages > 1 && pages * nr > ALL_PAGES)
		pages /= 2;
	return pages;
}

static int begin_session(struct listener *listener, struct mp_diag *diag)
{
	struct mp_record_options options = {
		.targets = *listener->source->targets,
		.source = MP_SOURCE_PERF,
		.alloc = MP_ALLOC_OFF,
		.chain = MP_CHAIN_NONE,
		.sections = true,
		.ring_pages = ring_pages(),
	};
	int err = mp_session_begin(&listener->session, &options, false, diag);

	if (err)
		return err;
	/* -ENOENT: the module is not loaded, or is too old */
	err = mp_tracer_sections(&listener->session.tracer);
	return err && err != -ENOENT ?
	       mp_diag_fail(diag, err, err == -EPERM || err == -EACCES ?
			    "run as root" : NULL, "cannot follow memprof:section") :
	       0;
}

/* Reads the rings twice at the end, because the parts of a flush may be in two rings. */
static int listen_until_end(struct listener *listener, int signals)
{
	const struct mp_loop loop = {
		.session = &listener->session,
		.targets = listener->source->targets,
		.turn = take_turn, .sink = listener,
		.ready_fd = listener->source->ready_fd,
	};
	int err = mp_loop_run(&loop, signals);

	if (!err)
		err = drain_rings(listener);
	return err ? err : mp_section_flushes_end(listener->source->flushes);
}

int mp_section_listen(struct mp_section_source *source, struct mp_diag *diag)
{
	struct listener *listener = calloc(1, sizeof(*listener));
	int signals = mp_loop_signals(), err;

	if (!listener) {
		err = mp_diag_fail(diag, ENOMEM, NULL, "cannot follow sections");
	} else {
		listener->source = source;
		err = begin_session(listener, diag);
		if (!err) {
			err = listen_until_end(listener, signals);
			if (err)
				mp_diag_fail(diag, err, NULL,
					     "cannot follow sections");
		}
		mp_session_end(&listener->session);
		free(listener);
	}
	mp_loop_signals_end(signals);
	return err;
}

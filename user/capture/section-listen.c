// SPDX-License-Identifier: GPL-2.0-only
/*
 * section-listen: the module's tracepoint, and static probes of programs that keep
 * their sections themselves
 *
 * Programs whose flushes nobody follows pay for a nop; those that are followed, a
 * trap for each section. New binaries are noticed as they are for allocators.
 */
#include "follower.h"
#include "message.h"
#include "section-event.h"
#include "section-source.h"
#include "tasks.h"
#include "tracer.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* A flush comes all at once, 500 bytes a section: 16 MiB of each CPU, 256 in all. */
#define RING_PAGES	4096UL
#define ALL_PAGES	65536UL

/* Rings are looked at so often at least, in ms. */
#define PATIENCE	100

struct listener {
	struct mp_section_source *source;
	struct mp_tracer tracer;
	struct mp_prober prober;
	struct mp_follower follower;
};

static void relist(void *context)
{
	struct listener *listener = context;
	struct mp_perf_rings *rings = &listener->tracer.rings;
	size_t nr;
	int *ids;

	if (rings->scope != MP_SCOPE_TASKS ||
	    mp_tasks_of(&listener->prober, &ids, &nr))
		return;
	free(rings->ids);
	rings->ids = ids;
	rings->nr_ids = nr;
}

static int cannot_listen(int err, const char *what)
{
	return mp_fail(err, err == -EPERM || err == -EACCES ? "run as root" :
		       NULL, "cannot follow %s", what);
}

static size_t ring_pages(void)
{
	size_t pages = RING_PAGES, nr = (size_t)sysconf(_SC_NPROCESSORS_CONF);

	while (pages > 1 && pages * nr > ALL_PAGES)
		pages /= 2;
	return pages;
}

static int begin(struct listener *listener)
{
	const struct mp_targets *targets = listener->source->targets;
	struct mp_perf_rings *rings = &listener->tracer.rings;
	bool all = targets->list[0].kind == MEMPROF_TARGET_ALL;
	char text[MP_TARGETS_SIZE];
	int err = 0;

	mp_targets_describe(targets, text);
	mp_prober_open(&listener->prober, targets);
	listener->prober.sections = &listener->tracer;
	if (!all) {
		rings->scope = MP_SCOPE_TASKS;
		err = mp_tasks_of(&listener->prober, &rings->ids,
				  &rings->nr_ids);
	}
	if (!err)
		err = mp_tracer_open(&listener->tracer, ring_pages());
	if (err)
		return cannot_listen(err, text);
	err = mp_tracer_sections(&listener->tracer);
	if (err && err != -ENOENT)
		return cannot_listen(err, "memprof:section");
	listener->tracer.relist = relist;
	listener->tracer.context = listener;
	err = mp_tracer_run(&listener->tracer);
	if (err)
		return cannot_listen(err, text);
	mp_follower_open(&listener->follower, &listener->prober);
	if (listener->prober.nr_failed)
		mp_warn(strerror(-listener->prober.err), "cannot follow %s",
			listener->prober.refused);
	return 0;
}

static int take(void *context, const struct perf_event_header *record)
{
	struct listener *listener = context;
	const uint64_t *words = (const void *)(record + 1);
	struct mp_section_event event;

	if (record->type == PERF_RECORD_LOST && record->size >= 24)
		listener->source->nr_lost += words[1];
	if (!mp_section_event_parse(&listener->tracer.rings.events, record,
				    &event))
		return 0;
	return mp_section_flushes_add(listener->source->flushes, event.pid,
				      event.tid, event.time_ns, &event.record);
}

static int drain(struct listener *listener)
{
	return mp_perf_rings_drain(&listener->tracer.rings, take, listener);
}

static bool has_targets(const struct mp_targets *targets)
{
	unsigned int i;

	for (i = 0; i < targets->nr; i++)
		if (targets->list[i].kind == MEMPROF_TARGET_ALL ||
		    !kill((pid_t)targets->list[i].number, 0) || errno == EPERM)
			return true;
	return false;
}

static int open_signals(void)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	return signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Rings are emptied twice at the end: what belongs together may be in two. */
static int loop(struct listener *listener, int signals)
{
	const struct mp_section_source *source = listener->source;
	struct pollfd polls[] = {
		{ .fd = signals, .events = POLLIN },
		{ .fd = listener->tracer.rings.poll_fd, .events = POLLIN },
		{ .fd = listener->follower.fd, .events = POLLIN },
	};
	bool more = true;
	int err = 0;

	while (more && !err) {
		poll(polls, 3, PATIENCE);
		more = !(polls[0].revents & POLLIN) &&
		       has_targets(source->targets) && !ferror(stdout);
		mp_follower_work(&listener->follower);
		err = drain(listener);
		if (!err)
			err = mp_section_flushes_round(source->flushes);
		more &= source->follow || !*source->nr;
	}
	if (!err)
		err = drain(listener);
	return err ? err : mp_section_flushes_end(source->flushes);
}

int mp_section_listen(struct mp_section_source *source)
{
	struct listener *listener = calloc(1, sizeof(*listener));
	int signals = open_signals(), status, err;

	if (!listener)
		return mp_fail(ENOMEM, NULL, "cannot follow sections");
	listener->source = source;
	status = begin(listener);
	if (!status) {
		err = loop(listener, signals);
		if (err)
			status = mp_fail(err, NULL, "cannot follow sections");
		mp_follower_close(&listener->follower);
	}
	mp_tracer_close(&listener->tracer);
	free(listener->tracer.rings.ids);
	mp_finder_free(&listener->prober.finder);
	close(signals);
	free(listener);
	return status;
}

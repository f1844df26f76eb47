/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * agent-metrics: the agent's numbers as texts for Prometheus
 */
#ifndef MP_AGENT_METRICS_H
#define MP_AGENT_METRICS_H

#include "profile.h"
#include "push.h"
#include "scrape.h"

/**
 * struct mp_agent_health - what the agent knows of itself
 * @interval_ms: time between two snapshots
 * @nr_snapshots: snapshots that were written
 * @nr_failures: snapshots that could not be written
 * @nr_sessions: sessions that were begun
 * @nr_lost_texts: texts for Prometheus that could not be written or handed out
 * @snapshot_s: CLOCK_REALTIME of the last snapshot; 0: none
 * @snapshot_ns: what the last snapshot took
 * @render_ns: what the texts before these took
 * @cpu_ns: CPU time of the agent and of its children that ended
 * @collector_ns: CPU time of the process that holds the session
 * @memory_bytes: memory of both, without files
 * @cpu_limit, @memory_limit: above these it does less, in thousandths of a CPU and bytes;
 *	0: none
 * @thinning: one of so many samples is taken because of these limits; 0: none is
 * @history_bytes, @history_nr: size of the history
 * @nr_captures: captures that were written
 * @pushes: profiles are sent to a far end
 * @nr_pushed, @nr_push_delays: profiles that were sent, and attempts that failed
 * @nr_push_drops: profiles that were not sent, by enum mp_push_drop
 * @push_nr, @push_bytes: profiles that wait
 */
struct mp_agent_health {
	uint64_t interval_ms;
	uint64_t nr_snapshots, nr_failures, nr_sessions, nr_lost_texts;
	uint64_t snapshot_s;
	uint64_t snapshot_ns, render_ns;
	uint64_t cpu_ns, collector_ns;
	uint64_t memory_bytes;
	uint64_t cpu_limit, memory_limit;
	uint64_t thinning;
	uint64_t history_bytes, history_nr;
	uint64_t nr_captures;
	bool pushes;
	uint64_t nr_pushed, nr_push_delays;
	uint64_t nr_push_drops[MP_PUSH_NR_DROPS];
	uint64_t push_nr, push_bytes;
};

/**
 * mp_agent_metrics_arrange - arrange a profile for the texts
 * @profile: of the session, with stacks; it is changed
 *
 * Symbols are looked up, so this costs as much as a report.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_agent_metrics_arrange(struct mp_profile *profile);

/**
 * mp_agent_metrics_write - write the text of one form
 * @profile: arranged; with no rows if there is no session
 * @top: limit of commands and of callsites for each cgroup
 * @text: out; the caller frees its data
 *
 * Return: 0, or a negative errno.
 */
int mp_agent_metrics_write(const struct mp_agent_health *health,
			   const struct mp_profile *profile, size_t top,
			   enum mp_scrape_form form, struct mp_scrape_text *text);

/**
 * mp_agent_metrics_save - replace a file by a text
 *
 * A reader sees the old text or the new one, and nothing between. The temporary file
 * begins with a dot, and does not end with ".prom".
 *
 * Return: 0, or a negative errno.
 */
int mp_agent_metrics_save(const char *path, const struct mp_scrape_text *text);

#endif

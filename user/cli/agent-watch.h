/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * agent-watch: decides when the agent makes a capture
 */
#ifndef MP_AGENT_WATCH_H
#define MP_AGENT_WATCH_H

#include "agent-config.h"
#include "captures.h"
#include "large-exits.h"
#include "memory-watch.h"

/**
 * struct mp_agent_watch - what is watched, and what was captured last
 * @open: captures are wanted
 * @memory: the cgroups and the pressure
 * @log: the kernel's log; negative: it cannot be read
 * @deaf_until_ns: events are not looked at before, so that many cost as much as one
 * @next_ns: by enum mp_memory_event: no capture before
 * @period_ns, @look_ns: time between two looks of triggers; the next one, which is
 *	UINT64_MAX if there is none
 * @is_blind: memory was short for what triggers keep, and that was said
 * @exits, @exit: what large-exits has seen; an exit that waits for its capture
 * @victims, @nr_victims: of the kernel's log, those that no capture has yet; the last one
 *	was read at @victims_ns, CLOCK_MONOTONIC
 * @killed, @nr_killed: processes of the last capture that has any
 * @capture: the last one
 */
struct mp_agent_watch {
	bool open;
	struct mp_memory_watch memory;
	int log;
	uint64_t deaf_until_ns;
	uint64_t next_ns[MP_NR_MEMORY_EVENTS];
	uint64_t period_ns, look_ns;
	bool is_blind;
	struct mp_large_exits exits;
	struct mp_memory_trouble exit;
	struct mp_oom_victim victims[MP_OOM_LOG_MAX];
	size_t nr_victims;
	uint64_t victims_ns;
	uint32_t killed[MP_OOM_LOG_MAX];
	size_t nr_killed;
	struct mp_capture capture;
};

/** mp_agent_watch_open - begin to watch the configuration's cgroups; says what cannot be */
void mp_agent_watch_open(struct mp_agent_watch *watch, const struct mp_agent_config *config);

/**
 * mp_agent_watch_reload - take another configuration
 *
 * What triggers have reported stays, so that a condition that lasts has no second capture.
 */
void mp_agent_watch_reload(struct mp_agent_watch *watch, const struct mp_agent_config *config);

/** mp_agent_watch_look - look for new cgroups */
void mp_agent_watch_look(struct mp_agent_watch *watch, const struct mp_agent_config *config);

/**
 * mp_agent_watch_happened - read what happened, and decide
 * @is_pressure: there is pressure
 *
 * Return: true if there should be a capture, which is in @capture.
 */
bool mp_agent_watch_happened(struct mp_agent_watch *watch, bool is_pressure);

/** mp_agent_watch_is_due - whether it is time for mp_agent_watch_triggered() */
bool mp_agent_watch_is_due(const struct mp_agent_watch *watch);

/**
 * mp_agent_watch_triggered - look at the limits and the growth of cgroups
 * @can_capture: false: nothing is reported, and stays for a later look
 *
 * Return: true if there should be a capture, which is in @capture.
 */
bool mp_agent_watch_triggered(struct mp_agent_watch *watch, const struct mp_agent_config *config,
			      bool can_capture);

/** mp_agent_watch_exits - look for processes that exited, in the profile of a snapshot */
void mp_agent_watch_exits(struct mp_agent_watch *watch, const struct mp_agent_config *config,
			  const struct mp_profile *profile);

/**
 * mp_agent_watch_exited - decide on what mp_agent_watch_exits() found
 *
 * Return: true if there should be a capture, which is in @capture.
 */
bool mp_agent_watch_exited(struct mp_agent_watch *watch);

/**
 * mp_agent_watch_victims - read from the kernel's log who was killed
 *
 * They are in the next capture of a process that was killed, which may be a later one: what is
 * killed while another capture is made waits for its own.
 */
void mp_agent_watch_victims(struct mp_agent_watch *watch);

/** mp_agent_watch_close - stop watching */
void mp_agent_watch_close(struct mp_agent_watch *watch);

#endif

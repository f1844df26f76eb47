/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * agent-push: makes profiles of the agent's session, and sends them to a far end
 */
#ifndef MP_AGENT_PUSH_H
#define MP_AGENT_PUSH_H

#include "agent-config.h"
#include "agent-metrics.h"
#include "profile.h"
#include "push.h"

/**
 * struct mp_agent_push - where profiles go, and what was sent last
 * @open: the configuration has a far end
 * @push: the process and its queue
 * @before: the session at the last profile, as it was read; empty: none
 * @before_s: time of that, CLOCK_REALTIME
 * @next_ns: time of the next profile
 * @troubled: a profile could not be made, and that was said
 * @idle: the process could not be started, or ended, and that was said
 * @waits: the far end takes nothing, and that was said
 * @said: by enum mp_push_drop: that was said; until the configuration is read again
 */
struct mp_agent_push {
	bool open;
	struct mp_push push;
	struct mp_profile before;
	uint64_t before_s;
	uint64_t next_ns;
	bool troubled, idle, waits;
	bool said[MP_PUSH_NR_DROPS];
};

/**
 * mp_agent_push_open - begin to send what is left of the last time
 *
 * Return: 0, or an exit status after a message.
 */
int mp_agent_push_open(struct mp_agent_push *push, const struct mp_agent_config *config);

/**
 * mp_agent_push_now - make a profile of what happened since the last one, if it is time
 * @profile: of the session, as it was read; it is not changed
 * @last: it is time in any case, because the session ends
 */
void mp_agent_push_now(struct mp_agent_push *push, const struct mp_agent_config *config,
		       const struct mp_profile *profile, bool last);

/** mp_agent_push_fd - to wait for with poll(), for reading; -1: nothing */
int mp_agent_push_fd(const struct mp_agent_push *push);

/** mp_agent_push_answer - take the answers of the process, and give it more to do */
void mp_agent_push_answer(struct mp_agent_push *push, const struct mp_agent_config *config);

/** mp_agent_push_finish - send what waits, as long as the far end takes it within two seconds */
void mp_agent_push_finish(struct mp_agent_push *push, const struct mp_agent_config *config);

/** mp_agent_push_measure - what the process did, for the agent's own numbers */
void mp_agent_push_measure(const struct mp_agent_push *push, struct mp_agent_health *health);

/** mp_agent_push_close - end the process; what was not sent stays */
void mp_agent_push_close(struct mp_agent_push *push);

#endif

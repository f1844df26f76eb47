/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * agent-limits: decides when the agent does less, and when it does more again
 */
#ifndef MP_AGENT_LIMITS_H
#define MP_AGENT_LIMITS_H

#include "agent-config.h"

/* Limit of doublings of the interval. */
#define MP_AGENT_MAX_STRETCH	4

/*
 * Steps of sampling: each takes a quarter of the samples; from the third on, growth is not
 * followed; the last one only reads the sizes of processes.
 */
#define MP_AGENT_MAX_THIN	4

/**
 * struct mp_agent_use - what the agent and its collector have used
 * @agent_ns: CPU time of the agent, and of its children that ended
 * @collector_ns: CPU time of the process that holds the session
 * @bytes: memory of these two, without files
 */
struct mp_agent_use {
	uint64_t agent_ns, collector_ns;
	uint64_t bytes;
};

/** enum mp_agent_step - what changes */
enum mp_agent_step {
	MP_AGENT_SAME,
	MP_AGENT_LONGER,	/* the interval */
	MP_AGENT_THINNER,	/* the samples; needs a new session */
	MP_AGENT_SHORTER,
	MP_AGENT_THICKER,	/* needs a new session */
	MP_AGENT_AT_END,	/* above a limit, and nothing is left to do; told once */
};

/**
 * struct mp_agent_limits - the limits, and how much less the agent does
 * @cpu: limit of CPU time, in thousandths of a CPU; 0: none
 * @bytes: limit of memory; 0: none
 * @stretch: the interval is doubled so often
 * @thin: step of sampling, up to MP_AGENT_MAX_THIN
 * @used_cpu, @used_bytes: use at the last decision, as the limits
 * @over_memory: the last step was for memory, and not for CPU time
 */
struct mp_agent_limits {
	uint64_t cpu, bytes;
	unsigned int stretch, thin;
	uint64_t used_cpu, used_bytes;
	bool over_memory;
	/* private: */
	struct mp_agent_use before;
	uint64_t before_ns, calm_ns, back_ns, wait_ns;
	unsigned int nr_over;
	bool is_at_end;
};

/** mp_agent_use_read - measure; @collector: 0: there is none */
void mp_agent_use_read(struct mp_agent_use *use, pid_t collector);

/**
 * mp_agent_limits_set - set the limits of a configuration, and forget what was done
 *
 * Limits are those of the configuration, and four fifths of what the agent's cgroup may
 * use, the lower ones: at the cgroup's limit itself the kernel stops or kills the agent.
 */
void mp_agent_limits_set(struct mp_agent_limits *limits, const struct mp_agent_config *config);

/**
 * mp_agent_limits_next - decide
 * @use: now
 * @now_ns: CLOCK_MONOTONIC
 *
 * Memory above its limit counts at once, CPU time if it was above for two minutes in a row. When
 * the use was below a quarter for an hour, one step is taken back; if it is then needed
 * again, the next time comes after two hours, and so on up to a day.
 *
 * Return: the step, which @limits has already.
 */
enum mp_agent_step mp_agent_limits_next(struct mp_agent_limits *limits,
					const struct mp_agent_use *use, uint64_t now_ns);

/** mp_agent_limits_restart - forget the use so far: a new session begins */
void mp_agent_limits_restart(struct mp_agent_limits *limits);

/** mp_agent_limits_interval_ms - time between two snapshots: a day at most */
uint64_t mp_agent_limits_interval_ms(const struct mp_agent_limits *limits,
				     const struct mp_agent_config *config);

/** mp_agent_limits_thinning - one of so many samples is taken; 0: none is */
unsigned int mp_agent_limits_thinning(const struct mp_agent_limits *limits);

/** mp_agent_limits_thin - change what a session follows */
void mp_agent_limits_thin(const struct mp_agent_limits *limits,
			  struct mp_record_options *options);

/** mp_agent_limits_say - print a message about a step */
void mp_agent_limits_say(const struct mp_agent_limits *limits, enum mp_agent_step step,
			 const struct mp_agent_config *config);

#endif

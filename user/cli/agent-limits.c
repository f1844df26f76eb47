// SPDX-License-Identifier: GPL-2.0-only
/*
 * agent-limits: a step more is taken as soon as it is needed, and a step back rarely
 *
 * Snapshots and events cost the agent its CPU time: the larger part is made less. A new
 * session gives memory back, because it begins with empty tables.
 */
#include "agent-limits.h"
#include "cgroup-limits.h"
#include "human.h"
#include "message.h"
#include "status-sizes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS	1000000000ULL
#define WINDOW_NS	(60 * SECOND_NS)
#define OVER_WINDOWS	2
#define HOUR_NS		(3600 * SECOND_NS)
#define MAX_WAIT_NS	(24 * HOUR_NS)
#define DAY_MS		86400000ULL
#define NO_GROWTH	3

static uint64_t used_ns(int who)
{
	struct rusage usage;

	if (getrusage(who, &usage))
		return 0;
	return (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * SECOND_NS +
	       (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000;
}

static uint64_t own_bytes(pid_t pid)
{
	uint64_t anon = 0, shmem = 0, swap = 0;
	const struct mp_status_size wanted[] = {
		{ "RssAnon:", &anon }, { "RssShmem:", &shmem }, { "VmSwap:", &swap }, { 0 },
	};

	mp_status_sizes(pid, "status", wanted);
	return anon + shmem + swap;
}

void mp_agent_use_read(struct mp_agent_use *use, pid_t collector)
{
	struct timespec used;
	clockid_t clock;

	use->agent_ns = used_ns(RUSAGE_SELF) + used_ns(RUSAGE_CHILDREN);
	use->bytes = own_bytes(getpid());
	if (!collector)
		return;
	use->bytes += own_bytes(collector);
	if (!clock_getcpuclockid(collector, &clock) && !clock_gettime(clock, &used))
		use->collector_ns = (uint64_t)used.tv_sec * SECOND_NS + (uint64_t)used.tv_nsec;
}

void mp_agent_limits_set(struct mp_agent_limits *limits, const struct mp_agent_config *config)
{
	const struct mp_cgroup_limits cgroup = mp_cgroup_limits_of(getpid());

	*limits = (struct mp_agent_limits){
		.cpu = mp_lower_limit(config->max_cpu, cgroup.cpu / 5 * 4),
		.bytes = mp_lower_limit(config->max_memory, cgroup.bytes / 5 * 4),
		.wait_ns = HOUR_NS,
	};
}

void mp_agent_limits_restart(struct mp_agent_limits *limits)
{
	limits->before_ns = 0;
	limits->nr_over = 0;
	limits->calm_ns = 0;
}

/* A step that was taken back, and is needed again, is not taken back so soon. */
static void wait_longer(struct mp_agent_limits *limits, uint64_t now_ns)
{
	if (limits->back_ns && now_ns - limits->back_ns < limits->wait_ns)
		limits->wait_ns = 2 * limits->wait_ns < MAX_WAIT_NS ?
				  2 * limits->wait_ns : MAX_WAIT_NS;
	limits->back_ns = 0;
}

static enum mp_agent_step do_less(struct mp_agent_limits *limits, bool snapshots,
				  uint64_t now_ns)
{
	enum mp_agent_step step = MP_AGENT_SAME;

	limits->nr_over = 0;
	if (limits->stretch < MP_AGENT_MAX_STRETCH &&
	    (snapshots || (!limits->over_memory && limits->thin == MP_AGENT_MAX_THIN))) {
		limits->stretch++;
		step = MP_AGENT_LONGER;
	} else if (limits->thin < MP_AGENT_MAX_THIN) {
		limits->thin++;
		step = MP_AGENT_THINNER;
	} else if (!limits->is_at_end) {
		limits->is_at_end = true;
		step = MP_AGENT_AT_END;
	}
	if (step == MP_AGENT_LONGER || step == MP_AGENT_THINNER)
		wait_longer(limits, now_ns);
	return step;
}

static enum mp_agent_step do_more(struct mp_agent_limits *limits, uint64_t now_ns)
{
	limits->calm_ns = 0;
	if (!limits->thin && !limits->stretch)
		return MP_AGENT_SAME;
	limits->back_ns = now_ns;
	limits->is_at_end = false;
	if (limits->thin) {
		limits->thin--;
		return MP_AGENT_THICKER;
	}
	limits->stretch--;
	return MP_AGENT_SHORTER;
}

static uint64_t share_of(uint64_t now, uint64_t before, uint64_t ns)
{
	return now > before ? (now - before) / (ns / 1000) : 0;
}

enum mp_agent_step mp_agent_limits_next(struct mp_agent_limits *limits,
					const struct mp_agent_use *use, uint64_t now_ns)
{
	const uint64_t passed = now_ns - limits->before_ns;
	uint64_t agent, collector;
	bool is_first = !limits->before_ns, is_over;

	limits->used_bytes = use->bytes;
	limits->over_memory = limits->bytes && use->bytes > limits->bytes;
	if (limits->over_memory)
		return do_less(limits, false, now_ns);
	if (!is_first && passed < WINDOW_NS)
		return MP_AGENT_SAME;
	agent = share_of(use->agent_ns, limits->before.agent_ns, passed);
	collector = share_of(use->collector_ns, limits->before.collector_ns, passed);
	limits->before = *use;
	limits->before_ns = now_ns;
	if (is_first)
		return MP_AGENT_SAME;
	limits->used_cpu = agent + collector;
	is_over = limits->cpu && limits->used_cpu > limits->cpu;
	limits->nr_over = is_over ? limits->nr_over + 1 : 0;
	if (limits->nr_over >= OVER_WINDOWS)
		return do_less(limits, agent > collector, now_ns);
	if (is_over || (limits->cpu && limits->used_cpu > limits->cpu / 4) ||
	    (limits->bytes && use->bytes > limits->bytes / 4)) {
		limits->calm_ns = 0;
		return MP_AGENT_SAME;
	}
	if (!limits->calm_ns)
		limits->calm_ns = now_ns;
	return now_ns - limits->calm_ns >= limits->wait_ns ? do_more(limits, now_ns) :
							     MP_AGENT_SAME;
}

uint64_t mp_agent_limits_interval_ms(const struct mp_agent_limits *limits,
				     const struct mp_agent_config *config)
{
	const uint64_t ms = config->interval_ms << limits->stretch;

	return ms < DAY_MS ? ms : DAY_MS;
}

unsigned int mp_agent_limits_thinning(const struct mp_agent_limits *limits)
{
	return limits->thin < MP_AGENT_MAX_THIN ? 1U << 2 * limits->thin : 0;
}

void mp_agent_limits_thin(const struct mp_agent_limits *limits,
			  struct mp_record_options *options)
{
	struct memprof_start *start = &options->start;
	const uint64_t factor = 1ULL << 2 * limits->thin;
	uint64_t period = (start->minor_period ?: MEMPROF_DEFAULT_MINOR_PERIOD) * factor;

	if (limits->bytes)
		options->dump_bytes = limits->bytes / 8;
	if (!limits->thin)
		return;
	start->minor_period = period < MEMPROF_MAX_PERIOD ? (uint32_t)period : MEMPROF_MAX_PERIOD;
	/* the cost of exact allocations does not depend on what is kept of them */
	if (options->alloc == MP_ALLOC_ON && start->alloc_rate > 1)
		start->alloc_rate = start->alloc_rate < MEMPROF_MAX_RATE / factor ?
				    start->alloc_rate * factor : MEMPROF_MAX_RATE;
	else
		options->alloc = MP_ALLOC_OFF;
	if (limits->thin >= NO_GROWTH)
		start->flags &= ~(uint32_t)MEMPROF_START_GROWTH;
	if (limits->thin < MP_AGENT_MAX_THIN)
		return;
	options->source = MP_SOURCE_SMAPS;
	options->alloc = MP_ALLOC_OFF;
	options->inject = options->samplers = false;
	start->flags &= ~(uint32_t)MEMPROF_START_FAULTS;
}

/* Why a step is taken. */
static void tell_use(const struct mp_agent_limits *limits, enum mp_agent_step step, char *text,
		     size_t size)
{
	char used[MP_HUMAN_SIZE], limit[MP_HUMAN_SIZE];

	if (step == MP_AGENT_SHORTER || step == MP_AGENT_THICKER)
		snprintf(text, size, "it uses little");
	else if (limits->over_memory)
		snprintf(text, size, "it has %s of memory, above its limit of %s",
			 mp_human_bytes(used, limits->used_bytes),
			 mp_human_bytes(limit, limits->bytes));
	else
		snprintf(text, size, "it uses %.1f %% of a CPU, above its limit of %.1f %%",
			 (double)limits->used_cpu / 10, (double)limits->cpu / 10);
}

static void tell_sampling(const struct mp_agent_limits *limits, char *text, size_t size)
{
	if (limits->thin == MP_AGENT_MAX_THIN)
		snprintf(text, size, "a new session begins, which only reads the sizes of processes");
	else if (!limits->thin)
		snprintf(text, size, "a new session begins, with all that the configuration says");
	else
		snprintf(text, size, "a new session begins, with 1/%u of the samples%s",
			 mp_agent_limits_thinning(limits),
			 limits->thin >= NO_GROWTH ? " and without growth" : "");
}

void mp_agent_limits_say(const struct mp_agent_limits *limits, enum mp_agent_step step,
			 const struct mp_agent_config *config)
{
	const bool less = step != MP_AGENT_SHORTER && step != MP_AGENT_THICKER;
	char why[128], what[128];

	if (step == MP_AGENT_SAME)
		return;
	tell_use(limits, step, why, sizeof(why));
	if (step == MP_AGENT_AT_END)
		snprintf(what, sizeof(what), "it does as little as it can");
	else if (step == MP_AGENT_LONGER || step == MP_AGENT_SHORTER)
		snprintf(what, sizeof(what), "snapshots come every %" PRIu64 " s",
			 mp_agent_limits_interval_ms(limits, config) / 1000);
	else
		tell_sampling(limits, what, sizeof(what));
	mp_say(less ? MP_PRIORITY_WARNING : MP_PRIORITY_INFO, "agent", "%s: %s", why, what);
}

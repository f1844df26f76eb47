/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tracer: records the kernel's own events if the module is not loaded
 *
 * Each probed call costs a trap and a record. Only page faults are sampled.
 */
#ifndef MP_TRACER_H
#define MP_TRACER_H

#include "perf-rings.h"
#include "scan.h"
#include "uprobe-events.h"

/**
 * enum mp_chain - how call stacks are recorded
 * @MP_CHAIN_DEFAULT: not chosen yet
 * @MP_CHAIN_NONE: only the callsite
 * @MP_CHAIN_FP: frames found by frame pointers
 * @MP_CHAIN_DWARF: registers and a copy of a part of the stack
 */
enum mp_chain {
	MP_CHAIN_DEFAULT,
	MP_CHAIN_NONE,
	MP_CHAIN_FP,
	MP_CHAIN_DWARF,
};

/**
 * struct mp_tracer - the events of a session
 * @rings: the caller sets scope, ids and on_exec
 * @chain: how stacks of calls are recorded
 * @fault_chain: how stacks of faults are recorded
 * @growth_chain: how stacks of calls for address space are recorded
 * @stack_bytes: size of the stack copy for MP_CHAIN_DWARF, a multiple of 8
 * @fault_stack_bytes: the same for faults
 * @running: events are being recorded
 * @relist: called before an event is added, unless the targets wait to run, to update the
 *	threads in @rings; or NULL
 * @context: for @relist
 */
struct mp_tracer {
	struct mp_perf_rings rings;
	enum mp_chain chain, fault_chain, growth_chain;
	uint32_t stack_bytes, fault_stack_bytes;
	bool running;
	void (*relist)(void *context);
	void *context;
};

/**
 * mp_tracer_open - open the rings
 * @pages: size of each ring, a power of two
 *
 * Return: 0, or a negative errno; call mp_tracer_close() in any case.
 */
int mp_tracer_open(struct mp_tracer *tracer, size_t pages);

/** mp_tracer_faults - sample each @period-th minor fault and each major fault */
int mp_tracer_faults(struct mp_tracer *tracer, uint32_t period);

/** mp_tracer_growth - record the calls that change what can be accessed */
int mp_tracer_growth(struct mp_tracer *tracer);

/** mp_tracer_module - record the tracepoints of one of the module's sessions */
int mp_tracer_module(struct mp_tracer *tracer, uint32_t session);

/** mp_tracer_probe - record the entries and returns of an allocator function */
int mp_tracer_probe(struct mp_tracer *tracer, const struct mp_uprobe *probe);

/**
 * mp_tracer_rate - count how often tasks enter a function; nothing is recorded
 *
 * It takes 50 ms. Return: times a second, of all tasks that are recorded together; 0 if
 * that cannot be counted.
 */
uint64_t mp_tracer_rate(const struct mp_tracer *tracer, const struct mp_uprobe *probe);

/** mp_tracer_sections - record the module's tracepoint for sections */
int mp_tracer_sections(struct mp_tracer *tracer);

/**
 * mp_tracer_section_probe - record sections of a program that measures them
 * itself
 * @path: path of the binary, see struct mp_uprobe
 */
int mp_tracer_section_probe(struct mp_tracer *tracer, const char *path,
			    const struct mp_section_point *point);

/**
 * mp_tracer_functions_probe - record the names of functions that an interpreter runs
 * @path: path of the binary, see struct mp_uprobe
 */
int mp_tracer_functions_probe(struct mp_tracer *tracer, const char *path,
			      const struct mp_section_point *point);

/** mp_tracer_counters_probe - record what samplers count; see above */
int mp_tracer_counters_probe(struct mp_tracer *tracer, const char *path,
			     const struct mp_section_point *point);

/** mp_tracer_run - start recording events */
int mp_tracer_run(struct mp_tracer *tracer);

/** mp_tracer_close - stop recording, close the rings and remove the probes */
void mp_tracer_close(struct mp_tracer *tracer);

/**
 * mp_tracer_close_later - the same, but a child process does what takes long
 *
 * The events must have been stopped. The caller goes on, or exits. What is left if
 * the child is killed is removed by the next mp_tracer_open().
 */
void mp_tracer_close_later(struct mp_tracer *tracer);

#endif

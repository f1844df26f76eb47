/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tracer: the kernel's own events as a source, where no module is loaded
 *
 * Each probed call costs a trap and a record. Only faults are sampled.
 */
#ifndef MP_TRACER_H
#define MP_TRACER_H

#include "perf-rings.h"
#include "scan.h"
#include "uprobe-events.h"

/**
 * enum mp_chain - what is recorded of call chains
 * @MP_CHAIN_DEFAULT: not chosen yet
 * @MP_CHAIN_NONE: the callsite only
 * @MP_CHAIN_FP: frames, by frame pointers
 * @MP_CHAIN_DWARF: registers and a piece of the stack
 */
enum mp_chain {
	MP_CHAIN_DEFAULT,
	MP_CHAIN_NONE,
	MP_CHAIN_FP,
	MP_CHAIN_DWARF,
};

/**
 * struct mp_tracer - the events of a session
 * @rings: scope, ids and on_exec are set by the caller
 * @chain: for calls and faults
 * @stack_bytes: of MP_CHAIN_DWARF, a multiple of 8
 * @running: events are recorded
 * @relist: called before a probe is added to a running session: lists the threads in
 *	@rings again; or NULL
 * @context: for @relist
 */
struct mp_tracer {
	struct mp_perf_rings rings;
	enum mp_chain chain;
	uint32_t stack_bytes;
	bool running;
	void (*relist)(void *context);
	void *context;
};

/**
 * mp_tracer_open - make the rings
 * @pages: of each, a power of two
 *
 * Return: 0, or a negative errno; mp_tracer_close() follows in any case.
 */
int mp_tracer_open(struct mp_tracer *tracer, size_t pages);

/** mp_tracer_faults - sample every @period-th minor and each major fault */
int mp_tracer_faults(struct mp_tracer *tracer, uint32_t period);

/** mp_tracer_growth - follow brk, mmap, munmap and mremap */
int mp_tracer_growth(struct mp_tracer *tracer);

/** mp_tracer_module - follow the module's tracepoints, of one of its sessions */
int mp_tracer_module(struct mp_tracer *tracer, uint32_t session);

/** mp_tracer_probe - follow an allocator function, entry and return */
int mp_tracer_probe(struct mp_tracer *tracer, const struct mp_uprobe *probe);

/** mp_tracer_sections - follow the module's tracepoint of sections */
int mp_tracer_sections(struct mp_tracer *tracer);

/**
 * mp_tracer_section_probe - follow sections of programs that keep them themselves
 * @path: of the binary, see struct mp_uprobe
 */
int mp_tracer_section_probe(struct mp_tracer *tracer, const char *path,
			    const struct mp_section_point *point);

/** mp_tracer_run - begin to record events */
int mp_tracer_run(struct mp_tracer *tracer);

/** mp_tracer_close - end it all; the probes are gone */
void mp_tracer_close(struct mp_tracer *tracer);

#endif

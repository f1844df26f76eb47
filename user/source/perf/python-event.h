/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * python-event: reads the module's event memprof:python
 */
#ifndef MP_PYTHON_EVENT_H
#define MP_PYTHON_EVENT_H

#include "perf-events.h"
#include "python-stack.h"

#include <linux/memprof.h>

/**
 * struct mp_python_place - a function of Python, and where it is
 * @code: address of its code object
 * @instr: address of its instruction
 */
struct mp_python_place {
	uint64_t code, instr;
};

/**
 * struct mp_python_event - the functions of Python that a thread is in
 * @key: address of the thread's next event, or bytes before its growth
 * @stack: the functions
 * @places: for each function
 */
struct mp_python_event {
	uint64_t key;
	struct mp_python_stack stack;
	struct mp_python_place places[MP_PYTHON_STACK_DEPTH];
};

/**
 * mp_python_event_parse - read a sample of memprof:python
 * @sample: untrusted
 *
 * Return: false if it is malformed.
 */
bool mp_python_event_parse(const struct mp_perf_event *event,
			   const struct mp_perf_sample *sample, struct mp_python_event *to);

/** mp_python_place_frame - what stands for a place in stacks: an address without code */
uint64_t mp_python_place_frame(const struct mp_python_place *place);

#endif

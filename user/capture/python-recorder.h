/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * python-recorder: writes the names of the functions of Python that a recording has
 */
#ifndef MP_PYTHON_RECORDER_H
#define MP_PYTHON_RECORDER_H

#include "perf-rings.h"
#include "python-names.h"

/**
 * struct mp_python_recorder - all zero means that there are no such functions
 * @names: reads names; the caller sets @names.processes
 * @events: of the recording
 * @number: index of the event that has the names
 */
struct mp_python_recorder {
	struct mp_python_names names;
	const struct mp_perf_events *events;
	uint32_t number;
};

/**
 * mp_python_recorder_open - add the event that has the names
 *
 * Return: 0, or a negative errno.
 */
int mp_python_recorder_open(struct mp_python_recorder *recorder, struct mp_perf_rings *rings);

/**
 * mp_python_recorder_take - write the names that a record needs, before it is written
 * @put: writes a record; returns 0, or a negative errno
 *
 * Return: 0, or a negative errno of @put.
 */
int mp_python_recorder_take(struct mp_python_recorder *recorder,
			    const struct perf_event_header *record,
			    int (*put)(void *context, const struct perf_event_header *record),
			    void *context);

/** mp_python_recorder_close - free all memory */
void mp_python_recorder_close(struct mp_python_recorder *recorder);

#endif

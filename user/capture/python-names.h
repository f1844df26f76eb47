/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * python-names: names of the functions of Python in which the module met threads
 */
#ifndef MP_PYTHON_NAMES_H
#define MP_PYTHON_NAMES_H

#include "python-event.h"
#include "python-processes.h"

#include <memprof/region.h>

/**
 * struct mp_python_names - names that were read lately
 * @processes: of the session; NULL: there are none
 * @nr_lost: names that could not be read
 * @second, @nr_read: how many were read in this second of CLOCK_MONOTONIC
 * @known: pid and frame -> time of the sample for which a name was read, in units of UNIT
 */
struct mp_python_names {
	struct mp_python_processes *processes;
	uint64_t nr_lost;
	uint64_t second;
	uint32_t nr_read;
	struct mp_map known;
};

/**
 * mp_python_names_get - read the name of a function
 * @context: struct mp_python_names
 * @time_ns: time of the sample that has the function in its stack
 * @place: in the process
 * @function: out
 *
 * A name that was read for a sample up to a second earlier is not read again; but it is for
 * an earlier sample, because rings are not read in the order of time. The process goes on
 * meanwhile: a function that has ended may be gone, and then it has no name.
 *
 * Source: memory of the process, which is untrusted.
 *
 * Return: whether the name was read.
 */
bool mp_python_names_get(void *context, uint32_t pid, uint64_t time_ns,
			 const struct mp_python_place *place,
			 struct memprof_region_function *function);

/** mp_python_names_free - free all memory */
void mp_python_names_free(struct mp_python_names *names);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf-ranked: samples of allocations as perf's tools rank them
 */
#ifndef MP_PERF_RANKED_H
#define MP_PERF_RANKED_H

#include "perf-events.h"

/* The group that probes on functions of programs have in a recording */
#define MP_PERF_PROBES	"memprof_user"

/**
 * mp_perf_ranks_first - whether an event has bytes that were allocated
 *
 * perf shows the first event of a recording first.
 */
bool mp_perf_ranks_first(const struct mp_perf_event *event);

/**
 * mp_perf_ranked_type - the sample_type that samples of an event have in a recording
 *
 * Where a program tells its stack, samples have it as a call chain, too.
 */
uint64_t mp_perf_ranked_type(const struct mp_perf_event *event);

/**
 * mp_perf_ranked_name - write the name that an event has in a recording
 * @name: out: for a probe a name that is the same in each recording: "memprof_user:malloc"
 * @size: bytes of the buffer
 */
void mp_perf_ranked_name(const struct mp_perf_event *event, char *name, size_t size);

/**
 * mp_perf_ranked - get a sample as it is in a recording
 * @event: of the sample
 * @sample: the parsed record
 * @room: buffer of UINT16_MAX bytes
 *
 * Of an allocation the period is its bytes, with their weight if it is a sample, and a stack
 * that the program has told is a call chain.
 *
 * Return: @record, or a changed copy in @room.
 */
const struct perf_event_header *mp_perf_ranked(const struct mp_perf_event *event,
					       const struct mp_perf_sample *sample,
					       const struct perf_event_header *record,
					       void *room);

#endif

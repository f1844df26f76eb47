// SPDX-License-Identifier: GPL-2.0-only
/*
 * python-recorder: reads names while their processes run
 */
#include "python-recorder.h"
#include "perf-synth.h"
#include "perf-writer.h"
#include "sums.h"

#include <string.h>

int mp_python_recorder_open(struct mp_python_recorder *recorder, struct mp_perf_rings *rings)
{
	int number = mp_perf_rings_invent(rings, "memprof:function", MP_PERF_ID_FUNCTION);

	if (number < 0)
		return number;
	recorder->events = &rings->events;
	recorder->number = (uint32_t)number;
	return 0;
}

int mp_python_recorder_take(struct mp_python_recorder *recorder,
			    const struct perf_event_header *record,
			    int (*put)(void *context, const struct perf_event_header *record),
			    void *context)
{
	struct mp_perf_synth synth = { .put = put, .context = context };
	struct memprof_region_function function;
	struct mp_python_event python;
	struct mp_perf_sample sample;
	const struct mp_perf_event *event;
	uint32_t i;
	int err = 0;

	if (!recorder->events || record->type != PERF_RECORD_SAMPLE ||
	    !mp_perf_sample_parse(recorder->events, record, &sample))
		return 0;
	event = &recorder->events->list[sample.event];
	if (strcmp(event->name, "memprof:python") || !sample.raw ||
	    !mp_python_event_parse(event, &sample, &python))
		return 0;
	synth.id = mp_sums_event_id(recorder->events, recorder->number);
	for (i = 0; !err && i < python.stack.nr; i++)
		if (mp_python_names_get(&recorder->names, sample.pid, sample.time_ns, &python.places[i],
					&function))
			err = mp_perf_synth_function(&synth, sample.time_ns, sample.pid,
						     sample.tid, &function);
	return err;
}

void mp_python_recorder_close(struct mp_python_recorder *recorder)
{
	mp_python_names_free(&recorder->names);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * merging: an engine, and functions that pass events of processes to it
 */
#ifndef MP_MERGING_H
#define MP_MERGING_H

#include "merge.h"

#include "kselftest_harness.h"

#include <stdio.h>

#define PROGRAM_SIZE	0x10000UL

FIXTURE(merge)
{
	struct mp_merge merge;
	uint64_t time_ns;
};

FIXTURE_SETUP(merge)
{
	mp_merge_init(&self->merge, NULL);
	self->time_ns = 1;
}

FIXTURE_TEARDOWN(merge)
{
	mp_merge_free(&self->merge);
}

static inline struct mp_event *event(FIXTURE_DATA(merge) *self, uint16_t kind,
			      uint32_t pid, struct mp_event *event)
{
	*event = (struct mp_event){
		.kind = kind, .pid = pid, .tid = pid, .cgroup = 7,
		.time_ns = ++self->time_ns,
	};
	return event;
}

static inline void name(FIXTURE_DATA(merge) *self, uint32_t pid, const char *comm,
		 bool exec)
{
	struct mp_event e;

	event(self, MP_EVENT_COMM, pid, &e);
	snprintf(e.comm.name, sizeof(e.comm.name), "%s", comm);
	e.comm.exec = exec;
	mp_merge_add(&self->merge, &e);
}

static inline void map(FIXTURE_DATA(merge) *self, uint32_t pid, const char *path,
		uint64_t at)
{
	struct mp_merge_file file = { .inode = 1, .dev = 2 };
	struct mp_event e;

	event(self, MP_EVENT_MAP, pid, &e);
	mp_merge_file(&self->merge, path, &file, &e.map.file);
	e.map.start = at;
	e.map.size = PROGRAM_SIZE;
	mp_merge_add(&self->merge, &e);
}

static inline void alloc(FIXTURE_DATA(merge) *self, uint32_t pid, uint64_t ptr,
		  uint64_t size, const uint64_t *frames, uint32_t nr)
{
	struct mp_event e;

	event(self, MP_EVENT_ALLOC, pid, &e);
	e.stack = mp_merge_stack(&self->merge, frames, nr);
	e.alloc.ptr = ptr;
	e.alloc.size = e.alloc.space = size;
	e.alloc.objects = MP_HEAP_ONE;
	mp_merge_add(&self->merge, &e);
}

static inline void tell(FIXTURE_DATA(merge) *self, uint16_t kind, uint32_t pid,
		 uint32_t parent)
{
	struct mp_event e;

	event(self, kind, pid, &e);
	e.fork.parent = parent;
	mp_merge_add(&self->merge, &e);
}

#endif

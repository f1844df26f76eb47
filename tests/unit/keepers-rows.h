/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * keepers-rows: a process and its callsites, for tests of who keeps what they allocate
 */
#ifndef KEEPERS_ROWS_H
#define KEEPERS_ROWS_H

#include "keepers.h"

#include "kselftest_harness.h"

#define MB	(1 << 20)
#define RATE	(16 << 10)

/* A process that ran before the session, and the callsites of a test */
FIXTURE(keepers)
{
	struct mp_profile sites;
	struct mp_meta meta;
	struct mp_row process;
};

FIXTURE_SETUP(keepers)
{
	self->sites = (struct mp_profile){ 0 };
	self->meta = (struct mp_meta){ .status.start_ns = 10, .alloc.rate = RATE };
	self->process = (struct mp_row){ .kind = MP_ROW_PROCESS, .pid = 1, .start_ns = 5 };
}

FIXTURE_TEARDOWN(keepers)
{
	mp_profile_free(&self->sites);
}

/* A callsite: MB that live and of which are old, and frees in 100 allocations */
#define add(live_mb, old_mb, frees) add_site(self, live_mb, old_mb, frees)

static inline struct mp_row *add_site(FIXTURE_DATA(keepers) *self, uint64_t live, uint64_t old,
			       uint64_t frees)
{
	struct mp_row row = { .kind = MP_ROW_SITE, .pid = 1 };

	row.location.offset = self->sites.nr_rows + 1;
	row.value[MP_ALLOC_OBJECTS] = 100;
	row.value[MP_FREE_OBJECTS] = frees;
	row.value[MP_INUSE_SPACE] = live * MB;
	row.value[MP_AT_EXIT] = live * MB;
	row.value[MP_OLD_SPACE] = old * MB;
	self->process.value[MP_INUSE_SPACE] += live * MB;
	mp_profile_add(&self->sites, &row);
	return &self->sites.rows[self->sites.nr_rows - 1];
}

static inline uint64_t add_frame(FIXTURE_DATA(keepers) *self, const char *name, uint64_t offset)
{
	struct mp_profile *sites = &self->sites;
	struct mp_line line = {
		.function = mp_names_add(&sites->symbols.names, name), .file = MP_NAMES_NONE,
	};
	const uint32_t number = mp_frames_add(&sites->frames, 0, 0, offset);

	sites->frames.list[number].first = (uint32_t)sites->symbols.nr_lines;
	sites->frames.list[number].nr = 1;
	mp_symbols_add(&sites->symbols, &line);
	return MP_FRAMES_FIRST + (uint64_t)number;
}

/* Gives a callsite the name of its function. */
static inline void put_in_function(FIXTURE_DATA(keepers) *self, size_t site, const char *name)
{
	const uint64_t frame = add_frame(self, name, site);

	self->sites.rows[site].location.stack =
		mp_stacks_add(&self->sites.frames.stacks, &frame, 1) + 1;
}

/* A stack: @wrapper, called by "between", called by @caller; the wrapper is the callsite. */
static inline void add_stack_of(FIXTURE_DATA(keepers) *self, const char *wrapper, const char *caller,
			 uint64_t live, uint64_t old, uint64_t frees)
{
	const uint64_t at = 100 * (self->sites.nr_rows + 1), frames[] = {
		add_frame(self, wrapper, at), add_frame(self, "between", at + 1),
		add_frame(self, caller, at + 2),
	};
	struct mp_row *row = add_site(self, live, old, frees);

	self->process.value[MP_INUSE_SPACE] -= live * MB;
	row->kind = MP_ROW_STACK;
	row->location.stack = mp_stacks_add(&self->sites.frames.stacks, frames, 3) + 1;
}

static inline void add_stack(FIXTURE_DATA(keepers) *self, const char *caller, uint64_t live,
		      uint64_t old, uint64_t frees)
{
	add_stack_of(self, "wrapper", caller, live, old, frees);
}

static inline struct mp_keepers find(FIXTURE_DATA(keepers) *self, int64_t grown_mb)
{
	self->process.value[MP_RESIDENT] = 100 * MB;
	self->process.value[MP_RESIDENT_DELTA] = (uint64_t)(grown_mb * MB);
	return mp_keepers_find(&self->sites, &self->meta, &self->process, true);
}

#endif

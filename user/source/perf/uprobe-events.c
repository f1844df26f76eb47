// SPDX-License-Identifier: GPL-2.0-only
/*
 * uprobe-events: what the uprobe of an allocator's function records
 *
 * At a function's entry the arguments are in the registers of the ABI. The return address
 * is on top of the stack on x86, and in register x30 on arm64.
 */
#include "uprobe-events.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* Frames that are copied; an event can have 64 words. */
#define NR_FRAMES	64

#if defined(__x86_64__)
#define ARG0	"%di"
#define ARG1	"%si"
#define ARG2	"%dx"
#define ARG3	"%cx"
#define SP	" sp=%sp"
#define ENTRY	" ra=+0(%sp)" SP
#define RETURN	SP

static const char * const registers[] = {
	"%ax", "%bx", "%cx", "%dx", "%si", "%di", "%bp", "%sp", "%ip", NULL,
	NULL, NULL, NULL, NULL, NULL, NULL, "%r8", "%r9", "%r10", "%r11",
	"%r12", "%r13", "%r14", "%r15",
};
#else
#define ARG0	"%x0"
#define ARG1	"%x1"
#define ARG2	"%x2"
#define ARG3	"%x3"
#define SP	" sp=%sp"
#define ENTRY	" ra=%x30" SP
/* a return does not pop anything */
#define RETURN	" entry_sp=%sp"

static const char * const registers[] = {
	"%x0", "%x1", "%x2", "%x3", "%x4", "%x5", "%x6", "%x7", "%x8", "%x9",
	"%x10", "%x11", "%x12", "%x13", "%x14", "%x15", "%x16", "%x17", "%x18",
	"%x19", "%x20", "%x21", "%x22", "%x23", "%x24", "%x25", "%x26", "%x27",
	"%x28", "%x29", "%x30", "%sp",
};
#endif

/* Event names and fetched arguments for each enum memprof_func. */
static const struct {
	const char *name;
	const char *args;
} functions[] = {
	[MEMPROF_FUNC_MALLOC] = { "malloc", "size=" ARG0 ENTRY },
	[MEMPROF_FUNC_CALLOC] = { "calloc", "count=" ARG0 " size=" ARG1 ENTRY },
	[MEMPROF_FUNC_REALLOC] = { "realloc", "old=" ARG0 " size=" ARG1 ENTRY },
	[MEMPROF_FUNC_REALLOCARRAY] = {
		"reallocarray", "old=" ARG0 " count=" ARG1 " size=" ARG2 ENTRY },
	[MEMPROF_FUNC_MEMALIGN] = { "memalign", "size=" ARG1 ENTRY },
	[MEMPROF_FUNC_POSIX_MEMALIGN] = {
		"posix_memalign", "size=" ARG2 ENTRY },
	[MEMPROF_FUNC_FREE] = { "free", "ptr=" ARG0 ENTRY },
	[MEMPROF_FUNC_RUST_REALLOC] = {
		"rust_realloc", "old=" ARG0 " size=" ARG3 ENTRY },
	[MEMPROF_FUNC_USDT_ALLOC] = { "usdt_alloc", NULL },
	[MEMPROF_FUNC_USDT_FREE] = { "usdt_free", NULL },
};

/* Adds " NAME=" and a constant, a register, or memory that a register points to. */
static int add_arg(char *to, size_t room, const char *name,
		   const struct memprof_probe_arg *arg)
{
	size_t nr = sizeof(registers) / sizeof(registers[0]);
	const char *reg = arg->reg < nr ? registers[arg->reg] : NULL;

	if (arg->kind == 0)
		return snprintf(to, room, " %s=\\%" PRId64, name,
				(int64_t)arg->value);
	if (!reg)
		return -1;
	if (arg->kind == 1)
		return snprintf(to, room, " %s=%s", name, reg);
	return snprintf(to, room, " %s=%+" PRId64 "(%s)", name,
			(int64_t)arg->value, reg);
}

/* Adds " NAME=" and the words that an argument points to; an event can have 64. */
static int add_words(char *to, size_t room, const char *name, size_t nr_words,
		     const struct memprof_probe_arg *arg)
{
	size_t nr = sizeof(registers) / sizeof(registers[0]);
	const char *reg = arg->reg < nr ? registers[arg->reg] : NULL;
	const char *indirect = arg->kind == 2 ? "+0(" : "";

	if (!arg->kind || !reg)
		return -1;
	return snprintf(to, room, " %s=%s%+" PRId64 "(%s)%s:x64[%zu]", name, indirect,
			arg->kind == 2 ? (int64_t)arg->value : 0, reg,
			*indirect ? ")" : "", nr_words);
}

static int static_args(const struct mp_uprobe *probe, char *to, size_t room)
{
	static const char * const names[] = {
		"ptr", "size", "weight", "callsite", "frames", "nr_frames",
	};
	enum { FRAMES = 4, ALL = 6 };
	const bool allocates = probe->func == MEMPROF_FUNC_USDT_ALLOC;
	uint32_t i, nr = allocates ? 3 : 1;
	int got;

	if (allocates && probe->nr_args == ALL)
		nr = ALL;
	for (i = 0; i < nr; i++) {
		got = i == FRAMES ? add_words(to, room, names[i], NR_FRAMES,
					 &probe->args[i]) :
			       add_arg(to, room, names[i], &probe->args[i]);
		if (got < 0 || (size_t)got >= room)
			return -EOPNOTSUPP;
		to += got;
		room -= (size_t)got;
	}
	return 0;
}

static int fetch(const struct mp_uprobe *probe, bool at_return, char *to,
		 size_t room)
{
	if (!at_return && probe->func >= MEMPROF_FUNC_USDT_ALLOC)
		return static_args(probe, to, room);
	snprintf(to, room, " %s", at_return ? "ptr=$retval" RETURN :
					      functions[probe->func].args);
	return 0;
}

/* @kind is p (entry) or r (return). A counter makes the event names unique. */
static int make(const char *kind, const char *name, const char *path, uint64_t offset,
		uint64_t ref_ctr_offset, const char *args, struct mp_trace_event *event)
{
	static unsigned int made;
	char full[MP_EVENT_NAME_SIZE], place[PATH_MAX + 64], ref[32] = "";

	if (strpbrk(path, " \t\n:"))
		return -EINVAL;
	snprintf(full, sizeof(full), "%s_%u%s", name, made++,
		 *kind == 'r' ? "__return" : "");
	if (ref_ctr_offset)
		snprintf(ref, sizeof(ref), "(0x%" PRIx64 ")", ref_ctr_offset);
	snprintf(place, sizeof(place), "%s:0x%" PRIx64 "%s", path, offset, ref);
	return mp_dynamic_event_make("uprobe_events", kind, full, place, args, event);
}

int mp_uprobe_event_make(const struct mp_uprobe *probe, bool at_return,
			 struct mp_trace_event *event)
{
	char args[256];
	int err = fetch(probe, at_return, args, sizeof(args));

	return err ? err : make(at_return ? "r" : "p",
				functions[probe->func].name, probe->path,
				probe->offset, probe->ref_ctr_offset, args,
				event);
}

int mp_uprobe_record_make(const char *name, const char *path,
			  const struct mp_section_point *point, size_t size,
			  struct mp_trace_event *event)
{
	char args[128];

	if (add_words(args, sizeof(args), "record", size / 8, &point->record) < 0)
		return -EOPNOTSUPP;
	return make("p", name, path, point->offset, point->ref_ctr_offset, args, event);
}

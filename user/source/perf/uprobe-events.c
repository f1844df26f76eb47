// SPDX-License-Identifier: GPL-2.0-only
/*
 * uprobe-events: creates and removes uprobes through uprobe_events in tracefs
 *
 * Creating an event takes about 20 ms. At a function's entry the arguments are
 * in the registers of the ABI. The return address is on top of the stack on
 * x86, and in register x30 on arm64.
 */
#include "uprobe-events.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tracefs.h>
#include <unistd.h>

#define GROUP		"memprof_"
/* Frames that are copied; an event can have 64 words. */
#define NR_FRAMES	64
#define LINE_SIZE	(4096 + 512)

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

/*
 * Removes the events of the groups that @is_ours selects. Returns their number. Each attempt
 * can take 50 ms. If an event is in use, a child of its dead owner still closes it, see
 * mp_tracer_close_later(), and will remove all of the group.
 */
static size_t remove_all(bool (*is_ours)(const char *group, pid_t owner), pid_t owner)
{
	unsigned int types = TRACEFS_DYNEVENT_UPROBE |
			     TRACEFS_DYNEVENT_URETPROBE;
	struct tracefs_dynevent **all = tracefs_dynevent_get_all(types, NULL);
	char *group, *busy = NULL;
	size_t nr = 0;
	int i;

	for (i = 0; all && all[i]; i++) {
		group = NULL;
		tracefs_dynevent_info(all[i], &group, NULL, NULL, NULL, NULL);
		if (group && !strncmp(group, GROUP, strlen(GROUP)) &&
		    (!busy || strcmp(busy, group)) &&
		    is_ours(group + strlen(GROUP), owner)) {
			if (!tracefs_dynevent_destroy(all[i], false)) {
				nr++;
			} else if (errno == EBUSY) {
				free(busy);
				busy = group;
				group = NULL;
			}
		}
		free(group);
	}
	free(busy);
	tracefs_dynevent_list_free(all);
	return nr;
}

static bool is_of(const char *group, pid_t owner)
{
	char *end;

	return strtol(group, &end, 10) == owner && !*end;
}

/* Also what an earlier process with the id of this one has left. */
static bool is_left_behind(const char *group, pid_t self)
{
	char *end;
	long pid = strtol(group, &end, 10);

	return pid > 0 && !*end && (pid == self || (kill((pid_t)pid, 0) && errno == ESRCH));
}

size_t mp_uprobe_events_sweep(void)
{
	return remove_all(is_left_behind, getpid());
}

void mp_uprobe_events_remove(pid_t owner)
{
	remove_all(is_of, owner);
}

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
static int make(char kind, const char *name, const char *path, uint64_t offset,
		uint64_t ref_ctr_offset, const char *args,
		struct mp_uprobe_event *event)
{
	static unsigned int made;
	char line[LINE_SIZE], ref[32] = "";
	int len;

	if (strpbrk(path, " \t\n:"))
		return -EINVAL;
	snprintf(event->system, sizeof(event->system), GROUP "%d",
		 (int)getpid());
	snprintf(event->name, sizeof(event->name), "%s_%u%s", name, made++,
		 kind == 'r' ? "__return" : "");
	if (ref_ctr_offset)
		snprintf(ref, sizeof(ref), "(0x%" PRIx64 ")", ref_ctr_offset);
	len = snprintf(line, sizeof(line), "%c:%s/%s %s:0x%" PRIx64 "%s%s\n",
		       kind, event->system, event->name, path, offset, ref,
		       args);
	if (len >= (int)sizeof(line))
		return -ENAMETOOLONG;
	errno = EIO;
	if (tracefs_instance_file_append(NULL, "uprobe_events", line) != len)
		return -errno;
	return mp_tracepoint_format(event->system, event->name,
				    &event->format);
}

int mp_uprobe_event_make(const struct mp_uprobe *probe, bool at_return,
			 struct mp_uprobe_event *event)
{
	char args[256];
	int err = fetch(probe, at_return, args, sizeof(args));

	return err ? err : make(at_return ? 'r' : 'p',
				functions[probe->func].name, probe->path,
				probe->offset, probe->ref_ctr_offset, args,
				event);
}

int mp_uprobe_record_make(const char *name, const char *path,
			  const struct mp_section_point *point, size_t size,
			  struct mp_uprobe_event *event)
{
	char args[128];

	if (add_words(args, sizeof(args), "record", size / 8, &point->record) < 0)
		return -EOPNOTSUPP;
	return make('p', name, path, point->offset, point->ref_ctr_offset, args, event);
}

int mp_tracepoint_format(const char *system, const char *name,
			 struct mp_format *format)
{
	char *text = mp_tracepoint_text(system, name);
	int err = text && mp_format_parse(format, text) ? 0 : -ENOENT;

	free(text);
	return err;
}

char *mp_tracing_text(const char *name)
{
	return tracefs_instance_file_read(NULL, name, NULL);
}

char *mp_tracepoint_text(const char *system, const char *name)
{
	return tracefs_event_file_read(NULL, system, name, "format", NULL);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * python-processes: finds interpreters in processes
 *
 * The finder tells which binaries have one. A process that maps such a binary has the
 * interpreter where it maps that part of the file. The module is told once per process
 * and program; it follows forks itself.
 */
#include "python-processes.h"
#include "array.h"
#include "kmod.h"
#include "maps.h"
#include "process-memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Limits of binaries with an interpreter, and of processes. */
#define MAX_FILES	64
#define MAX_PROCESSES	(1U << 16)

void mp_python_processes_file(struct mp_python_processes *processes,
			      const struct mp_found *found)
{
	const struct mp_python_point *point = &found->scan->python;
	struct stat st;

	if (!processes->device || !point->runtime || !point->code_type || !point->eval ||
	    processes->nr_files == MAX_FILES || fstat(found->fd, &st))
		return;
	if (processes->nr_files == processes->max_files &&
	    !mp_array_grow(&processes->files, &processes->max_files,
			   sizeof(*processes->files)))
		return;
	processes->files[processes->nr_files++] = (struct mp_python_file){
		.dev = st.st_dev, .inode = st.st_ino, .point = *point,
	};
}

bool mp_python_processes_has(const struct mp_python_processes *processes, uint64_t inode)
{
	size_t i;

	for (i = 0; i < processes->nr_files; i++)
		if (processes->files[i].inode == inode)
			return true;
	return false;
}

/* Addresses of a process to find. @offset: in the file; @address: out; 0: not mapped */
struct place {
	uint64_t offset, address;
};

enum { RUNTIME, CODE_TYPE, EVAL, NR_PLACES };

struct search {
	uint64_t inode;
	struct place places[NR_PLACES];
};

static int search_line(void *context, pid_t pid, const struct mp_map_line *line)
{
	struct search *search = context;
	struct place *place;

	(void)pid;
	if (line->inode != search->inode)
		return 0;
	for (place = search->places; place < search->places + NR_PLACES; place++)
		if (!place->address && place->offset >= line->offset &&
		    place->offset - line->offset < line->end - line->start)
			place->address = line->start + (place->offset - line->offset);
	return 0;
}

static bool read_layout(pid_t pid, const struct mp_python_file *file,
			struct mp_python_process *process)
{
	const struct mp_python_layout *known = mp_python_layout_of(file->point.version);
	char begin[MP_PYTHON_DECLARED];

	if (known) {
		process->layout = *known;
		return true;
	}
	return mp_process_read(pid, process->runtime, begin, sizeof(begin)) &&
	       mp_python_layout_declared(begin, &process->layout);
}

static uint32_t largest(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static int tell_module(const struct mp_python_processes *processes, pid_t pid,
		       const struct mp_python_process *process, uint64_t eval, uint64_t size)
{
	const struct mp_python_layout *is = &process->layout;
	const struct memprof_python arg = {
		.pid = (uint32_t)pid, .runtime = process->runtime,
		.eval_start = eval, .eval_end = eval + size,
		.runtime_interpreters = is->runtime.interpreters,
		.interpreter_next = is->interpreter.next,
		.interpreter_threads = is->interpreter.threads,
		.thread_next = is->thread.next, .thread_id = is->thread.native,
		.thread_self = is->thread.id,
		.thread_control = is->thread.control, .control_frame = is->control_frame,
		.frame_size = largest(largest(is->frame.previous, is->frame.code),
				      largest(is->frame.instr, is->frame.mark & ~7U)) + 8,
		.frame_previous = is->frame.previous, .frame_code = is->frame.code,
		.frame_instr = is->frame.instr, .frame_mark = is->frame.mark,
		.mark_value = is->frame.mark_value,
	};

	return mp_dev_python(processes->device, &arg);
}

static void remember(struct mp_python_processes *processes, pid_t pid,
		     const struct mp_python_process *process)
{
	uint32_t *known;

	if (processes->nr == processes->max &&
	    !mp_array_grow(&processes->list, &processes->max, sizeof(*processes->list)))
		return;
	/* processes that ended long ago are looked for again, and are not found */
	if (processes->nr == MAX_PROCESSES) {
		mp_map_free(&processes->by_pid);
		processes->nr = 0;
	}
	known = mp_map_add(&processes->by_pid, (uint64_t)pid, 0);
	if (!known)
		return;
	if (*known == MP_MAP_NEW)
		*known = (uint32_t)processes->nr++;
	processes->list[*known] = *process;
}

static void meet_file(struct mp_python_processes *processes, pid_t pid,
		      const struct mp_python_file *file)
{
	struct search search = {
		.inode = file->inode,
		.places = {
			[RUNTIME] = { .offset = file->point.runtime },
			[CODE_TYPE] = { .offset = file->point.code_type },
			[EVAL] = { .offset = file->point.eval },
		},
	};
	struct mp_python_process process = { 0 };
	int err;

	if (mp_maps_each(pid, search_line, &search))
		return;
	process.runtime = search.places[RUNTIME].address;
	process.code_type = search.places[CODE_TYPE].address;
	/* the loader has not mapped all of it yet */
	if (!process.runtime || !process.code_type || !search.places[EVAL].address)
		return;
	if (!read_layout(pid, file, &process)) {
		processes->nr_unknown++;
		return;
	}
	err = tell_module(processes, pid, &process, search.places[EVAL].address,
			  file->point.eval_size);
	if (!err || err == -EEXIST)
		remember(processes, pid, &process);
}

void mp_python_processes_meet(struct mp_python_processes *processes, pid_t pid, uint64_t dev,
			      uint64_t inode)
{
	size_t i;

	for (i = 0; i < processes->nr_files; i++)
		if (processes->files[i].inode == inode && processes->files[i].dev == dev)
			meet_file(processes, pid, &processes->files[i]);
}

const struct mp_python_process *
mp_python_processes_find(struct mp_python_processes *processes, pid_t pid)
{
	const uint32_t *known = mp_map_find(&processes->by_pid, (uint64_t)pid, 0);
	size_t i;

	for (i = 0; !known && i < processes->nr_files; i++) {
		meet_file(processes, pid, &processes->files[i]);
		known = mp_map_find(&processes->by_pid, (uint64_t)pid, 0);
	}
	return known ? &processes->list[*known] : NULL;
}

void mp_python_processes_free(struct mp_python_processes *processes)
{
	free(processes->files);
	free(processes->list);
	mp_map_free(&processes->by_pid);
	*processes = (struct mp_python_processes){ 0 };
}

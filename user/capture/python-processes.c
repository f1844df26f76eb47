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
#include "clock.h"
#include "kmod.h"
#include "maps.h"
#include "process.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Limits of binaries with an interpreter, and of processes. */
#define MAX_FILES	64
#define MAX_PROCESSES	(1U << 16)

/* Limit of children that are met with their parent. */
#define MAX_CHILDREN	1024

/* Time between two looks at a process that has no interpreter. */
#define PATIENCE_NS	1000000000ULL

static bool is_same(const struct mp_python_file *file, const struct stat *st,
		    const struct mp_python_point *point)
{
	return file->inode == st->st_ino && !memcmp(&file->point, point, sizeof(*point));
}

/* The file's element, or one that it can have: each container has a device of its own. */
static struct mp_python_file *element_for(struct mp_python_processes *processes,
					  const struct stat *st,
					  const struct mp_python_point *point)
{
	size_t i;

	for (i = 0; i < processes->nr_files; i++)
		if (is_same(&processes->files[i], st, point))
			return &processes->files[i];
	if (processes->nr_files == MAX_FILES)
		return &processes->files[processes->next_file++ % MAX_FILES];
	if (processes->nr_files == processes->max_files &&
	    !mp_array_grow(&processes->files, &processes->max_files,
			   sizeof(*processes->files)))
		return NULL;
	return &processes->files[processes->nr_files++];
}

void mp_python_processes_file(struct mp_python_processes *processes,
			      const struct mp_found *found)
{
	const struct mp_python_point *point = &found->scan->python;
	struct mp_python_file *file;
	struct stat st;

	if (!processes->device || !point->runtime || !point->code_type || !point->eval ||
	    fstat(found->fd, &st))
		return;
	file = element_for(processes, &st, point);
	if (file)
		*file = (struct mp_python_file){
			.dev = st.st_dev, .inode = st.st_ino, .mapped = st.st_ino,
			.point = *point,
		};
}

bool mp_python_processes_has(const struct mp_python_processes *processes, uint64_t inode)
{
	size_t i;

	for (i = 0; i < processes->nr_files; i++)
		if (processes->files[i].inode == inode || processes->files[i].mapped == inode)
			return true;
	return false;
}

/* Addresses of a process to find. @offset: in the file; @address: out; 0: not mapped */
struct place {
	uint64_t offset, address;
};

enum { RUNTIME, CODE_TYPE, EVAL, NR_PLACES };

struct search {
	const struct mp_python_file *file;
	struct place places[NR_PLACES];
};

static int search_line(void *context, pid_t pid, const struct mp_map_line *line)
{
	struct search *search = context;
	struct place *place;

	(void)pid;
	if (line->inode != search->file->inode && line->inode != search->file->mapped)
		return 0;
	for (place = search->places; place < search->places + NR_PLACES; place++)
		if (!place->address && place->offset >= line->offset &&
		    place->offset - line->offset < line->end - line->start)
			place->address = line->start + (place->offset - line->offset);
	return 0;
}

static bool read_layout(struct mp_python_processes *processes, pid_t pid,
			const struct mp_python_file *file, struct mp_python_process *process)
{
	const struct mp_python_layout *known = mp_python_layout_of(file->point.version);
	char begin[MP_PYTHON_DECLARED];

	if (known) {
		process->layout = *known;
		return true;
	}
	return mp_process_read(&processes->memory, pid, process->runtime, begin,
			       sizeof(begin)) &&
	       mp_python_layout_declared(begin, &process->layout);
}

static uint32_t largest(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static int tell_module(const struct mp_python_processes *processes, pid_t pid,
		       const struct mp_python_process *process, uint64_t eval, uint64_t size)
{
	/* of the two ids, the layout's "id" is that of pthread_self() */
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
		.frame_size = (largest(largest(is->frame.previous, is->frame.code),
				       largest(is->frame.instr, is->frame.mark & ~7U)) + 15) & ~7U,
		.frame_previous = is->frame.previous, .frame_code = is->frame.code,
		.frame_instr = is->frame.instr, .frame_mark = is->frame.mark,
		.mark_value = is->frame.mark_value,
	};

	return mp_dev_python(processes->device, &arg);
}

static uint64_t start_of(pid_t pid)
{
	uint64_t start_ns, resident;

	return mp_process_start(pid, &start_ns, &resident) ? start_ns : 0;
}

static bool is_known(const struct mp_python_processes *processes, pid_t pid)
{
	const uint32_t *known = mp_map_find(&processes->by_pid, (uint64_t)pid, 0);

	return known && processes->list[*known].code_type;
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
		      const struct mp_python_file *file);

/* Children that were made before the module knew of the interpreter do not inherit it. */
static void meet_children(struct mp_python_processes *processes, pid_t pid,
			  const struct mp_python_file *file)
{
	char path[64];
	FILE *children;
	int child, nr;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)pid);
	children = fopen(path, "re");
	for (nr = 0; children && nr < MAX_CHILDREN && fscanf(children, "%d", &child) == 1; nr++)
		meet_file(processes, child, file);
	if (children)
		fclose(children);
}

static void meet_file(struct mp_python_processes *processes, pid_t pid,
		      const struct mp_python_file *file)
{
	struct search search = {
		.file = file,
		.places = {
			[RUNTIME] = { .offset = file->point.runtime },
			[CODE_TYPE] = { .offset = file->point.code_type },
			[EVAL] = { .offset = file->point.eval },
		},
	};
	struct mp_python_process process = { .start = start_of(pid), .looked_ns = mp_clock_ns() };
	const uint64_t *const addresses[] = {
		&search.places[RUNTIME].address, &search.places[CODE_TYPE].address,
		&search.places[EVAL].address,
	};
	int err, nr;

	if (mp_maps_each(pid, search_line, &search))
		return;
	process.runtime = *addresses[RUNTIME];
	process.code_type = *addresses[CODE_TYPE];
	nr = !!*addresses[RUNTIME] + !!*addresses[CODE_TYPE] + !!*addresses[EVAL];
	if (nr < NR_PLACES) {
		/* the loader has not mapped all of it yet */
		processes->is_behind |= nr;
		return;
	}
	if (!read_layout(processes, pid, file, &process)) {
		processes->nr_unknown++;
		return;
	}
	err = tell_module(processes, pid, &process, *addresses[EVAL], file->point.eval_size);
	if (!err || (err == -EEXIST && !is_known(processes, pid)))
		remember(processes, pid, &process);
	if (!err)
		meet_children(processes, pid, file);
}

void mp_python_processes_meet(struct mp_python_processes *processes, pid_t pid,
			      const struct stat *st, const struct mp_exec_mapping *mapping)
{
	size_t i;

	for (i = 0; i < processes->nr_files; i++) {
		if (processes->files[i].inode != st->st_ino || processes->files[i].dev != st->st_dev)
			continue;
		processes->files[i].mapped = mapping->inode;
		meet_file(processes, pid, &processes->files[i]);
	}
}

/* Finds which of the files a process maps: the first mapping with an inode of one */
static int search_file(void *context, pid_t pid, const struct mp_map_line *line)
{
	const struct mp_python_processes *processes = context;
	size_t i;

	(void)pid;
	for (i = 0; line->inode && i < processes->nr_files; i++)
		if (processes->files[i].inode == line->inode ||
		    processes->files[i].mapped == line->inode)
			return (int)i + 1;
	return 0;
}

const struct mp_python_process *
mp_python_processes_find(struct mp_python_processes *processes, pid_t pid)
{
	const uint32_t *known = mp_map_find(&processes->by_pid, (uint64_t)pid, 0);
	const uint64_t now_ns = mp_clock_ns();
	int number;

	if (known && (processes->list[*known].code_type ||
		      processes->list[*known].looked_ns + PATIENCE_NS > now_ns ||
		      processes->list[*known].looked_ns == UINT64_MAX))
		return processes->list[*known].code_type ? &processes->list[*known] : NULL;
	remember(processes, pid, &(struct mp_python_process){ .looked_ns = now_ns });
	number = mp_maps_each(pid, search_file, processes);
	if (number > 0)
		meet_file(processes, pid, &processes->files[number - 1]);
	known = mp_map_find(&processes->by_pid, (uint64_t)pid, 0);
	return known && processes->list[*known].code_type ? &processes->list[*known] : NULL;
}

void mp_python_processes_doubt(struct mp_python_processes *processes, pid_t pid)
{
	const uint32_t *known = mp_map_find(&processes->by_pid, (uint64_t)pid, 0);
	struct mp_python_process *process = known ? &processes->list[*known] : NULL;

	if (process && processes->memory.has_hung)
		*process = (struct mp_python_process){ .looked_ns = UINT64_MAX };
	else if (process && process->start != start_of(pid))
		*process = (struct mp_python_process){ 0 };
}

void mp_python_processes_free(struct mp_python_processes *processes)
{
	free(processes->files);
	free(processes->list);
	mp_map_free(&processes->by_pid);
	mp_process_memory_close(&processes->memory);
	*processes = (struct mp_python_processes){ 0 };
}

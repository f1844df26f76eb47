// SPDX-License-Identifier: GPL-2.0-only
/*
 * thread-place: reads the system calls and the stack pointers of threads
 *
 * A thread costs 10 us. The kernel gives the place of a thread only to those who may
 * trace it, and only while the thread waits.
 */
#include "thread-place.h"
#include "process-file.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a thread does; the order is that in which threads are asked. */
enum place {
	PLACE_WAITS,
	PLACE_WAITS_SHORTLY,
	PLACE_RUNS,
	PLACE_UNKNOWN,
	NR_PLACES
};

struct thread_line {
	bool is_running, is_known;
	long number;
	uint64_t sp, pc;
};

static struct thread_line read_line(pid_t pid, pid_t tid)
{
	struct thread_line thread = { .number = -1 };
	char name[32], line[256], *sp, *pc;

	snprintf(name, sizeof(name), "task/%d/syscall", (int)tid);
	if (!mp_process_file_line(pid, name, "", line, sizeof(line)))
		return thread;
	thread.is_running = !strncmp(line, "running", 7);
	pc = strrchr(line, ' ');
	if (thread.is_running || !pc)
		return thread;
	*pc++ = '\0';
	sp = strrchr(line, ' ');
	thread.is_known = sp;
	thread.number = strtol(line, NULL, 10);
	thread.pc = strtoull(pc, NULL, 16);
	thread.sp = sp ? strtoull(sp + 1, NULL, 16) : 0;
	return thread;
}

/* Calls @take for each thread until it returns true; returns whether one did. */
static bool any_thread(pid_t pid, bool (*take)(void *context, pid_t pid, pid_t tid),
		       void *context)
{
	struct dirent *entry;
	bool found = false;
	char path[32];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	if (!dir)
		return false;
	while (!found && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			found = take(context, pid, (pid_t)atoi(entry->d_name));
	closedir(dir);
	return found;
}

struct range {
	uint64_t start, end;
};

static bool is_in(void *context, pid_t pid, pid_t tid)
{
	const struct range *range = context;
	struct thread_line thread = read_line(pid, tid);

	return thread.is_running ||
	       (thread.is_known &&
		((thread.sp >= range->start && thread.sp < range->end) ||
		 (thread.pc >= range->start && thread.pc < range->end)));
}

bool mp_any_thread_in(pid_t pid, uint64_t start, uint64_t end)
{
	struct range range = { start, end };

	return any_thread(pid, is_in, &range);
}

struct thread_list {
	const struct mp_machine *machine;
	pid_t tids[NR_PLACES][MP_THREADS_MAX];
	size_t nr[NR_PLACES], nr_all;
};

static bool sort_in(void *context, pid_t pid, pid_t tid)
{
	struct thread_list *list = context;
	struct thread_line thread = read_line(pid, tid);
	enum place place = PLACE_UNKNOWN;

	if (thread.is_running)
		place = PLACE_RUNS;
	else if (thread.is_known && list->machine->waits(thread.number))
		place = PLACE_WAITS;
	else if (thread.is_known && list->machine->waits_shortly(thread.number))
		place = PLACE_WAITS_SHORTLY;
	else if (thread.is_known)
		place = PLACE_RUNS;
	list->tids[place][list->nr[place]++] = tid;
	return ++list->nr_all == MP_THREADS_MAX;
}

size_t mp_threads_by_place(pid_t pid, const struct mp_machine *machine, pid_t *tids)
{
	static struct thread_list list;
	size_t nr = 0, i;

	list = (struct thread_list){ .machine = machine };
	any_thread(pid, sort_in, &list);
	for (i = 0; i < NR_PLACES; i++) {
		memcpy(tids + nr, list.tids[i], list.nr[i] * sizeof(*tids));
		nr += list.nr[i];
	}
	return nr;
}

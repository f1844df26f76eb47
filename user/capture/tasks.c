// SPDX-License-Identifier: GPL-2.0-only
/*
 * tasks: lists threads by reading /proc/PID/task
 *
 * New threads inherit events that are open. Threads that a target creates after
 * the list was made and before the events are open are missed.
 */
#include "tasks.h"
#include "array.h"
#include "process.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct list {
	const struct mp_prober *filter;
	int *tasks;
	size_t nr, max;
	int err;
};

static void add_task(struct list *list, int tid)
{
	if (list->nr == list->max &&
	    !mp_array_grow(&list->tasks, &list->max, sizeof(*list->tasks))) {
		list->err = -ENOMEM;
		return;
	}
	list->tasks[list->nr++] = tid;
}

static void add_process_tasks(void *context, pid_t pid)
{
	struct list *list = context;
	struct dirent *entry;
	char path[64];
	DIR *dir;

	/* our own events would make events, without an end */
	if (list->err || pid == getpid() || !mp_prober_wants(list->filter, pid))
		return;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	while (dir && !list->err && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			add_task(list, atoi(entry->d_name));
	if (dir)
		closedir(dir);
}

int mp_tasks_of(const struct mp_prober *filter, int **tasks, size_t *nr)
{
	struct list list = { .filter = filter };

	mp_process_each(add_process_tasks, &list);
	if (!list.err && !list.nr)
		list.err = -ESRCH;
	if (list.err)
		free(list.tasks);
	*tasks = list.err ? NULL : list.tasks;
	*nr = list.nr;
	return list.err;
}

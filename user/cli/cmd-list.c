// SPDX-License-Identifier: GPL-2.0-only
/*
 * list: shows the allocators of binaries and where their probes would be
 *
 * It examines the named binaries or processes, else the targets of a running
 * session, else all processes. It needs no module and changes nothing. A binary
 * without an allocator is shown only if it was named. A binary takes about a
 * tenth of a second.
 */
#include "alloc-fn.h"
#include "command.h"
#include "finder.h"
#include "list-samplers.h"
#include "listing.h"
#include "message.h"
#include "process.h"
#include "request.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PID		(4U << 20)
#define MAX_PIDS	64
#define MAX_BINARIES	256

struct list {
	struct mp_user_functions functions;
	pid_t pids[MAX_PIDS];
	unsigned int nr_pids;
	bool all;
	bool samplers;
	bool json;
	bool by_name;
	bool failed, has_heading;
	size_t nr_files;
	size_t nr_mallocs;
	unsigned int named;
};

static int add_pid(void *to, const struct mp_argument *argument)
{
	struct list *list = to;
	uint64_t pid;

	if (!mp_command_number(argument->value, 1, MAX_PID, &pid))
		return mp_misuse("list", "'%s' is not a process id", argument->value);
	if (list->nr_pids == MAX_PIDS)
		return mp_misuse("list", "-p is given more than %d times", MAX_PIDS);
	list->pids[list->nr_pids++] = pid;
	return 0;
}

static const struct mp_option options[] = {
	{ 'a', "all", NULL, NULL,
	  "the binaries of every process; the default without a session",
	  MP_FLAG(struct list, all) },
	{ 'p', "pid", "PID", NULL,
	  "the binaries whose code a process has mapped; repeatable",
	  .set = add_pid },
	{ 0, "samplers", NULL, NULL,
	  "which processes have libmemprof, and which could have it",
	  MP_FLAG(struct list, samplers) },
	{ 0, "alloc-fn", "NAME=KIND", NULL,
	  "NAME is an allocator function of this KIND; repeatable",
	  MP_SET(struct list, functions, mp_alloc_fn_take) },
	{ 'j', "json", NULL, NULL, "one JSON object a binary and line",
	  MP_FLAG(struct list, json) },
	MP_OPTION_HELP,
	{ 0 },
};

static void count_points(struct list *list, const struct mp_scan *scan)
{
	uint32_t i, j;

	list->nr_files++;
	for (i = 0; i < scan->nr_points; i++) {
		list->nr_mallocs += !strcmp(scan->points[i].name, "malloc");
		for (j = 0; j < list->functions.nr; j++)
			if (!strcmp(scan->points[i].name,
				    list->functions.list[j].name))
				list->named |= 1U << j;
	}
}

/* Above the first binary. */
static void print_heading(struct list *list)
{
	if (!list->json && !list->has_heading)
		mp_listing_begin(stdout);
	list->has_heading = true;
}

static void show_found(void *context, const struct mp_found *show_found)
{
	struct list *list = context;

	count_points(list, show_found->scan);
	if (!list->by_name && !show_found->scan->nr_points &&
	    !show_found->scan->nr_remarks)
		return;
	print_heading(list);
	if (list->json)
		mp_listing_json(stdout, show_found->path, show_found->scan);
	else
		mp_listing_print(stdout, show_found->path, show_found->scan);
}

static void show_skipped(void *context, const char *path, const char *why)
{
	struct list *list = context;

	list->failed |= list->by_name;
	if (!list->by_name)
		print_heading(list);
	if (list->by_name)
		mp_fail(0, NULL, "cannot examine %s: %s", path, why);
	else if (list->json)
		mp_listing_json_skipped(stdout, path, why);
	else
		mp_listing_skipped(stdout, path, why);
}

static int list_binaries(struct mp_finder *finder, int argc, char **argv)
{
	struct list *list = finder->context;
	int i, err;

	list->by_name = true;
	for (i = optind; i < argc; i++) {
		err = mp_finder_file(finder, argv[i]);
		if (err)
			mp_fail(err, NULL, "cannot open %s", argv[i]);
		list->failed |= err;
	}
	return 0;
}

static int list_processes(struct mp_finder *finder)
{
	struct list *list = finder->context;
	unsigned int i;
	int err;

	list->by_name = false;
	for (i = 0; i < list->nr_pids; i++) {
		err = mp_finder_process(finder, list->pids[i]);
		if (err)
			mp_fail(err, err == -EACCES || err == -EPERM ?
				"run as root, or as its user" : NULL,
				"cannot read the mappings of process %d",
				(int)list->pids[i]);
		list->failed |= err;
	}
	return 0;
}

/* Calls that are sampled inside the processes cost no trap. */
static void list_sampled(const struct mp_profile *profile)
{
	pid_t *pids = calloc(profile->nr_rows + 1, sizeof(*pids));
	unsigned int nr = 0;
	size_t i;

	if (!pids)
		return;
	for (i = 0; i < profile->nr_rows; i++)
		if (!mp_process_has_ended((pid_t)profile->rows[i].pid))
			pids[nr++] = (pid_t)profile->rows[i].pid;
	puts("allocations are sampled by the library inside these processes, without a trap for each call:");
	if (nr)
		mp_list_samplers(pids, nr, false);
	puts("memprofctl list -p PID shows the functions of a process, and what a trap in each would cost");
	free(pids);
}

static void list_targets(struct mp_finder *finder,
			 const struct mp_profile *profile)
{
	struct list *list = finder->context;
	size_t i;

	if (!list->json)
		printf("targets of the running session: %s\n",
		       profile->meta.targets);
	if (!list->json && profile->meta.alloc.nr_samplers) {
		list_sampled(profile);
		return;
	}
	/* a target that exited is skipped */
	for (i = 0; i < profile->nr_rows; i++)
		mp_finder_process(finder, (pid_t)profile->rows[i].pid);
}

/* Lists the targets of a session that probes allocators, else all processes. */
static int list_default(struct mp_finder *finder)
{
	struct list *list = finder->context;
	struct mp_profile profile = { 0 };
	bool running = false;
	struct mp_diag diag = { 0 };
	int status, nr;

	if (!list->all)
		mp_request_if_running("targets", &profile, &running, &diag);
	status = mp_message_diag(&diag, "list");
	if (!status && running && profile.meta.alloc.rate) {
		list_targets(finder, &profile);
	} else if (!status) {
		nr = mp_finder_machine(finder, NULL, NULL);
		if (nr < 0)
			status = mp_fail(nr, NULL, "cannot read /proc");
	}
	mp_profile_free(&profile);
	return status;
}

/* Prints the remarks that are about all binaries. */
static void print_closing(const struct list *list)
{
	const struct mp_point any = { .trap = MP_TRAP_EMULATED };
	unsigned int i;

	for (i = 0; i < list->functions.nr; i++)
		if (!(list->named & 1U << i))
			mp_fail(0, "is the name the mangled one?",
				"no binary defines %s",
				list->functions.list[i].name);
	if (list->json)
		return;
	if (list->nr_mallocs > 1 && list->nr_pids == 1)
		puts("\nSeveral binaries of this process define malloc: the program's calls go to the\n"
		     "first one that its loader found. All are probed.");
	if (mp_point_cost_ns(&any))
		puts("\nCosts are for each call, in a virtual machine; on bare metal stepping costs less.");
}

static int list_all(struct list *list, int argc, char **argv)
{
	struct mp_finder finder = {
		.user = &list->functions,
		.found = show_found,
		.skipped = show_skipped,
		.context = list,
	};
	bool named = optind < argc || list->nr_pids;
	int status = 0;

	if (list->all && named)
		return mp_misuse("list", "-a means every process: -p and BINARY cannot be used with it");
	if (list->samplers)
		return optind < argc ?
		       mp_misuse("list", "--samplers shows processes: no BINARY goes with it") :
		       mp_list_samplers(list->pids, list->nr_pids, list->json);
	if (named) {
		list_binaries(&finder, argc, argv);
		list_processes(&finder);
	} else {
		status = list_default(&finder);
	}
	mp_finder_free(&finder);
	if (status)
		return status;
	if (list->nr_files)
		print_closing(list);
	return list->failed ? MP_EXIT_FAILURE : 0;
}

static int run(const struct mp_command *command, int argc, char **argv)
{
	struct list list = { 0 };
	int status = mp_command_parse(command, argc, argv, &list);

	return status == MP_PARSED ? list_all(&list, argc, argv) : status;
}

const struct mp_command mp_cmd_list = {
	.heading = "programs and their parts:",
	.name = "list",
	.summary = "show allocators and where their probes would go",
	.usage = "[-a | -p PID... | BINARY...] [--samplers] [--alloc-fn NAME=KIND] [--json]",
	.options = options,
	.nr_operands = MAX_BINARIES,
	.run = run,
};

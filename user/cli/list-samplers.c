// SPDX-License-Identifier: GPL-2.0-only
/*
 * list-samplers: shows which processes have libmemprof, and which could have it
 *
 * It reads /proc only. A process costs some tenths of a millisecond.
 */
#include "list-samplers.h"
#include "inject.h"
#include "json-object.h"
#include "message.h"
#include "process-file.h"
#include "process.h"
#include "text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct listing {
	bool json;
	bool named;
	int status;
};

static void print_line(pid_t pid, const char *comm, const char *state, const char *why)
{
	printf("%7d  %-15s  %-9s  %s\n", (int)pid, comm, state, why);
}

static void print_json(pid_t pid, const char *comm, const char *state, const char *why)
{
	struct json_object *line = mp_json_open("sampler");

	if (line) {
		mp_json_add_number(line, "pid", (uint64_t)pid);
		mp_json_add_text(line, "comm", comm);
		mp_json_add_text(line, "state", state);
		if (why[0])
			mp_json_add_text(line, "why", why);
	}
	mp_json_close(stdout, line);
}

static void list_process(void *context, pid_t pid)
{
	char comm[MP_PROCESS_COMM_SIZE] = "", name[4 * MP_PROCESS_COMM_SIZE];
	struct listing *listing = context;
	struct mp_diag why = { 0 };
	bool has = mp_inject_is_there(pid);
	int err = has ? 0 : mp_inject_check(pid, &why);

	if (err == -ESRCH) {
		if (listing->named)
			listing->status = mp_message_diag(&why, "list");
		return;
	}
	mp_process_comm(pid, comm);
	mp_text_escape(name, sizeof(name), comm, strlen(comm));
	(listing->json ? print_json : print_line)(pid, name, has ? "has it" :
						  err ? "cannot" : "can", why.text);
}

int mp_list_samplers(const pid_t *pids, unsigned int nr, bool json)
{
	struct listing listing = { .json = json, .named = nr };
	unsigned int i;
	int err = 0;

	if (!json)
		printf("%7s  %-15s  %-9s  %s\n", "PID", "COMM", "LIBRARY", "WHY NOT");
	for (i = 0; i < nr; i++)
		list_process(&listing, pids[i]);
	if (!nr)
		err = mp_process_each(list_process, &listing);
	return err ? mp_fail(err, NULL, "cannot read /proc") : listing.status;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * targets: checks target options and passes them to the kernel
 *
 * There are at most MEMPROF_MAX_TARGETS. If the kernel refuses a target, the
 * rest is not passed, and the caller closes the session.
 */
#include "targets.h"
#include "cgroup.h"
#include "number.h"
#include "kmod.h"
#include "text.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

/* PID_MAX_LIMIT of 64-bit kernels. */
#define MAX_PID	(4U << 20)

/* The kernel keeps 15 bytes of a name: what is longer is named by its begin. */
static size_t comm_size(const struct mp_target *target)
{
	return strnlen(target->text, MEMPROF_COMM_LEN - 1);
}

static int check_target(struct mp_target *target, struct mp_diag *diag)
{
	size_t len = strlen(target->text);

	switch (target->kind) {
	case MEMPROF_TARGET_PROCESS:
		if (!mp_command_number(target->text, 1, MAX_PID,
				       &target->number))
			return mp_diag_usage(diag, "'%s' is no process id",
					     target->text);
		return 0;
	case MEMPROF_TARGET_CGROUP:
		if (!len)
			return mp_diag_usage(diag, "-G needs a path, / for all");
		return 0;
	case MEMPROF_TARGET_COMM:
		if (!len)
			return mp_diag_usage(diag, "--comm needs a command name");
		return 0;
	default:
		return 0;
	}
}

int mp_targets_add_option(struct mp_targets *targets, uint32_t kind,
			  const char *text, struct mp_diag *diag)
{
	struct mp_target target = { .kind = kind, .text = text };
	unsigned int i;
	int status;

	for (i = 0; i < targets->nr; i++)
		if (targets->list[i].kind == kind &&
		    !strcmp(targets->list[i].text, text))
			return 0;
	if (targets->nr == MEMPROF_MAX_TARGETS)
		return mp_diag_usage(diag, "more than %d targets",
				     MEMPROF_MAX_TARGETS);
	status = check_target(&target, diag);
	if (!status)
		targets->list[targets->nr++] = target;
	return status;
}

int mp_targets_check(struct mp_targets *targets, struct mp_diag *diag)
{
	unsigned int i;

	if (!targets->nr)
		return mp_targets_add_option(targets, MEMPROF_TARGET_ALL, "",
					     diag);
	for (i = 0; i < targets->nr; i++)
		if (targets->list[i].kind == MEMPROF_TARGET_ALL &&
		    targets->nr > 1)
			return mp_diag_usage(diag, "-a is everything: no other target goes with it");
	return 0;
}

bool mp_targets_exist(const struct mp_targets *targets)
{
	unsigned int i;

	for (i = 0; i < targets->nr; i++)
		if (targets->list[i].kind != MEMPROF_TARGET_PROCESS ||
		    !kill((pid_t)targets->list[i].number, 0) ||
		    errno == EPERM)
			return true;
	return false;
}

/* Adds a target to a text; "processes 1, 2 with children" are told together. */
static void describe(const struct mp_targets *targets, unsigned int i, char *text)
{
	static const char * const kinds[][2] = {
		[MEMPROF_TARGET_ALL] = { "everything", "everything" },
		[MEMPROF_TARGET_PROCESS] = { "process ", "processes " },
		[MEMPROF_TARGET_CGROUP] = { "cgroup ", "cgroups " },
		[MEMPROF_TARGET_COMM] = { "command ", "commands " },
	};
	const struct mp_target *target = &targets->list[i];
	const bool goes_on = i && target[-1].kind == target->kind;
	const bool is_last = i + 1 == targets->nr || target[1].kind != target->kind;
	char name[MP_TARGETS_SIZE];
	size_t len = strlen(text), size = target->kind == MEMPROF_TARGET_COMM ?
					  comm_size(target) : strlen(target->text);

	mp_text_escape(name, sizeof(name), target->text, size);
	snprintf(text + len, MP_TARGETS_SIZE - len, "%s%s%s%s", len ? ", " : "",
		 goes_on ? "" : kinds[target->kind][!is_last], name,
		 is_last && targets->children && target->kind == MEMPROF_TARGET_PROCESS ?
		 " with children" : "");
}

const char *mp_targets_cgroup_hint(int err)
{
	if (err == -ENOENT)
		return "a path below the cgroup2 mount is needed; cgroup v1 does not count";
	return err == -EXDEV ? "the path leads out of the cgroup2 mount" : NULL;
}

static int find_cgroup(const char *path, uint64_t *id, struct mp_diag *diag)
{
	int err = mp_cgroup_find(path, id);

	return err ? mp_diag_fail(diag, err, mp_targets_cgroup_hint(err), "cannot find cgroup %s", path) : 0;
}

int mp_targets_find(const struct mp_targets *targets, struct mp_diag *diag)
{
	unsigned int i;
	uint64_t id;
	int err = 0;

	for (i = 0; !err && i < targets->nr; i++)
		if (targets->list[i].kind == MEMPROF_TARGET_CGROUP)
			err = find_cgroup(targets->list[i].text, &id, diag);
	return err;
}

static int watch_target(const struct mp_target *target, bool children, int fd,
			struct mp_diag *diag)
{
	struct memprof_target arg = { .kind = target->kind };
	uint64_t id = target->number;
	const char *hint = NULL;
	int err;

	if (target->kind == MEMPROF_TARGET_CGROUP &&
	    find_cgroup(target->text, &id, diag))
		return -ENOENT;
	arg.id = id;
	if (target->kind == MEMPROF_TARGET_PROCESS && children)
		arg.flags = MEMPROF_TARGET_CHILDREN;
	if (target->kind == MEMPROF_TARGET_COMM)
		memcpy(arg.comm, target->text, comm_size(target));
	err = mp_dev_target(fd, &arg);
	if (err == -EPERM)
		hint = "run as root, or grant CAP_PERFMON";
	/* -EEXIST: the same target was given twice */
	if (!err || err == -EEXIST)
		return 0;
	return mp_diag_fail(diag, err, hint, "cannot watch %s",
			    target->text[0] ? target->text : "everything");
}

void mp_targets_describe(const struct mp_targets *targets, char *text)
{
	unsigned int i;

	text[0] = '\0';
	for (i = 0; i < targets->nr; i++)
		describe(targets, i, text);
}

int mp_targets_watch(const struct mp_targets *targets, int fd, char *text,
		     struct mp_diag *diag)
{
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < targets->nr; i++)
		err = watch_target(&targets->list[i], targets->children, fd,
				   diag);
	if (!err)
		mp_targets_describe(targets, text);
	return err;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * targets: the processes, cgroups and commands that a session records
 */
#ifndef MP_TARGETS_H
#define MP_TARGETS_H

#include "diag.h"
#include "profile.h"

#include <linux/memprof.h>
#include <stdbool.h>

/**
 * struct mp_target - one target option
 * @kind: enum memprof_target_kind
 * @text: the option's value; not copied
 * @number: the process id of MEMPROF_TARGET_PROCESS
 */
struct mp_target {
	uint32_t kind;
	const char *text;
	uint64_t number;
};

/**
 * struct mp_targets - the target options
 * @list: the options, in their order
 * @nr: number of options
 * @children: processes that targets fork are targets, too
 */
struct mp_targets {
	struct mp_target list[MEMPROF_MAX_TARGETS];
	unsigned int nr;
	bool children;
};

/**
 * mp_targets_add_option - add the target of an option
 * @kind: enum memprof_target_kind
 * @text: the option's value, "" for MEMPROF_TARGET_ALL
 *
 * Return: 0, or a negative errno with the reason in @diag.
 */
int mp_targets_add_option(struct mp_targets *targets, uint32_t kind,
			  const char *text, struct mp_diag *diag);

/**
 * mp_targets_check - check combinations of targets
 *
 * Without a target option, all processes are targets.
 *
 * Return: 0, or a negative errno with the reason in @diag.
 */
int mp_targets_check(struct mp_targets *targets, struct mp_diag *diag);

/**
 * mp_targets_find - check that all target cgroups exist
 *
 * Return: 0, or a negative errno with the reason in @diag.
 */
int mp_targets_find(const struct mp_targets *targets, struct mp_diag *diag);

/**
 * mp_targets_exist - check whether a target is left
 *
 * Return: true if a target process runs, or if a target is not a process.
 */
bool mp_targets_exist(const struct mp_targets *targets);

/** mp_targets_cgroup_hint - what helps if a cgroup was not found; or NULL */
const char *mp_targets_cgroup_hint(int err);

/**
 * mp_targets_describe - list the targets as text for users
 * @text: out, MP_TARGETS_SIZE bytes
 */
void mp_targets_describe(const struct mp_targets *targets, char *text);

/**
 * mp_targets_watch - add the targets to an idle session of the module
 * @fd: the session
 * @text: out, MP_TARGETS_SIZE bytes: list of the targets for users
 *
 * Return: 0, or a negative errno with the reason in @diag.
 */
int mp_targets_watch(const struct mp_targets *targets, int fd, char *text,
		     struct mp_diag *diag);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * targets: the processes, cgroups and commands that a user asks a session to follow
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
 * @list: in their order
 * @nr: how many
 * @children: processes that targets fork are targets, too
 */
struct mp_targets {
	struct mp_target list[MEMPROF_MAX_TARGETS];
	unsigned int nr;
	bool children;
};

/**
 * mp_targets_add_option - add the target that an option names
 * @kind: enum memprof_target_kind
 * @text: the option's value, "" for MEMPROF_TARGET_ALL
 *
 * Return: 0, or a negative errno and @diag says why.
 */
int mp_targets_add_option(struct mp_targets *targets, uint32_t kind,
			  const char *text, struct mp_diag *diag);

/**
 * mp_targets_check - check the targets together
 *
 * Without any target option everything is a target.
 *
 * Return: 0, or a negative errno and @diag says why.
 */
int mp_targets_check(struct mp_targets *targets, struct mp_diag *diag);

/**
 * mp_targets_exist - check whether any target is left
 *
 * Return: true where a target process runs, or where a target is not a process.
 */
bool mp_targets_exist(const struct mp_targets *targets);

/**
 * mp_targets_describe - list the targets, for people
 * @text: out, MP_TARGETS_SIZE bytes
 */
void mp_targets_describe(const struct mp_targets *targets, char *text);

/**
 * mp_targets_watch - make an idle session of the module watch the targets
 * @fd: the session
 * @text: out, MP_TARGETS_SIZE bytes: the list of the targets, for people
 *
 * Return: 0, or a negative errno and @diag says why.
 */
int mp_targets_watch(const struct mp_targets *targets, int fd, char *text,
		     struct mp_diag *diag);

#endif

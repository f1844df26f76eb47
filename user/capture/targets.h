/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * targets: what a user asks a session to watch
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
 * @number: of MEMPROF_TARGET_PROCESS
 */
struct mp_target {
	uint32_t kind;
	const char *text;
	uint64_t number;
};

/**
 * struct mp_targets - all of them
 * @children: processes that targets fork are targets too
 */
struct mp_targets {
	struct mp_target list[MEMPROF_MAX_TARGETS];
	unsigned int nr;
	bool children;
};

/**
 * mp_targets_add_option - add the target that an option names
 * @kind: enum memprof_target_kind
 * @text: its value, "" for MEMPROF_TARGET_ALL
 *
 * Return: 0, or a negative errno and @diag says why.
 */
int mp_targets_add_option(struct mp_targets *targets, uint32_t kind,
			  const char *text, struct mp_diag *diag);

/**
 * mp_targets_check - check the targets together
 *
 * Without any, everything is a target.
 *
 * Return: 0, or a negative errno and @diag says why.
 */
int mp_targets_check(struct mp_targets *targets, struct mp_diag *diag);

/** mp_targets_exist - whether any target is left: a process that runs, or no process */
bool mp_targets_exist(const struct mp_targets *targets);

/**
 * mp_targets_describe - what is watched, for people
 * @text: out, MP_TARGETS_SIZE bytes
 */
void mp_targets_describe(const struct mp_targets *targets, char *text);

/**
 * mp_targets_watch - make an idle session of the module watch them
 * @fd: the session
 * @text: out, MP_TARGETS_SIZE bytes: what is watched, for people
 *
 * Return: 0, or a negative errno and @diag says why.
 */
int mp_targets_watch(const struct mp_targets *targets, int fd, char *text,
		     struct mp_diag *diag);

#endif

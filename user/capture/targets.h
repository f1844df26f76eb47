/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * targets: what a user asks a session to watch
 */
#ifndef MP_TARGETS_H
#define MP_TARGETS_H

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
 * @verb: the command that was given them, for messages
 * @children: processes that targets fork are targets too
 */
struct mp_targets {
	struct mp_target list[MEMPROF_MAX_TARGETS];
	unsigned int nr;
	const char *verb;
	bool children;
};

/**
 * mp_targets_take - take in an option
 * @kind: enum memprof_target_kind
 * @text: its value, "" for MEMPROF_TARGET_ALL
 *
 * Return: 0, or MP_EXIT_USAGE and a message was printed.
 */
int mp_targets_take(struct mp_targets *targets, uint32_t kind,
		    const char *text);

/**
 * mp_targets_close - all options are taken in
 *
 * Without any, everything is a target.
 *
 * Return: 0, or MP_EXIT_USAGE and a message was printed.
 */
int mp_targets_close(struct mp_targets *targets);

/**
 * mp_targets_describe - what is watched, for people
 * @text: out, MP_TARGETS_SIZE bytes
 */
void mp_targets_describe(const struct mp_targets *targets, char *text);

/**
 * mp_targets_add - add them to an idle session
 * @fd: the session
 * @text: out, MP_TARGETS_SIZE bytes: what is watched, for people
 *
 * Return: 0, or MP_EXIT_FAILURE and a message was printed.
 */
int mp_targets_add(const struct mp_targets *targets, int fd, char *text);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * prober: gives a session the allocators of its targets
 */
#ifndef MP_PROBER_H
#define MP_PROBER_H

#include "finder.h"
#include "profile.h"
#include "targets.h"

struct mp_tracer;

/**
 * struct mp_target_filter - how the processes of a target are recognised
 * @kind: enum memprof_target_kind
 * @children: descendants belong to the target, too
 * @id: process or cgroup
 * @comm: name of the main thread
 */
struct mp_target_filter {
	uint32_t kind;
	bool children;
	uint64_t id;
	char comm[MEMPROF_COMM_LEN];
};

/**
 * struct mp_prober - what is probed
 * @attach: makes a probe; returns 0, -EEXIST where there is one already, or another
 *	negative errno. NULL: allocators are not wanted
 * @session: for @attach
 * @sections: follows programs that keep their sections themselves; NULL: they are not
 *	wanted
 * @user: functions that the user named
 * @finder: finds the other functions
 * @filters: the targets
 * @nr_filters: how many
 * @nr_probes: probes that were made
 * @nr_binaries: binaries that have probes
 * @nr_failed: probes that the kernel refused
 * @err: negative errno of the first refusal, or 0
 * @refused: function and file of the first refusal, printable
 * @named: bits: which functions of @user were found
 * @warnings: different ones, as many as there is room for
 * @nr_warnings: how many
 */
struct mp_prober {
	int (*attach)(void *session, const struct mp_found *found,
		      const struct mp_point *point);
	void *session;
	struct mp_tracer *sections;
	struct mp_user_functions user;
	struct mp_finder finder;
	struct mp_target_filter filters[MEMPROF_MAX_TARGETS];
	unsigned int nr_filters;
	size_t nr_probes;
	size_t nr_binaries;
	size_t nr_failed;
	int err;
	char refused[MP_REMARK_SIZE];
	unsigned int named;
	char warnings[MP_MAX_WARNINGS][MP_WARNING_SIZE];
	size_t nr_warnings;
};

/**
 * mp_prober_open - get ready; examines nothing yet
 * @prober: @user is set; attach, session and sections are set before
 *	mp_prober_begin(); the rest is zero; must not move afterwards
 * @targets: of the session; need not outlive the call
 */
void mp_prober_open(struct mp_prober *prober,
		    const struct mp_targets *targets);

/** mp_prober_attach_kmod - for @attach: @session points at the module's descriptor */
int mp_prober_attach_kmod(void *session, const struct mp_found *found,
			  const struct mp_point *point);

/**
 * mp_prober_begin - probe our own C library, and what targets have mapped
 * @diag: why nothing could be probed
 *
 * Our own library comes first: later processes are likely to use it, too, and binaries of
 * strangers must not use up the probes before.
 *
 * Return: 0, or a negative errno and @diag says why: nothing is probed.
 */
int mp_prober_begin(struct mp_prober *prober, struct mp_diag *diag);

/** mp_prober_attach_tracer - for @attach: @session is a struct mp_tracer */
int mp_prober_attach_tracer(void *session, const struct mp_found *found,
			    const struct mp_point *point);

/** mp_prober_rescan - look at all targets for binaries that are not examined yet */
void mp_prober_rescan(struct mp_prober *prober);

/** mp_prober_wants - check whether a process is a target */
bool mp_prober_wants(const struct mp_prober *prober, pid_t pid);

/**
 * mp_prober_targets - add a row for each process that is a target now
 *
 * Also for processes that no event was counted for. Only @pid of the rows is set.
 *
 * Return: 0, or a negative errno.
 */
int mp_prober_targets(const struct mp_prober *prober,
		      struct mp_profile *profile);

/**
 * mp_prober_await - examine the binaries of one process, because of one of them
 * @inode: its number
 *
 * Return: true if that binary is handled; false: the process does not have it any more.
 */
bool mp_prober_await(struct mp_prober *prober, pid_t pid, uint64_t inode);

/**
 * mp_prober_report - add counters and warnings of the prober to a profile
 *
 * Return: 0, or -ENOMEM.
 */
int mp_prober_report(const struct mp_prober *prober,
		     struct mp_profile *profile);

#endif

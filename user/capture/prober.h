/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * prober: finds the allocators of a session's targets and probes them
 */
#ifndef MP_PROBER_H
#define MP_PROBER_H

#include "finder.h"
#include "profile.h"
#include "python-processes.h"
#include "targets.h"

struct mp_tracer;

/**
 * struct mp_target_filter - recognises the processes of a target
 * @kind: enum memprof_target_kind
 * @children: descendants are targets, too
 * @id: process id
 * @cgroup: path of the cgroup, as /proc/PID/cgroup has it; it can be removed and made anew
 * @comm: name of the main thread
 */
struct mp_target_filter {
	uint32_t kind;
	bool children;
	uint64_t id;
	char *cgroup;
	char comm[MEMPROF_COMM_LEN];
};

/**
 * struct mp_prober - state of the prober
 * @attach: sets a probe; returns 0, -EEXIST if it exists, or another negative
 *	errno. NULL: allocators are not probed
 * @session: for @attach
 * @sections: sets probes in programs that measure sections themselves; NULL:
 *	none
 * @python: processes with an interpreter; @device of it is 0 if the source has no use for them
 * @samplers: allocations come from samplers inside the programs
 * @most_calls: a binary is not probed if its functions that free are called more often
 *	in a second; 0: no limit. For mp_prober_attach_tracer only
 * @user: functions that the user declared as allocators
 * @finder: finds all other allocator functions
 * @filters: the targets
 * @nr_filters: number of @filters
 * @nr_probes: probes that were set
 * @nr_binaries: binaries that have probes
 * @nr_in_samplers: those of them that are in samplers, which the program may not call
 * @nr_busy: binaries without probes, because of @most_calls
 * @nr_failed: probes that the kernel refused
 * @nr_lost: times that a target cgroup was made anew and could not be followed
 * @err: negative errno of the first refusal, or 0
 * @refused: function and file of the first refusal, printable
 * @named: bit mask of the functions of @user that were found
 * @warnings: distinct warnings; further ones are dropped
 * @nr_warnings: number of @warnings
 */
struct mp_prober {
	int (*attach)(void *session, const struct mp_found *found,
		      const struct mp_point *point);
	void *session;
	struct mp_tracer *sections;
	struct mp_python_processes python;
	bool samplers;
	uint64_t most_calls;
	struct mp_user_functions user;
	struct mp_finder finder;
	struct mp_target_filter filters[MEMPROF_MAX_TARGETS];
	unsigned int nr_filters;
	size_t nr_probes;
	size_t nr_in_samplers;
	size_t nr_binaries;
	size_t nr_busy;
	size_t nr_failed;
	size_t nr_lost;
	int err;
	char refused[MP_REMARK_SIZE];
	unsigned int named;
	char warnings[MP_MAX_WARNINGS][MP_WARNING_SIZE];
	size_t nr_warnings;
};

/**
 * mp_prober_open - initialise the prober; no binary is examined yet
 * @prober: the caller sets @user now, and attach, session and sections before
 *	mp_prober_begin(); the rest is zero; must not move afterwards
 * @targets: the session's targets; not used after the call
 */
void mp_prober_open(struct mp_prober *prober,
		    const struct mp_targets *targets);

/** mp_prober_close - free all; zeroed is fine */
void mp_prober_close(struct mp_prober *prober);

/**
 * mp_prober_attach_kmod - function for @attach; @session points at the device's
 * descriptor
 */
int mp_prober_attach_kmod(void *session, const struct mp_found *found,
			  const struct mp_point *point);

/**
 * mp_prober_begin - probe this process's C library, then the binaries of all
 * targets
 * @diag: why nothing could be probed
 *
 * This process's C library is first, because later targets probably use it,
 * too. Otherwise the binaries of other users could use up all probes before it.
 *
 * Return: 0, or a negative errno with the reason in @diag; then nothing is
 * probed.
 */
int mp_prober_begin(struct mp_prober *prober, struct mp_diag *diag);

/** mp_prober_attach_tracer - function for @attach; @session is a struct mp_tracer */
int mp_prober_attach_tracer(void *session, const struct mp_found *found,
			    const struct mp_point *point);

/** mp_prober_rescan - examine the binaries of all targets that are new */
void mp_prober_rescan(struct mp_prober *prober);

/** mp_prober_wants - check whether a process is a target */
bool mp_prober_wants(const struct mp_prober *prober, pid_t pid);

/**
 * mp_prober_targets - add a row for each process that is a target now
 *
 * Processes without events are added, too. Only @pid of the rows is set.
 *
 * Return: 0, or a negative errno.
 */
int mp_prober_targets(const struct mp_prober *prober,
		      struct mp_profile *profile);

/**
 * mp_prober_await - examine the binaries of a process and check for one of them
 * @inode: inode number of the expected binary
 *
 * Return: true if the binary was handled; false if the process does not map it
 * any more.
 */
bool mp_prober_await(struct mp_prober *prober, pid_t pid, uint64_t inode);

/** mp_prober_mapped - a process has mapped a file with an interpreter, which is known */
void mp_prober_mapped(struct mp_prober *prober, pid_t pid);

/**
 * mp_prober_report - add counters and warnings of the prober to a profile
 *
 * Return: 0, or -ENOMEM.
 */
int mp_prober_report(const struct mp_prober *prober,
		     struct mp_profile *profile);

#endif

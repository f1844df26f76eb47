/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * preload: runs a command with libmemprof and writes its samples into a
 * recording
 */
#ifndef MP_PRELOAD_H
#define MP_PRELOAD_H

#include "diag.h"
#include "perf-writer.h"
#include "profile.h"

#include <stdbool.h>
#include <sys/types.h>

/* The largest mean that the library accepts. */
#define MP_PRELOAD_MAX_RATE	(1ULL << 35)

/**
 * struct mp_preload - options of a recording by the library
 * @output: file
 * @force: replace an existing file
 * @keeps_old: with @force, the existing file stays, with the suffix .old
 * @rate: mean bytes between samples; 0: the library's default
 * @argc, @argv: our command line, which the recording contains
 * @command: command to run
 */
struct mp_preload {
	const char *output;
	bool force, keeps_old;
	uint64_t rate;
	int argc;
	char **argv;
	char **command;
};

/**
 * struct mp_preload_result - result of a recording
 * @status: exit status of the command, as in a shell
 * @signal: the signal that killed the command; 0: none
 * @nr_bytes: size of the file; 0: there is none
 * @nr_samples: samples in the file
 * @nr_processes: processes in the file
 * @kept: the file could not be written, and the regions are kept: @diag has the
 *	folder
 */
struct mp_preload_result {
	int status, signal;
	bool kept;
	uint64_t nr_bytes, nr_samples;
	size_t nr_processes;
};

/**
 * mp_preload_record - run a command and write its samples into a recording
 * @diag: also gets warnings about processes that were not sampled
 *
 * The command and its child processes get the library through LD_PRELOAD.
 * Static programs, and programs that gain privileges by exec, run without it.
 *
 * Return: 0, or a negative errno with the reason in @diag. If the command could
 * not be run, that is an error, and @status is the one a shell would return.
 */
int mp_preload_record(const struct mp_preload *preload,
		      struct mp_preload_result *result, struct mp_diag *diag);

/**
 * mp_region_of - find the file in which a running process keeps its samples
 * @path: out, PATH_MAX bytes
 *
 * Return: 0, or a negative errno with the reason in @diag.
 */
int mp_region_of(pid_t pid, char *path, struct mp_diag *diag);

/** mp_preload_samples - number of samples in a profile of regions */
uint64_t mp_preload_samples(const struct mp_profile *profile);

/**
 * mp_preload_write - write the rows of a profile into a recording
 * @nr_bytes: out, size of the file
 *
 * Return: 0, or a negative errno with the reason in @diag.
 */
int mp_preload_write(const struct mp_preload *preload,
		     const struct mp_profile *profile, uint64_t *nr_bytes,
		     struct mp_diag *diag);

/** mp_preload_warn_losses - warn of what the library's counters say was lost */
void mp_preload_warn_losses(const struct mp_profile *profile, struct mp_diag *diag);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * preload: a command with libmemprof in it, and what it leaves
 */
#ifndef MP_PRELOAD_H
#define MP_PRELOAD_H

#include "diag.h"
#include "perf-writer.h"
#include "profile.h"

#include <stdbool.h>
#include <sys/types.h>

/* The library takes no larger mean. */
#define MP_PRELOAD_MAX_RATE	(1ULL << 35)

/**
 * struct mp_preload - a recording by the library
 * @output: file
 * @force: replace an existing one
 * @rate: mean bytes between samples; 0: the library's default
 * @argc, @argv: our command line, for the file
 * @command: what to run
 */
struct mp_preload {
	const char *output;
	bool force;
	uint64_t rate;
	int argc;
	char **argv;
	char **command;
};

/**
 * struct mp_preload_result - what came of a recording
 * @status: exit status of the command, as a shell says it
 * @nr_bytes: of the file; 0: there is none
 * @nr_samples: in it
 * @nr_processes: in it
 * @kept: it could not be written, and the regions stay: @diag says where
 */
struct mp_preload_result {
	int status;
	bool kept;
	uint64_t nr_bytes, nr_samples;
	size_t nr_processes;
};

/**
 * mp_preload_record - run a command, and write its samples into a recording
 * @diag: also what could not be seen
 *
 * The command, and what it forks and runs, gets the library by its environment.
 * Programs that gain privileges by exec, and static programs, run without it.
 *
 * Return: 0, or a negative errno and @diag says why. A command that could not be
 * run is an error, and its @status is that of a shell.
 */
int mp_preload_record(const struct mp_preload *preload,
		      struct mp_preload_result *result, struct mp_diag *diag);

/**
 * mp_region_of - where a running process keeps its samples
 * @path: out, PATH_MAX bytes
 *
 * Return: 0, or a negative errno and @diag says why.
 */
int mp_region_of(pid_t pid, char *path, struct mp_diag *diag);

/**
 * mp_preload_write - make a recording of rows
 * @nr_bytes: out, of the file
 *
 * Return: 0, or a negative errno and @diag says why.
 */
int mp_preload_write(const struct mp_preload *preload,
		     const struct mp_profile *profile, uint64_t *nr_bytes,
		     struct mp_diag *diag);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * preload: a command with libmemprof in it, and what it leaves
 */
#ifndef MP_PRELOAD_H
#define MP_PRELOAD_H

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
 * @quiet: print nothing on success
 * @rate: mean bytes between samples; 0: the library's default
 * @argc, @argv: our command line, for the file
 * @command: what to run
 */
struct mp_preload {
	const char *output;
	bool force;
	bool quiet;
	uint64_t rate;
	int argc;
	char **argv;
	char **command;
};

/**
 * mp_preload_record - run a command, and write what it left into a recording
 *
 * The command and what it forks and runs have the library by their environment;
 * what gains rights by exec, and programs without a loader, do without.
 *
 * Return: the command's exit status, or one of ours and a message was printed.
 */
int mp_preload_record(const struct mp_preload *preload);

/**
 * mp_region_of - where a process that runs keeps its numbers
 * @path: out, PATH_MAX bytes
 *
 * Return: 0, or an exit status and a message was printed.
 */
int mp_region_of(pid_t pid, char *path);

/**
 * mp_preload_write - make a recording of rows
 * @nr_bytes: out, of the file
 *
 * Return: 0, or an exit status and a message was printed.
 */
int mp_preload_write(const struct mp_preload *preload,
		     const struct mp_profile *profile, uint64_t *nr_bytes);

#endif

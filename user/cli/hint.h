/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hint: tells how a report could name functions that it does not name
 */
#ifndef MP_HINT_H
#define MP_HINT_H

#include "metric.h"

#include <stdbool.h>
#include <stddef.h>

/* How to follow allocations of a process that runs, without a trap for each of them */
#if defined(__x86_64__)
#define MP_BY_SAMPLES	"--inject "
#else
#define MP_BY_SAMPLES	""
#endif

struct mp_profile;
struct mp_row;

#define MP_HINT_SIZE	1024

/**
 * mp_hint_write - write what hides functions of the program, and what to do
 * @profile: rows of callsites, with symbols
 * @metric: the metric that the rows are sorted by
 * @heap_told: what shows a runtime's own heap was told before
 * @asked: servers were asked for debug files
 * @text: the hint, printable; MP_HINT_SIZE bytes
 *
 * If a binary without symbols hides them, this asks the system's package manager which
 * package it is from, for some seconds at most.
 *
 * Return: whether there is something to tell.
 */
bool mp_hint_write(const struct mp_profile *profile, enum mp_metric metric, bool heap_told,
		   bool asked, char *text);

/**
 * mp_hint_name_process - put the id of a process into a text that has a command for it
 * @process: if it is NULL, or does not run here any more under its name, the text stays as it is
 * @text: has " PID" where the id is to be; the last of MP_HINT_SIZE bytes may be lost
 *
 * Return: true.
 */
bool mp_hint_name_process(const struct mp_row *process, char *text);

#endif

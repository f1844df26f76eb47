/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * samplers: gives the processes of a recorded command libmemprof, whose static probes
 * are then the session's allocations
 */
#ifndef MP_SAMPLERS_H
#define MP_SAMPLERS_H

#include "record-options.h"
#include "region-folder.h"

/**
 * struct mp_samplers - the library for one command; zeroed: none
 * @library: path of the library
 * @folder: the regions of the command's processes. Their sums are not used, only
 *	their counters
 * @rate: mean bytes between samples
 * @pace: samples a second that a thread takes at most; 0: any number
 */
struct mp_samplers {
	char library[PATH_MAX];
	struct mp_region_folder folder;
	uint64_t rate;
	uint32_t pace;
};

/**
 * mp_samplers_wanted - whether a command's allocations are sampled by the library
 * @options: --alloc BYTES asks for it. Without --alloc it is the default, if the
 *	command has a loader that can load the library. If the library is not found,
 *	the allocators are probed
 * @command: name or path, as for execvp()
 */
bool mp_samplers_wanted(const struct mp_record_options *options, const char *command);

/**
 * mp_samplers_begin - find the library, and make the session use its probes
 * @options: alloc_rate is the mean of bytes between samples, and is set, as the pace is, if it
 *	is 0
 *
 * Return: 0, or a negative errno with the reason in @diag.
 */
int mp_samplers_begin(struct mp_samplers *samplers, struct mp_record_options *options,
		      struct mp_diag *diag);

/**
 * mp_samplers_prepare - let the program that this process will exec load the library
 * @samplers: a struct mp_samplers; for mp_launch_fork()
 */
void mp_samplers_prepare(void *samplers);

/**
 * mp_samplers_end - remove the regions
 * @diag: gets warnings about what the library missed
 */
void mp_samplers_end(struct mp_samplers *samplers, struct mp_diag *diag);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * origin: where and when a profile was measured, and by which command
 */
#ifndef MP_ORIGIN_H
#define MP_ORIGIN_H

#include <stdint.h>

#define MP_ORIGIN_NAME_SIZE	128
#define MP_ORIGIN_COMMAND_SIZE	512

/**
 * struct mp_origin - all zero means not known
 * @host: name of the machine, printable, as the other texts are
 * @kernel: release of its kernel
 * @machine: its architecture
 * @command: the whole command that measured
 * @target: the command that was measured, if @command ran one
 * @zero_ns: CLOCK_REALTIME when CLOCK_MONOTONIC was 0; 0: not known
 */
struct mp_origin {
	char host[MP_ORIGIN_NAME_SIZE];
	char kernel[MP_ORIGIN_NAME_SIZE];
	char machine[MP_ORIGIN_NAME_SIZE];
	char command[MP_ORIGIN_COMMAND_SIZE];
	char target[MP_ORIGIN_COMMAND_SIZE];
	uint64_t zero_ns;
};

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ready: reports over a file descriptor that events are being recorded
 *
 * A script that starts a recorder waits for that line before it starts what it wants to
 * record.
 */
#ifndef MP_READY_H
#define MP_READY_H

#include <stdbool.h>

/* The standard streams are below; they are needed until the end. */
#define MP_READY_MIN_FD	3

/**
 * mp_ready_open - check whether the descriptor can be written to
 *
 * From then on it is closed in programs that are run.
 */
bool mp_ready_open(int fd);

/**
 * mp_ready_tell - write the line, and close the descriptor
 * @fd: of mp_ready_open(), or 0: nobody waits
 */
void mp_ready_tell(int fd);

#endif

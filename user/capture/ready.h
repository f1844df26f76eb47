/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ready: tells a script through a file descriptor that recording has begun
 *
 * A script that starts a recorder waits for the line before it starts the
 * programs to record.
 */
#ifndef MP_READY_H
#define MP_READY_H

#include <stdbool.h>

/* Lower descriptors are the standard streams, which must stay open until the end. */
#define MP_READY_MIN_FD	3

/**
 * mp_ready_open - check whether the descriptor is writable
 *
 * It also sets close-on-exec.
 */
bool mp_ready_open(int fd);

/**
 * mp_ready_tell - write the line and close the descriptor
 * @fd: from mp_ready_open(), or 0 to do nothing
 */
void mp_ready_tell(int fd);

#endif

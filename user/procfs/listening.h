/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * listening: finds the port at which a process can be asked
 */
#ifndef MP_LISTENING_H
#define MP_LISTENING_H

#include <stdint.h>
#include <sys/types.h>

/**
 * mp_listening_port - find the TCP port that a process listens to
 *
 * Return: the port, if it is the only one and can be reached as 127.0.0.1, or 0. Source:
 * /proc/PID/fd and /proc/PID/net.
 */
uint16_t mp_listening_port(pid_t pid);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * send-files: hands open files to a process at the other end of a socket
 */
#ifndef MP_SEND_FILES_H
#define MP_SEND_FILES_H

#include <stddef.h>

#define MP_SEND_MAX_FILES	8

/**
 * mp_send_files - send a packet with files; does not wait
 * @socket: Unix socket of packets, or of bytes
 * @data, @size: what the packet says; at least a byte
 * @files, @nr: at most MP_SEND_MAX_FILES; they stay open here, too
 *
 * Return: 0, or a negative errno: -EAGAIN if the other end has not read enough.
 */
int mp_send_files(int socket, const void *data, size_t size, const int *files, size_t nr);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * process-memory: reads memory of other processes, and is not held up by them
 */
#ifndef MP_PROCESS_MEMORY_H
#define MP_PROCESS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * struct mp_process_memory - a reader; all zero means that none runs
 * @child: process that reads
 * @fd: socket to it
 * @bytes: memory that is shared with it, MP_PROCESS_MEMORY_MAX bytes
 * @has_hung: the last read took too long
 */
struct mp_process_memory {
	pid_t child;
	int fd;
	char *bytes;
	bool has_hung;
};

/* Limit of a read, in bytes */
#define MP_PROCESS_MEMORY_MAX	(256U << 10)

/**
 * mp_process_read - read memory of a process that goes on
 * @address: in the process; any number
 * @to: out, @size bytes
 *
 * A page may be one that its owner never gives (a file of FUSE). So another
 * process reads, and is killed if it takes longer than 0.2 s.
 *
 * Source: /proc/PID/mem, which asks for the permission to trace the process.
 * process_vm_readv() would give the process its own copy of each page that it shares
 * after a fork.
 *
 * Return: whether all of it was read.
 */
bool mp_process_read(struct mp_process_memory *memory, pid_t pid, uint64_t address, void *to,
		     size_t size);

/** mp_process_memory_close - end the reader */
void mp_process_memory_close(struct mp_process_memory *memory);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * process-memory: reads memory of a process
 */
#ifndef MP_PROCESS_MEMORY_H
#define MP_PROCESS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * mp_process_read - read memory of a process that goes on
 * @address: in the process; any number
 * @to: out, @size bytes
 *
 * Source: process_vm_readv(), which asks for the permission to trace the process.
 *
 * Return: whether all of it was read.
 */
bool mp_process_read(pid_t pid, uint64_t address, void *to, size_t size);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * python-processes: the processes in which the module is to read functions of Python
 */
#ifndef MP_PYTHON_PROCESSES_H
#define MP_PYTHON_PROCESSES_H

#include "finder.h"
#include "map.h"
#include "python-layout.h"

/**
 * struct mp_python_file - a binary with an interpreter
 * @dev, @inode: as fstat() tells them
 * @point: where it has the interpreter
 */
struct mp_python_file {
	uint64_t dev, inode;
	struct mp_python_point point;
};

/**
 * struct mp_python_process - a process with an interpreter
 * @runtime, @code_type: addresses of _PyRuntime and PyCode_Type
 * @layout: of the interpreter's structures
 */
struct mp_python_process {
	uint64_t runtime, code_type;
	struct mp_python_layout layout;
};

/**
 * struct mp_python_processes - all zero means that nobody asks for them
 * @device: of the module's session; 0: none
 * @files: binaries with an interpreter
 * @nr_unknown: processes with an interpreter of a version that is not known
 */
struct mp_python_processes {
	int device;
	struct mp_python_file *files;
	size_t nr_files, max_files;
	struct mp_python_process *list;
	size_t nr, max;
	struct mp_map by_pid;		/* pid -> index in @list */
	uint64_t nr_unknown;
};

/** mp_python_processes_file - take an examined file, if it has an interpreter */
void mp_python_processes_file(struct mp_python_processes *processes,
			      const struct mp_found *found);

/** mp_python_processes_has - whether a file with this inode number has an interpreter */
bool mp_python_processes_has(const struct mp_python_processes *processes, uint64_t inode);

/**
 * mp_python_processes_meet - tell the module of a process that maps a file
 * @dev, @inode: as fstat() tells them; nothing is done if it has no interpreter
 *
 * Source: /proc/PID/maps and memory of the process.
 */
void mp_python_processes_meet(struct mp_python_processes *processes, pid_t pid, uint64_t dev,
			      uint64_t inode);

/**
 * mp_python_processes_find - find a process, also one that has its interpreter by fork
 *
 * Return: the process, valid until the next call of another function; or NULL.
 */
const struct mp_python_process *
mp_python_processes_find(struct mp_python_processes *processes, pid_t pid);

/** mp_python_processes_free - free all memory */
void mp_python_processes_free(struct mp_python_processes *processes);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * python-processes: the processes in which the module is to read functions of Python
 */
#ifndef MP_PYTHON_PROCESSES_H
#define MP_PYTHON_PROCESSES_H

#include "finder.h"
#include "map.h"
#include "process-memory.h"
#include "python-layout.h"

/**
 * struct mp_python_file - a binary with an interpreter
 * @dev, @inode: as fstat() tells them
 * @mapped: its inode in /proc/PID/maps, which may be another one on overlay file systems
 * @point: where it has the interpreter
 */
struct mp_python_file {
	uint64_t dev, inode, mapped;
	struct mp_python_point point;
};

/**
 * struct mp_python_process - a process with an interpreter
 * @runtime, @code_type: addresses of _PyRuntime and PyCode_Type; 0: it has none
 * @start: its start time, see mp_process_start()
 * @looked_ns: time of the last look for its interpreter; UINT64_MAX: there is no other
 * @layout: of the interpreter's structures
 */
struct mp_python_process {
	uint64_t runtime, code_type;
	uint64_t start;
	uint64_t looked_ns;
	struct mp_python_layout layout;
};

/**
 * struct mp_python_processes - all zero means that nobody asks for them
 * @device: of the module's session; 0: none
 * @files: binaries with an interpreter; when there are too many, the oldest is forgotten
 * @next_file: the oldest
 * @nr_unknown: processes that were met with an interpreter of a version that is not known
 * @is_behind: a process had not mapped all of its interpreter: the caller looks again later
 * @memory: reads memory of processes
 */
struct mp_python_processes {
	int device;
	struct mp_python_file *files;
	size_t nr_files, max_files, next_file;
	struct mp_python_process *list;
	size_t nr, max;
	struct mp_map by_pid;		/* pid -> index in @list */
	uint64_t nr_unknown;
	bool is_behind;
	struct mp_process_memory memory;
};

/** mp_python_processes_file - take an examined file, if it has an interpreter */
void mp_python_processes_file(struct mp_python_processes *processes,
			      const struct mp_found *found);

/** mp_python_processes_has - whether a file with this inode number has an interpreter */
bool mp_python_processes_has(const struct mp_python_processes *processes, uint64_t inode);

/**
 * mp_python_processes_meet - tell the module of a process that maps a file
 * @st: as fstat() tells of the file; nothing is done if it has no interpreter
 * @mapping: of the file
 *
 * Children that it made before are told, too.
 *
 * Source: /proc/PID/maps, /proc/PID/task and memory of the process.
 */
void mp_python_processes_meet(struct mp_python_processes *processes, pid_t pid,
			      const struct stat *st, const struct mp_exec_mapping *mapping);

/**
 * mp_python_processes_find - find a process, also one that has its interpreter by fork
 *
 * A process that has none is looked at once a second.
 *
 * Return: the process, valid until the next call of another function; or NULL.
 */
const struct mp_python_process *
mp_python_processes_find(struct mp_python_processes *processes, pid_t pid);

/**
 * mp_python_processes_doubt - memory of a process could not be read as expected
 *
 * If another process has its id now, it is forgotten. If the read hung, its memory is not
 * read any more.
 */
void mp_python_processes_doubt(struct mp_python_processes *processes, pid_t pid);

/** mp_python_processes_free - free all memory */
void mp_python_processes_free(struct mp_python_processes *processes);

#endif

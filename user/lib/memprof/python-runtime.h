/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * python-runtime.h: the Python interpreter of this process, and where its structures
 * have their fields.
 */
#ifndef MEMPROF_PYTHON_RUNTIME_H
#define MEMPROF_PYTHON_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dl_phdr_info;

/*
 * Distances of fields from the begin of their structures, in bytes.
 * @control: the thread's innermost _PyCFrame, up to 3.11; later its innermost frame
 * @control_frame, @control_previous: fields of a _PyCFrame; 0: there is none
 * @mark: what tells the last frame of a C function: is_entry, or owner
 * @mark_value: its value then
 * @latin1, @other: where the characters of a string begin, if it is ASCII, and if not
 * @instr_distance: bytes from the field's value to the instruction that runs
 */
struct mp_python_layout {
	uint16_t version;
	struct {
		uint32_t interpreters;
	} runtime;
	struct {
		uint32_t next, threads;
	} interpreter;
	struct {
		uint32_t next, id, control;
	} thread;
	uint32_t control_frame, control_previous;
	struct {
		uint32_t size, previous, code, instr, mark;
		uint8_t mark_value;
	} frame;
	struct {
		uint32_t size, type, file, name, lines, first_line, begin;
	} code;
	struct {
		uint32_t size, data;
	} bytes;
	struct {
		uint32_t length, hash, state, ascii, other;
	} text;
};

/*
 * @runtime: address of _PyRuntime; 0: no interpreter was met
 * @code_type: address of PyCode_Type
 * @layout: NULL: the interpreter's version is not known
 * @get_allocator, @set_allocator: functions of the interpreter, or NULL
 */
struct mp_python {
	uintptr_t runtime;
	uintptr_t code_type;
	const struct mp_python_layout *layout;
	void (*get_allocator)(int domain, void *allocator);
	void (*set_allocator)(int domain, void *allocator);
};

#pragma GCC visibility push(hidden)

const struct mp_python *mp_python_find(void);
const struct mp_python *mp_python_known(void);
void mp_python_meet(const struct dl_phdr_info *info);

#pragma GCC visibility pop

#endif

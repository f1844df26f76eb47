/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * python-layout: where the structures of a Python interpreter have their fields
 */
#ifndef MP_PYTHON_LAYOUT_H
#define MP_PYTHON_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Distances of fields from the begin of their structures, in bytes.
 * @id, @native: the thread's ids, as pthread_self() and gettid() return them
 * @control: the thread's innermost _PyCFrame, up to 3.11; later its innermost frame
 * @control_frame, @control_previous: fields of a _PyCFrame; 0: there is none
 * @mark: what tells the last frame of a C function: is_entry, or owner
 * @mark_value: its value then
 * @ascii, @other: where the characters of a string begin, if it is ASCII, and if not
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
		uint32_t next, id, native, control;
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

/* Bytes at the begin of _PyRuntime in which an interpreter declares its distances. */
#define MP_PYTHON_DECLARED	568

/**
 * mp_python_layout_of - distances of a version that is known
 * @version: value of Py_Version
 *
 * Return: the distances; NULL: not known, but the interpreter may declare them.
 */
const struct mp_python_layout *mp_python_layout_of(uint64_t version);

/**
 * mp_python_layout_declared - distances that an interpreter declares
 * @begin: the first MP_PYTHON_DECLARED bytes of its _PyRuntime; untrusted
 * @to: out; its distances are limited, and fields are inside of their structures
 *
 * Return: false if it declares none, or is of a version that was never met.
 */
bool mp_python_layout_declared(const void *begin, struct mp_python_layout *to);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * scan: stores the allocator functions that were found in a binary
 *
 * A scan is plain data without pointers, so one process can send it to another.
 */
#ifndef MP_SCAN_H
#define MP_SCAN_H

#include <linux/memprof.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Limit of probe points per binary: an eighth of a session's probes. glibc needs
 * 9 points, tcmalloc 18 (its debugging variant 31), jemalloc 32, mimalloc 47. Rust
 * needs 4 more.
 */
#define MP_SCAN_MAX_POINTS	64
#define MP_SCAN_MAX_REMARKS	12
#define MP_POINT_NAME_SIZE	128
#define MP_POINT_INSN_SIZE	64
#define MP_REMARK_SIZE		240

/**
 * enum mp_layer - the interface that an allocator function belongs to
 * @MP_LAYER_MALLOC: the C library's names
 * @MP_LAYER_JEMALLOC: jemalloc's prefixed names
 * @MP_LAYER_TCMALLOC: tcmalloc's prefixed names
 * @MP_LAYER_MIMALLOC: mimalloc's prefixed names
 * @MP_LAYER_CXX: operator new and delete
 * @MP_LAYER_RUST: Rust's alloc, dealloc, realloc, alloc_zeroed
 * @MP_LAYER_USDT: static probes of a profiler inside the program
 * @MP_LAYER_USER: functions given by --alloc-fn
 */
enum mp_layer {
	MP_LAYER_MALLOC,
	MP_LAYER_JEMALLOC,
	MP_LAYER_TCMALLOC,
	MP_LAYER_MIMALLOC,
	MP_LAYER_CXX,
	MP_LAYER_RUST,
	MP_LAYER_USDT,
	MP_LAYER_USER,
	MP_NR_LAYERS,
};

/**
 * enum mp_trap - how the kernel executes the probed instruction
 * @MP_TRAP_EMULATED: the kernel emulates the instruction
 * @MP_TRAP_STEPPED: the program executes a copy of the instruction in a single step
 * @MP_TRAP_UNKNOWN: not known, because memprof cannot decode this architecture
 */
enum mp_trap {
	MP_TRAP_EMULATED,
	MP_TRAP_STEPPED,
	MP_TRAP_UNKNOWN,
	MP_NR_TRAPS,
};

/* The arguments of otel_memory:alloc, see lib/memprof/probes.h. */
#define MP_POINT_MAX_ARGS	6

/**
 * struct mp_point - a probe point
 * @func: enum memprof_func
 * @layer: the interface that the function belongs to
 * @trap: how the kernel executes the instruction
 * @offset: offset of the probed instruction in the file
 * @distance: bytes from the function's entry to the probed instruction
 * @ref_ctr_offset: for a static probe the offset of its semaphore in the file;
 *	else 0
 * @nr_args: number of @args
 * @args: arguments of a static probe
 * @name: name of the symbol, printable; cut to MP_POINT_NAME_SIZE
 * @insn: the probed instruction, printable
 */
struct mp_point {
	uint32_t func;
	enum mp_layer layer;
	enum mp_trap trap;
	uint32_t distance;
	uint64_t offset;
	uint64_t ref_ctr_offset;
	uint32_t nr_args;
	struct memprof_probe_arg args[MP_POINT_MAX_ARGS];
	char name[MP_POINT_NAME_SIZE];
	char insn[MP_POINT_INSN_SIZE];
};

/*
 * Limit of copies of libmemprof-sections in one binary, see struct
 * mp_section_point.
 */
#define MP_SCAN_MAX_SECTIONS	4

/**
 * struct mp_section_point - a static probe whose argument is a record
 * @offset: offset of the probe in the file
 * @ref_ctr_offset: offset of the probe's semaphore in the file; 0: none
 * @record: argument that holds the address of a struct memprof_section, of the probe
 *	memprof:section, or of a struct memprof_region_function
 */
struct mp_section_point {
	uint64_t offset;
	uint64_t ref_ctr_offset;
	struct memprof_probe_arg record;
};

/**
 * struct mp_python_point - a Python interpreter in a binary
 * @version: value of Py_Version; 0: an older one, which has no such variable
 * @runtime, @code_type: offsets in the file of _PyRuntime and PyCode_Type; 0: there is none
 * @eval, @eval_size: the function that runs functions of Python
 */
struct mp_python_point {
	uint64_t version;
	uint64_t runtime;
	uint64_t code_type;
	uint64_t eval;
	uint64_t eval_size;
};

/**
 * struct mp_remark - a remark about a binary
 * @warning: true: a warning that numbers will be incomplete; false: a note
 * @sampled: a sampler inside the program counts what the remark says is not seen
 * @text: the remark, printable
 */
struct mp_remark {
	bool warning;
	bool sampled;
	char text[MP_REMARK_SIZE];
};

/**
 * struct mp_scan - the points and remarks of one binary; all zero means empty
 * @is_static: the binary is a program that no loader loads
 * @points: sorted by offset, each offset once
 * @nr_left_out: points beyond MP_SCAN_MAX_POINTS
 * @sections: in the order of the file
 * @functions: static probe otel_memory:function, whose record is a struct
 *	memprof_region_function; offset 0: there is none
 * @counters: static probe otel_memory:counter, whose record is a struct
 *	memprof_region_counter; the same
 * @python: an interpreter
 */
struct mp_scan {
	uint32_t nr_points;
	uint32_t nr_remarks;
	uint32_t nr_left_out;
	uint32_t nr_sections;
	uint32_t is_static;
	struct mp_section_point sections[MP_SCAN_MAX_SECTIONS];
	struct mp_section_point functions;
	struct mp_section_point counters;
	struct mp_python_point python;
	struct mp_point points[MP_SCAN_MAX_POINTS];
	struct mp_remark remarks[MP_SCAN_MAX_REMARKS];
};

/** mp_point_frees - whether the function at a probe point frees a block */
bool mp_point_frees(const struct mp_point *point);

/**
 * mp_scan_point - add a point
 *
 * Two symbols at the same offset are aliases: the first point stays, and the
 * second one is dropped. If the scan is full, a point of a function that frees
 * replaces a point of a function that does not.
 */
void mp_scan_point(struct mp_scan *scan, const struct mp_point *point);

/** mp_scan_sort - sort points by offset */
void mp_scan_sort(struct mp_scan *scan);

/** mp_scan_note - add a note; it is dropped if the scan has no room for remarks */
void mp_scan_note(struct mp_scan *scan, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** mp_scan_warn - add a warning; it is dropped if the scan has no room for remarks */
void mp_scan_warn(struct mp_scan *scan, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * mp_scan_is_sound - whether bytes from another process are a valid scan
 * @scan: any bytes
 *
 * Return: true if numbers are within their bounds and texts are terminated and
 * printable. Offsets may still be wrong: the kernel checks those.
 */
bool mp_scan_is_sound(const struct mp_scan *scan);

/** mp_scan_layers - one bit per enum mp_layer: whether the layer has a point */
unsigned int mp_scan_layers(const struct mp_scan *scan);

/** mp_layer_name - name of a layer for users and JSON */
const char *mp_layer_name(enum mp_layer layer);

/*
 * A value of mp_location.func that enum memprof_func does not have: the callsite
 * called a function that creates a mapping, such as mmap(). Such functions are not
 * probed.
 */
#define MP_FUNC_MMAP	256

/** mp_func_name - name of an enum memprof_func for users and JSON; "none" if unknown */
const char *mp_func_name(uint32_t func);

/**
 * mp_func_find - find an allocator function by a name that the user gave
 *
 * Return: enum memprof_func; 0 if the name is unknown. Static probes have no name.
 */
uint32_t mp_func_find(const char *name);

/** mp_trap_name - name of a trap for users and JSON */
const char *mp_trap_name(enum mp_trap trap);

/**
 * mp_point_cost_ns - approximate time that a probe adds to each call
 *
 * Return: nanoseconds, as measured in a virtual machine; 0: not known.
 */
unsigned int mp_point_cost_ns(const struct mp_point *point);

#endif

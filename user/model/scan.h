/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * scan: what was found in a binary that defines allocators
 *
 * Plain data without pointers, so that it can be sent from one process to
 * another as it is.
 */
#ifndef MP_SCAN_H
#define MP_SCAN_H

#include <linux/memprof.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * An eighth of what a session can have. glibc takes 9, tcmalloc 18 (its debugging
 * variant 31), jemalloc 32, mimalloc 47, Rust 4 more.
 */
#define MP_SCAN_MAX_POINTS	64
#define MP_SCAN_MAX_REMARKS	12
#define MP_POINT_NAME_SIZE	128
#define MP_POINT_INSN_SIZE	64
#define MP_REMARK_SIZE		240

/**
 * enum mp_layer - who calls an allocator function
 * @MP_LAYER_MALLOC: C programs, by the names that the C library gives them
 * @MP_LAYER_JEMALLOC: callers of jemalloc's prefixed names
 * @MP_LAYER_TCMALLOC: callers of tcmalloc's
 * @MP_LAYER_MIMALLOC: callers of mimalloc's
 * @MP_LAYER_CXX: operator new and delete
 * @MP_LAYER_RUST: Rust's alloc, dealloc, realloc, alloc_zeroed
 * @MP_LAYER_USDT: static probes of a profiler inside the program
 * @MP_LAYER_USER: the functions that --alloc-fn names
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
 * enum mp_trap - how the kernel gets past a probe
 * @MP_TRAP_EMULATED: it does the work of the instruction itself
 * @MP_TRAP_STEPPED: it lets the program run a copy of it, one instruction long
 * @MP_TRAP_UNKNOWN: of a machine whose instructions are not looked at
 */
enum mp_trap {
	MP_TRAP_EMULATED,
	MP_TRAP_STEPPED,
	MP_TRAP_UNKNOWN,
	MP_NR_TRAPS,
};

/**
 * struct mp_point - where a probe goes
 * @func: enum memprof_func
 * @layer: who calls it
 * @trap: what is at the point
 * @offset: in the file
 * @distance: bytes from the function's entry
 * @ref_ctr_offset: in the file, of a static probe's semaphore; or 0
 * @args: of a static probe
 * @name: symbol, printable; cut where it does not fit
 * @insn: the instruction there, printable
 */
struct mp_point {
	uint32_t func;
	enum mp_layer layer;
	enum mp_trap trap;
	uint32_t distance;
	uint64_t offset;
	uint64_t ref_ctr_offset;
	struct memprof_probe_arg args[3];
	char name[MP_POINT_NAME_SIZE];
	char insn[MP_POINT_INSN_SIZE];
};

/* Copies of libmemprof-sections in one binary, see struct mp_section_point. */
#define MP_SCAN_MAX_SECTIONS	4

/**
 * struct mp_section_point - a static probe memprof:section, which is no allocator's
 * @offset: in the file
 * @ref_ctr_offset: in the file, of its semaphore; or 0
 * @record: where the address of a struct memprof_section is
 */
struct mp_section_point {
	uint64_t offset;
	uint64_t ref_ctr_offset;
	struct memprof_probe_arg record;
};

/**
 * struct mp_remark - what one should know besides
 * @warning: numbers will be incomplete; else it is a note
 * @text: printable
 */
struct mp_remark {
	bool warning;
	char text[MP_REMARK_SIZE];
};

/**
 * struct mp_scan - of one binary; all zero is an empty one
 * @points: in the order of their offsets, each offset once
 * @nr_left_out: points that found no room
 * @sections: in the order of the file
 */
struct mp_scan {
	uint32_t nr_points;
	uint32_t nr_remarks;
	uint32_t nr_left_out;
	uint32_t nr_sections;
	struct mp_section_point sections[MP_SCAN_MAX_SECTIONS];
	struct mp_point points[MP_SCAN_MAX_POINTS];
	struct mp_remark remarks[MP_SCAN_MAX_REMARKS];
};

/** mp_point_frees - whether it is one of the calls that end a block's life */
bool mp_point_frees(const struct mp_point *point);

/**
 * mp_scan_point - add a point
 *
 * Of two at the same offset, which are aliases, the first stays. Where there is
 * no room, one that frees takes the place of one that does not.
 */
void mp_scan_point(struct mp_scan *scan, const struct mp_point *point);

/** mp_scan_sort - points in the order of their offsets */
void mp_scan_sort(struct mp_scan *scan);

/** mp_scan_note - add a remark that is no warning; dropped without room */
void mp_scan_note(struct mp_scan *scan, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** mp_scan_warn - add a warning; dropped without room */
void mp_scan_warn(struct mp_scan *scan, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * mp_scan_is_sound - whether bytes from another process can be taken for a scan
 * @scan: any bytes
 *
 * Return: true if all is as the other functions would leave it: numbers within
 * their bounds, texts that end and are printable. Offsets may still be wrong:
 * the kernel checks those.
 */
bool mp_scan_is_sound(const struct mp_scan *scan);

/** mp_scan_layers - bits, by enum mp_layer, of the layers that have a point */
unsigned int mp_scan_layers(const struct mp_scan *scan);

/** mp_layer_name - for people and JSON */
const char *mp_layer_name(enum mp_layer layer);

/* Beyond enum memprof_func: no probe point, but what a process made a mapping by. */
#define MP_FUNC_MMAP	256

/** mp_func_name - enum memprof_func for people and JSON; "?" for others */
const char *mp_func_name(uint32_t func);

/**
 * mp_func_find - the kind that a user names
 *
 * Return: enum memprof_func, or 0; static probes cannot be named.
 */
uint32_t mp_func_find(const char *name);

/** mp_func_returns - whether the kind needs a probe on its return too */
bool mp_func_returns(uint32_t func);

/** mp_trap_name - for people and JSON */
const char *mp_trap_name(enum mp_trap trap);

/**
 * mp_point_cost_ns - what a call through this point costs, roughly
 *
 * Return: nanoseconds in a virtual machine, 0 where it is not known.
 */
unsigned int mp_point_cost_ns(const struct mp_point *point);

#endif

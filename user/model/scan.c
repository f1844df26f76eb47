// SPDX-License-Identifier: GPL-2.0-only
/*
 * scan: stores the probe points and remarks of a binary
 *
 * A scan is about 20 KB and needs no other memory. Points beyond the limit are
 * counted.
 */
#include "scan.h"
#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char * const layers[MP_NR_LAYERS] = {
	[MP_LAYER_MALLOC] = "malloc",
	[MP_LAYER_JEMALLOC] = "jemalloc",
	[MP_LAYER_TCMALLOC] = "tcmalloc",
	[MP_LAYER_MIMALLOC] = "mimalloc",
	[MP_LAYER_CXX] = "c++",
	[MP_LAYER_RUST] = "rust",
	[MP_LAYER_USDT] = "usdt",
	[MP_LAYER_USER] = "user",
};

static const char * const funcs[] = {
	[MEMPROF_FUNC_MALLOC] = "malloc",
	[MEMPROF_FUNC_CALLOC] = "calloc",
	[MEMPROF_FUNC_REALLOC] = "realloc",
	[MEMPROF_FUNC_REALLOCARRAY] = "reallocarray",
	[MEMPROF_FUNC_MEMALIGN] = "memalign",
	[MEMPROF_FUNC_POSIX_MEMALIGN] = "posix_memalign",
	[MEMPROF_FUNC_FREE] = "free",
	[MEMPROF_FUNC_RUST_REALLOC] = "rust_realloc",
	[MEMPROF_FUNC_USDT_ALLOC] = "usdt_alloc",
	[MEMPROF_FUNC_USDT_FREE] = "usdt_free",
};

#define NR_FUNCS	(sizeof(funcs) / sizeof(funcs[0]))

static const char * const traps[MP_NR_TRAPS] = {
	[MP_TRAP_EMULATED] = "emulated",
	[MP_TRAP_STEPPED] = "stepped",
	[MP_TRAP_UNKNOWN] = "unknown",
};

/*
 * Cost of a probed call in nanoseconds, by enum mp_trap: without and with a probe
 * on the return. Measured with malloc and free of glibc 2.36 in a loop, Linux
 * 6.18, in a virtual machine on an AMD EPYC. A single step is expensive there,
 * because it exits the virtual machine.
 */
static const unsigned int costs_ns[MP_NR_TRAPS][2] = {
#if defined(__x86_64__)		/* not measured elsewhere */
	[MP_TRAP_EMULATED] = { 700, 1100 },
	[MP_TRAP_STEPPED] = { 9500, 9700 },
#endif
};

bool mp_point_frees(const struct mp_point *point)
{
	return point->func == MEMPROF_FUNC_FREE ||
	       point->func == MEMPROF_FUNC_USDT_FREE;
}

/*
 * Returns room for a point, or NULL if the scan is full. If a function that frees
 * had no probe, blocks would stay live for ever. So in a full scan such a point
 * replaces one that allocates; calls of that allocator function do not count then.
 */
static struct mp_point *room_for(struct mp_scan *scan,
				 const struct mp_point *point)
{
	uint32_t i;

	if (scan->nr_points < MP_SCAN_MAX_POINTS)
		return &scan->points[scan->nr_points++];
	scan->nr_left_out++;
	for (i = scan->nr_points; mp_point_frees(point) && i-- > 0;)
		if (!mp_point_frees(&scan->points[i]))
			return &scan->points[i];
	return NULL;
}

void mp_scan_point(struct mp_scan *scan, const struct mp_point *point)
{
	struct mp_point *copy;
	uint32_t i;

	for (i = 0; i < scan->nr_points; i++)
		if (scan->points[i].offset == point->offset)
			return;
	copy = room_for(scan, point);
	if (!copy)
		return;
	*copy = *point;
	mp_text_escape(copy->name, sizeof(copy->name), point->name,
		       sizeof(point->name));
}

static int compare_offset(const void *x, const void *y)
{
	const struct mp_point *a = x, *b = y;

	return (a->offset > b->offset) - (a->offset < b->offset);
}

void mp_scan_sort(struct mp_scan *scan)
{
	qsort(scan->points, scan->nr_points, sizeof(scan->points[0]),
	      compare_offset);
}

static void remark(struct mp_scan *scan, bool warning, const char *format,
		   va_list args)
{
	char text[MP_REMARK_SIZE];
	struct mp_remark *new;

	if (scan->nr_remarks == MP_SCAN_MAX_REMARKS)
		return;
	new = &scan->remarks[scan->nr_remarks++];
	new->warning = warning;
	vsnprintf(text, sizeof(text), format, args);
	mp_text_escape(new->text, sizeof(new->text), text, sizeof(text));
}

void mp_scan_note(struct mp_scan *scan, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	remark(scan, false, format, args);
	va_end(args);
}

void mp_scan_warn(struct mp_scan *scan, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	remark(scan, true, format, args);
	va_end(args);
}

static bool is_sound_point(const struct mp_point *point)
{
	/* untrusted bytes: an enum may be negative, so compare unsigned numbers */
	return point->func && point->func < NR_FUNCS &&
	       (uint32_t)point->layer < MP_NR_LAYERS &&
	       (uint32_t)point->trap < MP_NR_TRAPS &&
	       point->nr_args <= MP_POINT_MAX_ARGS &&
	       mp_text_is_printable(point->name, sizeof(point->name)) &&
	       mp_text_is_printable(point->insn, sizeof(point->insn));
}

static bool is_sound_remark(const struct mp_remark *remark)
{
	/* untrusted bytes: a bool other than 0 or 1 must not be read as a bool */
	return *(const unsigned char *)&remark->warning <= 1 &&
	       *(const unsigned char *)&remark->sampled <= 1 &&
	       mp_text_is_printable(remark->text, sizeof(remark->text));
}

bool mp_scan_is_sound(const struct mp_scan *scan)
{
	uint32_t i;

	if (scan->nr_points > MP_SCAN_MAX_POINTS ||
	    scan->nr_sections > MP_SCAN_MAX_SECTIONS ||
	    scan->nr_remarks > MP_SCAN_MAX_REMARKS)
		return false;
	for (i = 0; i < scan->nr_points; i++)
		if (!is_sound_point(&scan->points[i]))
			return false;
	for (i = 0; i < scan->nr_remarks; i++)
		if (!is_sound_remark(&scan->remarks[i]))
			return false;
	return true;
}

unsigned int mp_scan_layers(const struct mp_scan *scan)
{
	unsigned int bits = 0;
	uint32_t i;

	for (i = 0; i < scan->nr_points; i++)
		bits |= 1U << scan->points[i].layer;
	return bits;
}

const char *mp_layer_name(enum mp_layer layer)
{
	return layers[layer];
}

const char *mp_func_name(uint32_t func)
{
	if (func == MP_FUNC_MMAP)
		return "mmap";
	return func && func < NR_FUNCS ? funcs[func] : "none";
}

uint32_t mp_func_find(const char *name)
{
	uint32_t i;

	for (i = 1; i < MEMPROF_FUNC_USDT_ALLOC; i++)
		if (!strcmp(name, funcs[i]))
			return i;
	return 0;
}

/* Whether a probe on the return of an enum memprof_func is needed, too. */
static bool needs_return(uint32_t func)
{
	return func != MEMPROF_FUNC_FREE && func < MEMPROF_FUNC_USDT_ALLOC;
}

const char *mp_trap_name(enum mp_trap trap)
{
	return traps[trap];
}

unsigned int mp_point_cost_ns(const struct mp_point *point)
{
	return costs_ns[point->trap][needs_return(point->func)];
}

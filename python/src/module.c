// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * module.c: memprof._memprof, libmemprof's functions for Python.
 *
 * The package's Python files decide; this only calls the library and copies values.
 * Results of functions that can fail are 0 or -errno. Each interpreter has a module of
 * its own; all of them use the one libmemprof of the process. Only the stable ABI is
 * used, so the same file serves 3.10 and later.
 */
#define Py_LIMITED_API 0x030a0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "library.h"
#include "live-blocks.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

/* A slot of 3.12 and later, which older versions do not know */
#define SLOT_MULTIPLE_INTERPRETERS	3
#define OWN_GIL_SUPPORTED		((void *)2)

/* Returns the library; NULL with an exception if it is not opened. */
static struct library *library_of(PyObject *module)
{
	struct library *library = PyModule_GetState(module);

	if (library && library->handle)
		return library;
	if (!PyErr_Occurred())
		PyErr_SetString(PyExc_RuntimeError, "libmemprof is not opened");
	return NULL;
}

static PyObject *open_library(PyObject *module, PyObject *path)
{
	struct library *library = PyModule_GetState(module);
	const char *why = NULL;
	PyObject *bytes;
	bool is_open;

	if (!library || !PyUnicode_FSConverter(path, &bytes))
		return NULL;
	is_open = library->handle || library_open(library, PyBytes_AsString(bytes), &why);
	if (!is_open)
		PyErr_SetString(PyExc_OSError, why ? why : "libmemprof cannot be loaded");
	Py_DECREF(bytes);
	if (!is_open)
		return NULL;
	Py_RETURN_NONE;
}

/* The result of a function that sets errno */
static PyObject *error_number(int result)
{
	return PyLong_FromLong(result ? -errno : 0);
}

static PyObject *start(PyObject *module, PyObject *unused)
{
	struct library *library = library_of(module);

	(void)unused;
	return library ? error_number(library->start()) : NULL;
}

static PyObject *stop(PyObject *module, PyObject *unused)
{
	struct library *library = library_of(module);

	(void)unused;
	return library ? error_number(library->stop()) : NULL;
}

static PyObject *mark(PyObject *module, PyObject *unused)
{
	struct library *library = library_of(module);

	(void)unused;
	return library ? error_number(library->mark()) : NULL;
}

static PyObject *shut_down(PyObject *module, PyObject *unused)
{
	struct library *library = library_of(module);

	(void)unused;
	if (!library)
		return NULL;
	library->shutdown();
	Py_RETURN_NONE;
}

static PyObject *attach(PyObject *module, PyObject *rate)
{
	struct memprof_attachment attachment = {
		.size = sizeof(attachment),
		.flags = MEMPROF_ATTACH_PRIVATE,
	};
	struct library *library = library_of(module);

	if (!library)
		return NULL;
	attachment.rate = PyLong_AsUnsignedLongLong(rate);
	if (PyErr_Occurred())
		return NULL;
	return PyLong_FromLong(library->attach(&attachment));
}

static PyObject *detach(PyObject *module, PyObject *unused)
{
	struct library *library = library_of(module);
	int restored;

	(void)unused;
	if (!library)
		return NULL;
	restored = library->detach();
	return PyLong_FromLong(restored < 0 ? restored : 0);
}

static PyObject *state(PyObject *module, PyObject *unused)
{
	struct library *library = library_of(module);

	(void)unused;
	return library ? PyLong_FromLong(library->get_state()) : NULL;
}

static PyObject *sequence(PyObject *module, PyObject *unused)
{
	struct library *library = library_of(module);

	(void)unused;
	return library ? PyLong_FromUnsignedLongLong(library->get_sequence()) : NULL;
}

static PyObject *exclude(PyObject *module, PyObject *is_excluded)
{
	struct library *library = library_of(module);
	int is_true = PyObject_IsTrue(is_excluded);

	if (!library || is_true < 0)
		return NULL;
	return PyBool_FromLong(library->exclude(is_true));
}

static PyObject *stats(PyObject *module, PyObject *unused)
{
	struct library *library = library_of(module);
	const FramePointerHealth *health;
	MemProfStats is = { 0 };

	(void)unused;
	if (!library)
		return NULL;
	library->get_stats(&is);
	health = &is.frame_pointer_health;
	return Py_BuildValue("(KKKKKdKK)(KKdKd)",
			     (unsigned long long)is.total_samples,
			     (unsigned long long)is.live_samples,
			     (unsigned long long)is.freed_samples,
			     (unsigned long long)is.unique_stacks,
			     (unsigned long long)is.estimated_heap_bytes,
			     is.heap_map_load_percent,
			     (unsigned long long)is.collisions,
			     (unsigned long long)is.sampling_rate_bytes,
			     (unsigned long long)health->shallow_stack_warnings,
			     (unsigned long long)health->total_native_stacks,
			     health->avg_native_depth,
			     (unsigned long long)health->min_native_depth,
			     health->truncation_rate);
}

static PyObject *totals(PyObject *module, PyObject *unused)
{
	struct library *library = library_of(module);
	const struct memprof_region_header *region;

	(void)unused;
	if (!library)
		return NULL;
	region = library->get_region();
	if (!region)
		return Py_BuildValue("(KKK)", 0ULL, 0ULL, 0ULL);
	return Py_BuildValue("(KKK)", (unsigned long long)region->total.alloc_bytes,
			     (unsigned long long)region->total.peak_bytes,
			     (unsigned long long)region->control.mark_ns);
}

/* Stores @value, whose reference is taken over. Returns 0 or -1. */
static int put(PyObject *dict, unsigned long long key, PyObject *value)
{
	PyObject *number = value ? PyLong_FromUnsignedLongLong(key) : NULL;
	int error = number ? PyDict_SetItem(dict, number, value) : -1;

	Py_XDECREF(number);
	Py_XDECREF(value);
	return error;
}

/* Returns 1 if the key is known, 0 if not, -1 with an exception. */
static int has(PyObject *dict, unsigned long long key)
{
	PyObject *number = PyLong_FromUnsignedLongLong(key);
	int is_known = number ? PyDict_Contains(dict, number) : -1;

	Py_XDECREF(number);
	return is_known;
}

/* ("py::NAME:FILE", line) */
static PyObject *interpreted(const struct memprof_region_function *function)
{
	size_t len = strnlen(function->text, sizeof(function->text));
	PyObject *text = PyUnicode_DecodeUTF8(function->text, (Py_ssize_t)len, "replace");

	return text ? Py_BuildValue("NI", text, function->line) : NULL;
}

/* (symbol or None, file or None, distance from the file's begin) */
static PyObject *native(uint64_t frame)
{
	Dl_info info;

	if (!dladdr((void *)(uintptr_t)(frame - 1), &info))
		return Py_BuildValue("(OOK)", Py_None, Py_None, (unsigned long long)frame);
	return Py_BuildValue("(zO&K)", info.dli_sname, PyUnicode_DecodeFSDefault,
			     info.dli_fname ? info.dli_fname : "",
			     (unsigned long long)(frame - (uintptr_t)info.dli_fbase));
}

static int put_frame(PyObject *names, const struct memprof_region_header *region,
		     uint64_t frame)
{
	const struct memprof_region_function *function;
	int is_known = has(names, frame);

	if (is_known)
		return is_known < 0 ? -1 : 0;
	function = live_blocks_function(region, frame);
	return put(names, frame, function ? interpreted(function) : native(frame));
}

static int put_stack(PyObject *stacks, PyObject *names,
		     const struct memprof_region_header *region, uint32_t number)
{
	const struct memprof_region_stack *stack;
	int is_known = has(stacks, number), i, error = 0;
	PyObject *list;

	if (is_known)
		return is_known < 0 ? -1 : 0;
	stack = live_blocks_stack(region, number);
	list = PyList_New(0);
	for (i = 0; list && stack && i < stack->depth && !error; i++) {
		PyObject *frame = PyLong_FromUnsignedLongLong(stack->frames[i]);

		error = frame ? PyList_Append(list, frame) : -1;
		Py_XDECREF(frame);
		error = error ? error : put_frame(names, region, stack->frames[i]);
	}
	if (error)
		Py_CLEAR(list);
	return put(stacks, number, list);
}

static int put_block(PyObject *blocks, const struct live_block *block)
{
	PyObject *tuple = Py_BuildValue("KKKKI", (unsigned long long)block->address,
					(unsigned long long)block->size,
					(unsigned long long)block->weight_bytes,
					(unsigned long long)block->birth_ns,
					block->stack);
	int error = tuple ? PyList_Append(blocks, tuple) : -1;

	Py_XDECREF(tuple);
	return error;
}

static PyObject *blocks_to_python(const struct live_blocks *blocks,
				  const struct memprof_region_header *region)
{
	PyObject *list = PyList_New(0), *stacks = PyDict_New(), *names = PyDict_New();
	int error = list && stacks && names ? 0 : -1;
	size_t i;

	for (i = 0; i < blocks->nr && !error; i++) {
		error = put_block(list, &blocks->list[i]);
		if (!error)
			error = put_stack(stacks, names, region, blocks->list[i].stack);
	}
	if (!error)
		return Py_BuildValue("(NNN)", list, stacks, names);
	Py_XDECREF(list);
	Py_XDECREF(stacks);
	Py_XDECREF(names);
	return NULL;
}

/* What this thread allocates here is not sampled. */
static PyObject *snapshot(PyObject *module, PyObject *args)
{
	struct library *library = library_of(module);
	const struct memprof_region_header *region;
	unsigned long long after, since_ns;
	struct live_blocks blocks;
	PyObject *result = NULL;
	int before;

	if (!library || !PyArg_ParseTuple(args, "KK", &after, &since_ns))
		return NULL;
	before = library->exclude(1);
	region = library->get_region();
	if (!region)
		result = Py_BuildValue("([]{}{})");
	else if (live_blocks_copy(&blocks, region, after, since_ns))
		PyErr_NoMemory();
	else {
		result = blocks_to_python(&blocks, region);
		live_blocks_free(&blocks);
	}
	library->exclude(before);
	return result;
}

static PyMethodDef methods[] = {
	{ "open", open_library, METH_O, NULL },
	{ "state", state, METH_NOARGS, NULL },
	{ "attach", attach, METH_O, NULL },
	{ "detach", detach, METH_NOARGS, NULL },
	{ "start", start, METH_NOARGS, NULL },
	{ "stop", stop, METH_NOARGS, NULL },
	{ "shutdown", shut_down, METH_NOARGS, NULL },
	{ "mark", mark, METH_NOARGS, NULL },
	{ "sequence", sequence, METH_NOARGS, NULL },
	{ "exclude", exclude, METH_O, NULL },
	{ "stats", stats, METH_NOARGS, NULL },
	{ "totals", totals, METH_NOARGS, NULL },
	{ "snapshot", snapshot, METH_VARARGS, NULL },
	{ NULL, NULL, 0, NULL },
};

static PyModuleDef_Slot no_slots[] = {
	{ 0, NULL },
};

static PyModuleDef_Slot slots_3_12[] = {
	{ SLOT_MULTIPLE_INTERPRETERS, OWN_GIL_SUPPORTED },
	{ 0, NULL },
};

#define DEFINITION(slots) {						\
	PyModuleDef_HEAD_INIT, "_memprof", NULL, sizeof(struct library),	\
	methods, slots, NULL, NULL, NULL					\
}

/* CPython keeps its own counts in these. */
static struct PyModuleDef definition = DEFINITION(no_slots);
static struct PyModuleDef definition_3_12 = DEFINITION(slots_3_12);

static long minor_version(void)
{
	PyObject *info = PySys_GetObject("version_info");
	PyObject *minor = info ? PyObject_GetAttrString(info, "minor") : NULL;
	long number = minor ? PyLong_AsLong(minor) : -1;

	Py_XDECREF(minor);
	return number;
}

PyMODINIT_FUNC PyInit__memprof(void)
{
	const long minor = minor_version();

	if (minor < 0)
		return NULL;
	return PyModuleDef_Init(minor >= 12 ? &definition_3_12 : &definition);
}

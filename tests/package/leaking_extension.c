// SPDX-License-Identifier: GPL-2.0-only
/*
 * leaking_extension: a module of Python that takes memory from malloc() and loses it.
 */
#define Py_LIMITED_API 0x030a0000
#include <Python.h>

#include <stdlib.h>
#include <string.h>

static PyObject *leak(PyObject *module, PyObject *size)
{
	size_t n = PyLong_AsSize_t(size);
	void *p = PyErr_Occurred() ? NULL : malloc(n);

	(void)module;
	if (!p)
		return PyErr_Occurred() ? NULL : PyErr_NoMemory();
	memset(p, 1, n);
	Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
	{ "leak", leak, METH_O, NULL },
	{ NULL, NULL, 0, NULL },
};

static struct PyModuleDef definition = {
	PyModuleDef_HEAD_INIT, .m_name = "leaking_extension", .m_methods = methods,
};

PyMODINIT_FUNC PyInit_leaking_extension(void)
{
	return PyModuleDef_Init(&definition);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: embeds LIBPYTHON
 *
 * Opens an interpreter while it runs. The function grow() keeps 5 MB, in its fourth line.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	void *python = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) : NULL;
	void (*begin)(int signals);
	int (*run)(const char *text);

	if (!python)
		return 1;
	begin = (void (*)(int))dlsym(python, "Py_InitializeEx");
	run = (int (*)(const char *))dlsym(python, "PyRun_SimpleString");
	if (!begin || !run)
		return 1;
	begin(0);
	run("kept = []\n"
	    "def grow():\n"
	    "    for n in range(500):\n"
	    "        kept.append(bytearray(10000))\n"
	    "grow()\n");
	puts("done");
	fflush(stdout);
	return raise(SIGKILL);
}

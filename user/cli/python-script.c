// SPDX-License-Identifier: GPL-2.0-only
/*
 * python-script: a script in Python, python-containers.py, that is a part of this program
 */
#include "python-script.h"

#include <stdio.h>

extern const char mp_python_containers[];

__asm__(".pushsection .rodata\n"
	"mp_python_containers: .incbin \"python-containers.py\"\n"
	".byte 0\n"
	".popsection\n");

void mp_python_script_print(void)
{
	fputs(mp_python_containers, stdout);
}

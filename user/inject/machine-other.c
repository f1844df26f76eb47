// SPDX-License-Identifier: GPL-2.0-only
/*
 * machine-other: architectures on which injection is not done yet, such as arm64
 */
#include "machine.h"

#ifndef __x86_64__
const struct mp_machine *mp_machine(void)
{
	return NULL;
}
#endif

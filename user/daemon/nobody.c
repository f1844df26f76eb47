// SPDX-License-Identifier: GPL-2.0-only
/*
 * nobody: for processes that speak with strangers
 *
 * A process that cannot give up its privileges must not run.
 */
#include "nobody.h"

#include <cap-ng.h>
#include <grp.h>
#include <sys/prctl.h>
#include <unistd.h>

#define NOBODY		65534

void mp_nobody_become(void)
{
	if (!getuid() && !setgroups(0, NULL) && !setresgid(NOBODY, NOBODY, NOBODY) &&
	    setresuid(NOBODY, NOBODY, NOBODY))
		_exit(1);
	capng_clear(CAPNG_SELECT_CAPS);
	if (capng_apply(CAPNG_SELECT_CAPS))
		_exit(1);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

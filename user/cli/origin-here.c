// SPDX-License-Identifier: GPL-2.0-only
/*
 * origin-here: asks the kernel for its names and the time
 *
 * Nothing can fail.
 */
#include "origin-here.h"
#include "clock.h"
#include "text.h"

#include <sys/utsname.h>
#include <time.h>

void mp_origin_here(struct mp_origin *origin)
{
	struct utsname uts;
	struct timespec now;

	uname(&uts);
	clock_gettime(CLOCK_REALTIME, &now);
	mp_text_escape(origin->host, sizeof(origin->host), uts.nodename,
		       sizeof(uts.nodename));
	mp_text_escape(origin->kernel, sizeof(origin->kernel), uts.release,
		       sizeof(uts.release));
	mp_text_escape(origin->machine, sizeof(origin->machine), uts.machine,
		       sizeof(uts.machine));
	origin->zero_ns = (uint64_t)now.tv_sec * 1000000000 +
			  (uint64_t)now.tv_nsec - mp_clock_ns();
}

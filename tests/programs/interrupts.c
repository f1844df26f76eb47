// SPDX-License-Identifier: GPL-2.0-only
/*
 * A library whose begin() has a signal interrupt the only thread 5000 times a second. (Timers
 * of CPU time do so once a tick only.) The handler allocates and frees 100,000 bytes. The
 * interrupted code must not be inside the C library's allocator.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>

static void *volatile kept;

static void allocate(int signal)
{
	void *p = malloc(100000);

	(void)signal;
	kept = p;
	free(p);
}

void begin(void)
{
	const struct sigaction action = { .sa_handler = allocate, .sa_flags = SA_RESTART };
	const struct itimerval often = { { 0, 200 }, { 0, 200 } };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
}

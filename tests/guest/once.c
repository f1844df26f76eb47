// SPDX-License-Identifier: GPL-2.0-only
/*
 * One short session of all processes, for tests that load the module.
 */
#include "session.h"
#include <unistd.h>

int main(void)
{
	int fd = session_open();

	if (fd < 0 || session_target_all(fd) || session_start(fd, 1, 1, 1))
		return 1;
	usleep(50000);
	if (session_snapshot(fd, 0) ||
	    session_nr_rows(fd, MEMPROF_READ_PROCESSES) < 2)
		return 1;
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * hold CMD...: runs a command while a session holds all hooks of the module.
 *
 * The kernel patches its code when the first session takes a hook, and when the last
 * one gives it back. An emulator whose CPUs run at the same time may execute the old
 * and the new code mixed, and the guest dies. With this session the code stays.
 */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "session.h"

int main(int argc, char **argv)
{
	int fd = session_open(), status;
	pid_t pid;

	if (argc < 2 || fd < 0 || session_target_pid(fd, 1, 0) ||
	    session_start(fd, 1000, 1, 1)) {
		fprintf(stderr, "hold: no session\n");
		return 1;
	}
	pid = fork();
	if (!pid) {
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	if (waitpid(pid, &status, 0) != pid)
		return 1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * refused KIND: a process into which no library may be put; prints the process id
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <unistd.h>

static void filter(void)
{
	struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog program = { 1, &allow };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* The parent of a process that does nothing: it is the one to look at. */
static pid_t make_child(void)
{
	pid_t child = fork();

	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
		_exit(0);
	}
	return child;
}

static pid_t make_zombie(void)
{
	pid_t child = fork();

	if (!child)
		_exit(0);
	return child;
}

/* The child reads until the test ends; until then the parent is in vfork(). */
static void wait_in_vfork(void)
{
	char byte;

	printf("%d\n", (int)getpid());
	fflush(stdout);
	if (!vfork()) {
		while (read(STDIN_FILENO, &byte, 1) > 0)
			;
		_exit(0);
	}
	puts("done");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";
	pid_t pid = getpid();

	if (!strcmp(kind, "seccomp")) {
		filter();
	} else if (!strcmp(kind, "undumpable")) {
		prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	} else if (!strcmp(kind, "traced")) {
		pid = make_child();
		ptrace(PTRACE_SEIZE, pid, NULL, NULL);
	} else if (!strcmp(kind, "zombie")) {
		pid = make_zombie();
		usleep(100000);
	} else if (!strcmp(kind, "vfork")) {
		wait_in_vfork();
	}
	printf("%d\n", (int)pid);
	fflush(stdout);
	pause();
	return 0;
}

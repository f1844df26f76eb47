/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * refusing: a seccomp filter that answers one system call, for tests of failures
 * that this machine's kernel does not have
 */
#ifndef TESTS_REFUSING_H
#define TESTS_REFUSING_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * From now on system call @nr of this process returns -@error, or 0 where @error is
 * 0. The filter stays until the process ends; the harness runs each test in its own.
 * The prctl() of the C library is not used: the sampler replaces it.
 */
static inline int refuse_call(unsigned int nr, unsigned int error)
{
	struct sock_filter list[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { sizeof(list) / sizeof(list[0]), list };

	return syscall(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       syscall(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

#endif

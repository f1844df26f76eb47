/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * remote-call: system calls and function calls by a borrowed thread of the target
 */
#ifndef MP_REMOTE_CALL_H
#define MP_REMOTE_CALL_H

#include "left-over.h"
#include "way-home.h"

/* Room for arguments in memory: a path, or what memprof_attach() takes. */
#define MP_REMOTE_DATA_SIZE	2048

/**
 * struct mp_remote - a borrowed thread
 * @target: its process
 * @thread: the thread
 * @left_overs: what dead injections left, to be unmapped; or NULL
 * @home: the frame that leads it home
 * @is_raised: the thread has another priority than its own
 * @region: address of the memory that the thread has mapped for the calls; 0: none
 * @diag: gets the reason of each failure
 */
struct mp_remote {
	const struct mp_inject_target *target;
	struct mp_stopped_thread *thread;
	const struct mp_left_overs *left_overs;
	struct mp_way_home home;
	bool is_raised;
	uint64_t region;
	struct mp_diag *diag;
};

/**
 * mp_remote_begin - borrow a stopped thread, and map memory for its calls
 * @remote: in: @target, @thread, @left_overs and @diag; zero else
 *
 * Return: 0, or a negative errno with the reason in @diag. mp_remote_end() has to
 * follow in each case.
 */
int mp_remote_begin(struct mp_remote *remote);

/**
 * mp_remote_system_call - have the thread make a system call
 *
 * Return: its result; -ESRCH if the thread is gone.
 */
long mp_remote_system_call(struct mp_remote *remote,
			   const struct mp_machine_system_call *call);

/** mp_remote_data - address of MP_REMOTE_DATA_SIZE bytes for arguments */
uint64_t mp_remote_data(const struct mp_remote *remote);

/**
 * mp_remote_call - have the thread call a function
 * @request: in: @function, @args, @dlerror; out: @result, @error
 *
 * errno stays as it was. Signals are kept until the thread is at home, but for those
 * of its own faults and the two of the C library: setuid() of another thread waits for
 * them, while it holds a lock that dlopen() needs.
 *
 * Return: 0, or a negative errno with the reason in @diag.
 */
int mp_remote_call(struct mp_remote *remote, struct mp_machine_request *request);

/**
 * mp_remote_end - unmap the memory, and give the thread back what it had
 *
 * Return: 0, or a negative errno: the thread has ended, or goes home by itself.
 */
int mp_remote_end(struct mp_remote *remote);

#endif

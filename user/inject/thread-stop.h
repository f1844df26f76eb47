/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * thread-stop: stops one thread of the target, and lets it go
 */
#ifndef MP_THREAD_STOP_H
#define MP_THREAD_STOP_H

#include "inject-target.h"

/**
 * struct mp_stopped_thread - a thread that is traced
 * @tid: its id
 * @machine: its architecture
 * @state: what it has to get back
 * @since_ns: when it was stopped, CLOCK_MONOTONIC
 * @until_ms: when to give up waiting for it, CLOCK_MONOTONIC
 * @is_gone: it ended, or is not traced any more
 */
struct mp_stopped_thread {
	pid_t tid;
	const struct mp_machine *machine;
	struct mp_machine_state state;
	uint64_t since_ns;
	int64_t until_ms;
	bool is_gone;
};

/* How a thread stopped. */
enum mp_stop {
	MP_STOP_EVENT,		/* as asked for */
	MP_STOP_JOB,		/* the process is stopped, such as by SIGSTOP */
	MP_STOP_SIGNAL,		/* before a signal is delivered */
	MP_STOP_SYSTEM_CALL,	/* before or after a system call */
	MP_STOP_GONE,		/* not at all: the thread ended */
	MP_STOP_LATE,		/* not at all, until @until_ms */
	MP_STOP_NONE,		/* not at all: it has done its work and runs on */
};

/**
 * mp_thread_stops_init - prepare this process to wait for stops
 *
 * Blocks SIGCHLD, which the waiting takes, and gets a CPU before others.
 */
void mp_thread_stops_init(void);

/**
 * mp_thread_stop - stop a thread, at a place where it can be restored exactly
 * @thread: in: @tid, @machine and @until_ms; out: the other members
 *
 * Signals that come first are delivered.
 *
 * Return: 0; -EBUSY if the process is stopped; -ETIME if the thread does not stop;
 * another negative errno.
 */
int mp_thread_stop(struct mp_stopped_thread *thread);

/**
 * mp_thread_go - let a stopped thread run until its next stop
 * @request: PTRACE_CONT or PTRACE_SYSCALL
 * @signal: in: signal to deliver; out: signal of MP_STOP_SIGNAL
 */
enum mp_stop mp_thread_go(struct mp_stopped_thread *thread, int request, int *signal);

/* Tells whether a running thread has done its work. */
typedef bool (*mp_thread_is_done)(void *context);

/**
 * mp_thread_run - let a stopped thread run until its next stop, or until its work is done
 * @signal: as for mp_thread_go()
 *
 * It runs through system calls: a stop at each of them costs two switches of the CPU, for
 * which the thread waits where CPUs are busy. After MP_STOP_NONE it runs on.
 */
enum mp_stop mp_thread_run(struct mp_stopped_thread *thread, mp_thread_is_done is_done,
			   void *context, int *signal);

/** mp_thread_halt - bring a running thread to MP_STOP_EVENT; 0 or an errno */
int mp_thread_halt(struct mp_stopped_thread *thread);

/** mp_thread_interrupt - bring a thread from any stop to MP_STOP_EVENT; 0 or an errno */
int mp_thread_interrupt(struct mp_stopped_thread *thread);

/** mp_thread_registers - read the general registers of a stopped thread */
bool mp_thread_registers(struct mp_stopped_thread *thread, struct user_regs_struct *regs);

/** mp_thread_set_registers - write the general registers of a stopped thread */
bool mp_thread_set_registers(struct mp_stopped_thread *thread,
			     const struct user_regs_struct *regs);

/** mp_thread_set_mask - write the blocked signals of a stopped thread */
bool mp_thread_set_mask(struct mp_stopped_thread *thread, uint64_t mask);

/** mp_thread_is_in_rseq - whether a stopped thread is inside a restartable sequence */
bool mp_thread_is_in_rseq(const struct mp_stopped_thread *thread,
			  const struct mp_inject_target *target);

/** mp_thread_leave - let go of a thread whose registers were not changed */
void mp_thread_leave(struct mp_stopped_thread *thread);

/**
 * mp_thread_restore - give a thread back all that it had, and let go of it
 *
 * A system call that the stop interrupted goes on, or is repeated by the kernel, as
 * after a debugger's stop.
 *
 * Return: 0, or a negative errno; then the thread goes home by itself, or has ended.
 */
int mp_thread_restore(struct mp_stopped_thread *thread);

#endif

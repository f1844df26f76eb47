// SPDX-License-Identifier: GPL-2.0-only
/*
 * thread-stop: one thread under PTRACE_SEIZE; all others keep running
 *
 * There are no breakpoints and no single steps. Both would survive this tracer in the
 * thread, and kill it. Stops at system calls end with the tracer: the kernel clears
 * them. A stop and its end cost 20 us.
 */
#include "thread-stop.h"
#include "clock.h"
#include "thread-priority.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>

/* <linux/ptrace.h> and <sys/ptrace.h> cannot be included together. */
#define GET_RSEQ_CONFIGURATION	0x420f
#define SYSTEM_CALL_STOP	(SIGTRAP | 0x80)

/* Between two looks at what a running thread has done, in nanoseconds */
#define LOOK_NS		50000

/* Bytes of the kernel's set of signals. */
#define MASK_SIZE	8

struct rseq_configuration {
	uint64_t area;
	uint32_t size, signature, flags, padding;
};

struct rseq_section {
	uint32_t version, flags;
	uint64_t start, length, abort;
};

void mp_thread_stops_init(void)
{
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	mp_priority_raise_self();
}

/* Waits for the next SIGCHLD, or until the thread's time is over; @looks: or for a moment. */
static bool wait_signal(const struct mp_stopped_thread *thread, bool looks)
{
	int64_t left_ms = thread->until_ms - mp_clock_ms();
	struct timespec left = { left_ms / 1000, left_ms % 1000 * 1000000 };
	sigset_t child;

	if (left_ms <= 0)
		return false;
	if (looks)
		left = (struct timespec){ .tv_nsec = LOOK_NS };
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigtimedwait(&child, NULL, &left);
	return true;
}

static enum mp_stop read_status(int status, int *signal)
{
	int event = status >> 16;

	*signal = 0;
	if (!WIFSTOPPED(status))
		return MP_STOP_GONE;
	if (event == PTRACE_EVENT_STOP)
		return WSTOPSIG(status) == SIGTRAP ? MP_STOP_EVENT : MP_STOP_JOB;
	if (WSTOPSIG(status) == SYSTEM_CALL_STOP)
		return MP_STOP_SYSTEM_CALL;
	*signal = WSTOPSIG(status);
	return MP_STOP_SIGNAL;
}

/* @is_done: what ends the wait without a stop; or NULL */
static enum mp_stop wait_stop(struct mp_stopped_thread *thread, int *signal,
			      mp_thread_is_done is_done, void *context)
{
	enum mp_stop stop;
	int status;
	pid_t got;

	do {
		got = waitpid(thread->tid, &status, __WALL | WNOHANG);
		if (!got && is_done && is_done(context))
			return MP_STOP_NONE;
		if (!got && !wait_signal(thread, is_done))
			return MP_STOP_LATE;
	} while (!got || (got < 0 && errno == EINTR));
	stop = got < 0 ? MP_STOP_GONE : read_status(status, signal);
	if (stop == MP_STOP_GONE)
		thread->is_gone = true;
	return stop;
}

static bool go(struct mp_stopped_thread *thread, int request, int signal)
{
	if (ptrace(request, thread->tid, NULL, (void *)(long)signal))
		thread->is_gone = true;
	return !thread->is_gone;
}

enum mp_stop mp_thread_go(struct mp_stopped_thread *thread, int request, int *signal)
{
	return go(thread, request, *signal) ? wait_stop(thread, signal, NULL, NULL) :
					      MP_STOP_GONE;
}

enum mp_stop mp_thread_run(struct mp_stopped_thread *thread, mp_thread_is_done is_done,
			   void *context, int *signal)
{
	return go(thread, PTRACE_CONT, *signal) ?
	       wait_stop(thread, signal, is_done, context) : MP_STOP_GONE;
}

/* Waits for MP_STOP_EVENT and delivers the signals that come first. */
static int wait_event(struct mp_stopped_thread *thread)
{
	int signal = 0;
	enum mp_stop stop = wait_stop(thread, &signal, NULL, NULL);

	while (stop == MP_STOP_SIGNAL || stop == MP_STOP_SYSTEM_CALL)
		stop = mp_thread_go(thread, PTRACE_CONT, &signal);
	if (stop == MP_STOP_EVENT)
		return 0;
	if (stop == MP_STOP_JOB)
		return -EBUSY;
	return stop == MP_STOP_LATE ? -ETIME : -ESRCH;
}

int mp_thread_halt(struct mp_stopped_thread *thread)
{
	if (ptrace(PTRACE_INTERRUPT, thread->tid, NULL, NULL)) {
		thread->is_gone = true;
		return -ESRCH;
	}
	return wait_event(thread);
}

int mp_thread_interrupt(struct mp_stopped_thread *thread)
{
	if (ptrace(PTRACE_INTERRUPT, thread->tid, NULL, NULL) ||
	    ptrace(PTRACE_CONT, thread->tid, NULL, NULL)) {
		thread->is_gone = true;
		return -ESRCH;
	}
	return wait_event(thread);
}

static bool read_set(pid_t tid, unsigned int set, void *to, size_t *size)
{
	struct iovec part = { to, *size };

	if (ptrace(PTRACE_GETREGSET, tid, (void *)(unsigned long)set, &part))
		return false;
	*size = part.iov_len;
	return true;
}

static bool write_set(pid_t tid, unsigned int set, const void *from, size_t size)
{
	struct iovec part = { (void *)from, size };

	return !ptrace(PTRACE_SETREGSET, tid, (void *)(unsigned long)set, &part);
}

bool mp_thread_registers(struct mp_stopped_thread *thread, struct user_regs_struct *regs)
{
	size_t size = sizeof(*regs);

	return read_set(thread->tid, NT_PRSTATUS, regs, &size) && size == sizeof(*regs);
}

bool mp_thread_set_registers(struct mp_stopped_thread *thread,
			     const struct user_regs_struct *regs)
{
	return write_set(thread->tid, NT_PRSTATUS, regs, sizeof(*regs));
}

bool mp_thread_set_mask(struct mp_stopped_thread *thread, uint64_t mask)
{
	return !ptrace(PTRACE_SETSIGMASK, thread->tid, (void *)MASK_SIZE, &mask);
}

static int read_state(struct mp_stopped_thread *thread)
{
	struct mp_machine_state *state = &thread->state;

	state->nr_extended = sizeof(state->extended);
	if (!mp_thread_registers(thread, &state->general) ||
	    !read_set(thread->tid, thread->machine->extended_set, state->extended,
		      &state->nr_extended) ||
	    ptrace(PTRACE_GETSIGMASK, thread->tid, (void *)MASK_SIZE, &state->mask))
		return -EIO;
	state->priority = mp_priority_read(thread->tid);
	/* written at once, so that the thread may be left at any time */
	if (thread->machine->make_repeatable(&state->general) &&
	    !mp_thread_set_registers(thread, &state->general))
		return -EIO;
	return 0;
}

int mp_thread_stop(struct mp_stopped_thread *thread)
{
	int err;

	thread->is_gone = false;
	if (ptrace(PTRACE_SEIZE, thread->tid, NULL, (void *)PTRACE_O_TRACESYSGOOD))
		return -errno;
	thread->since_ns = mp_clock_ns();
	err = ptrace(PTRACE_INTERRUPT, thread->tid, NULL, NULL) ? -errno :
	      wait_event(thread) ?: read_state(thread);
	if (err && err != -ETIME)
		mp_thread_leave(thread);
	return err;
}

/* New registers would make the kernel forget that the sequence has to begin again. */
bool mp_thread_is_in_rseq(const struct mp_stopped_thread *thread,
			  const struct mp_inject_target *target)
{
	uint64_t pc = thread->machine->pc(&thread->state.general), at = 0;
	struct rseq_configuration configuration = { 0 };
	struct rseq_section section;

	if (ptrace((enum __ptrace_request)GET_RSEQ_CONFIGURATION, thread->tid,
		   (void *)sizeof(configuration), &configuration) <= 0 ||
	    !configuration.area ||
	    !mp_target_get(target, configuration.area + 8, &at, sizeof(at)) || !at)
		return false;
	return !mp_target_get(target, at, &section, sizeof(section)) ||
	       pc - section.start < section.length;
}

void mp_thread_leave(struct mp_stopped_thread *thread)
{
	if (!thread->is_gone)
		ptrace(PTRACE_DETACH, thread->tid, NULL, NULL);
	thread->is_gone = true;
}

static bool write_state(struct mp_stopped_thread *thread)
{
	const struct mp_machine_state *state = &thread->state;

	if (!write_set(thread->tid, thread->machine->extended_set, state->extended,
		       state->nr_extended) ||
	    !mp_thread_set_mask(thread, state->mask))
		return false;
	mp_priority_restore(thread->tid, &state->priority);
	return mp_thread_set_registers(thread, &state->general);
}

/*
 * The kernel repeats a call only on the way out of MP_STOP_EVENT, not out of the stop
 * of a system call. The general registers come last: until then the thread would go
 * home by itself, on a stack of its own, so it may have its signals already. Its own
 * priority comes just before them: it is raised for as long as the registers lead home.
 */
int mp_thread_restore(struct mp_stopped_thread *thread)
{
	int err = thread->is_gone ? -ESRCH : mp_thread_interrupt(thread);

	/* a stop of the whole process came: it continues after the detach */
	if (err == -EBUSY)
		err = 0;
	if (!err && !write_state(thread))
		err = -EIO;
	mp_thread_leave(thread);
	return err;
}

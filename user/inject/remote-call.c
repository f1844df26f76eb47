// SPDX-License-Identifier: GPL-2.0-only
/*
 * remote-call: changes the registers of a borrowed thread, one call after the other
 *
 * From the first change on, the registers always lead home by the frame (way-home.h)
 * if the tracer dies. One window stays: registers and blocked signals cannot be changed
 * at once. The registers are first on the way out, and last on the way back. A tracer
 * that dies in between, in the microsecond in which the thread gets a signal, would
 * let the handler run below the frame.
 *
 * The thread runs through a function without a stop, and says in the request when it has
 * returned. A system call costs 60 us, a function call 100 us.
 */
#include "remote-call.h"
#include "clock.h"
#include "thread-priority.h"

#include <errno.h>
#include <linux/prctl.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * The C libraries' own signals: for cancelled threads, and for setuid() of glibc and of
 * musl. The last one is a program's signal under glibc.
 */
#define SIGCANCEL	32
#define SIGSETXID	33
#define SIGSYNCCALL	34

#define BIT(signal)	(1ULL << ((signal) - 1))
#define ALL		(~0ULL)
/*
 * The kernel ends a process that causes a fault while the fault's signal is blocked,
 * and forgets its handler.
 */
#define FAULTS	(BIT(SIGSEGV) | BIT(SIGBUS) | BIT(SIGILL) | BIT(SIGFPE) | BIT(SIGTRAP))
#define IN_GLIBC	(ALL & ~(FAULTS | BIT(SIGCANCEL) | BIT(SIGSETXID)))
#define IN_MUSL		(IN_GLIBC & ~BIT(SIGSYNCCALL))

/* How long a handler of a signal runs before the thread is stopped again, in microseconds */
#define HANDLER_US	50

/* The region: a page of code, a stack that grows towards it, and a page of requests. */
#define REQUEST_AT	(MP_REGION_SIZE - 32768)
#define DATA_AT		(REQUEST_AT + 1024)
#define FRAME_AT	(REQUEST_AT + 4096)

/*
 * With its new registers, the thread gets its own priority back if the tracer dies. So it
 * is raised not before, and only once.
 */
static bool set_registers(struct mp_remote *remote, const struct user_regs_struct *regs)
{
	struct mp_stopped_thread *thread = remote->thread;

	if (!mp_thread_set_registers(thread, regs))
		return false;
	if (!remote->is_raised)
		mp_priority_raise(thread->tid, &thread->state.priority);
	remote->is_raised = true;
	return true;
}

static int say_gone(struct mp_remote *remote)
{
	return mp_diag_fail(remote->diag, ESRCH, NULL,
			    "thread %d of process %d ended, or did not come back",
			    (int)remote->thread->tid, (int)remote->target->pid);
}

static bool is_fault(int signal)
{
	return signal > 0 && signal <= 64 && BIT(signal) & FAULTS;
}

static bool is_done(void *context)
{
	const struct mp_remote *remote = context;
	uint64_t is = 0;

	return mp_target_get(remote->target, remote->region + REQUEST_AT +
			     offsetof(struct mp_machine_request, is_done), &is, sizeof(is)) && is;
}

/*
 * Lets the thread run to its next stop at a system call, or until it has called the function
 * (MP_STOP_NONE). Other signals are delivered.
 */
static int run_to(struct mp_remote *remote, enum mp_stop wanted)
{
	enum mp_stop stop;
	int signal = 0;

	do {
		stop = wanted == MP_STOP_NONE ?
		       mp_thread_run(remote->thread, is_done, remote, &signal) :
		       mp_thread_go(remote->thread, PTRACE_SYSCALL, &signal);
		if (stop == MP_STOP_GONE)
			return -ESRCH;
		if (stop == MP_STOP_LATE)
			return -ETIME;
		if (stop == MP_STOP_SIGNAL && is_fault(signal))
			return -EFAULT;
	} while (stop != wanted);
	return 0;
}

long mp_remote_system_call(struct mp_remote *remote,
			   const struct mp_machine_system_call *call)
{
	const struct mp_machine *machine = remote->target->machine;
	struct user_regs_struct regs = remote->thread->state.general;

	machine->set_system_call(&regs, &remote->target->gadgets, call, remote->home.at);
	if (remote->thread->is_gone ||
	    !set_registers(remote, &regs) || !mp_thread_set_mask(remote->thread, ALL) ||
	    run_to(remote, MP_STOP_SYSTEM_CALL) || run_to(remote, MP_STOP_SYSTEM_CALL) ||
	    !mp_thread_registers(remote->thread, &regs))
		return say_gone(remote);
	return machine->result(&regs);
}

uint64_t mp_remote_data(const struct mp_remote *remote)
{
	return remote->region + DATA_AT;
}

/* Programs that keep debuggers away are left alone, even if root asks. */
static int check_dumpable(struct mp_remote *remote)
{
	const struct mp_machine_system_call call = {
		SYS_prctl, { PR_GET_DUMPABLE },
	};
	long result = mp_remote_system_call(remote, &call);

	if (result < 0)
		return (int)result;
	return result == 1 ? 0 :
	       mp_diag_fail(remote->diag, 0, "LD_PRELOAD works",
			    "process %d keeps debuggers away (PR_SET_DUMPABLE)",
			    (int)remote->target->pid);
}

static int write_region(struct mp_remote *remote)
{
	static unsigned char frame[MP_MACHINE_HOME_SIZE];
	const struct mp_inject_target *target = remote->target;
	const struct mp_machine *machine = target->machine;
	uint64_t at = remote->region;
	size_t size = machine->make_home(&remote->thread->state, &target->gadgets,
					 at + FRAME_AT, frame);
	struct mp_left_over mark = mp_left_over_mark;

	return mp_target_put(target, at, machine->code, machine->nr_code) &&
	       mp_target_put(target, at + MP_LEFT_OVER_AT, &mark, sizeof(mark)) &&
	       mp_target_put(target, at + FRAME_AT, frame, size) ? 0 : -EFAULT;
}

static int map_region(struct mp_remote *remote)
{
	const struct mp_machine_system_call map = {
		SYS_mmap, { 0, MP_REGION_SIZE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, (uint64_t)-1, 0 },
	};
	struct mp_machine_system_call protect = {
		SYS_mprotect, { 0, MP_REGION_CODE, PROT_READ | PROT_EXEC },
	};
	long result = mp_remote_system_call(remote, &map);

	if (result > -4096 && result < 0)
		return mp_diag_fail(remote->diag, (int)result, NULL,
				    "process %d gets no memory",
				    (int)remote->target->pid);
	remote->region = (uint64_t)result;
	if (write_region(remote))
		return mp_diag_fail(remote->diag, EFAULT, NULL,
				    "cannot write memory of process %d",
				    (int)remote->target->pid);
	protect.args[0] = remote->region;
	result = mp_remote_system_call(remote, &protect);
	return !result ? 0 :
	       mp_diag_fail(remote->diag, (int)result,
			    "SELinux may forbid it (execmem); LD_PRELOAD works",
			    "process %d gets no memory for code",
			    (int)remote->target->pid);
}

static void unmap(struct mp_remote *remote, uint64_t region)
{
	const struct mp_machine_system_call call = {
		SYS_munmap, { region, MP_REGION_SIZE },
	};

	mp_remote_system_call(remote, &call);
}

int mp_remote_begin(struct mp_remote *remote)
{
	int err = mp_way_home_put(&remote->home, remote->target, remote->thread);
	size_t i;

	if (err)
		return mp_diag_fail(remote->diag, err, "try again, or use LD_PRELOAD",
				    "thread %d of process %d has no room for a way back",
				    (int)remote->thread->tid, (int)remote->target->pid);
	err = check_dumpable(remote) ?: map_region(remote);
	for (i = 0; !err && remote->left_overs && i < remote->left_overs->nr; i++)
		unmap(remote, remote->left_overs->at[i]);
	return err;
}

static bool set_request(struct mp_remote *remote, struct mp_machine_request *request)
{
	const struct mp_inject_target *target = remote->target;
	struct user_regs_struct regs = remote->thread->state.general;

	request->errno_location = mp_target_function(target, MP_WANTED_ERRNO);
	request->home = remote->region + FRAME_AT + target->machine->home_offset;
	request->result = 0;
	request->error = 0;
	request->is_done = 0;
	target->machine->set_request(&regs, remote->region,
				     remote->region + REQUEST_AT,
				     remote->region + REQUEST_AT);
	return mp_target_put(target, remote->region + REQUEST_AT, request,
			     sizeof(*request)) &&
	       set_registers(remote, &regs) &&
	       mp_thread_set_mask(remote->thread, target->libc->kind == MP_MODULE_MUSL ?
				  IN_MUSL : IN_GLIBC);
}

static bool is_in(uint64_t address, uint64_t begin, uint64_t size)
{
	return address - begin < size;
}

/*
 * Stops the thread behind the function. A signal's handler may run there, on the region's
 * stack: it has to end first. If this process was kept from all that for too long, the thread
 * has gone home.
 */
static int halt_at_end(struct mp_remote *remote)
{
	const struct mp_machine *machine = remote->target->machine;
	struct user_regs_struct regs;
	int err;

	do {
		err = mp_thread_halt(remote->thread);
		/* the whole process is stopped, such as by SIGSTOP; so is the thread */
		if (err && err != -EBUSY)
			return err;
		if (!mp_thread_registers(remote->thread, &regs))
			return -ESRCH;
		if (is_in(machine->pc(&regs), remote->region, machine->nr_code))
			return 0;
		if (!is_in(machine->sp(&regs), remote->region, MP_REGION_SIZE))
			break;
		err = run_to(remote, MP_STOP_NONE);
		if (err)
			return err;
		usleep(HANDLER_US);
	} while (mp_clock_ms() < remote->thread->until_ms);
	mp_thread_leave(remote->thread);
	return -ETIME;
}

/* The thread gets its registers back, not the signal. Locks that it held stay locked. */
static int say_fault(struct mp_remote *remote)
{
	mp_thread_interrupt(remote->thread);
	return mp_diag_fail(remote->diag, EFAULT, NULL,
			    "a call in process %d failed by a fault; its thread was restored",
			    (int)remote->target->pid);
}

/* The thread is left alone: it goes home by itself when the function returns. */
static int say_late(struct mp_remote *remote)
{
	remote->thread->is_gone = true;
	return mp_diag_fail(remote->diag, ETIME, NULL,
			    "thread %d of process %d did not come back from a call in time",
			    (int)remote->thread->tid, (int)remote->target->pid);
}

int mp_remote_call(struct mp_remote *remote, struct mp_machine_request *request)
{
	int err;

	if (remote->thread->is_gone || !set_request(remote, request))
		return say_gone(remote);
	err = run_to(remote, MP_STOP_NONE) ?: halt_at_end(remote);
	if (err == -EFAULT)
		return say_fault(remote);
	if (err == -ETIME)
		return say_late(remote);
	if (err || !mp_target_get(remote->target, remote->region + REQUEST_AT, request,
			   sizeof(*request)))
		return say_gone(remote);
	return 0;
}

/* The frame is removed last: until then the registers may lead to it. */
int mp_remote_end(struct mp_remote *remote)
{
	int err;

	if (remote->region && !remote->thread->is_gone)
		unmap(remote, remote->region);
	err = mp_thread_restore(remote->thread);
	if (!err)
		mp_way_home_remove(&remote->home, remote->target);
	return err;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * machine-x86-64: registers, signal frames and code for injection on x86-64
 *
 * The frame that leads home is the one that the kernel writes for a signal handler:
 * rt_sigreturn restores all registers, the extended ones, and the signal mask from it.
 * Before it comes a frame of the same kind, whose registers make a system call: it gives
 * the thread its own priority.
 */
#include "machine-x86-64.h"
#include "machine.h"

#ifdef __x86_64__
#include <cpuid.h>
#include <elf.h>
#include <errno.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>

/* The code selector of 64-bit user code. */
#define USER_CS		0x33

#define DIRECTION_FLAG	0x400

/* Results that the kernel gives to a tracer only: the call will be repeated. */
#define ERESTARTSYS		512
#define ERESTARTNOINTR		513
#define ERESTARTNOHAND		514
#define ERESTART_RESTARTBLOCK	516

/* epoll_pwait2(), which older headers do not know */
#define EPOLL_PWAIT2	441

/* Parts of an xsave area: see the Intel manual, volume 1, chapter 13. */
#define XSAVE_LEGACY	512
#define XSAVE_HEADER	64
#define XSAVE_IN_USE	512
#define XSAVE_SOFTWARE	464
#define FRAME_MAGIC1	0x46505853U
#define FRAME_MAGIC2	0x46505845U

/* Flags of a frame: it has an xsave area, and the stack segment. */
#define FRAME_FLAGS	0x7

/* The kernel's mask of signals has 8 bytes, and ends the structure. */
#define CONTEXT_SIZE	(offsetof(ucontext_t, uc_sigmask) + 8)

/* No valid state of a signal stack: rt_sigreturn then keeps the thread's own. */
#define NO_SIGNAL_STACK	0x7f

/*
 * %rbx: struct mp_machine_request. When the function has returned, the thread waits for the
 * tracer to stop it. It may not sleep: an interrupted sleep changes what the kernel keeps for
 * the restart of the call that the injection interrupted. So it lets others run, for half a
 * second: a yield may take long where CPUs are busy, so time is counted, and turns only where
 * the clock cannot be read. If no tracer comes, that has died, and the thread goes home.
 */
__asm__(
".pushsection .rodata\n"
"mp_machine_code:\n"
"	call *32(%rbx)\n"		/* errno_location */
"	mov %rax, %rbp\n"
"	mov (%rax), %r12d\n"
"	mov 8(%rbx), %rdi\n"
"	mov 16(%rbx), %rsi\n"
"	mov 24(%rbx), %rdx\n"
"	call *(%rbx)\n"			/* function */
"	mov %rax, 48(%rbx)\n"		/* result */
"	test %rax, %rax\n"
"	jnz 1f\n"
"	mov 40(%rbx), %rax\n"		/* dlerror */
"	test %rax, %rax\n"
"	jz 1f\n"
"	call *%rax\n"
"	mov %rax, 56(%rbx)\n"		/* error */
"1:	mov %r12d, (%rbp)\n"
"	movq $1, 72(%rbx)\n"		/* is_done */
"	xor %r13, %r13\n"
"	mov $500000, %r14d\n"
"2:	mov $24, %eax\n"		/* sched_yield */
"	syscall\n"
"	mov $1, %edi\n"		/* CLOCK_MONOTONIC */
"	lea 80(%rbx), %rsi\n"		/* now */
"	mov $228, %eax\n"		/* clock_gettime */
"	syscall\n"
"	imul $1000000000, 80(%rbx), %rax\n"
"	add 88(%rbx), %rax\n"
"	test %r13, %r13\n"
"	jnz 3f\n"
"	lea 500000000(%rax), %r13\n"
"3:	dec %r14d\n"
"	jz 4f\n"
"	cmp %r13, %rax\n"
"	jl 2b\n"
"4:\n"
"	mov 64(%rbx), %rsp\n"		/* home */
"	mov $15, %eax\n"		/* rt_sigreturn */
"	syscall\n"
"	ud2\n"
"mp_machine_code_end:\n"
".popsection\n");

static void look_for(uint64_t *found, uint64_t address, const unsigned char *text,
		     size_t size, const void *bytes, size_t nr)
{
	const unsigned char *at = *found ? NULL : memmem(text, size, bytes, nr);

	if (at)
		*found = address + (uint64_t)(at - text);
}

static void find_gadgets(struct mp_machine_gadgets *gadgets, uint64_t address,
			 const unsigned char *text, size_t size)
{
	static const unsigned char system_call[] = { 0x0f, 0x05, 0xc3 };
	/* mov $15, %rax or %eax; syscall: of glibc and of musl */
	static const unsigned char glibc[] = { 0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 5 };
	static const unsigned char musl[] = { 0xb8, 15, 0, 0, 0, 0x0f, 5 };

	look_for(&gadgets->system_call, address, text, size, system_call,
		 sizeof(system_call));
	look_for(&gadgets->go_home, address, text, size, glibc, sizeof(glibc));
	look_for(&gadgets->go_home, address, text, size, musl, sizeof(musl));
}

static bool is_native(const struct mp_machine_state *state)
{
	return state->general.cs == USER_CS;
}

/*
 * Bytes of the xsave area up to the last part in use. The whole area of a processor
 * with matrix registers is 11 KB, and the kernel refuses it from a process that has
 * not asked for these registers.
 */
static uint32_t used_size(const struct mp_machine_state *state)
{
	uint32_t size = XSAVE_LEGACY + XSAVE_HEADER, bytes, offset, ecx, edx;
	uint64_t in_use;
	unsigned int i;

	memcpy(&in_use, state->extended + XSAVE_IN_USE, sizeof(in_use));
	for (i = 2; i < 63; i++) {
		if (!(in_use & 1ULL << i))
			continue;
		__cpuid_count(13, i, bytes, offset, ecx, edx);
		if (offset + bytes > size)
			size = offset + bytes;
	}
	return size < state->nr_extended ? size : (uint32_t)state->nr_extended;
}

/* Writes the xsave area as a signal frame has it, and returns its size. */
static size_t put_extended(const struct mp_machine_state *state, unsigned char *to)
{
	const uint32_t magic2 = FRAME_MAGIC2;
	struct {
		uint32_t magic1, extended_size;
		uint64_t features;
		uint32_t size, padding[7];
	} software = { .magic1 = FRAME_MAGIC1, .size = used_size(state) };

	software.extended_size = software.size + sizeof(magic2);
	/* ptrace leaves the enabled features in the same place */
	memcpy(&software.features, state->extended + XSAVE_SOFTWARE,
	       sizeof(software.features));
	memcpy(to, state->extended, software.size);
	memcpy(to + XSAVE_SOFTWARE, &software, sizeof(software));
	memcpy(to + software.size, &magic2, sizeof(magic2));
	return software.extended_size;
}

/*
 * rt_sigreturn does not repeat an interrupted system call, so the frame does: its
 * registers are those before the call. What the kernel keeps for the restart of a
 * sleep is lost, and the sleep returns EINTR. That happens only if the tracer died.
 */
static void repeat_call(struct user_regs_struct *regs)
{
	long result = (long)regs->rax;

	if ((long)regs->orig_rax < 0)
		return;
	if (result == -ERESTARTSYS || result == -ERESTARTNOINTR ||
	    result == -ERESTARTNOHAND) {
		regs->rax = regs->orig_rax;
		regs->rip -= 2;
	} else if (result == -ERESTART_RESTARTBLOCK) {
		regs->rax = (unsigned long)-EINTR;
	}
}

static void put_general(const struct mp_machine_state *state, greg_t *to)
{
	struct user_regs_struct regs = state->general;
	unsigned short segments[4];

	repeat_call(&regs);
	segments[0] = (unsigned short)regs.cs;
	segments[1] = (unsigned short)regs.gs;
	segments[2] = (unsigned short)regs.fs;
	segments[3] = (unsigned short)regs.ss;
	to[REG_R8] = (greg_t)regs.r8;
	to[REG_R9] = (greg_t)regs.r9;
	to[REG_R10] = (greg_t)regs.r10;
	to[REG_R11] = (greg_t)regs.r11;
	to[REG_R12] = (greg_t)regs.r12;
	to[REG_R13] = (greg_t)regs.r13;
	to[REG_R14] = (greg_t)regs.r14;
	to[REG_R15] = (greg_t)regs.r15;
	to[REG_RDI] = (greg_t)regs.rdi;
	to[REG_RSI] = (greg_t)regs.rsi;
	to[REG_RBP] = (greg_t)regs.rbp;
	to[REG_RBX] = (greg_t)regs.rbx;
	to[REG_RDX] = (greg_t)regs.rdx;
	to[REG_RAX] = (greg_t)regs.rax;
	to[REG_RCX] = (greg_t)regs.rcx;
	to[REG_RSP] = (greg_t)regs.rsp;
	to[REG_RIP] = (greg_t)regs.rip;
	to[REG_EFL] = (greg_t)regs.eflags;
	memcpy(&to[REG_CSGSFS], segments, sizeof(segments));
}

static void set_system_call(struct user_regs_struct *regs,
			    const struct mp_machine_gadgets *gadgets,
			    const struct mp_machine_system_call *call, uint64_t home)
{
	regs->rip = gadgets->system_call;
	regs->rsp = home;
	regs->rax = (unsigned long)call->number;
	regs->rdi = call->args[0];
	regs->rsi = call->args[1];
	regs->rdx = call->args[2];
	regs->r10 = call->args[3];
	regs->r8 = call->args[4];
	regs->r9 = call->args[5];
	/* the kernel may not repeat the call that it interrupted */
	regs->orig_rax = (unsigned long)-1;
}

static size_t make_last_frame(const struct mp_machine_state *state,
			      const struct mp_machine_gadgets *gadgets, uint64_t at,
			      unsigned char *frame)
{
	ucontext_t context = { .uc_flags = FRAME_FLAGS };
	const size_t size = CONTEXT_SIZE;
	uint64_t extended = (at + sizeof(at) + size + 63) & ~63ULL;

	context.uc_stack.ss_flags = NO_SIGNAL_STACK;
	put_general(state, context.uc_mcontext.gregs);
	/* an address in the other process */
	memcpy(&context.uc_mcontext.fpregs, &extended, sizeof(extended));
	memcpy(&context.uc_sigmask, &state->mask, sizeof(state->mask));
	memset(frame, 0, extended - at);
	memcpy(frame, &gadgets->go_home, sizeof(gadgets->go_home));
	memcpy(frame + sizeof(at), &context, size);
	return extended - at + put_extended(state, frame + (extended - at));
}

/* A frame that makes a system call, with what the call reads */
struct call_frame {
	uint64_t go_home;
	unsigned char context[CONTEXT_SIZE];
	struct mp_machine_priority priority;
};

/*
 * It has no extended registers: the next frame has them. It blocks all signals, like the
 * thread's other system calls.
 */
static size_t make_priority_frame(const struct mp_machine_state *state,
				  const struct mp_machine_gadgets *gadgets, uint64_t at,
				  unsigned char *frame)
{
	struct call_frame call = {
		.go_home = gadgets->go_home, .priority = state->priority,
	};
	ucontext_t context = { .uc_flags = FRAME_FLAGS };
	struct mp_machine_state after = { .general = state->general };
	const struct mp_machine_system_call restore = {
		SYS_sched_setattr,
		{ 0, at + offsetof(struct call_frame, priority) },
	};

	set_system_call(&after.general, gadgets, &restore, at + sizeof(call));
	put_general(&after, context.uc_mcontext.gregs);
	context.uc_stack.ss_flags = NO_SIGNAL_STACK;
	memset(&context.uc_sigmask, 0xff, sizeof(state->mask));
	memcpy(call.context, &context, CONTEXT_SIZE);
	memcpy(frame, &call, sizeof(call));
	return sizeof(call);
}

static size_t make_home(const struct mp_machine_state *state,
			const struct mp_machine_gadgets *gadgets, uint64_t at,
			unsigned char *frame)
{
	size_t size = state->priority.size ?
		      make_priority_frame(state, gadgets, at, frame) : 0;

	return size + make_last_frame(state, gadgets, at + size, frame + size);
}

static void set_request(struct user_regs_struct *regs, uint64_t code, uint64_t request,
			uint64_t stack)
{
	regs->rip = code;
	regs->rbx = request;
	regs->rsp = stack;
	regs->rbp = 0;
	regs->eflags &= ~(unsigned long)DIRECTION_FLAG;
	regs->orig_rax = (unsigned long)-1;
}

static long result(const struct user_regs_struct *regs)
{
	return (long)regs->rax;
}

static long interrupted(const struct user_regs_struct *regs)
{
	return (long)regs->orig_rax < 0 ? -1 : (long)regs->orig_rax;
}

static bool waits(long number)
{
	switch (number) {
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
	case SYS_poll:
	case SYS_ppoll:
	case SYS_select:
	case SYS_pselect6:
	case SYS_nanosleep:
	case SYS_clock_nanosleep:
	case SYS_accept:
	case SYS_accept4:
	case SYS_wait4:
	case SYS_waitid:
	case SYS_pause:
	case SYS_rt_sigsuspend:
	case SYS_rt_sigtimedwait:
	case SYS_recvfrom:
	case SYS_recvmsg:
		return true;
	}
	return false;
}

/*
 * The locks of malloc and of the loader wait by another operation than semaphores,
 * conditions and pthread_join() do.
 */
static bool is_waiting(const struct user_regs_struct *regs)
{
	return waits(interrupted(regs)) ||
	       (interrupted(regs) == SYS_futex &&
		(regs->rsi & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET);
}

/*
 * The kernel ends these calls with EINTR after any stop. By this result they end so
 * only if a handler of a signal runs, and are repeated otherwise: with their whole
 * timeout, because what is left of it is not known.
 */
static bool make_repeatable(struct user_regs_struct *regs)
{
	switch (interrupted(regs)) {
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
	case SYS_rt_sigtimedwait:
	case SYS_semop:
	case SYS_semtimedop:
	case SYS_io_getevents:
	case EPOLL_PWAIT2:
		break;
	default:
		return false;
	}
	if ((long)regs->rax != -EINTR)
		return false;
	regs->rax = (unsigned long)-ERESTARTNOHAND;
	return true;
}

static bool waits_shortly(long number)
{
	return number == SYS_futex || number == SYS_read ||
	       number == EPOLL_PWAIT2;
}

static uint64_t pc(const struct user_regs_struct *regs)
{
	return regs->rip;
}

static uint64_t sp(const struct user_regs_struct *regs)
{
	return regs->rsp;
}

static uint64_t thread_pointer(const struct user_regs_struct *regs)
{
	return regs->fs_base;
}

static struct mp_machine x86_64 = {
	.extended_set = NT_X86_XSTATE,
	.code = mp_machine_code,
	.home_offset = sizeof(uint64_t),
	.find_gadgets = find_gadgets,
	.is_native = is_native,
	.make_home = make_home,
	.set_system_call = set_system_call,
	.set_request = set_request,
	.result = result,
	.interrupted = interrupted,
	.waits = waits,
	.is_waiting = is_waiting,
	.make_repeatable = make_repeatable,
	.waits_shortly = waits_shortly,
	.pc = pc,
	.sp = sp,
	.thread_pointer = thread_pointer,
	.dwarf_sp = 7,
};

const struct mp_machine *mp_machine(void)
{
	x86_64.nr_code = (size_t)(mp_machine_code_end - mp_machine_code);
	return &x86_64;
}
#endif

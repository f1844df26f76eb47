// SPDX-License-Identifier: GPL-2.0-only
/*
 * safe-point: unwinds a stopped thread with libdwfl, and judges its frames
 *
 * libdwfl interprets files that the target chose, so this runs in a child with bounds
 * (injector.c). All files are opened, and their tables read, before a thread is
 * stopped. Debug files are not looked for: a server would be asked for them.
 *
 * A stack costs 0.1 to 1 ms. What follows a frame without unwind information, such as
 * code that was compiled at run time, is not seen: an allocator never calls such code.
 */
#include "safe-point.h"
#include "left-over.h"
#include "maps.h"
#include "safe-function.h"

#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_FRAMES	200
#define NAME_SIZE	80

struct mp_unwinder {
	const struct mp_inject_target *target;
	Dwfl *dwfl;
	Dwfl_Callbacks callbacks;
};

/* The walk over a stack, from its newest frame */
struct judgement {
	const struct mp_unwinder *unwinder;
	const struct mp_stopped_thread *thread;
	unsigned int nr;
	bool is_bad;
	bool is_in_libc;		/* all frames so far */
	bool is_waiting;		/* as known without the rest of the stack */
	uint64_t sp;			/* of the newest frame, or of a signal's handler */
	char entered_by[NAME_SIZE];	/* the function that the program called */
	char *why;
};

/* What a frame is in. */
struct frame {
	const struct mp_inject_module *module;
	const char *function;		/* NULL: not known */
};

/* libdwfl passes the unwinder's target by the name of the process's memory only. */
static const struct mp_inject_target *current;

static int find_file(Dwfl_Module *module, void **data, const char *name,
		     Dwarf_Addr base, char **path, Elf **elf)
{
	const struct mp_inject_module *ours = mp_target_module_at(current, base);
	int fd;

	if (!ours)
		return name[0] == '[' ? dwfl_linux_proc_find_elf(module, data, name, base,
								 path, elf) : -1;
	fd = mp_exec_mapping_open(current->pid, &ours->text);
	if (fd >= 0)
		*path = strdup(name);
	return fd;
}

static int find_no_debug_file(Dwfl_Module *module, void **data, const char *name,
			      Dwarf_Addr base, const char *path, const char *link,
			      GElf_Word crc, char **found)
{
	(void)module;
	(void)data;
	(void)name;
	(void)base;
	(void)path;
	(void)link;
	(void)crc;
	(void)found;
	return -1;
}

static int read_tables(Dwfl_Module *module, void **data, const char *name,
		       Dwarf_Addr start, void *context)
{
	const struct mp_inject_module *ours = mp_target_module_at(current, start);
	Dwarf_Addr bias;
	GElf_Sym symbol;
	GElf_Off offset;

	(void)data;
	(void)name;
	(void)context;
	dwfl_module_eh_cfi(module, &bias);
	/* find_frame() asks for no other names, and this reads all symbols of the module */
	if (ours && ours->kind != MP_MODULE_OTHER)
		dwfl_module_addrinfo(module, start, &offset, &symbol, NULL, NULL, NULL);
	return DWARF_CB_OK;
}

static bool open_unwinder(struct mp_unwinder *unwinder)
{
	pid_t pid = unwinder->target->pid;

	unwinder->callbacks.find_elf = find_file;
	unwinder->callbacks.find_debuginfo = find_no_debug_file;
	unwinder->dwfl = dwfl_begin(&unwinder->callbacks);
	if (!unwinder->dwfl || dwfl_linux_proc_report(unwinder->dwfl, pid) ||
	    dwfl_report_end(unwinder->dwfl, NULL, NULL))
		return false;
	dwfl_getmodules(unwinder->dwfl, read_tables, NULL, 0);
	return !dwfl_linux_proc_attach(unwinder->dwfl, pid, true);
}

struct mp_unwinder *mp_unwinder_new(const struct mp_inject_target *target,
				    struct mp_diag *diag)
{
	struct mp_unwinder *unwinder = calloc(1, sizeof(*unwinder));

	current = target;
	if (unwinder)
		unwinder->target = target;
	if (unwinder && open_unwinder(unwinder))
		return unwinder;
	mp_diag_fail(diag, 0, NULL, "cannot read the stacks of process %d: %s",
		     (int)target->pid, dwfl_errmsg(-1) ?: "no memory");
	mp_unwinder_free(unwinder);
	return NULL;
}

void mp_unwinder_free(struct mp_unwinder *unwinder)
{
	if (unwinder && unwinder->dwfl)
		dwfl_end(unwinder->dwfl);
	free(unwinder);
}

/* Looks for a name only where it matters, because that reads all symbols of the module. */
static struct frame find_frame(const struct judgement *judgement, uint64_t at)
{
	struct frame frame = {
		.module = mp_target_module_at(judgement->unwinder->target, at),
	};
	const bool matters = frame.module && frame.module->kind != MP_MODULE_OTHER;
	Dwfl_Module *module = matters ? dwfl_addrmodule(judgement->unwinder->dwfl, at) : NULL;
	const char *name;
	GElf_Sym symbol;
	GElf_Off offset;

	name = module ? dwfl_module_addrinfo(module, at, &offset, &symbol, NULL, NULL,
					     NULL) : NULL;
	/* a local function has no name: the one before it is not it */
	if (name && symbol.st_size && offset < symbol.st_size)
		frame.function = name;
	return frame;
}

static enum mp_module_kind kind_of(const struct frame *frame)
{
	return frame->module ? frame->module->kind : MP_MODULE_OTHER;
}

static bool is_libc(const struct frame *frame)
{
	return kind_of(frame) == MP_MODULE_GLIBC || kind_of(frame) == MP_MODULE_MUSL;
}

static int refuse(struct judgement *judgement, const char *what, const char *name)
{
	judgement->is_bad = true;
	snprintf(judgement->why, MP_SAFE_POINT_WHY, "%s%s%.100s", what, name ? " " : "",
		 name ?: "");
	return DWARF_CB_ABORT;
}

/* Whether the frame's code may hold a lock that dlopen() needs, on its own */
static bool is_forbidden(const struct frame *frame)
{
	switch (kind_of(frame)) {
	case MP_MODULE_ALLOCATOR:
	case MP_MODULE_LOADER:
	case MP_MODULE_MEMPROF:
		return true;
	case MP_MODULE_GLIBC:
	case MP_MODULE_MUSL:
		return frame->function && mp_function_is_forbidden(frame->function);
	case MP_MODULE_PROGRAM_ALLOCATOR:
		return frame->function && mp_function_allocates(frame->function);
	case MP_MODULE_OTHER:
		break;
	}
	return false;
}

/* Follows the newest frames as long as they are in the C library. */
static int leave_libc(struct judgement *judgement, const struct frame *frame)
{
	if (is_libc(frame)) {
		snprintf(judgement->entered_by, NAME_SIZE, "%s", frame->function ?: "");
		return DWARF_CB_OK;
	}
	judgement->is_in_libc = false;
	/* its allocator may have local functions, whose names are not known */
	if (kind_of(frame) == MP_MODULE_PROGRAM_ALLOCATOR && !judgement->is_waiting)
		return refuse(judgement, "perhaps in the program's own allocator", NULL);
	return judgement->is_waiting ||
	       mp_function_is_harmless(judgement->entered_by) ? DWARF_CB_OK :
	       refuse(judgement, "in the C library, called by", judgement->entered_by);
}

static int begin(struct judgement *judgement, const struct frame *frame)
{
	judgement->is_in_libc = is_libc(frame);
	if (kind_of(frame) == MP_MODULE_PROGRAM_ALLOCATOR)
		return refuse(judgement, "perhaps in the program's own allocator", NULL);
	/* musl has no unwind information: the next frame would be a guess */
	if (kind_of(frame) == MP_MODULE_MUSL && judgement->is_waiting) {
		judgement->nr++;
		judgement->is_in_libc = false;
		return DWARF_CB_ABORT;
	}
	return DWARF_CB_OK;
}

struct stack_search {
	uint64_t low, high;
};

static int is_same_mapping(void *context, pid_t pid, const struct mp_map_line *line)
{
	const struct stack_search *search = context;

	(void)pid;
	return line->start <= search->low && search->high < line->end;
}

/*
 * A signal's handler runs below the code that it interrupted, or on a stack of its own,
 * which may be too small for dlopen(). The interrupted code is judged like the newest
 * frame: a lock of it is not released before the handler returns.
 */
static int pass_signal(struct judgement *judgement, Dwfl_Frame *dwfl_frame)
{
	const struct mp_inject_target *target = judgement->unwinder->target;
	struct stack_search search = { .low = judgement->sp };
	Dwarf_Word sp;

	if (dwfl_frame_reg(dwfl_frame, target->machine->dwarf_sp, &sp))
		return refuse(judgement, "in a signal handler", NULL);
	search.high = sp;
	if (search.low >= search.high ||
	    mp_maps_each(target->pid, is_same_mapping, &search) != 1)
		return refuse(judgement, "in a signal handler with a stack of its own",
			      NULL);
	judgement->is_waiting = false;
	judgement->sp = sp;
	return DWARF_CB_OK;
}

static int judge(Dwfl_Frame *dwfl_frame, void *context)
{
	struct judgement *judgement = context;
	struct frame frame;
	Dwarf_Addr pc;
	bool is_exact, is_newest;
	int status = DWARF_CB_OK;

	if (!dwfl_frame_pc(dwfl_frame, &pc, &is_exact))
		return DWARF_CB_ABORT;
	/* only the newest frame, and one that a signal interrupted, are exact */
	is_newest = !judgement->nr || is_exact;
	if (judgement->nr && is_exact)
		status = pass_signal(judgement, dwfl_frame);
	if (status != DWARF_CB_OK)
		return status;
	frame = find_frame(judgement, is_exact ? pc : pc - 1);
	if (!frame.module && mp_left_over_at(judgement->unwinder->target, pc))
		return refuse(judgement, "on the way home from an injection", NULL);
	if (is_forbidden(&frame))
		return refuse(judgement, "in", frame.function ?: frame.module->text.path);
	if (is_newest)
		status = begin(judgement, &frame);
	if (status == DWARF_CB_OK && judgement->is_in_libc)
		status = leave_libc(judgement, &frame);
	if (status != DWARF_CB_OK)
		return status;
	return ++judgement->nr == MAX_FRAMES ? DWARF_CB_ABORT : DWARF_CB_OK;
}

/* Between the gadgets, a thread whose tracer died is about to get its registers. */
static bool is_going_home(const struct mp_inject_target *target,
			  const struct mp_stopped_thread *thread)
{
	uint64_t pc = target->machine->pc(&thread->state.general);
	uint64_t sp = target->machine->sp(&thread->state.general);
	const struct mp_machine_gadgets *gadgets = &target->gadgets;
	uint64_t top = 0;

	mp_target_get(target, sp, &top, sizeof(top));
	return pc - gadgets->go_home < MP_GADGET_SIZE ||
	       (pc - gadgets->system_call < MP_GADGET_SIZE && top == gadgets->go_home);
}

bool mp_safe_point_check(struct mp_unwinder *unwinder,
			 const struct mp_stopped_thread *thread, char *why)
{
	const struct mp_machine *machine = thread->machine;
	struct judgement judgement = {
		.unwinder = unwinder, .thread = thread, .why = why,
	};

	judgement.is_waiting = machine->is_waiting(&thread->state.general);
	judgement.sp = machine->sp(&thread->state.general);
	if (!machine->is_native(&thread->state))
		refuse(&judgement, "in 32-bit code", NULL);
	else if (mp_thread_is_in_rseq(thread, unwinder->target))
		refuse(&judgement, "in a restartable sequence", NULL);
	else if (is_going_home(unwinder->target, thread))
		refuse(&judgement, "on the way home from an injection", NULL);
	else
		dwfl_getthread_frames(unwinder->dwfl, thread->tid, judge, &judgement);
	/* no allocator makes the calls that wait: the frames that were read are enough */
	if (!judgement.is_bad &&
	    (!judgement.nr || (judgement.is_in_libc && !judgement.is_waiting)))
		refuse(&judgement, "its stack cannot be read:", dwfl_errmsg(-1) ?: "no rule");
	return !judgement.is_bad;
}

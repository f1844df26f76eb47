// SPDX-License-Identifier: GPL-2.0-only
/*
 * way-home: finds memory of the target for a frame of one to three kilobytes
 *
 * While a thread is borrowed, its registers lead to this frame whenever the tracer
 * dies. The memory is needed before the thread can make its first system call, so it
 * has to be there already. Memory below the red zone of a stack is not always free:
 * the stack of a coroutine may be a block of the heap, with another block below it.
 *
 * First choice: the zero bytes between the end of a module's .bss and the end of that
 * page. They belong to nobody, with two exceptions: glibc's loader begins its own heap
 * there, and musl gives these bytes to malloc. Second choice: the stack that the kernel
 * made for the first thread, or one with a guard page that has the thread's own data
 * at its end.
 *
 * A frame that a dead tracer left is used again, when its thread has gone home.
 */
#include "way-home.h"
#include "maps.h"
#include "thread-place.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define ALIGNMENT	64

/* Bytes below the stack pointer that a function may use without moving it. */
#define RED_ZONE	256

/* What has to be left of a stack: for handlers of signals, if the tracer dies. */
#define STACK_RESERVE	(64UL << 10)

#define MAX_PAGE	65536

/* A stack and the mapping below it, in a walk over the mappings. */
struct stack_search {
	uint64_t sp, thread_pointer;
	uint64_t start, guard_end;
	bool is_found;
};

static bool is_zero(const unsigned char *bytes, size_t size)
{
	return !size || (!bytes[0] && !memcmp(bytes, bytes + 1, size - 1));
}

/*
 * A frame of an earlier injection: its first word leads home. Its thread may still need
 * it, unless it is elsewhere or has ended.
 */
static bool is_left_over(const struct mp_inject_target *target, uint64_t at,
			 const unsigned char *bytes, size_t size)
{
	uint64_t first;

	if (size < sizeof(first))
		return false;
	memcpy(&first, bytes, sizeof(first));
	return first == target->gadgets.go_home &&
	       !mp_any_thread_in(target->pid, at, at + size);
}

/* Returns an address for @size bytes behind the data of a module, or 0. */
static uint64_t find_tail(const struct mp_inject_target *target,
			  const struct mp_inject_module *module, size_t size)
{
	static unsigned char bytes[MAX_PAGE];
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t from = (module->data_end + ALIGNMENT - 1) & ~(ALIGNMENT - 1ULL);
	uint64_t to = (module->data_end + page - 1) & ~(page - 1);

	if (!module->data_end || module->kind == MP_MODULE_LOADER || from >= to ||
	    to - from < size || to - from > sizeof(bytes) ||
	    !mp_target_get(target, from, bytes, to - from))
		return 0;
	return is_zero(bytes, to - from) ||
	       is_left_over(target, from, bytes, to - from) ? from : 0;
}

static uint64_t find_any_tail(const struct mp_inject_target *target, size_t size)
{
	uint64_t at = 0;
	size_t i;

	if (target->libc->kind == MP_MODULE_MUSL)
		return 0;
	for (i = 0; i < target->nr_modules && !at; i++)
		if (target->modules[i].has_symbols)
			at = find_tail(target, &target->modules[i], size);
	return at;
}

/* Whether the stack pointer is in a stack, not in a block of the heap */
static int take_mapping(void *context, pid_t pid, const struct mp_map_line *line)
{
	struct stack_search *search = context;

	(void)pid;
	if (search->sp < line->start || search->sp >= line->end) {
		search->guard_end = strncmp(line->permissions, "---", 3) ? 0 : line->end;
		return 0;
	}
	search->start = line->start;
	search->is_found = !strcmp(line->name, "[stack]") ||
			   (search->guard_end == line->start && !line->inode &&
			    search->thread_pointer >= line->start &&
			    search->thread_pointer < line->end);
	return 1;
}

static uint64_t find_on_stack(const struct mp_inject_target *target,
			      const struct mp_stopped_thread *thread, size_t size)
{
	const struct mp_machine *machine = target->machine;
	struct stack_search search = {
		.sp = machine->sp(&thread->state.general),
		.thread_pointer = machine->thread_pointer(&thread->state.general),
	};
	uint64_t at = (search.sp - RED_ZONE - size) & ~(ALIGNMENT - 1ULL);

	mp_maps_each(target->pid, take_mapping, &search);
	/* the kernel enlarges the first thread's stack only from below its pointer */
	return search.is_found && at >= search.start + STACK_RESERVE ? at : 0;
}

static void find_place(struct mp_way_home *home, const struct mp_inject_target *target,
		       const struct mp_stopped_thread *thread, unsigned char *frame)
{
	const struct mp_machine *machine = target->machine;

	home->size = machine->make_home(&thread->state, &target->gadgets, 0, frame);
	/* the frame's parts are aligned as their addresses are */
	home->size += ALIGNMENT;
	home->at = find_any_tail(target, home->size);
	home->is_borrowed = home->at;
	if (!home->at)
		home->at = find_on_stack(target, thread, home->size);
}

int mp_way_home_put(struct mp_way_home *home, const struct mp_inject_target *target,
		    struct mp_stopped_thread *thread)
{
	static unsigned char frame[MP_MACHINE_HOME_SIZE];
	const struct mp_machine *machine = target->machine;

	find_place(home, target, thread, frame);
	/* without the part that gives the thread its priority, which then stays as it is */
	if (!home->at && thread->state.priority.size) {
		thread->state.priority.size = 0;
		find_place(home, target, thread, frame);
	}
	if (!home->at)
		return -ENOSPC;
	home->size = machine->make_home(&thread->state, &target->gadgets, home->at,
					frame);
	return mp_target_put(target, home->at, frame, home->size) ? 0 : -EFAULT;
}

void mp_way_home_remove(struct mp_way_home *home, const struct mp_inject_target *target)
{
	static const unsigned char zeros[MP_MACHINE_HOME_SIZE];

	if (home->is_borrowed && home->at)
		mp_target_put(target, home->at, zeros, home->size);
	home->at = 0;
}

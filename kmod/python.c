// SPDX-License-Identifier: GPL-2.0-only
/*
 * The functions of Python that a task is in, when it allocates, faults or grows.
 *
 * Python's own frames are a list in the memory of the process. User space says once per
 * process where the list begins, and where its structures have their fields. A child
 * inherits that by fork; exec forgets it. The list is walked by the task to which it
 * belongs, so it does not change meanwhile.
 *
 * All that is read belongs to the process, which may write there what it likes: each
 * read may fail, each loop is bounded, and no address is used in the kernel. Nothing
 * sleeps, so a page that is not present ends the walk.
 *
 * Cost: nothing without a listener of memprof:python. Else two reads of user memory per
 * thread of the interpreter until the task's own is found, of 2048 threads at most, and one
 * for each of 48 functions at most.
 */
#include "python.h"
#include <linux/err.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched/task.h>
#include <linux/uaccess.h>
#include "compat/regs.h"
#include "process.h"
#include "session.h"
#include "target.h"
#include "trace.h"

#define MAX_INTERPRETERS 8
#define MAX_THREADS	256		/* of each interpreter */

/*
 * Not copy_from_user_nofault(): before 6.4 it checks its destination under a lock, if the
 * stack is that of an interrupt.
 */
static bool read_bytes(u64 at, void *to, u32 size)
{
	const u64 __user *from = (const u64 __user *)(unsigned long)at;
	u64 word;
	u32 i;
	int err = 0;

	if (!at || at % sizeof(word) || at >= TASK_SIZE_MAX - MEMPROF_PYTHON_FRAME)
		return false;
	pagefault_disable();
	for (i = 0; !err && i < size / sizeof(word); i++) {
		err = __get_user(word, from + i);
		memcpy(to + i * sizeof(word), &word, sizeof(word));
	}
	pagefault_enable();
	return !err;
}

static bool read_word(u64 structure, u32 distance, u64 *word)
{
	return structure && read_bytes(structure + distance, word, sizeof(*word));
}

/* Finds the innermost frame of a thread; 0: it runs no function of Python. */
static bool frame_of(const struct memprof_python *is, u64 thread, u64 *at)
{
	return read_word(thread, is->thread_control, at) &&
	       (!*at || !is->control_frame || read_word(*at, is->control_frame, at));
}

/*
 * Finds the innermost frame of the running task among the threads of one interpreter. A new
 * thread may have the id of the one that makes it, and no frame yet: the search goes on.
 * Returns false if not all threads could be looked at.
 */
static bool find_frame_in(const struct memprof_python *is, u64 interpreter, u64 *at)
{
	const u64 self = memprof_thread_pointer() ?: task_pid_vnr(current);
	const u32 distance = memprof_thread_pointer() ? is->thread_self : is->thread_id;
	u64 thread, id;
	int i;

	if (!read_word(interpreter, is->interpreter_threads, &thread))
		return false;
	for (i = 0; thread && !*at && i < MAX_THREADS; i++) {
		if (!read_word(thread, distance, &id) ||
		    (id == self && !frame_of(is, thread, at)) ||
		    !read_word(thread, is->thread_next, &thread))
			return false;
	}
	return *at || !thread;
}

/* Finds the innermost frame; 0: the task runs no function of Python. */
static bool find_frame(const struct memprof_python *is, u64 *at)
{
	u64 interpreter;
	int i;

	*at = 0;
	if (!read_word(is->runtime, is->runtime_interpreters, &interpreter))
		return false;
	for (i = 0; interpreter && i < MAX_INTERPRETERS; i++) {
		if (!find_frame_in(is, interpreter, at))
			return false;
		if (*at)
			return true;
		if (!read_word(interpreter, is->interpreter_next, &interpreter))
			return false;
	}
	return !interpreter;
}

static u64 word_in(const u8 *frame, u32 distance)
{
	u64 word;

	memcpy(&word, frame + distance, sizeof(word));
	return word;
}

/* Fills in the frames, innermost first. Returns a counter if not all are there. */
static int walk(const struct memprof_python *is, struct memprof_python_event *e)
{
	u8 frame[MEMPROF_PYTHON_FRAME] __aligned(8);
	u64 at, code;

	if (!find_frame(is, &at))
		return MEMPROF_COUNT_PYTHON_UNREADABLE;
	while (at) {
		if (e->nr == MEMPROF_PYTHON_DEPTH)
			return MEMPROF_COUNT_PYTHON_CUT;
		if (!read_bytes(at, frame, is->frame_size))
			return MEMPROF_COUNT_PYTHON_UNREADABLE;
		code = word_in(frame, is->frame_code) & ~7ULL;
		if (frame[is->frame_mark] == is->mark_value)
			code |= MEMPROF_PYTHON_LAST;
		e->frames[2 * e->nr] = code;
		e->frames[2 * e->nr + 1] = word_in(frame, is->frame_instr);
		e->nr++;
		at = word_in(frame, is->frame_previous);
	}
	return -1;
}

/**
 * memprof_python_trace() - emit the functions of Python that the task is in
 * @s: session; a probe of it runs in the task
 * @key: ptr, addr or before of the event of the same task that follows
 *
 * Any context but NMI. Does nothing if the task has no known interpreter, or runs no
 * function of Python.
 */
void memprof_python_trace(struct memprof_session *s, u64 key)
{
	const struct memprof_row *row;
	struct memprof_python_event e;
	int missing;

	if (!trace_python_enabled() || !current->mm)
		return;
	rcu_read_lock();
	row = memprof_process_find(&s->processes, current->mm);
	/* pairs with set_python() */
	if (row && smp_load_acquire(&row->has_python) == 2) {
		e = (struct memprof_python_event){
			.key = key, .eval_start = row->python.eval_start,
			.eval_end = row->python.eval_end, .session = s->id,
			.pid = current->tgid,
			.flags = row->python.control_frame ? MEMPROF_PYTHON_RUNS : 0,
		};
		missing = walk(&row->python, &e);
		if (missing >= 0) {
			e.flags |= MEMPROF_PYTHON_CUT;
			memprof_count(s->counts, missing);
		}
		if (e.nr)
			trace_python(&e);
	}
	rcu_read_unlock();
}

/* Once per row: what probes read does not change. */
static int set_python(struct memprof_row *row, const struct memprof_python *python)
{
	if (cmpxchg(&row->has_python, 0, 1))
		return -EEXIST;
	row->python = *python;
	/* pairs with memprof_python_trace() */
	smp_store_release(&row->has_python, 2);
	return 0;
}

/**
 * memprof_python_fork() - a child has the interpreter of its parent
 * @s: running; the caller is in an RCU read-side section
 * @parent: address space that was copied
 * @child: row of the child, which does not run yet
 */
void memprof_python_fork(struct memprof_session *s, const struct mm_struct *parent,
			 struct memprof_row *child)
{
	const struct memprof_row *row = parent ? memprof_process_find(&s->processes, parent) :
						 NULL;

	/* pairs with set_python() */
	if (row && smp_load_acquire(&row->has_python) == 2 &&
	    child->state != MEMPROF_ROW_SPECIAL)
		set_python(child, &row->python);
}

static bool is_inside(u32 distance, u32 size)
{
	return distance + sizeof(u64) <= size;
}

/* What is not a field of a frame is only added to an address, which is checked then. */
static bool is_valid(const struct memprof_python *is)
{
	const u32 distances[] = {
		is->runtime_interpreters, is->interpreter_next, is->interpreter_threads,
		is->thread_next, is->thread_id, is->thread_self, is->thread_control,
		is->control_frame,
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(distances); i++)
		if (distances[i] > MEMPROF_PYTHON_DISTANCE)
			return false;
	return is->frame_size <= MEMPROF_PYTHON_FRAME && is->frame_size % 8 == 0 &&
	       is_inside(is->frame_previous, is->frame_size) &&
	       is_inside(is->frame_code, is->frame_size) &&
	       is_inside(is->frame_instr, is->frame_size) &&
	       is->frame_mark < is->frame_size && is->mark_value <= U8_MAX &&
	       is->eval_start < is->eval_end;
}

/**
 * memprof_python_add() - say where a process has its interpreter
 * @s: running; its lock is held
 * @arg: from user space, not checked yet
 *
 * Return: 0 or the errno that MEMPROF_IOC_PYTHON documents.
 */
int memprof_python_add(struct memprof_session *s, const struct memprof_python *arg)
{
	struct task_struct *task;
	struct memprof_row *row;
	int err = -ESRCH;

	if (!is_valid(arg))
		return -EINVAL;
	rcu_read_lock();
	task = pid_task(find_pid_ns(arg->pid, &init_pid_ns), PIDTYPE_TGID);
	if (!task)
		goto unlock;
	/* task_lock keeps the task's mm out of exit_mmap(), and so the row */
	task_lock(task);
	if (task->mm && memprof_target_match(&s->targets, task)) {
		row = memprof_session_add_process(s, task->mm, task);
		if (row->state != MEMPROF_ROW_SPECIAL)
			err = set_python(row, arg);
	}
	task_unlock(task);
unlock:
	rcu_read_unlock();
	return err;
}

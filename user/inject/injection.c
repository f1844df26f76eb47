// SPDX-License-Identifier: GPL-2.0-only
/*
 * injection: finds a thread to borrow, has it make the calls, gives it back
 *
 * A process that waits gives a thread at the first try. One that only computes, or
 * allocates all the time, needs up to some hundred tries of 0.2 ms each.
 */
#include "injection.h"
#include "clock.h"
#include "library-load.h"
#include "process.h"
#include "refusal.h"
#include "safe-point.h"
#include "thread-place.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How long to look for a thread, and how long one may take to stop or to come back. */
#define SEARCH_MS	5000
#define STOP_MS		3000
#define CALL_MS		10000

/* Threads that are tried before the list is made anew. */
#define MAX_ROUND	8

/* A short wait between two rounds, in microseconds, which no program can be in step with */
#define WAIT_US		1000
#define WAIT_MORE_US	3000

struct search {
	struct mp_inject_target *target;
	struct mp_unwinder *unwinder;
	struct mp_stopped_thread *thread;
	struct mp_left_overs left_overs;
	uint32_t tries;
	char why[MP_SAFE_POINT_WHY];
	struct mp_diag *diag;
};

/* Returns 1 if the thread can be borrowed, 0 if it cannot, or a negative errno. */
static int try_thread(struct search *search, pid_t tid)
{
	struct mp_stopped_thread *thread = search->thread;
	pid_t pid = search->target->pid;
	int err;

	thread->tid = tid;
	thread->until_ms = mp_clock_ms() + STOP_MS;
	err = mp_thread_stop(thread);
	if (err == -ESRCH)
		return 0;
	search->tries++;
	if (err == -EPERM || err == -EACCES)
		return mp_refuse_access(pid, err, search->diag);
	if (err == -EBUSY)
		return mp_diag_fail(search->diag, 0, "kill -CONT continues it",
				    "process %d is stopped", (int)pid);
	if (err)
		return mp_diag_fail(search->diag, err, "try again",
				    "thread %d of process %d does not stop (vfork?)",
				    (int)tid, (int)pid);
	if (mp_safe_point_check(search->unwinder, thread, search->why))
		return 1;
	mp_thread_leave(thread);
	return 0;
}

static int try_round(struct search *search)
{
	static pid_t tids[MP_THREADS_MAX];
	size_t nr = mp_threads_by_place(search->target->pid, search->target->machine,
					tids), i;
	int found = 0;

	if (!nr || mp_process_has_ended(search->target->pid))
		return mp_diag_fail(search->diag, ESRCH, NULL, "process %d has ended",
				    (int)search->target->pid);
	for (i = 0; !found && i < nr && i < MAX_ROUND; i++)
		found = try_thread(search, tids[i]);
	return found;
}

static int find_thread(struct search *search)
{
	int64_t end_ms = mp_clock_ms() + SEARCH_MS;
	int found;

	do {
		found = try_round(search);
		if (!found)
			usleep(WAIT_US + (useconds_t)random() % WAIT_MORE_US);
	} while (!found && mp_clock_ms() < end_ms);
	if (found)
		return found < 0 ? found : 0;
	return mp_diag_fail(search->diag, EAGAIN, "try again, or use LD_PRELOAD",
			    "no thread of process %d could be borrowed in %u tries: %s",
			    (int)search->target->pid, search->tries, search->why);
}

/* Says what memprof_attach() did not like; @err is its result. */
static int say_attach(int err, pid_t pid, struct mp_diag *diag)
{
	if (err == -EALREADY)
		return mp_diag_fail(diag, EALREADY, "memprofctl snapshot reads its samples",
				    "process %d is sampled already", (int)pid);
	if (err == -ENOSYS)
		return mp_diag_fail(diag, 0, "record --alloc exact may find it",
				    "process %d: the library found no allocator that it can follow",
				    (int)pid);
	if (err == -EINVAL)
		return mp_diag_fail(diag, 0, "end the process to replace it",
				    "process %d has a libmemprof of another version", (int)pid);
	return mp_diag_fail(diag, err, NULL, "process %d: the library did not begin",
			    (int)pid);
}

static void fill_attachment(struct memprof_attachment *attachment,
			    const struct mp_inject_options *options)
{
	*attachment = (struct memprof_attachment){
		.size = sizeof(*attachment),
		.flags = options->flags,
		.rate = options->rate,
		.pace = options->pace,
	};
	if (options->out)
		snprintf(attachment->out, sizeof(attachment->out), "%s", options->out);
}

static int put_in(struct mp_remote *remote, const struct mp_inject_options *options,
		  struct mp_library_file *file, struct mp_injection *result)
{
	const struct mp_inject_module *memprof = remote->target->memprof;
	uint64_t attach = memprof ? memprof->wanted[MP_WANTED_ATTACH] : 0;
	int err = attach ? 0 : mp_library_load(remote, file, result->loaded, &attach);

	if (err)
		return err;
	fill_attachment(&result->attachment, options);
	err = mp_library_attach(remote, attach, &result->attachment);
	return err < 0 ? say_attach(err, remote->target->pid, remote->diag) : 0;
}

static int take_out(struct mp_remote *remote, struct mp_injection *result)
{
	uint64_t detach = remote->target->memprof->wanted[MP_WANTED_DETACH];
	int done = mp_library_detach(remote, detach);

	if (done == -EINVAL)
		return mp_diag_fail(remote->diag, 0, NULL,
				    "process %d is not sampled any more",
				    (int)remote->target->pid);
	if (done < 0)
		return mp_diag_fail(remote->diag, done, NULL,
				    "process %d: the library did not end",
				    (int)remote->target->pid);
	result->nr_restored = done;
	return 0;
}

/* The part in which a thread of the target stands still */
static int borrow_thread(struct search *search, const struct mp_inject_options *options,
			 struct mp_library_file *file,
			 struct mp_injection *result)
{
	struct mp_remote remote = {
		.target = search->target, .thread = search->thread,
		.left_overs = &search->left_overs, .diag = search->diag,
	};
	int err, left;

	search->thread->until_ms = mp_clock_ms() + CALL_MS;
	err = mp_remote_begin(&remote);
	if (!err)
		err = options ? put_in(&remote, options, file, result) :
		      take_out(&remote, result);
	left = mp_remote_end(&remote);
	result->paused_ns = mp_clock_ns() - search->thread->since_ns;
	result->thread = search->thread->tid;
	if (left && !err)
		err = mp_diag_fail(search->diag, left, NULL,
				   "thread %d of process %d could not be restored",
				   (int)search->thread->tid, (int)search->target->pid);
	return err;
}

static int check_library(const struct mp_inject_target *target, bool is_put_in,
			 struct mp_diag *diag)
{
	const struct mp_inject_module *memprof = target->memprof;

	if (is_put_in && memprof && !memprof->wanted[MP_WANTED_ATTACH])
		return mp_diag_fail(diag, EALREADY, "memprofctl snapshot reads its samples",
				    "process %d has a libmemprof of its own",
				    (int)target->pid);
	if (!is_put_in && (!memprof || !memprof->wanted[MP_WANTED_DETACH]))
		return mp_diag_fail(diag, 0, NULL,
				    "process %d does not have the library",
				    (int)target->pid);
	return 0;
}

int mp_injection_do(struct mp_inject_target *target,
		    const struct mp_inject_options *options,
		    struct mp_injection *result, struct mp_diag *diag)
{
	struct mp_library_file file = { .path = options ? options->library : NULL };
	static struct mp_stopped_thread thread;
	struct search search = { .target = target, .thread = &thread, .diag = diag };
	int err = mp_target_read(target, diag) ?: check_library(target, options, diag);

	if (!err && options)
		err = mp_library_file_read(&file, target->pid, diag);
	if (err)
		return err;
	thread.machine = target->machine;
	mp_thread_stops_init();
	srandom((unsigned int)mp_clock_ns());
	search.unwinder = mp_unwinder_new(target, diag);
	mp_left_over_find(target, &search.left_overs);
	err = search.unwinder ? find_thread(&search) : -EIO;
	if (!err)
		err = borrow_thread(&search, options, &file, result);
	result->tries = search.tries;
	mp_library_file_free(&file);
	mp_unwinder_free(search.unwinder);
	return err;
}

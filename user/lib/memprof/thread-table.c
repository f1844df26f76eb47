// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * thread-table.c: finds the state of the calling thread.
 *
 * A thread takes a free place when it is first searched, and keeps it. A later thread
 * with the same thread pointer continues with the state of the ended one: its
 * countdown is as good as a new one, because the distance to the next sample does not
 * depend on what was allocated before. So places are not given back, and the end of a
 * thread need not be seen. C libraries use the memory of ended threads again, so a
 * program needs about as many places as it has threads at the same time. What does
 * depend on the thread is tested when a sample is taken, by its number (tid).
 *
 * Threads that share a thread pointer (of clone() without CLONE_SETTLS) share a state.
 * Their counts may be wrong then, as they would be with thread-local storage.
 *
 * Cost: 0.4 ns more than thread-local storage for a malloc and its free, on the fast
 * path, which looks at the first place only. A thread whose first place was taken by
 * another thread is found here, at each call. Memory: a page for each thread, of 16 MB
 * that are reserved.
 */
#include "thread-table.h"

#include "confinement.h"
#include "own-syscall.h"

#include <errno.h>

/*
 * Places that are searched for a thread. 8,000 threads find one each; of 16,000 threads,
 * one in twenty finds none.
 */
#define MAX_STEPS	32

struct mp_thread mp_threads[1 << MP_THREAD_BITS] __attribute__((aligned(4096)));

/**
 * mp_thread_find() - find the state of the calling thread, or make it
 *
 * Can be called in a signal handler. Return: the state; NULL if all places that the
 * thread could have are taken. Such a thread is not sampled.
 */
MemProfThreadState *mp_thread_find(void)
{
	const uintptr_t own = mp_thread_pointer();
	const size_t first = mp_thread_first() - mp_threads;
	struct mp_thread *thread;
	uintptr_t found;
	size_t i;

	for (i = 0; i < MAX_STEPS; i++) {
		thread = &mp_threads[(first + i) % (1 << MP_THREAD_BITS)];
		found = __atomic_load_n(&thread->pointer, __ATOMIC_RELAXED);
		/* a handler that interrupts this may take the place for its thread */
		if (!found && __atomic_compare_exchange_n(&thread->pointer, &found, own,
							  false, __ATOMIC_RELAXED,
							  __ATOMIC_RELAXED))
			return &thread->state;
		if (found == own)
			return &thread->state;
	}
	return NULL;
}

static int own_tid(void)
{
	return mp_own_syscall(SYS_gettid, 0, 0, 0, 0, 0, 0);
}

/**
 * mp_thread_has_changed() - test whether a state was last used by another thread
 * @state: state of the calling thread
 *
 * If this process has confined itself, the kernel is not asked, and the result is
 * true; in the strict mode it is false. Cost: a system call, 0.1 us.
 */
bool mp_thread_has_changed(MemProfThreadState *state)
{
	const int before = state->tid;

	if (mp_confinement != MP_FREE)
		return !mp_is_strict();
	state->tid = own_tid();
	if (state->tid != before)
		state->python_state = 0;
	return state->tid != before;
}

/**
 * mp_thread_is_dead() - test whether the thread that last took a sample has ended
 * @state: state of the calling thread
 *
 * Such a thread was cancelled in the middle of a sample, or is one of the parent's. Do
 * not ask in a child without a region of its own: the interrupted sample may be that of
 * the thread which forked.
 */
bool mp_thread_is_dead(const MemProfThreadState *state)
{
	return state->tid && mp_confinement == MP_FREE && state->tid != own_tid() &&
	       mp_own_syscall(SYS_tgkill, mp_own_getpid(), state->tid, 0, 0, 0, 0) ==
	       -ESRCH;
}

/*
 * Empties the table, so that all threads begin a countdown. A thread that takes a sample
 * meanwhile ends it with a state of zeros. No huge pages: one of them would make the
 * places of 2,048 threads resident.
 */
void mp_threads_begin(void)
{
	mp_own_madvise(mp_threads, sizeof(mp_threads), MADV_NOHUGEPAGE);
	mp_own_madvise(mp_threads, sizeof(mp_threads), MADV_DONTNEED);
}

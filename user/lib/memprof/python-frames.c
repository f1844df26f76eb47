// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * python-frames.c: puts the functions of Python into a stack.
 *
 * The interpreter runs Python functions in a C function of its own, which runs a Python
 * function that another one calls in the same C frame. The frames of Python are a list,
 * which is cut into runs: each run belongs to one C frame. A local variable of that C
 * frame is the end of the run: of 3.11 a _PyCFrame, later a _PyInterpreterFrame without
 * a function. So the address of the end tells which C frame the run replaces.
 *
 * The list is that of the calling thread, so it does not change meanwhile. The thread is
 * found in the interpreter's lists by its id, and remembered. These lists belong to all
 * threads and change at any time. No lock is taken, not even that of the interpreter; no
 * function of the interpreter is called and nothing is allocated. Each read is tested
 * (host-memory.c), and each loop is bounded. A thread may have a state in each of several
 * interpreters; their runs do not overlap.
 *
 * Cost: 2 us for 30 functions that are known; less where the same lines run repeatedly
 * (recursion), because their names are kept for the rest of the stack.
 */
#include "python-frames.h"

#include "drop-counter.h"
#include "function-table.h"
#include "module-map.h"
#include "python-code.h"
#include "python-runtime.h"
#include "host-memory.h"
#include "sample-clock.h"
#include "thread-table.h"

#include <pthread.h>
#include <string.h>

/* Limits: of interpreters, threads, states of one thread, and frames in a run. */
#define MAX_INTERPRETERS	64
#define MAX_THREADS		4096
#define MAX_STATES		4
#define MAX_RUN			2048
/* A thread that was not found is not searched among all for 2^23 ns, 8 ms. */
#define PATIENCE_BITS		23
#define FEW_THREADS		16
/* Names that are kept within one stack. */
#define NR_PLACES		8

/*
 * A list of frames.
 * @at: up to 3.11 the _PyCFrame of the next run, later its innermost frame; 0: the end
 * @first, @end: the next run: its innermost frame, and the address that ends it
 * @level: the C frame that the run replaces
 */
struct chain {
	uintptr_t at;
	uintptr_t first, end;
	int level;
};

/* A line of a function, by its code and its instruction, and its name. */
struct place {
	uintptr_t code, instr, name;
};

/*
 * @levels: number of C frames, innermost first; @next: the next one to be copied
 * @places: lines that were met in this stack; their code objects live as long as it does
 */
struct merge {
	const struct mp_python *python;
	const uintptr_t *frames, *stack_pointers;
	int levels, next;
	uintptr_t to[MEMPROF_MAX_STACK_DEPTH];
	int depth;
	bool is_cut, is_lost;
	struct place places[NR_PLACES];
};

static uintptr_t own_id(void)
{
#ifdef __x86_64__
	return mp_thread_pointer();
#else
	return (uintptr_t)pthread_self();
#endif
}

/* Reads a word of a structure that another thread may free. */
static uintptr_t word_now(uintptr_t structure, uint32_t distance)
{
	const uintptr_t at = structure + distance;

	return structure && at % sizeof(at) == 0 && mp_host_is_readable_now(at, sizeof(at)) ?
	       *(const volatile uintptr_t *)at : 0;
}

static uintptr_t word_of(uintptr_t structure, uint32_t distance)
{
	uintptr_t word;

	return structure && mp_host_word(structure + distance, &word) ? word : 0;
}

static bool is_own(const struct mp_python *python, uintptr_t state)
{
	return state && word_now(state, python->layout->thread.id) == own_id();
}

/* Finds the calling thread's states in one interpreter. Returns their number. */
static int search_threads(const struct mp_python *python, uintptr_t interpreter, int limit,
			  uintptr_t *states, int nr)
{
	uintptr_t state = word_now(interpreter, python->layout->interpreter.threads);

	for (; state && limit > 0 && nr < MAX_STATES; limit--) {
		if (is_own(python, state))
			states[nr++] = state;
		state = word_now(state, python->layout->thread.next);
	}
	return nr;
}

static int search_all(const struct mp_python *python, int limit, uintptr_t *states)
{
	uintptr_t interpreter = word_now(python->runtime,
					 python->layout->runtime.interpreters);
	int i, nr = 0;

	for (i = 0; interpreter && i < MAX_INTERPRETERS; i++) {
		nr = search_threads(python, interpreter, limit, states, nr);
		interpreter = word_now(interpreter, python->layout->interpreter.next);
	}
	return nr;
}

/* Whether there is no second interpreter; at the begin there is none at all. */
bool mp_python_has_one_interpreter(const struct mp_python *python)
{
	const struct mp_python_layout *is = python->layout;
	const uintptr_t first = word_of(python->runtime, is->runtime.interpreters);

	return !first || !word_of(first, is->interpreter.next);
}

/* Finds the calling thread's states. New ones are at the begin of their lists. */
static int find_states(const struct mp_python *python, MemProfThreadState *thread,
		       uintptr_t *states)
{
	const uint64_t now = mp_clock_coarse_ns() >> PATIENCE_BITS;
	int nr;

	states[0] = thread->python_state;
	if (is_own(python, states[0]) && mp_python_has_one_interpreter(python))
		return 1;
	nr = search_all(python, thread->python_missed == now ? FEW_THREADS : MAX_THREADS,
			states);
	thread->python_state = nr ? states[0] : 0;
	thread->python_missed = nr ? 0 : now;
	return nr;
}

/* Returns the C frame whose part of the stack has an address; -1: none. */
static int level_of(const struct merge *merge, uintptr_t at)
{
	int i;

	for (i = merge->next; i + 1 < merge->levels; i++)
		if (at >= merge->stack_pointers[i] && at < merge->stack_pointers[i + 1])
			return i;
	return -1;
}

static bool is_marked(const struct mp_python_layout *is, uintptr_t frame)
{
	return *(const volatile uint8_t *)(frame + is->frame.mark) == is->frame.mark_value;
}

static bool is_frame(const struct mp_python_layout *is, uintptr_t frame)
{
	return frame % sizeof(frame) == 0 && mp_host_is_readable(frame, is->frame.size);
}

/* Finds the end of the run that begins at a frame; 0 if there is none. */
static uintptr_t end_of(const struct mp_python_layout *is, uintptr_t frame)
{
	int i;

	for (i = 0; i < MAX_RUN && frame && is_frame(is, frame); i++) {
		if (is_marked(is, frame))
			return frame;
		frame = *(const volatile uintptr_t *)(frame + is->frame.previous);
	}
	return 0;
}

/* Moves a chain to its next run. Returns false if there is none in this stack. */
static bool next_run(struct merge *merge, struct chain *chain)
{
	const struct mp_python_layout *is = merge->python->layout;

	chain->level = -1;
	if (!chain->at)
		return false;
	if (is->control_frame) {
		chain->end = chain->at;
		chain->first = word_of(chain->at, is->control_frame);
		chain->at = word_of(chain->at, is->control_previous);
	} else {
		chain->first = chain->at;
		chain->end = end_of(is, chain->first);
		chain->at = word_of(chain->end, is->frame.previous);
	}
	chain->level = level_of(merge, chain->end);
	return chain->level >= 0;
}

static void put(struct merge *merge, uintptr_t frame)
{
	if (merge->depth < MEMPROF_MAX_STACK_DEPTH)
		merge->to[merge->depth++] = frame;
	else
		merge->is_cut = true;
}

/* Returns the frame that stands for a line of a function; 0 if it has no name. */
static uintptr_t name_of(const struct mp_python *python, const struct place *place)
{
	struct mp_python_code code;
	char text[MP_FUNCTION_TEXT];
	uint64_t digest;
	uintptr_t known;

	if (!mp_python_code_read(python, place->code, place->instr, &code))
		return 0;
	digest = mp_python_code_digest(python, &code);
	known = digest ? mp_functions_find(digest) : 0;
	if (known || !digest || !mp_python_code_text(python, &code, text, sizeof(text)))
		return known;
	return mp_functions_add(digest, text, mp_python_code_line(python, &code));
}

/* As name_of(), of a frame whose memory is readable. */
static uintptr_t name_of_frame(struct merge *merge, uintptr_t frame)
{
	const struct mp_python_layout *is = merge->python->layout;
	const uintptr_t code = *(const volatile uintptr_t *)(frame + is->frame.code);
	const uintptr_t instr = *(const volatile uintptr_t *)(frame + is->frame.instr);
	struct place *place = &merge->places[instr / 2 % NR_PLACES];

	if (place->code != code || place->instr != instr) {
		*place = (struct place){ code, instr, 0 };
		place->name = name_of(merge->python, place);
	}
	return place->name;
}

/* Puts the functions of a run. The last frame of 3.11 is one of them, that of later not. */
static void put_run(struct merge *merge, const struct chain *chain)
{
	const struct mp_python_layout *is = merge->python->layout;
	const int before = merge->depth;
	uintptr_t frame = chain->first, name;
	bool is_last = false;
	int i;

	/* a C function that has just left its last function */
	if (frame == chain->end)
		put(merge, merge->frames[chain->level]);

	for (i = 0; i < MAX_RUN && !is_last && !merge->is_cut; i++) {
		if (!frame || !is_frame(is, frame))
			break;
		is_last = is_marked(is, frame);
		if (is_last && !is->control_frame)
			break;
		name = name_of_frame(merge, frame);
		if (name)
			put(merge, name);
		frame = *(const volatile uintptr_t *)(frame + is->frame.previous);
	}
	/* without any name, the interpreter's own function stays */
	if (merge->depth == before && !merge->is_cut) {
		merge->is_lost = true;
		put(merge, merge->frames[chain->level]);
	}
}

static void put_native(struct merge *merge, int end)
{
	while (merge->next < end)
		put(merge, merge->frames[merge->next++]);
}

/*
 * Replaces one C frame. With -X perf its caller is code without a binary, which has the
 * name of the same function: it is left out.
 */
static void replace(struct merge *merge, const struct chain *chain)
{
	put_native(merge, chain->level);
	put_run(merge, chain);
	merge->next = chain->level + 1;
	if (merge->next < merge->levels &&
	    !mp_modules_has(merge->frames[merge->next] - 1))
		merge->next++;
}

/* Returns the chain whose next run is the innermost one, or NULL. */
static struct chain *innermost(struct chain *chains, int nr)
{
	struct chain *best = NULL;
	int i;

	for (i = 0; i < nr; i++)
		if (chains[i].level >= 0 && (!best || chains[i].level < best->level))
			best = &chains[i];
	return best;
}

static void merge_chains(struct merge *merge, struct chain *chains, int nr)
{
	struct chain *chain;
	int i;

	for (i = 0; i < nr; i++)
		next_run(merge, &chains[i]);
	while ((chain = innermost(chains, nr)) && !merge->is_cut) {
		/* of two runs for one C frame the first one counts */
		if (chain->level >= merge->next)
			replace(merge, chain);
		next_run(merge, chain);
	}
	put_native(merge, merge->levels);
}

/**
 * mp_python_frames() - replace the interpreter's C frames by the functions of Python
 * @thread: state of the calling thread, with the stack; out: the new stack
 * @stack_pointers: of each frame of the stack
 * @is_cut: out: set to true if outer frames had no room
 *
 * Return: true if the stack has changed.
 */
bool mp_python_frames(MemProfThreadState *thread, const uintptr_t *stack_pointers,
		      bool *is_cut)
{
	struct merge merge = {
		.python = mp_python_known(), .frames = thread->frame_buffer,
		.stack_pointers = stack_pointers, .levels = thread->frame_depth,
	};
	struct chain chains[MAX_STATES] = { 0 };
	uintptr_t states[MAX_STATES];
	int i, nr;

	if (!merge.python)
		return false;
	if (!merge.python->layout) {
		mp_drop_count(MP_COUNT_python_unknown);
		return false;
	}
	mp_host_begin();
	nr = find_states(merge.python, thread, states);
	for (i = 0; i < nr; i++)
		chains[i].at = word_of(states[i], merge.python->layout->thread.control);
	if (!nr)
		return false;
	merge_chains(&merge, chains, nr);
	if (merge.is_lost)
		mp_drop_count(MP_COUNT_python_frames_lost);
	*is_cut |= merge.is_cut;
	memcpy(thread->frame_buffer, merge.to, merge.depth * sizeof(merge.to[0]));
	thread->frame_depth = merge.depth;
	return true;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * calls: keeps an array of open calls, and a flame graph of distinct stacks
 *
 * Memory grows with the depth of calls and the number of distinct stacks. For a
 * chart, the calls of one toplevel call are also stored, see call-spool.c.
 */
#include "calls.h"
#include "array.h"
#include "text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Node number of a call that is deeper than max_depth and so has no node. */
#define NO_NODE		UINT32_MAX

/* An open call. @ticks: the call's own ticks up to the time @counted_tick. */
struct mp_calls_frame {
	uint64_t counted_tick;
	uint64_t ticks;
	size_t spool;
	uint32_t node;
};

/* Adds two numbers; the result of an overflow is UINT64_MAX. */
static uint64_t plus(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

void mp_calls_init(struct mp_calls *calls)
{
	memset(calls, 0, sizeof(*calls));
	calls->max_depth = MP_CALLS_MAX_DEPTH;
}

void mp_calls_escape(char *to, const char *name, size_t len)
{
	static const char digits[] = "0123456789abcdef";
	size_t i;

	for (i = 0; i < len; i++) {
		unsigned char c = name[i];

		if (c > ' ' && c != ';' && c != '\\' && c != 0x7f) {
			*to++ = c;
			continue;
		}
		*to++ = '\\';
		*to++ = 'x';
		*to++ = digits[c >> 4];
		*to++ = digits[c & 15];
	}
	*to = '\0';
}

/*
 * Escapes a name, first for folded stacks and then for display, and returns the
 * number of the result. The second escape keeps what the first one wrote.
 */
static uint32_t name_of(struct mp_calls *calls, const char *name, size_t len)
{
	size_t size = 4 * len + 1;
	char room[512], *text = room;
	uint32_t number;

	if (2 * size > sizeof(room))
		text = malloc(2 * size);
	if (!text)
		return MP_NAMES_NONE;
	mp_calls_escape(text, name, len);
	mp_text_escape(text + size, size, text, strlen(text));
	number = mp_names_add(&calls->flame.names, text + size);
	if (text != room)
		free(text);
	return number;
}

/* Adds a call to the spool, which only a chart needs. */
static int spool_call(struct mp_calls *calls, struct mp_calls_frame *frame)
{
	frame->spool = calls->spool.nr;
	return calls->chart ? mp_call_spool_add(&calls->spool, frame->node) : 0;
}

static struct mp_calls_frame *innermost(const struct mp_calls *calls)
{
	return calls->nr_frames ? &calls->frames[calls->nr_frames - 1] : NULL;
}

static int push_frame(struct mp_calls *calls, uint32_t name,
		      const struct mp_calls_time *now)
{
	struct mp_calls_frame *caller = innermost(calls);
	struct mp_calls_frame frame = { .counted_tick = now->tick, .node = NO_NODE };
	int err = 0;

	if (calls->nr_frames <= calls->max_depth) {
		frame.node = mp_stack_tree_node(&calls->flame, caller ?
					   caller->node : MP_STACK_TREE_ROOT, name);
		err = frame.node ? spool_call(calls, &frame) : -ENOMEM;
	}
	if (err)
		return err;
	if (caller)
		caller->ticks = plus(caller->ticks, now->tick - caller->counted_tick);
	calls->frames[calls->nr_frames++] = frame;
	return 0;
}

/*
 * Adds the time since the last event to the duration of the toplevel call. If one
 * of these times is not known, the duration in nanoseconds is not known.
 */
static void add_elapsed(struct mp_calls *calls, const struct mp_calls_time *now,
			struct mp_calls_time *took)
{
	took->tick = plus(took->tick, now->tick - calls->last.tick);
	took->known &= now->known && calls->last.known &&
		       now->ns >= calls->last.ns;
	took->ns += now->ns - calls->last.ns;
}

int mp_calls_enter(struct mp_calls *calls, const char *name, size_t len,
		   const struct mp_calls_time *now)
{
	uint32_t number;
	int err;

	if (now->tick < calls->last.tick)
		return -ERANGE;
	if (calls->nr_frames >= MP_CALLS_LIMIT)
		return -E2BIG;
	if (!calls->flame.nr && mp_stack_tree_open(&calls->flame, 1))
		return -ENOMEM;
	number = name_of(calls, name, len);
	if (number == MP_NAMES_NONE ||
	    (calls->nr_frames == calls->max_frames &&
	     !mp_array_grow(&calls->frames, &calls->max_frames,
			    sizeof(*calls->frames))))
		return -ENOMEM;
	err = push_frame(calls, number, now);
	if (err)
		return err;
	if (calls->nr_frames == 1)
		calls->top_call = (struct mp_calls_top){
			.name = number, .took.known = true,
		};
	else
		add_elapsed(calls, now, &calls->top_call.took);
	calls->last = *now;
	return 0;
}

static int end_top(struct mp_calls *calls)
{
	struct mp_calls_top *top = &calls->top_call;
	int err;

	calls->total.tick = plus(calls->total.tick, top->took.tick);
	calls->total.known = top->took.known &&
			     (calls->total.known || !calls->nr_top) &&
			     calls->total.ns + top->took.ns >= top->took.ns;
	calls->total.ns += top->took.ns;
	calls->nr_top++;
	top->calls = &calls->spool;
	err = calls->top ? calls->top(calls, top) : 0;
	mp_call_spool_clear(&calls->spool);
	return err;
}

int mp_calls_exit(struct mp_calls *calls, const struct mp_calls_time *now)
{
	struct mp_calls_frame *frame = innermost(calls);
	int64_t *self;
	int err = 0;

	if (!frame)
		return 0;
	if (now->tick < calls->last.tick)
		return -ERANGE;
	frame->ticks = plus(frame->ticks, now->tick - frame->counted_tick);
	if (frame->node != NO_NODE) {
		self = &calls->flame.self[frame->node];
		*self = (int64_t)plus((uint64_t)*self, frame->ticks);
		if (calls->chart)
			err = mp_call_spool_end(&calls->spool, frame->spool,
						frame->ticks);
	}
	add_elapsed(calls, now, &calls->top_call.took);
	calls->last = *now;
	if (!--calls->nr_frames)
		return err ? err : end_top(calls);
	innermost(calls)->counted_tick = now->tick;
	return err;
}

void mp_calls_spend(struct mp_calls *calls, uint64_t ticks)
{
	struct mp_calls_frame *frame = innermost(calls);
	struct mp_calls_time *took = &calls->top_call.took;

	if (!frame)
		return;
	frame->ticks = plus(frame->ticks, ticks);
	took->tick = plus(took->tick, ticks);
}

int mp_calls_close(struct mp_calls *calls)
{
	struct mp_calls_time now = calls->last;
	int err = 0;

	/* the calls did not end, so the time of their end is not known */
	now.known = false;
	while (!err && calls->nr_frames)
		err = mp_calls_exit(calls, &now);
	return err;
}

void mp_calls_end_run(struct mp_calls *calls)
{
	mp_stack_tree_free(&calls->flame);
	calls->total = (struct mp_calls_time){ 0 };
	calls->last = (struct mp_calls_time){ 0 };
	calls->nr_top = 0;
	calls->nr_frames = 0;
	mp_call_spool_clear(&calls->spool);
}

void mp_calls_free(struct mp_calls *calls)
{
	mp_stack_tree_free(&calls->flame);
	free(calls->frames);
	mp_call_spool_free(&calls->spool);
	memset(calls, 0, sizeof(*calls));
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * isolate: takes the place of the one in user/binary, without a child
 *
 * The work runs in this process, so that the sanitizers see it and a run takes
 * no fork. Or the result is given bytes, as from a child that a hostile file has
 * taken over.
 */
#include "isolate.h"
#include "isolated.h"

#include <sanitizer/allocator_interface.h>
#include <stdlib.h>
#include <string.h>

static const struct input *sent;

void isolated_answer(const struct input *answer)
{
	sent = answer;
}

void mp_isolate_allow(size_t bytes)
{
	(void)bytes;
}

/* A child that exits leaves no memory: what work has allocated is freed. */
#define MAX_LEFT	65536
static const volatile void *left[MAX_LEFT];
static size_t nr_left;
static bool is_child;

static void note_malloc(const volatile void *memory, size_t size)
{
	(void)size;
	if (is_child && nr_left < MAX_LEFT)
		left[nr_left++] = memory;
}

/* What was allocated last is usually freed first. */
static void note_free(const volatile void *memory)
{
	size_t i;

	for (i = nr_left; is_child && i--;)
		if (left[i] == memory) {
			left[i] = left[--nr_left];
			return;
		}
}

static void begin_child(void)
{
	static bool once;

	if (!once)
		__sanitizer_install_malloc_and_free_hooks(note_malloc, note_free);
	once = true;
	nr_left = 0;
	is_child = true;
}

static void end_child(void)
{
	is_child = false;
	while (nr_left)
		free((void *)left[--nr_left]);
}

bool mp_isolate_run(const struct mp_isolate *isolate, char *why)
{
	*why = '\0';
	if (!sent) {
		begin_child();
		isolate->work(isolate->context, isolate->result);
		end_child();
	} else {
		memcpy(isolate->result, sent->data, sent->size < isolate->size ?
		       sent->size : isolate->size);
	}
	return true;
}

/* The pipe, whose memory is the parent's. */
static ssize_t put(void *cookie, const char *data, size_t size)
{
	struct mp_isolate_answer *answer = cookie;

	is_child = false;
	answer->data = realloc(answer->data, answer->size + size);
	if (!answer->data)
		abort();
	memcpy(answer->data + answer->size, data, size);
	answer->size += size;
	is_child = true;
	return (ssize_t)size;
}

/* Returns what the work writes; false if it fails, as it would in the child. */
static bool do_work(const struct mp_isolate_stream *stream,
		    struct mp_isolate_answer *answer)
{
	static char buffer[65536];
	FILE *to = fopencookie(answer, "w", (cookie_io_functions_t){
		.write = put,
	});
	bool done;

	if (!to || setvbuf(to, buffer, _IOFBF, sizeof(buffer)))
		abort();
	begin_child();
	done = stream->send(stream->isolate.context, to);
	fflush(to);
	end_child();
	fclose(to);
	return done;
}

void mp_isolate_begin(void)
{
}

bool mp_isolate_stream(const struct mp_isolate_stream *stream,
		       struct mp_isolate_answer *answer, char *why)
{
	bool done = true;

	*why = '\0';
	*answer = (struct mp_isolate_answer){ 0 };
	if (sent)
		*answer = (struct mp_isolate_answer){
			.data = (char *)input_copy(sent), .size = sent->size,
		};
	else
		done = do_work(stream, answer);
	if (done && answer->size < stream->max)
		return true;
	free(answer->data);
	*answer = (struct mp_isolate_answer){ 0 };
	return false;
}

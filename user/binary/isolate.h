/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * apart: work on strangers' files in a child process with bounds
 */
#ifndef MP_ISOLATE_H
#define MP_ISOLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define MP_ISOLATE_WHY_SIZE	240

/*
 * Of a clock on the wall: less than a client of the collector waits for its
 * answer (30 s), more than the largest binaries take on a busy machine.
 */
#define MP_ISOLATE_PATIENCE_MS	20000

/**
 * struct mp_isolate - a piece of work
 * @work: what; changes @result, in the child
 * @context: for it
 * @result: in and out; without pointers
 * @size: bytes of it
 * @fd: the only file that the child keeps, besides the standard ones
 * @patience_ms: when the child is killed; 0: MP_ISOLATE_PATIENCE_MS
 * @seconds: of CPU time that the child has; 0 for few
 * @bytes: of address space that it has; 0 for 4 GB
 */
struct mp_isolate {
	void (*work)(void *context, void *result);
	void *context;
	void *result;
	size_t size;
	int fd;
	int patience_ms;
	int seconds;
	size_t bytes;
};

/**
 * struct mp_isolate_stream - a piece of work whose result has no fixed size
 * @isolate: the same, without work, result and size
 * @send: what; writes its result to @to, in the child, and returns whether that
 *	is whole
 * @max: bytes of a result; for more the child is killed
 */
struct mp_isolate_stream {
	struct mp_isolate isolate;
	bool (*send)(void *context, FILE *to);
	size_t max;
};

/**
 * struct mp_isolate_answer - what a child wrote
 * @data: @size bytes, to be freed
 */
struct mp_isolate_answer {
	char *data;
	size_t size;
};

/**
 * mp_isolate_run - do something in a child, and take over its result
 * @why: out, MP_ISOLATE_WHY_SIZE bytes: what went wrong, for people
 *
 * A file that makes a library crash, loop, block or eat memory ends the child
 * and nothing else. One that takes the child over may send anything: the result
 * is any bytes, and to be checked like the file itself.
 *
 * Return: whether the child came to its end; if not, the result is unchanged or,
 * where the child was killed while it sent its own, undefined.
 */
bool mp_isolate_run(const struct mp_isolate *isolate, char *why);

/**
 * mp_isolate_stream - the same for a result of any size
 * @answer: out; empty, with nothing to free, where the child did not come to its
 *	end
 *
 * Return: whether it did.
 */
bool mp_isolate_stream(const struct mp_isolate_stream *stream,
		     struct mp_isolate_answer *answer, char *why);

#endif

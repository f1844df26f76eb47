/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * isolate: reads untrusted files in a child process with limits
 */
#ifndef MP_ISOLATE_H
#define MP_ISOLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define MP_ISOLATE_WHY_SIZE	240
#define MP_ISOLATE_CONTEXT	16384

/*
 * Default time limit in real time. It is less than the 30 s that a client of
 * the collector waits for an answer, and more than the largest binaries need on
 * a busy machine.
 */
#define MP_ISOLATE_PATIENCE_MS	20000

/* Default limit of CPU time */
#define MP_ISOLATE_SECONDS	10

/**
 * struct mp_isolate - work for a child
 * @work: function to run in the child; writes @result
 * @context: passed to @work
 * @context_size: bytes of @context, which must have no pointers then, and no more than
 *	MP_ISOLATE_CONTEXT; @result begins with zeroes. So the process of mp_isolate_begin()
 *	can fork the child, whose working directory is / then. 0: @context can have
 *	pointers
 * @result: input and output, without pointers
 * @size: bytes of @result
 * @fd: the only file, besides the standard ones, that stays open in the child
 * @patience_ms: time after which the child is killed; 0: MP_ISOLATE_PATIENCE_MS
 * @seconds: limit of CPU time; 0: MP_ISOLATE_SECONDS
 * @bytes: limit of address space; 0: 4 GB
 * @data: limit of private memory, without the size of @fd; 0: no limit
 */
struct mp_isolate {
	void (*work)(void *context, void *result);
	void *context;
	size_t context_size;
	void *result;
	size_t size;
	int fd;
	int patience_ms;
	int seconds;
	size_t bytes;
	size_t data;
};

/**
 * struct mp_isolate_stream - work with a result of variable size
 * @isolate: the file and the limits; its work, result and size are not used
 * @send: function to run in the child; writes its result to @to. Returns false
 *	if the result is incomplete
 * @max: limit of the result's bytes; above it the child is killed
 */
struct mp_isolate_stream {
	struct mp_isolate isolate;
	bool (*send)(void *context, FILE *to);
	size_t max;
};

/**
 * struct mp_isolate_answer - the result of a child
 * @data: @size bytes; the caller frees it
 * @size: bytes of @data
 */
struct mp_isolate_answer {
	char *data;
	size_t size;
};

/**
 * mp_isolate_begin - have a small process fork the children, where it can
 *
 * That costs less if this process will have much memory. Call it early, when it has not.
 */
void mp_isolate_begin(void);

/**
 * mp_isolate_allow - raise the limit @data by some bytes; called in the child
 *
 * libelf maps a file in a way that counts as private memory. So if the child
 * opens a file itself, it raises the limit by the size of the file.
 */
void mp_isolate_allow(size_t bytes);

/**
 * mp_isolate_run - run work in a child and receive its result
 * @why: out; MP_ISOLATE_WHY_SIZE bytes: reason of a failure, for users
 *
 * If a file makes a library crash, loop, block or use too much memory, only the
 * child fails. If a file takes over the child, the child can send anything. So
 * the result is untrusted, like the file.
 *
 * Return: true if the child finished. If not, the result is unchanged, or
 * undefined if the child was killed while it sent the result.
 */
bool mp_isolate_run(const struct mp_isolate *isolate, char *why);

/**
 * mp_isolate_stream - run work with a result of variable size
 * @answer: out; empty after a failure, with nothing to free
 * @why: as for mp_isolate_run()
 *
 * Return: true if the child finished.
 */
bool mp_isolate_stream(const struct mp_isolate_stream *stream,
		       struct mp_isolate_answer *answer, char *why);

#endif

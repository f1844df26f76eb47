/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sections: what named parts of a thread's run take, in units and in heap.
 *
 *	memprof_section_start("parse", 5, 0);
 *	...
 *	memprof_section_end("parse", 5, 0);
 *	memprof_section_flush(STDERR_FILENO);
 *
 * By the kernel module where the process may open its device, else by the library
 * itself; the same either way. Link with -lmemprof-sections, or with -lmemprof, which
 * has the sampler besides. Each thread has sections of its own. None of these
 * functions prints, exits or aborts; -1 means failure, errno says of what kind.
 */
#ifndef MEMPROF_SECTION_H
#define MEMPROF_SECTION_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The longest id. */
#define MEMPROF_SECTION_ID_BYTES 255

/* What memprof_section_start() and _end() measure. */
enum memprof_section_measure {
	MEMPROF_MEASURE_TIME = 1,	/* the thread's CPU time, nanoseconds */
	MEMPROF_MEASURE_INSTRUCTIONS = 2, /* retired in user mode, where counted */
};

/**
 * memprof_section_start() - a section begins
 * @id: @id_len bytes of any value, copied; none is an id too
 * @id_len: at most MEMPROF_SECTION_ID_BYTES
 * @heap: bytes in use now, 0: not known
 *
 * Measured: nanoseconds of CPU time, or see memprof_section_measure(). What these
 * functions take themselves is not charged. Async-signal-safe, as all here but
 * memprof_section_flush().
 *
 * Return: 0; -1 with ENAMETOOLONG; EMFILE, 128 are open; EBUSY, those that are open
 * or wait for a flush have another meter; EOPNOTSUPP; ENOMEM; EUSERS; EFAULT, the id
 * is not there. A thread's first one maps 32 MiB where there is no module, which
 * count for a program that locks what it maps.
 */
int memprof_section_start(const char *id, size_t id_len, uint64_t heap);

/**
 * memprof_section_end() - the section of that id that started last ends
 *
 * It completes, and waits for a flush.
 *
 * Return: 0; -1 with ENOENT, none is open; ENOSPC, 16384 wait for a flush and this
 * one is lost; EIO, its counter was taken away, and it is lost; ENAMETOOLONG; EBUSY,
 * it was started by memprof_section_start_cu(); ENOMEM; EFAULT.
 */
int memprof_section_end(const char *id, size_t id_len, uint64_t heap);

/**
 * memprof_section_start_cu() - the same, by a meter of the caller's
 * @cu: units that are left: counts down
 */
int memprof_section_start_cu(const char *id, size_t id_len, uint64_t heap,
			     uint64_t cu);

/** memprof_section_end_cu() - the same for the end */
int memprof_section_end_cu(const char *id, size_t id_len, uint64_t heap,
			   uint64_t cu);

/**
 * memprof_section_measure() - choose what the calling thread measures from now on
 *
 * Of sections that start; one that is open ends by what it was started with.
 *
 * Return: 0; -1 with EINVAL.
 */
int memprof_section_measure(enum memprof_section_measure what);

/**
 * memprof_section_flush() - write down what the calling thread completed, forget it
 * @fd: where to; -1: nowhere, only those who follow the process hear of it
 *
 *	CU log:  1 parse consumed   1234 CU (net   1000 CU)
 *	HEAP :  5678 heap (net  5000 heap) remaining  3456
 *
 * The second line only where heap was known at both ends. Large flushes are written
 * in pieces; when one cannot be written the rest waits for the next flush.
 *
 * Return: how many; -1 with an errno of write().
 */
int memprof_section_flush(int fd);

/**
 * memprof_section_invoke() - an invocation begins, with no sections
 *
 * It is not charged to those that are open; memprof_section_return() ends it.
 *
 * Return: 0; -1 with ELOOP, 16 are nested; EBUSY, a flush was written in part;
 * ENOMEM.
 */
int memprof_section_invoke(void);

/**
 * memprof_section_return() - it ends, well or not; flush before
 *
 * Its sections are forgotten, open or not. The outermost one begins anew.
 */
int memprof_section_return(void);

/* What the guard keeps. */
struct memprof_section_scope {
	const char *id;
	size_t id_len;
	int failed;
};

static inline struct memprof_section_scope
memprof_section_scope_start(const char *id, size_t id_len)
{
	struct memprof_section_scope scope;

	scope.id = id;
	scope.id_len = id_len;
	scope.failed = memprof_section_start(id, id_len, 0);
	return scope;
}

static inline void memprof_section_scope_end(struct memprof_section_scope *scope)
{
	/* one of the same name around it must not end in its place */
	if (!scope->failed)
		memprof_section_end(scope->id, scope->id_len, 0);
}

#define MEMPROF_SECTION_GLUE_(a, b) a ## b
#define MEMPROF_SECTION_GLUE(a, b) MEMPROF_SECTION_GLUE_(a, b)

/**
 * MEMPROF_SECTION() - from here to the end of the block, however it is left
 * @text: the id, a string that lives as long
 *
 * By return, break, goto or a C++ exception; longjmp() leaves it open.
 */
#define MEMPROF_SECTION(text)						\
	struct memprof_section_scope					\
		MEMPROF_SECTION_GLUE(memprof_section_, __COUNTER__)	\
		__attribute__((cleanup(memprof_section_scope_end),	\
			       unused)) =				\
		memprof_section_scope_start(text, __builtin_strlen(text))

#ifdef __cplusplus
}
#endif

#endif

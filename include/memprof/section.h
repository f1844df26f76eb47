/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * section.h: measures the compute units and the heap of named parts of a
 * thread's run.
 *
 *	memprof_section_start("parse", 5, 0);
 *	...
 *	memprof_section_end("parse", 5, 0);
 *	memprof_section_flush(STDERR_FILENO);
 *
 * If the process may open the device of the kernel module, the module measures. Else
 * the library measures, with the same results. Link with -lmemprof-sections, or
 * with -lmemprof, which also contains the sampler. Each thread has its own
 * sections. No function here prints, exits or aborts. A function that fails
 * returns -1 and sets errno.
 */
#ifndef MEMPROF_SECTION_H
#define MEMPROF_SECTION_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Limit of the length of an id, in bytes. */
#define MEMPROF_SECTION_ID_BYTES 255

/* Units that memprof_section_start() and memprof_section_end() can measure. */
enum memprof_section_measure {
	MEMPROF_MEASURE_TIME = 1,	/* nanoseconds of the thread's CPU time */
	MEMPROF_MEASURE_INSTRUCTIONS = 2, /* instructions retired in user mode */
};

/**
 * memprof_section_start() - start a section
 * @id: @id_len bytes of any value, copied; an empty id is valid
 * @id_len: at most MEMPROF_SECTION_ID_BYTES
 * @heap: bytes of heap in use now; 0: not known
 *
 * The unit is nanoseconds of CPU time; memprof_section_measure() changes it.
 * The cost of these functions is not charged to the section. All functions here
 * are async-signal-safe, except memprof_section_flush().
 *
 * If the library measures, the first section of a thread maps 32 MiB. If the program
 * locks its memory, these bytes count against RLIMIT_MEMLOCK.
 *
 * Return: 0, or -1 with one of these errors. ENAMETOOLONG: the id is too long; EMFILE:
 * 128 sections are open; EBUSY: sections that are open or wait for a flush use another
 * meter; EOPNOTSUPP: instructions cannot be counted; ENOMEM; EUSERS: too many threads
 * have sections; EFAULT: the id cannot be read.
 */
int memprof_section_start(const char *id, size_t id_len, uint64_t heap);

/**
 * memprof_section_end() - end the section with this id that started last
 *
 * The section is then complete and waits for a flush.
 *
 * Return: 0, or -1 with one of these errors. ENOENT: no such section is open;
 * ENOSPC: 16384 sections wait for a flush, and this section is lost; EIO: another user
 * of perf took the counter away, and the section is lost; ENAMETOOLONG: the id is too
 * long; EBUSY: memprof_section_start_cu() started the section; ENOMEM; EFAULT: the id
 * cannot be read.
 */
int memprof_section_end(const char *id, size_t id_len, uint64_t heap);

/**
 * memprof_section_start_cu() - start a section that uses the caller's meter
 * @cu: remaining units of the caller's meter, which counts down
 */
int memprof_section_start_cu(const char *id, size_t id_len, uint64_t heap,
			     uint64_t cu);

/** memprof_section_end_cu() - end a section that uses the caller's meter */
int memprof_section_end_cu(const char *id, size_t id_len, uint64_t heap,
			   uint64_t cu);

/**
 * memprof_section_measure() - choose the unit of the calling thread
 *
 * The choice applies to sections that start later. A section that is open keeps
 * its unit.
 *
 * Return: 0; -1 with EINVAL if @what is not a valid unit.
 */
int memprof_section_measure(enum memprof_section_measure what);

/**
 * memprof_section_flush() - write the completed sections of the calling thread
 * and free them
 * @fd: file descriptor to write to; -1: write nothing; then only tracers of the
 *	process receive the sections
 *
 * Two lines are written per section:
 *
 *	CU log:  1 parse consumed   1234 CU (net   1000 CU)
 *	HEAP :  5678 heap (net  5000 heap) remaining  3456
 *
 * The second line is written only if the heap was known at the start and at the end.
 * A large flush is written in parts. If a part cannot be written, the remaining
 * sections wait for the next flush.
 *
 * Return: number of sections, or -1 with an errno of write().
 */
int memprof_section_flush(int fd);

/**
 * memprof_section_invoke() - start a nested invocation, which has its own sections
 *
 * The cost of this function is not charged to open sections.
 * memprof_section_return() ends the invocation.
 *
 * Return: 0, or -1 with one of these errors. ELOOP: 16 invocations are nested; EBUSY:
 * only a part of a flush was written; ENOMEM.
 */
int memprof_section_invoke(void);

/**
 * memprof_section_return() - end an invocation, after success or failure
 *
 * All its sections are removed, open or completed, so flush before. If it is the
 * outermost invocation, a new one begins without sections.
 */
int memprof_section_return(void);

/* State of a MEMPROF_SECTION() guard. */
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
	/*
	 * if the start failed, an end would end an outer section with the same id
	 */
	if (!scope->failed)
		memprof_section_end(scope->id, scope->id_len, 0);
}

#define MEMPROF_SECTION_GLUE_(a, b) a ## b
#define MEMPROF_SECTION_GLUE(a, b) MEMPROF_SECTION_GLUE_(a, b)

/**
 * MEMPROF_SECTION() - measure a section from here to the end of the block
 * @text: the id, a string that must exist until the block ends
 *
 * The section also ends if return, break, goto or a C++ exception leaves the block.
 * After longjmp() it stays open.
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

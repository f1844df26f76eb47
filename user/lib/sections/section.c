// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * section.c: implements the public functions for sections. They call the module, or
 * the library's own engine if there is no module. It also writes the text of a flush.
 */
#include <memprof/section.h>

#include "device.h"
#include "own.h"
#include "section-probe.h"
#include "section-line.h"
#include "section-record.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define API __attribute__((visibility("default")))

/* Number of sections that a flush reads and writes at once: 13 KB of stack. */
#define PIECE	8

/* Number of calls that measure the cost of entering the kernel. */
#define ROUNDS	32

#ifdef MP_SDT
unsigned short memprof_section_semaphore __attribute__((section(".probes")));
#endif

/* The unit that the thread has chosen; no value: MEMPROF_MEASURE_TIME. */
static pthread_key_t measure_key;
static bool has_measure_key;

__attribute__((constructor))
static void make_measure_key(void)
{
	has_measure_key = !pthread_key_create(&measure_key, NULL);
}

static enum memprof_section_measure measured(void)
{
	void *chosen = has_measure_key ? pthread_getspecific(measure_key) : NULL;

	return chosen ? (enum memprof_section_measure)(uintptr_t)chosen :
			MEMPROF_MEASURE_TIME;
}

static int result(int err)
{
	if (!err)
		return 0;
	errno = -err;
	return -1;
}

static int call_operation(uint32_t op, uint32_t meter);

/*
 * Makes calls with which the module measures the cost of entering and leaving the
 * kernel. They use the same code as all other calls.
 */
static void gauge_way(uint32_t meter)
{
	int i, saved = errno;

	for (i = 0; i < ROUNDS && !call_operation(MEMPROF_SECTION_GAUGE, meter); i++)
		;
	errno = saved;
}

static bool has_module(void)
{
	bool opened = false, has = mp_device_has(&opened);

	if (opened)
		gauge_way(MEMPROF_SECTION_TIME);
	return has;
}

static int mark_section(const char *id, size_t id_len, uint64_t heap, uint64_t cu,
			uint32_t meter, bool start)
{
	struct memprof_section_mark arg = {
		.size = sizeof(arg),
		.id_len = (uint32_t)id_len,
		.id = (uintptr_t)id,
		.cu = cu,
		.heap = heap,
		.meter = meter,
	};
	int err = -ENODEV;

	if (id_len > MEMPROF_SECTION_MAX_ID)
		return -ENAMETOOLONG;
	if (has_module())
		err = mp_device_call(start ? MEMPROF_IOC_SECTION_START :
				     MEMPROF_IOC_SECTION_END, &arg);
	if (err == -ENODEV)
		err = start ? mp_own_start(&arg) : mp_own_end(&arg);
	return err;
}

API int memprof_section_start(const char *id, size_t id_len, uint64_t heap)
{
	return result(mark_section(id, id_len, heap, 0, measured(), true));
}

API int memprof_section_end(const char *id, size_t id_len, uint64_t heap)
{
	const uint32_t chosen = measured();
	const uint32_t other = chosen == MEMPROF_MEASURE_TIME ?
			       MEMPROF_MEASURE_INSTRUCTIONS :
			       MEMPROF_MEASURE_TIME;
	int err = mark_section(id, id_len, heap, 0, chosen, false);

	/* the section was started with the other unit: end it with that unit */
	if (err == -EBUSY)
		err = mark_section(id, id_len, heap, 0, other, false);
	return result(err);
}

API int memprof_section_start_cu(const char *id, size_t id_len, uint64_t heap,
				 uint64_t cu)
{
	return result(mark_section(id, id_len, heap, cu, MEMPROF_SECTION_CALLER, true));
}

API int memprof_section_end_cu(const char *id, size_t id_len, uint64_t heap,
			       uint64_t cu)
{
	return result(mark_section(id, id_len, heap, cu, MEMPROF_SECTION_CALLER, false));
}

API int memprof_section_measure(enum memprof_section_measure what)
{
	if (what != MEMPROF_MEASURE_TIME && what != MEMPROF_MEASURE_INSTRUCTIONS)
		return result(-EINVAL);
	if (what == measured())
		return 0;
	if (has_module())
		gauge_way(what);
	return result(has_measure_key ?
		      -pthread_setspecific(measure_key, (void *)(uintptr_t)what) :
		      -ENOMEM);
}

static int call_operation(uint32_t op, uint32_t meter)
{
	struct memprof_section_call arg = {
		.size = sizeof(arg), .op = op, .meter = meter,
	};
	int err = -ENODEV;

	if (has_module())
		err = mp_device_call(MEMPROF_IOC_SECTION_CALL, &arg);
	if (err == -ENODEV && op == MEMPROF_SECTION_INVOKE)
		err = mp_own_invoke();
	else if (err == -ENODEV && op == MEMPROF_SECTION_RETURN)
		err = mp_own_return();
	return result(err);
}

API int memprof_section_invoke(void)
{
	return call_operation(MEMPROF_SECTION_INVOKE, 0);
}

API int memprof_section_return(void)
{
	return call_operation(MEMPROF_SECTION_RETURN, 0);
}

/*
 * Takes completed sections, and fires a probe for each section that the library
 * measured. Returns the number of sections, or a negative errno.
 */
static int take_flushed(struct memprof_section *records, unsigned int nr, bool write,
			uint64_t *left)
{
	struct memprof_section_flush arg = {
		.size = sizeof(arg),
		.nr = write ? nr : INT32_MAX,
		.entry_size = sizeof(*records),
		.entries = write ? (uintptr_t)records : 0,
	};
	int err = -ENODEV, got, i;

	if (has_module())
		err = mp_device_call(MEMPROF_IOC_SECTION_FLUSH, &arg);
	if (err != -ENODEV) {
		*left = arg.left;
		return err ? err : (int)arg.nr;
	}
	got = mp_own_flush(records, nr, left);
	for (i = 0; i < got; i++)
		mp_probe_section(&records[i]);
	return got;
}

static int write_all(int fd, const char *text, size_t size)
{
	ssize_t done;

	while (size) {
		done = write(fd, text, size);
		if (!done)
			return -EIO;
		if (done < 0 && errno != EINTR)
			return -errno;
		if (done > 0) {
			text += done;
			size -= (size_t)done;
		}
	}
	return 0;
}

static int write_piece(int fd, struct memprof_section *records, int nr)
{
	char text[PIECE * MP_SECTION_LINE_SIZE];
	struct mp_section section;
	size_t size = 0;
	int i;

	for (i = 0; i < nr; i++) {
		mp_section_of_record(&section, &records[i]);
		size += mp_section_line(text + size, &section);
	}
	return write_all(fd, text, size);
}

static int flush_sections(int fd)
{
	struct memprof_section records[PIECE];
	uint64_t left = 1;
	int all = 0, nr = 1, err = 0;

	while (!err && left && nr) {
		nr = take_flushed(records, PIECE, fd >= 0, &left);
		if (nr < 0)
			return nr;
		all += nr;
		if (nr && fd >= 0)
			err = write_piece(fd, records, nr);
	}
	return err ? err : all;
}

/* Blocks SIGPIPE, so that a closed pipe at @fd does not kill the program. */
API int memprof_section_flush(int fd)
{
	const struct timespec at_once = { 0 };
	sigset_t pipe, old, pending;
	int nr;

	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	sigpending(&pending);
	pthread_sigmask(SIG_BLOCK, &pipe, &old);
	nr = flush_sections(fd);
	if (nr == -EPIPE && !sigismember(&pending, SIGPIPE))
		sigtimedwait(&pipe, NULL, &at_once);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return nr < 0 ? result(nr) : nr;
}

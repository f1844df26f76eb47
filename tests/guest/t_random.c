// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random requests to open files that processes share: each is answered as
 * <linux/memprof.h> promises, and afterwards the module works as before.
 *
 * TEST_REQUESTS is their number in each process (2000), TEST_SEED (1) chooses
 * them.
 */
#include "session.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "kselftest_harness.h"

#define TEST_TIMEOUT 1800
#define PROCESSES 3
#define FILES 4
#define ROOM (1 << 20)
#define WORDS (sizeof(union request) / sizeof(uint32_t))
#define MIB (1L << 20)

/* The ioctls by number, with the bytes of their structs. */
static const uint32_t sizes[] = {
	sizeof(struct memprof_info), sizeof(struct memprof_target),
	sizeof(struct memprof_start), sizeof(struct memprof_stop),
	sizeof(struct memprof_status), sizeof(struct memprof_snapshot),
	sizeof(struct memprof_reset), sizeof(struct memprof_read),
	sizeof(struct memprof_probe), sizeof(struct memprof_section_mark),
	sizeof(struct memprof_section_mark), sizeof(struct memprof_section_flush),
	sizeof(struct memprof_section_call),
};
#define NR_CALLS (sizeof(sizes) / sizeof(sizes[0]))

/* What the header names, and what uprobes return for a probe. */
static const int documented[] = {
	0, ENOTTY, EINVAL, E2BIG, EFAULT, EPERM, EBUSY, EINTR, ENOSPC, EEXIST,
	ESRCH, ENOENT, EDESTADDRREQ, ENOMEM, EUSERS, EOPNOTSUPP, EBADF, EIO,
	ENODATA, ENAMETOOLONG, EMFILE, ELOOP,
};

static uint64_t state;
static char *room;			/* its end is the end of what is mapped */
static int program;			/* a file that nobody runs */

static uint32_t below(uint32_t limit)
{
	state = state * 6364136223846793005UL + 1442695040888963407UL;
	return (uint32_t)(state >> 33) % limit;
}

static uint64_t number(void)
{
	switch (below(8)) {
	case 0:
		return below(100);
	case 1:
		return 1UL << below(20);
	case 2:
		return 8 * below(600);
	case 3:
		return getpid() + below(4);
	case 4:
		return (uint64_t)(room + below(ROOM));
	case 5:
		return -1UL << below(64);
	default:
		return below(4);
	}
}

union request {
	uint32_t words[1];
	struct memprof_status status;
	struct memprof_target target;
	struct memprof_start start;
	struct memprof_snapshot snapshot;
	struct memprof_read read;
	struct memprof_probe probe;
	struct memprof_section_mark mark;
	struct memprof_section_flush flush;
	struct memprof_section_call section;
};

/* Sets what a request needs in order to be right. */
static void set_fields(union request *request, uint32_t call)
{
	const uint64_t buffer = (uint64_t)room;

	switch (call) {
	case 1:
		request->target.kind = below(3) ? MEMPROF_TARGET_ALL :
						  MEMPROF_TARGET_PROCESS;
		request->target.id = request->target.kind ? getpid() : 0;
		break;
	case 2:
		request->start.flags = below(8);
		request->start.max_processes = below(2) * 16;
		break;
	case 5:
		request->snapshot.flags = below(2);
		break;
	case 7:
		request->read.table = below(5);
		request->read.nr = below(100);
		request->read.entry_size = 8 * (1 + below(100));
		request->read.entries = buffer;
		break;
	case 8:
		request->probe.func = 1 + below(8);
		request->probe.fd = program;
		request->probe.offset = 16 * below(1000);
		break;
	case 9: case 10:
		request->mark.id_len = below(3);
		request->mark.id = buffer;
		request->mark.meter = 1 + below(4) / 3;
		break;
	case 11:
		request->flush.nr = below(100);
		request->flush.entry_size = sizeof(struct memprof_section);
		request->flush.entries = buffer;
		break;
	case 12:
		request->section.op = below(2);
		break;
	}
}

/* Makes a request that is right, or nearly so. */
static void fill(union request *request, uint32_t call)
{
	uint32_t i;

	memset(request, 0, sizeof(*request));
	request->words[0] = call < NR_CALLS ? sizes[call] : 8 * below(16);
	set_fields(request, call);
	for (i = below(4); i > 1; i--)
		request->words[below(WORDS)] = number();
}

static bool is_documented(int err)
{
	size_t i;

	for (i = 0; i < sizeof(documented) / sizeof(documented[0]); i++)
		if (err == -documented[i])
			return true;
	return false;
}

/* Returns 0, or the errno that no request may return. */
static int ask(int *fds)
{
	union request *request = (void *)(room + ROOM - sizeof(*request));
	int *fd = &fds[below(FILES)], err;
	uint32_t call = below(NR_CALLS + 1);

	if (!below(40)) {
		close(*fd);
		*fd = session_open();
	}
	fill(request, call);
	err = session_ioctl(*fd, MEMPROF_IOC_TYPE << 8 | call,
			    (char *)request + (below(50) ? 0 : below(400)));
	return is_documented(err) ? 0 : -err;
}

static int run(uint64_t seed, int *fds)
{
	const char *nr = getenv("TEST_REQUESTS");
	long left = nr ? atol(nr) : 2000;
	int err = 0;

	for (state = seed; left && !err; left--) {
		err = ask(fds);
		if (!below(1000))
			free(malloc(below(MIB)));
	}
	return err;
}

static bool prepare(void)
{
	char path[] = "/tmp/nobody-runs-XXXXXX", code[16384] = "";
	int fd = mkstemp(path);
	ssize_t put = write(fd, code, sizeof(code));

	close(fd);
	program = open(path, O_RDONLY | O_CLOEXEC);
	unlink(path);
	room = mmap(NULL, ROOM + 65536, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
		    -1, 0);
	return put == sizeof(code) && program >= 0 && room != MAP_FAILED &&
	       !mprotect(room, ROOM, PROT_READ | PROT_WRITE);
}

static bool counts_growth(void)
{
	struct memprof_process p;
	int fd = session_open();
	bool exact;

	exact = !session_target_pid(fd, getpid(), 0) &&
		!session_start(fd, 1, 1, 1) &&
		mmap(NULL, MIB, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
		MAP_FAILED && !session_look(fd, getpid(), &p) &&
		p.tally.mmap_up_bytes == MIB;
	close(fd);
	return exact;
}

FIXTURE(requests) {
	int fds[FILES];
};

FIXTURE_SETUP(requests)
{
	int i;

	ASSERT_TRUE(prepare());
	for (i = 0; i < FILES; i++) {
		self->fds[i] = session_open();
		ASSERT_LE(0, self->fds[i]);
	}
}

FIXTURE_TEARDOWN(requests)
{
}

TEST_F_TIMEOUT(requests, are_answered_as_promised, TEST_TIMEOUT)
{
	const char *text = getenv("TEST_SEED");
	uint64_t seed = text ? strtoull(text, NULL, 0) : 1;
	struct memprof_info info = { .size = sizeof(info) };
	int i, status;

	for (i = 0; i < PROCESSES; i++)
		if (!fork())
			_exit(run(seed * PROCESSES + i, self->fds));
	for (i = 0; i < PROCESSES; i++) {
		ASSERT_LT(0, wait(&status));
		EXPECT_EQ(0, status) TH_LOG("seed %llu",
					    (unsigned long long)seed);
	}
	for (i = 0; i < FILES; i++)
		close(self->fds[i]);
	i = session_open();
	EXPECT_EQ(0, session_ioctl(i, MEMPROF_IOC_INFO, &info));
	EXPECT_EQ(0, info.nr_sessions);
	EXPECT_EQ(0, info.section_tasks);
	close(i);
	EXPECT_TRUE(counts_growth());
}

TEST_HARNESS_MAIN

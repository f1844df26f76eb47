// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sections in the module: through its ioctls, and through the library that uses
 * them. Also tests that only concern the module, and the numbers that heap
 * sessions add.
 */
/* system calls are expensive in a guest, and their own cost is charged */
#define SECTION_SHARE	3
#include "../section-library.h"

#include "section-line.h"
#include "section-record.h"
#include "session.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>

/* An emulator beside other work takes its time: a million calls took more than half a minute. */
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT	180

static int device = -1;

static int call(unsigned long cmd, void *arg)
{
	if (device < 0)
		device = session_open();
	return session_ioctl(device, cmd, arg);
}

/* Opens the device early, so that no handlers are between the calls and the module. */
__attribute__((constructor))
static void open_device(void)
{
	device = session_open();
}

static int mark(unsigned long cmd, const void *id, size_t len, uint64_t heap,
		uint64_t cu, uint32_t meter)
{
	struct memprof_section_mark arg = {
		.size = sizeof(arg), .id_len = len, .id = (uintptr_t)id,
		.cu = cu, .heap = heap, .meter = meter,
	};

	return call(cmd, &arg);
}

static int ioctl_start(const char *id, size_t len, uint64_t heap, uint64_t cu)
{
	return mark(MEMPROF_IOC_SECTION_START, id, len, heap, cu, 0);
}

static int ioctl_end(const char *id, size_t len, uint64_t heap, uint64_t cu)
{
	return mark(MEMPROF_IOC_SECTION_END, id, len, heap, cu, 0);
}

static int section_call(uint32_t op, uint32_t meter)
{
	struct memprof_section_call arg = {
		.size = sizeof(arg), .op = op, .meter = meter,
	};

	return call(MEMPROF_IOC_SECTION_CALL, &arg);
}

static void gauge(uint32_t meter)
{
	int i;

	for (i = 0; i < 32; i++)
		section_call(MEMPROF_SECTION_GAUGE, meter);
}

static void ioctl_gauge_time(void)
{
	gauge(MEMPROF_SECTION_TIME);
}

static int start_metered(const char *id, uint32_t meter)
{
	static uint32_t gauged;

	if (gauged != meter)
		gauge(meter);
	gauged = meter;
	return mark(MEMPROF_IOC_SECTION_START, id, strlen(id), 0, 0, meter);
}

static int ioctl_start_time(const char *id)
{
	return start_metered(id, MEMPROF_SECTION_TIME);
}

static int ioctl_end_time(const char *id)
{
	return mark(MEMPROF_IOC_SECTION_END, id, strlen(id), 0, 0,
		    MEMPROF_SECTION_TIME);
}

static int ioctl_start_instructions(const char *id)
{
	return start_metered(id, MEMPROF_SECTION_INSTRUCTIONS);
}

static int ioctl_end_instructions(const char *id)
{
	return mark(MEMPROF_IOC_SECTION_END, id, strlen(id), 0, 0,
		    MEMPROF_SECTION_INSTRUCTIONS);
}

/* Reads a part of a flush. Returns the number of records, or a negative errno. */
static int take(struct memprof_section *records, unsigned int nr, uint64_t *left)
{
	struct memprof_section_flush arg = {
		.size = sizeof(arg), .nr = nr, .entry_size = sizeof(*records),
		.entries = (uintptr_t)records,
	};
	int err = call(MEMPROF_IOC_SECTION_FLUSH, &arg);

	if (left)
		*left = arg.left;
	return err ? err : (int)arg.nr;
}

static int ioctl_flush(FILE *to)
{
	struct memprof_section records[7];
	char text[MP_SECTION_LINE_SIZE];
	struct mp_section section;
	int nr, i, all = 0;

	while ((nr = take(records, 7, NULL)) > 0) {
		for (i = 0; i < nr; i++) {
			mp_section_of_record(&section, &records[i]);
			fwrite(text, mp_section_line(text, &section), 1, to);
		}
		all += nr;
	}
	return nr ? nr : all;
}

static int ioctl_invoke(void)
{
	return section_call(MEMPROF_SECTION_INVOKE, 0);
}

static int ioctl_leave(void)
{
	return section_call(MEMPROF_SECTION_RETURN, 0);
}

static const struct section_ops ioctls = {
	ioctl_start, ioctl_end, ioctl_start_time, ioctl_end_time,
	ioctl_start_instructions, ioctl_end_instructions,
	ioctl_flush, ioctl_invoke, ioctl_leave, ioctl_gauge_time,
};

FIXTURE_VARIANT_ADD(sections, ioctls)
{
	.ops = &ioctls,
};

/* Returns the number of threads on the machine that have sections. */
static uint32_t nr_tasks(void)
{
	struct memprof_info info = { .size = sizeof(info) };
	int fd = session_open();

	session_ioctl(fd, MEMPROF_IOC_INFO, &info);
	close(fd);
	return info.section_tasks;
}

/* Waits until the number falls: threads are freed after a grace period. */
static bool falls_to(uint32_t nr)
{
	int i;

	for (i = 0; i < 500 && nr_tasks() != nr; i++)
		usleep(20000);
	return nr_tasks() == nr;
}

TEST(the_library_uses_the_module)
{
	ASSERT_TRUE(falls_to(0));
	ASSERT_EQ(0, library_start("a", 1, 0, 1));
	EXPECT_EQ(1, nr_tasks());
}

TEST(who_may_not_open_the_device_has_them_in_the_library)
{
	ASSERT_EQ(0, setgid(65534));
	ASSERT_EQ(0, setuid(65534));
	ASSERT_EQ(-1, open(MEMPROF_DEVICE, O_RDWR));
	ASSERT_EQ(0, library_start("a", 1, 5, 3));
	ASSERT_EQ(0, library_end("a", 1, 6, 1));
	EXPECT_STREQ("CU log:  1 a consumed      2 CU (net      2 CU)\n"
		     "HEAP :     1 heap (net     1 heap) remaining     6\n",
		     flushed(&library));
}

TEST(who_has_the_file_needs_no_privilege)
{
	ASSERT_EQ(0, ioctl_start("a", 1, 0, 5));
	ASSERT_EQ(0, setuid(65534));
	EXPECT_EQ(0, ioctl_end("a", 1, 0, 3));
	EXPECT_STREQ("CU log:  1 a consumed      2 CU (net      2 CU)\n",
		     flushed(&ioctls));
	EXPECT_EQ(-EPERM, session_target_all(device));
}

/* As root, but without the module. */
TEST(the_library_counts_instructions_itself)
{
	if (!is_counted())
		SKIP(return, "this machine does not count instructions");
	ASSERT_EQ(0, unshare(CLONE_NEWNS));
	ASSERT_EQ(0, mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL));
	ASSERT_EQ(0, mount("/dev/null", MEMPROF_DEVICE, NULL, MS_BIND, NULL));
	count_instructions(_metadata, &library, 30);
}

TEST(bad_pointers_are_refused)
{
	struct memprof_section record;
	char *end = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t left;

	ASSERT_EQ(0, munmap(end + 4096, 4096));
	EXPECT_EQ(-EFAULT, ioctl_start(NULL, 3, 0, 1));
	EXPECT_EQ(-EFAULT, ioctl_start((void *)-4096L, 3, 0, 1));
	EXPECT_EQ(-EFAULT, ioctl_start(end + 4090, 7, 0, 1));
	EXPECT_EQ(0, ioctl_start(end + 4090, 6, 0, 1));
	EXPECT_EQ(-EFAULT, ioctl_end(end + 4090, 7, 0, 1));
	EXPECT_EQ(0, ioctl_end(end + 4090, 6, 0, 1));
	/* an id of 0 bytes is not read */
	EXPECT_EQ(0, ioctl_start(NULL, 0, 0, 1));
	EXPECT_EQ(0, ioctl_end((void *)-1L, 0, 0, 1));
	EXPECT_EQ(-EFAULT, call(MEMPROF_IOC_SECTION_START, NULL));
	EXPECT_EQ(-EFAULT, call(MEMPROF_IOC_SECTION_START, (void *)-8L));
	EXPECT_EQ(-EFAULT, take((void *)8, 1, NULL));
	EXPECT_EQ(-EFAULT, take((void *)(end + 4096), 1, NULL));
	/* a record that could not be written is still complete */
	EXPECT_EQ(1, take((void *)(end + 4096 - sizeof(record)), 2, &left));
	EXPECT_EQ(1, left);
	EXPECT_EQ(1, take(&record, 2, &left));
	EXPECT_EQ(0, record.id_len);
	EXPECT_EQ(2, record.index);
	EXPECT_EQ(0, left);
}

TEST(what_makes_no_sense_is_refused)
{
	struct memprof_section_mark wrong = { .size = sizeof(wrong) };
	struct memprof_section_flush flush = { .size = sizeof(flush) };
	struct memprof_section records[2];
	uint64_t left;

	EXPECT_EQ(-EINVAL, mark(MEMPROF_IOC_SECTION_START, "a", 1, 0, 0, 3));
	EXPECT_EQ(-EINVAL, mark(MEMPROF_IOC_SECTION_START, "a", 1, 0, 5,
				MEMPROF_SECTION_TIME));
	wrong.__reserved = 1;
	EXPECT_EQ(-EINVAL, call(MEMPROF_IOC_SECTION_START, &wrong));
	EXPECT_EQ(-EINVAL, call(MEMPROF_IOC_SECTION_END, &wrong));
	EXPECT_EQ(-EINVAL, section_call(3, 0));
	EXPECT_EQ(-EINVAL, section_call(MEMPROF_SECTION_GAUGE, 3));
	EXPECT_EQ(-EINVAL, section_call(MEMPROF_SECTION_INVOKE, 1));
	EXPECT_EQ(-EINVAL, call(MEMPROF_IOC_SECTION_FLUSH, &flush));
	flush.entry_size = 4;
	EXPECT_EQ(-EINVAL, call(MEMPROF_IOC_SECTION_FLUSH, &flush));
	flush.entry_size = 8;
	flush.__reserved = 1;
	EXPECT_EQ(-EINVAL, call(MEMPROF_IOC_SECTION_FLUSH, &flush));
	ioctl_start("a", 1, 0, 9);
	ioctl_start("b", 1, 0, 9);
	EXPECT_EQ(-EBUSY, ioctl_end_time("a"));
	ioctl_end("b", 1, 0, 9);
	ioctl_end("a", 1, 0, 9);
	EXPECT_EQ(1, take(records, 1, &left));
	EXPECT_EQ(1, left);
	EXPECT_EQ(1, records[0].left);
	/* refused during a flush, whose position the nested invocation would use */
	EXPECT_EQ(-EBUSY, ioctl_invoke());
	EXPECT_EQ(1, take(records, 2, &left));
	EXPECT_EQ(0, ioctl_invoke());
}

TEST(records_say_what_is_inside_of_what)
{
	struct memprof_section r[3];

	ioctl_start("a", 1, 0, 9);
	ioctl_start("b", 1, 0, 8);
	ioctl_start("c", 1, 0, 7);
	ioctl_end("b", 1, 0, 6);
	ioctl_end("c", 1, 0, 5);
	ioctl_end("a", 1, 0, 4);
	ASSERT_EQ(3, take(r, 3, NULL));
	/* b and c overlap, and both are inside of a */
	EXPECT_LT(r[2].start_seq, r[0].start_seq);
	EXPECT_LT(r[0].start_seq, r[1].start_seq);
	EXPECT_LT(r[1].start_seq, r[0].end_seq);
	EXPECT_LT(r[0].end_seq, r[1].end_seq);
	EXPECT_LT(r[1].end_seq, r[2].end_seq);
	EXPECT_LE(r[2].start_ns, r[0].start_ns);
	EXPECT_LE(r[1].end_ns, r[2].end_ns);
	EXPECT_EQ(2, r[0].left);
	EXPECT_EQ(0, r[2].left);
	EXPECT_EQ(0, r[0].streams);
}

static void *open_one(void *arg)
{
	ioctl_start("thread", 6, 0, 1);
	if (arg)
		pause();
	return NULL;
}

/* Waits until a process has called exec and has the program's name. */
static bool is_called(pid_t pid, const char *name)
{
	char comm[32], path[64];
	FILE *file;
	int i;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	for (i = 0; i < 500; i++) {
		file = fopen(path, "r");
		if (file && fscanf(file, "%31s", comm) == 1 &&
		    !strcmp(comm, name))
			i = 1000;
		if (file)
			fclose(file);
		usleep(20000);
	}
	return i > 1000;
}

TEST(ends_of_all_kinds_leave_nothing)
{
	pthread_t thread;
	int i, status;
	pid_t pid;

	ASSERT_TRUE(falls_to(0));
	/* a file that this process closes at the end */
	close(device);
	device = session_open();
	ASSERT_EQ(0, ioctl_start("parent", 6, 0, 1));
	EXPECT_EQ(1, nr_tasks());
	/* threads that exit */
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, pthread_create(&thread, NULL, open_one, NULL));
		pthread_join(thread, NULL);
	}
	EXPECT_TRUE(falls_to(1));
	/* a process of two threads that is killed inside of sections */
	pid = fork();
	if (!pid) {
		pthread_create(&thread, NULL, open_one, "wait");
		ioctl_start_time("killed");
		pause();
		_exit(0);
	}
	EXPECT_TRUE(falls_to(3));
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	EXPECT_TRUE(falls_to(1));
	/* a process that calls exec: its sections end, though the file stays open */
	pid = fork();
	if (!pid) {
		pthread_create(&thread, NULL, open_one, "wait");
		ioctl_start_time("exec");
		fcntl(device, F_SETFD, 0);
		execl("/bin/sleep", "sleep", "1000", NULL);
		_exit(1);
	}
	EXPECT_TRUE(is_called(pid, "sleep"));
	EXPECT_TRUE(falls_to(1));
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	/* now close the first file */
	EXPECT_EQ(0, ioctl_end("parent", 6, 0, 1));
	close(device);
	EXPECT_TRUE(falls_to(0));
}

TEST(files_of_a_thread_are_few)
{
	int fds[MEMPROF_SECTION_MAX_FILES], last, i;

	for (i = 0; i < MEMPROF_SECTION_MAX_FILES; i++) {
		fds[i] = device = session_open();
		ASSERT_EQ(0, ioctl_start("a", 1, 0, 5));
	}
	last = device = session_open();
	EXPECT_EQ(-EUSERS, ioctl_start("a", 1, 0, 5));
	close(fds[0]);
	EXPECT_EQ(0, ioctl_start("a", 1, 0, 5));
	for (i = 1; i < MEMPROF_SECTION_MAX_FILES; i++)
		close(fds[i]);
	close(last);
	device = -1;
	EXPECT_TRUE(falls_to(0));
}

/* Two files opened by one thread have separate lists of sections. */
TEST(a_file_has_sections_of_its_own)
{
	int first;

	ASSERT_EQ(0, ioctl_start("a", 1, 0, 5));
	first = device;
	device = -1;
	EXPECT_EQ(-ENOENT, ioctl_end("a", 1, 0, 5));
	ASSERT_EQ(0, ioctl_start("b", 1, 0, 5));
	close(device);
	device = first;
	EXPECT_EQ(-ENOENT, ioctl_end("b", 1, 0, 5));
	EXPECT_EQ(0, ioctl_end("a", 1, 0, 4));
}

/* Without the right to use perf, the module gives no hardware counter either. */
TEST(hardware_counters_need_a_capability)
{
	int counter = open_counter(), fd = session_open(), status, err = 0;
	struct memprof_section_mark arg = {
		.size = sizeof(arg), .id_len = 1, .id = (uintptr_t)"a",
		.meter = MEMPROF_SECTION_INSTRUCTIONS,
	};
	pid_t pid;

	if (counter < 0)
		SKIP(return, "this machine does not count instructions");
	close(counter);
	pid = fork();
	if (!pid) {
		if (setuid(65534))
			_exit(2);
		err = session_ioctl(fd, MEMPROF_IOC_SECTION_START, &arg);
		_exit(err != -EOPNOTSUPP);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, session_ioctl(fd, MEMPROF_IOC_SECTION_START, &arg));
	EXPECT_EQ(0, session_ioctl(fd, MEMPROF_IOC_SECTION_END, &arg));
	close(fd);
}

/* Opens as many sections as a thread may have, until it is ended. */
static void fill_up(int tell)
{
	char id[255];
	int i, err = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	memset(id, 'i', sizeof(id));
	for (i = 0; i < 16384 && !err; i++)
		err = ioctl_start(id, 255, 0, 1) ?: ioctl_end(id, 255, 0, 1);
	if (write(tell, &err, sizeof(err)) < 0)
		_exit(1);
	for (;;)
		pause();
}

#define MAX_CHILDREN	100

TEST(sections_cannot_use_up_the_machine)
{
	pid_t pids[MAX_CHILDREN];
	int i, err = 0, ends[2];

	if (getenv("TEST_SLOW_KERNEL"))
		SKIP(return, "a million calls take too long here");
	ASSERT_TRUE(falls_to(0));
	ASSERT_EQ(0, pipe(ends));
	for (i = 0; i < MAX_CHILDREN && !err; i++) {
		pids[i] = fork();
		if (!pids[i])
			fill_up(ends[1]);
		ASSERT_EQ(sizeof(err), read(ends[0], &err, sizeof(err)));
	}
	/* an end for which there is no room is lost */
	EXPECT_TRUE(err == -ENOMEM || err == -ENOSPC);
	TH_LOG("%d threads have as much as there is", i);
	EXPECT_GE(i, MEMPROF_SECTION_MAX_BYTES / (16384 * 1024));
	while (i--) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
	EXPECT_TRUE(falls_to(0));
	EXPECT_EQ(0, ioctl_start("a", 1, 0, 1));
}

/* Makes random calls until it is killed. */
static void *do_anything(void *arg)
{
	unsigned int seed = (uintptr_t)arg;
	struct memprof_section record;
	char id[2] = { 0 };
	uint32_t meter = 0;

	for (;;) {
		id[0] = 'a' + rand_r(&seed) % 4;
		switch (rand_r(&seed) % 8) {
		case 0:
			take(&record, 1, NULL);
			break;
		case 1:
			section_call(rand_r(&seed) % 2, 0);
			break;
		case 2:
			meter = rand_r(&seed) % 2;
			section_call(MEMPROF_SECTION_GAUGE, meter);
			break;
		case 3:
			free(malloc(200000));
			break;
		case 4:
		case 5:
			mark(MEMPROF_IOC_SECTION_END, id, 1, 5, 0, meter);
			break;
		default:
			mark(MEMPROF_IOC_SECTION_START, id, 1, 7, 0, meter);
		}
	}
	return NULL;
}

static void run_four(bool exec)
{
	pthread_t thread;
	intptr_t i;

	close(device);
	device = session_open();
	for (i = 0; i < 4; i++)
		pthread_create(&thread, NULL, do_anything, (void *)(i + 1));
	usleep(20000);
	/* close the file while the other threads are in their calls */
	close(device);
	usleep(20000);
	if (exec)
		execl("/bin/true", "true", NULL);
	pause();
}

TEST(ends_come_at_any_moment)
{
	int i, session = session_open();
	int rounds = getenv("TEST_SLOW_KERNEL") ? 16 : 60;
	pid_t pids[4];

	ASSERT_EQ(0, session_target_all(session));
	ASSERT_EQ(0, session_start(session, 1, 1, 1));
	for (i = 0; i < rounds; i++) {
		if (i >= 4) {
			kill(pids[i % 4], SIGKILL);
			waitpid(pids[i % 4], NULL, 0);
		}
		pids[i % 4] = fork();
		if (!pids[i % 4]) {
			run_four(i % 3 == 0);
			_exit(1);
		}
		usleep(30000);
	}
	for (i = 0; i < 4; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
	EXPECT_EQ(0, session_stop(session));
	EXPECT_TRUE(falls_to(0));
}

static void touch(size_t pages)
{
	char *p = mmap(NULL, pages * 4096, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t i;

	madvise(p, pages * 4096, MADV_NOHUGEPAGE);
	for (i = 0; i < pages; i++)
		p[i * 4096] = 1;
}

static int start_all(int session)
{
	struct memprof_start a = {
		.size = sizeof(a), .minor_period = 1, .major_period = 1,
		.alloc_rate = 1, .max_live = 4096,
		.flags = MEMPROF_START_FAULTS | MEMPROF_START_GROWTH |
			 MEMPROF_START_ALLOC,
	};

	return session_ioctl(session, MEMPROF_IOC_START, &a);
}

/* At period 1 each fault is counted, and each mapping is exact. */
TEST(a_heap_session_shows_in_a_section)
{
	struct memprof_section r[4];
	int session = session_open(), second = session_open();
	void *blocks[10];
	int i;

	ASSERT_EQ(0, session_target_pid(session, getpid(), 0));
	ASSERT_EQ(0, session_target_pid(second, getpid(), 0));
	ioctl_start("before", 6, 0, 9);
	ASSERT_EQ(0, session_probe(session, malloc, MEMPROF_FUNC_MALLOC));
	ASSERT_EQ(0, session_probe(session, free, MEMPROF_FUNC_FREE));
	ASSERT_EQ(0, start_all(session));
	/* a second session that watches the same process changes nothing */
	ASSERT_EQ(0, start_all(second));
	ioctl_start("outer", 5, 0, 9);
	ioctl_start("inner", 5, 0, 9);
	touch(50);
	ioctl_end("inner", 5, 0, 8);
	touch(20);
	for (i = 0; i < 10; i++)
		blocks[i] = malloc(1000);
	for (i = 0; i < 4; i++)
		free(blocks[i]);
	ioctl_end("outer", 5, 0, 7);
	ioctl_start("empty", 5, 0, 7);
	ioctl_end("empty", 5, 0, 7);
	ASSERT_EQ(0, session_stop(second));
	ASSERT_EQ(0, session_stop(session));
	ioctl_end("before", 6, 0, 6);
	ASSERT_EQ(4, take(r, 4, NULL));
	EXPECT_EQ(MEMPROF_START_FAULTS | MEMPROF_START_GROWTH |
		  MEMPROF_START_ALLOC, r[0].streams);
	EXPECT_EQ(50 * 4096, r[0].grown_bytes);
	EXPECT_GE(r[0].touched_bytes, 50 * 4096);
	EXPECT_LE(r[0].touched_bytes, 60 * 4096);
	EXPECT_EQ(0, r[0].allocated_bytes);
	/* what happens inside of the inner section is also inside of the outer one */
	EXPECT_GE(r[1].grown_bytes, 70 * 4096);
	EXPECT_GE(r[1].touched_bytes, 70 * 4096);
	EXPECT_LE(r[1].touched_bytes, 90 * 4096);
	EXPECT_EQ(10000, r[1].allocated_bytes);
	EXPECT_EQ(4000, r[1].freed_bytes);
	EXPECT_EQ(0, r[2].grown_bytes);
	EXPECT_EQ(0, r[2].allocated_bytes);
	EXPECT_EQ(r[1].streams, r[2].streams);
	/* no session saw all of the section, so it has no numbers */
	EXPECT_EQ(0, r[3].streams);
	EXPECT_EQ(0, r[3].grown_bytes);
}

TEST_HARNESS_MAIN

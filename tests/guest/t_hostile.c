// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hostile targets and hostile files: the module and its sums must survive them.
 */
#include "session.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "kselftest_harness.h"

#define NOINLINE __attribute__((noinline, noclone))
#define MIB (1L << 20)
#define PLACE ((void *)0x100000000000)

/* The registers of the first two arguments, as perf numbers them. */
#ifdef __x86_64__
#define FIRST_REG	5
#define SECOND_REG	4
#else
#define FIRST_REG	0
#define SECOND_REG	1
#endif

/* An allocator that returns addresses that are not mapped, for any request. */
static int leap;			/* the next realloc calls exec */

NOINLINE void *h_malloc(size_t size)
{
	static char *next = PLACE;
	char *p = next;

	asm volatile("" : : "r"(size) : "memory");
	next += 4096;
	return p;
}

NOINLINE void *h_calloc(size_t n, size_t size)
{
	void *p = h_malloc(n * size);

	asm volatile("" : "+r"(p));
	return p;
}

NOINLINE void *h_realloc(void *p, size_t size)
{
	if (leap)
		execl("/bin/true", "true", NULL);
	return (char *)p + size;
}

NOINLINE void h_free(void *p)
{
	asm volatile("" : : "r"(p) : "memory");
}

NOINLINE void *h_mapping_malloc(size_t size)
{
	return mmap(NULL, size, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

NOINLINE void *caller(size_t size)
{
	void *p = h_mapping_malloc(size);

	asm volatile("" : "+r"(p));
	return p;
}

NOINLINE void deeper(int levels)
{
	if (levels)
		deeper(levels - 1);
	else
		h_malloc(1);
	asm volatile("" : : : "memory");
}

/* The function on which a static probe is set. */
NOINLINE void static_point(void *p, size_t size)
{
	asm volatile("" : : "r"(p), "r"(size) : "memory");
}

static int start(int fd, uint64_t rate, uint32_t more)
{
	struct memprof_start a = {
		.size = sizeof(a), .flags = MEMPROF_START_ALLOC | more,
		.minor_period = 1, .alloc_rate = rate, .max_live = 1 << 16,
	};

	return session_ioctl(fd, MEMPROF_IOC_START, &a);
}

FIXTURE(hostile) {
	int fd;
};

FIXTURE_SETUP(hostile)
{
	self->fd = session_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, session_target_pid(self->fd, getpid(),
					MEMPROF_TARGET_CHILDREN));
	ASSERT_EQ(0, session_probe(self->fd, h_free, MEMPROF_FUNC_FREE));
	ASSERT_EQ(0, session_probe(self->fd, h_malloc, MEMPROF_FUNC_MALLOC));
	ASSERT_EQ(0, session_probe(self->fd, h_calloc, MEMPROF_FUNC_CALLOC));
	ASSERT_EQ(0, session_probe(self->fd, h_realloc, MEMPROF_FUNC_REALLOC));
	ASSERT_EQ(0, session_probe(self->fd, h_mapping_malloc,
				   MEMPROF_FUNC_MALLOC));
}

FIXTURE_TEARDOWN(hostile)
{
	close(self->fd);
}

#define LOOK(a) ({ struct memprof_process _p;				\
	ASSERT_EQ(0, session_look(self->fd, getpid(), &_p)); (a) = _p.alloc; })

/* Runs @work in a child. Returns the child's wait status. */
#define CHILD(work) ({							\
	pid_t _pid = fork();						\
	int _status;							\
									\
	if (!_pid) {							\
		work;							\
		_exit(0);						\
	}								\
	waitpid(_pid, &_status, 0);					\
	_status;							\
})

static int copy_file(const char *from, const char *to)
{
	char buf[4096];
	int in = open(from, O_RDONLY), out = open(to, O_CREAT | O_WRONLY, 0755);
	ssize_t n;

	while ((n = read(in, buf, sizeof(buf))) > 0)
		if (write(out, buf, n) != n)
			return -1;
	close(in);
	return close(out);
}

/* A leaked reference would keep its inode after the unmount, which kernels report. */
TEST_F(hostile, a_probed_file_system_may_be_unmounted)
{
	char dir[] = "/tmp/probed-XXXXXX", path[64];
	struct memprof_probe a = {
		.size = sizeof(a), .func = MEMPROF_FUNC_MALLOC, .offset = 0x1000,
	};

	ASSERT_NE(NULL, mkdtemp(dir));
	ASSERT_EQ(0, unshare(CLONE_NEWNS));
	ASSERT_EQ(0, mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL));
	ASSERT_EQ(0, mount("tmpfs", dir, "tmpfs", 0, NULL));
	snprintf(path, sizeof(path), "%s/program", dir);
	ASSERT_EQ(0, copy_file("/proc/self/exe", path));
	a.fd = open(path, O_RDONLY);
	ASSERT_EQ(0, session_ioctl(self->fd, MEMPROF_IOC_PROBE, &a));
	close(a.fd);
	ASSERT_EQ(0, start(self->fd, 1, 0));
	ASSERT_EQ(0, umount(dir));
	ASSERT_EQ(0, session_stop(self->fd));
	close(self->fd);
	self->fd = session_open();
	rmdir(dir);
}

TEST_F(hostile, a_program_in_the_middle_of_a_realloc_is_replaced)
{
	struct memprof_alloc a;
	struct memprof_process p;
	int i;

	ASSERT_EQ(0, start(self->fd, 1, 0));
	for (i = 0; i < 20; i++)
		EXPECT_EQ(0, CHILD({
			leap = 1;
			h_realloc(h_malloc(100), 200);
			_exit(1);
		}));
	h_malloc(10);
	LOOK(a);
	EXPECT_EQ(1, a.inuse_objects);
	/* all rows can be released, which shows that no block is left in them */
	ASSERT_EQ(0, session_snapshot(self->fd, MEMPROF_SNAPSHOT_RESET));
	ASSERT_EQ(0, session_snapshot(self->fd, 0));
	EXPECT_EQ(-ENOENT, session_process(self->fd, 0, MEMPROF_PROCESS_EXITED, &p));
	EXPECT_EQ(1, session_nr_rows(self->fd, MEMPROF_READ_PROCESSES));
}

/* Elsewhere a call leaves its return address in a register, which can be read always. */
#ifdef __x86_64__
TEST_F(hostile, a_stack_that_is_none_is_counted)
{
	struct memprof_process p;

	ASSERT_EQ(0, start(self->fd, 1, 0));
	EXPECT_TRUE(WIFSIGNALED(CHILD({
		signal(SIGSEGV, SIG_DFL);
		asm volatile("mov $8, %%rsp\n\tjmp *%0" : : "r"(h_free));
	})));
	ASSERT_EQ(0, session_look(self->fd, getpid(), &p));
	EXPECT_EQ(1, session_counter(self->fd, "alloc_unreadable"));
}
#endif

TEST_F(hostile, sizes_past_the_address_space_failed)
{
	struct memprof_alloc a;

	ASSERT_EQ(0, start(self->fd, 1, 0));
	h_malloc(1000);
	h_malloc(-4096UL);
	h_calloc(1UL << 40, 1UL << 40);
	LOOK(a);
	EXPECT_EQ(1, a.alloc_objects);
	EXPECT_EQ(1000, a.alloc_space);
	EXPECT_EQ(1000, a.inuse_space);
	EXPECT_EQ(2, a.failed);
}

TEST_F(hostile, static_probes_with_arguments_that_lead_nowhere)
{
	struct memprof_alloc a;

	ASSERT_EQ(0, start(self->fd, 1, 0));
	/*
	 * pointer and size are in registers; the weight, 8 bytes behind the size as
	 * an address, is never readable
	 */
	struct memprof_probe probe = {
		.size = sizeof(probe), .func = MEMPROF_FUNC_USDT_ALLOC,
		.args = { { .kind = 1, .reg = FIRST_REG },
			  { .kind = 1, .reg = SECOND_REG },
			  { .kind = 2, .reg = SECOND_REG, .value = 8 } },
	};
	ASSERT_EQ(0, session_probe_like(self->fd, static_point, &probe));
	static_point(PLACE, 64);
	LOOK(a);
	EXPECT_EQ(0, a.alloc_objects);
	EXPECT_EQ(1, session_counter(self->fd, "alloc_unreadable"));
}

/* Without a sample, the notes of a call must still show which call is inside of which. */
TEST_F(hostile, unsampled_calls_are_nested_and_grow)
{
	int i;

	ASSERT_EQ(0, start(self->fd, 1UL << 40, MEMPROF_START_GROWTH));
	for (i = 0; i < 100; i++)
		h_calloc(10, 10);
	ASSERT_EQ(0, session_snapshot(self->fd, 0));
	EXPECT_EQ(100, session_counter(self->fd, "alloc_nested"));
	EXPECT_EQ(0, session_counter(self->fd, "alloc_unmatched"));
	caller(4 * MIB);
	ASSERT_EQ(0, session_snapshot(self->fd, 0));
	EXPECT_EQ(4 * MIB, session_growth_of(self->fd, caller));
}

/* In a loop, the return address of each call overwrites that of the call before. */
TEST_F(hostile, growth_in_a_loop_of_unsampled_calls_is_joined)
{
	int i;

	ASSERT_EQ(0, start(self->fd, 1UL << 40, MEMPROF_START_GROWTH));
	for (i = 0; i < 10; i++)
		caller(MIB);
	ASSERT_EQ(0, session_snapshot(self->fd, 0));
	/*
	 * old kernels show their trampoline only at the first return, so one
	 * call may be missed
	 */
	EXPECT_LE(9 * MIB, session_growth_of(self->fd, caller));
	EXPECT_GE(10 * MIB, session_growth_of(self->fd, caller));
}

/* Returns the address at which file offset 0 of this program is mapped. */
static unsigned long base_address(void)
{
	struct link_map *map;
	Dl_info info;

	dladdr1(deeper, &info, (void **)&map, RTLD_DL_LINKMAP);
	return map->l_addr;
}

static int write_to(const char *path, int flags, const char *text)
{
	int fd = open(path, O_WRONLY | flags);
	ssize_t n = write(fd, text, strlen(text));

	close(fd);
	return n == (ssize_t)strlen(text) ? 0 : -1;
}

/*
 * Sets ftrace's return probe on "deeper"; the kernel limits return probes to 64
 * levels.
 */
static int probe_deeper(void)
{
	char path[256], line[400];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	path[n < 0 ? 0 : n] = '\0';
	snprintf(line, sizeof(line), "r:hostile/deeper %s:0x%lx\n", path,
		 (unsigned long)deeper - base_address());
	/* if it is mounted already, this fails, and that is harmless */
	mount("none", "/sys/kernel/tracing", "tracefs", 0, NULL);
	return write_to("/sys/kernel/tracing/uprobe_events", O_APPEND, line) ?:
	       write_to("/sys/kernel/tracing/events/hostile/deeper/enable", 0,
			"1");
}

static int unprobe_deeper(void)
{
	write_to("/sys/kernel/tracing/events/hostile/deeper/enable", 0, "0");
	return write_to("/sys/kernel/tracing/uprobe_events", O_APPEND,
			"-:hostile/deeper\n");
}

TEST_F(hostile, returns_that_the_kernel_will_not_follow_are_counted)
{
	struct memprof_alloc a;

	ASSERT_EQ(0, start(self->fd, 1, 0));
	ASSERT_EQ(0, probe_deeper());
	deeper(70);
	deeper(10);
	EXPECT_EQ(0, unprobe_deeper());
	LOOK(a);
	EXPECT_EQ(1, a.alloc_objects);
	EXPECT_EQ(1, session_counter(self->fd, "uprobe_nested_limit"));
	EXPECT_EQ(0, session_counter(self->fd, "alloc_abandoned"));
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of process-memory: reads of other processes, also of memory that is never given.
 */
#include "process-memory.h"

#include "kselftest_harness.h"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

FIXTURE(memory)
{
	struct mp_process_memory memory;
	char *page;
	pid_t child;
};

/* A child with a page that has a text, and no second one */
FIXTURE_SETUP(memory)
{
	self->page = mmap(NULL, 2 * 4096, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->page);
	strcpy(self->page, "text");
	self->child = fork();
	if (!self->child) {
		munmap(self->page + 4096, 4096);
		pause();
		_exit(0);
	}
	usleep(100000);
}

FIXTURE_TEARDOWN(memory)
{
	mp_process_memory_close(&self->memory);
	kill(self->child, SIGKILL);
	waitpid(self->child, NULL, 0);
}

/* Of pagemap: the page is of this process alone */
#define EXCLUSIVE	(1ULL << 56)

static bool is_shared(pid_t pid, const void *page)
{
	uint64_t entry = EXCLUSIVE;
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/pagemap", (int)pid);
	fd = open(path, O_RDONLY);
	if (fd < 0 || pread(fd, &entry, sizeof(entry), (uintptr_t)page / 4096 * 8) != 8)
		entry = EXCLUSIVE;
	close(fd);
	return !(entry & EXCLUSIVE);
}

/* A process has no more memory after it was read. */
TEST_F(memory, leaves_pages_shared)
{
	char text[8];

	ASSERT_TRUE(is_shared(self->child, self->page));
	ASSERT_TRUE(mp_process_read(&self->memory, self->child, (uintptr_t)self->page, text,
				    sizeof(text)));
	EXPECT_TRUE(is_shared(self->child, self->page));
}

TEST_F(memory, reads_what_there_is)
{
	const uint64_t at = (uintptr_t)self->page;
	char text[4096], more[2 * 4096];

	ASSERT_TRUE(mp_process_read(&self->memory, self->child, at, text, sizeof(text)));
	EXPECT_STREQ("text", text);
	EXPECT_FALSE(mp_process_read(&self->memory, self->child, at, more, sizeof(more)));
	EXPECT_FALSE(mp_process_read(&self->memory, self->child, 8, text, 8));
	EXPECT_FALSE(mp_process_read(&self->memory, self->child, UINT64_MAX, text, 8));
	EXPECT_FALSE(mp_process_read(&self->memory, 0, at, text, 8));
	EXPECT_FALSE(self->memory.has_hung);
	ASSERT_TRUE(mp_process_read(&self->memory, self->child, at + 1, text, 4));
	EXPECT_STREQ("ext", text);
}

TEST_F(memory, a_reader_that_was_killed_is_replaced)
{
	const uint64_t at = (uintptr_t)self->page;
	char text[5];

	ASSERT_TRUE(mp_process_read(&self->memory, self->child, at, text, sizeof(text)));
	kill(self->memory.child, SIGKILL);
	usleep(100000);
	EXPECT_FALSE(mp_process_read(&self->memory, self->child, at, text, sizeof(text)));
	EXPECT_TRUE(mp_process_read(&self->memory, self->child, at, text, sizeof(text)));
}

/* Nobody answers the faults of this page: it is not read, or the reader hangs. */
TEST_F(memory, memory_that_is_never_given_does_not_hold_up)
{
	char *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), text[5];
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = {
		.range = { .start = (uintptr_t)page, .len = 4096 },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd < 0)
		SKIP(return, "no userfaultfd");
	ASSERT_EQ(0, ioctl(fd, UFFDIO_API, &api));
	ASSERT_EQ(0, ioctl(fd, UFFDIO_REGISTER, &reg));
	EXPECT_FALSE(mp_process_read(&self->memory, getpid(), (uintptr_t)page, text, 4));
	EXPECT_TRUE(mp_process_read(&self->memory, self->child, (uintptr_t)self->page, text,
				    sizeof(text)));
	close(fd);
}

TEST_F(memory, a_reader_that_hangs_is_replaced)
{
	const uint64_t at = (uintptr_t)self->page;
	char text[5];

	ASSERT_TRUE(mp_process_read(&self->memory, self->child, at, text, sizeof(text)));
	kill(self->memory.child, SIGSTOP);
	EXPECT_FALSE(mp_process_read(&self->memory, self->child, at, text, sizeof(text)));
	EXPECT_TRUE(self->memory.has_hung);
	EXPECT_TRUE(mp_process_read(&self->memory, self->child, at, text, sizeof(text)));
	EXPECT_FALSE(self->memory.has_hung);
}

static bool is_sleep(pid_t pid)
{
	char path[64], comm[16] = "";
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	fd = open(path, O_RDONLY);
	if (read(fd, comm, sizeof(comm) - 1) < 0)
		comm[0] = '\0';
	close(fd);
	return !strncmp(comm, "sleep", 5);
}

/* After exec, the memory is another one. */
TEST_F(memory, a_program_that_follows_another)
{
	const pid_t child = fork();
	const uint64_t at = (uintptr_t)self->page;
	char text[5];

	if (!child) {
		raise(SIGSTOP);
		execlp("sleep", "sleep", "100", NULL);
		_exit(1);
	}
	waitpid(child, NULL, WUNTRACED);
	EXPECT_TRUE(mp_process_read(&self->memory, child, at, text, sizeof(text)));
	kill(child, SIGCONT);
	while (!is_sleep(child))
		usleep(1000);
	EXPECT_FALSE(mp_process_read(&self->memory, child, at, text, sizeof(text)));
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

TEST_HARNESS_MAIN

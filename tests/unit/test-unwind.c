// SPDX-License-Identifier: GPL-2.0-only
/*
 * The unwinder, asked about this process and its files.
 */
#include "binary-resolver.h"

#include <limits.h>
#include <link.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

#include "kselftest_harness.h"

/* More than the unwinder has open at once. */
#define NR_OTHERS	(MP_UNWIND_FILES + 50)

FIXTURE(unwind)
{
	struct mp_merge merge;
	struct mp_unwind unwind;
	char dir[32];
	char program[PATH_MAX];
	uint64_t time_ns;
	uint32_t number;		/* of the program's file */
};

static void map(FIXTURE_DATA(unwind) *self, uint32_t pid, const char *path,
		uint64_t start, uint64_t size, uint64_t offset, uint32_t *number)
{
	struct mp_merge_file file = { 0 };
	struct mp_event e = {
		.kind = MP_EVENT_MAP, .pid = pid, .tid = pid,
		.time_ns = ++self->time_ns,
		.map = { .start = start, .size = size, .offset = offset },
	};
	struct stat st;

	if (!stat(path, &st)) {
		file.inode = st.st_ino;
		file.dev = st.st_dev;
	}
	mp_merge_file(&self->merge, path, &file, &e.map.file);
	if (number)
		*number = e.map.file;
	mp_merge_add(&self->merge, &e);
}

/* Code of this process. */
static int map_object(struct dl_phdr_info *info, size_t size, void *context)
{
	FIXTURE_DATA(unwind) *self = context;
	const char *path = info->dlpi_name[0] ? info->dlpi_name : self->program;
	int i;

	(void)size;
	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *phdr = &info->dlpi_phdr[i];
		uint64_t slack = phdr->p_vaddr % 4096;

		if (phdr->p_type == PT_LOAD && phdr->p_flags & PF_X &&
		    path[0] == '/')
			map(self, (uint32_t)getpid(), path,
			    info->dlpi_addr + phdr->p_vaddr - slack,
			    phdr->p_memsz + slack, phdr->p_offset - slack,
			    path == self->program ? &self->number : NULL);
	}
	return 0;
}

FIXTURE_SETUP(unwind)
{
	ssize_t len = readlink("/proc/self/exe", self->program,
			       sizeof(self->program) - 1);

	ASSERT_LT(0, len);
	mp_merge_init(&self->merge, NULL);
	strcpy(self->dir, "/tmp/memprof-test.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	dl_iterate_phdr(map_object, self);
	ASSERT_EQ(0, mp_order_flush(&self->merge.order));
}

FIXTURE_TEARDOWN(unwind)
{
	char command[64];

	mp_unwind_free(&self->unwind);
	mp_merge_free(&self->merge);
	snprintf(command, sizeof(command), "rm -rf %s", self->dir);
	EXPECT_EQ(0, system(command));
}

static uint32_t number_of(FIXTURE_DATA(unwind) *self, uint32_t pid)
{
	const struct mp_who who = { .pid = pid };
	uint32_t number = MP_HEAP_NONE;

	mp_heap_process(&self->merge.heap, &who, &number);
	return number;
}

TEST_F(unwind, what_was_opened_is_given_back)
{
	uint32_t process = number_of(self, (uint32_t)getpid()), i;
	size_t before = 0;

	for (i = 0; i < 200; i++) {
		mp_unwind_keeps_frame(&self->unwind, &self->merge, process,
				      self->number, 0x1000);
		mp_unwind_free(&self->unwind);
		if (i == 20)
			before = mallinfo2().uordblks;
	}
	EXPECT_GT(before + 4096, mallinfo2().uordblks);
}

TEST_F(unwind, a_file_may_be_there_for_the_next_process)
{
	const uint64_t code = (uintptr_t)mp_unwind_dump + 2;
	uint32_t process = number_of(self, (uint32_t)getpid()), number, i;
	const struct mp_range *range = mp_spaces_find(&self->merge.spaces,
						      process, code);
	struct mp_merge_file file = { 0 };
	char command[PATH_MAX + 64], path[PATH_MAX];
	struct stat st;
	uint64_t offset;

	ASSERT_NE(NULL, range);
	offset = code - range->start + range->offset;
	snprintf(command, sizeof(command), "cp %s %s/hidden", self->program,
		 self->dir);
	ASSERT_EQ(0, system(command));
	snprintf(path, sizeof(path), "%s/hidden", self->dir);
	ASSERT_EQ(0, stat(path, &st));
	file.inode = st.st_ino;
	snprintf(path, sizeof(path), "%s/shown", self->dir);
	ASSERT_EQ(0, mp_merge_file(&self->merge, path, &file, &number));
	/* no function is entered with its frame pointer */
	for (i = 0; i < 2; i++)
		EXPECT_TRUE(mp_unwind_keeps_frame(&self->unwind, &self->merge,
						  process, number, offset));
	snprintf(command, sizeof(command), "mv %s/hidden %s/shown", self->dir,
		 self->dir);
	ASSERT_EQ(0, system(command));
	EXPECT_FALSE(mp_unwind_keeps_frame(&self->unwind, &self->merge,
					   number_of(self, 4000001), number,
					   offset));
	EXPECT_FALSE(mp_unwind_keeps_frame(&self->unwind, &self->merge, process,
					   number, offset));
}

/* Of here: what perf would have told. */
#if defined(__x86_64__)
static const uint8_t perf_regs[] = {
	REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
	REG_RIP, 0, 0, 0, 0, 0, 0, 0, REG_R8, REG_R9, REG_R10, REG_R11, REG_R12,
	REG_R13, REG_R14, REG_R15,
};

static void __attribute__((noinline)) dump_here(uint64_t *regs,
						uint8_t *stack, size_t size)
{
	ucontext_t context;
	size_t i, nr = 0;

	getcontext(&context);
	for (i = 0; i < sizeof(perf_regs); i++)
		if (i < 9 || i > 15)
			regs[nr++] = context.uc_mcontext.gregs[perf_regs[i]];
	memcpy(stack, (const void *)regs[7], size);
}

TEST_F(unwind, a_process_with_too_many_files_has_stacks)
{
	uint32_t pid = (uint32_t)getpid(), process = number_of(self, pid), i;
	uint64_t regs[24], frames[MP_STACKS_DEPTH];
	uint8_t stack[1024];
	const struct mp_dump dump = {
		.mask = 0xff01ff, .regs = regs, .stack = stack,
		.size = sizeof(stack),
	};
	char path[PATH_MAX];
	void *space;

	for (i = 0; i < NR_OTHERS; i++) {
		snprintf(path, sizeof(path), "%s/%u", self->dir, i);
		ASSERT_EQ(0, symlink(self->program, path));
		map(self, pid, path, 0x7e0000000000 + i * 0x100000, 4096, 0,
		    NULL);
	}
	ASSERT_EQ(0, mp_order_flush(&self->merge.order));
	dump_here(regs, stack, sizeof(stack));
	EXPECT_LT(2, mp_unwind_dump(&self->unwind, &self->merge, process, &dump,
				    frames));
	/* and what is open stays so */
	space = self->unwind.spaces[0];
	ASSERT_NE(NULL, space);
	mp_unwind_dump(&self->unwind, &self->merge, process, &dump, frames);
	EXPECT_EQ(space, self->unwind.spaces[0]);
	EXPECT_EQ(2, self->unwind.clock);
}
#endif

TEST_HARNESS_MAIN

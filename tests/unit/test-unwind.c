// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the unwinder, with this process and its files.
 */
#include "binary-resolver.h"
#include "frame-check.h"

#include <dwarf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

#include "kselftest_harness.h"

/* Number of files: more than the unwinder keeps open at once. */
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

/* Adds the mapped code of one binary of this process. */
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

/*
 * Enlarges a file, and the size of the segments and sections that lead to call frame
 * information. The file is sparse, so it takes little space on the disk.
 */
static bool blow_up(const char *path, uint64_t size)
{
	int fd = open(path, O_RDWR | O_CLOEXEC), i;
	ElfW(Ehdr) header;
	ElfW(Phdr) phdr;
	ElfW(Shdr) shdr;
	bool done = fd >= 0 && !ftruncate(fd, (off_t)size + (64 << 20)) &&
		    pread(fd, &header, sizeof(header), 0) == sizeof(header);
	off_t at;

	for (i = 0; done && i < header.e_phnum; i++) {
		at = (off_t)(header.e_phoff + i * sizeof(phdr));
		done = pread(fd, &phdr, sizeof(phdr), at) == sizeof(phdr);
		if (phdr.p_type == PT_GNU_EH_FRAME) {
			phdr.p_filesz = size;
			done = pwrite(fd, &phdr, sizeof(phdr), at) == sizeof(phdr);
		}
	}
	for (i = 0; done && i < header.e_shnum; i++) {
		at = (off_t)(header.e_shoff + i * sizeof(shdr));
		done = pread(fd, &shdr, sizeof(shdr), at) == sizeof(shdr);
		if (shdr.sh_type == SHT_PROGBITS && !(shdr.sh_flags & SHF_EXECINSTR)) {
			shdr.sh_size = size;
			done = pwrite(fd, &shdr, sizeof(shdr), at) == sizeof(shdr);
		}
	}
	if (fd >= 0)
		close(fd);
	return done;
}

static bool add_file(FIXTURE_DATA(unwind) *self, const char *path, uint32_t *number)
{
	struct mp_merge_file file = { 0 };
	struct stat st;

	if (stat(path, &st))
		return false;
	file.inode = st.st_ino;
	file.dev = st.st_dev;
	return !mp_merge_file(&self->merge, path, &file, number);
}

TEST_F(unwind, a_large_file_of_holes_is_not_read)
{
	uint32_t process = number_of(self, (uint32_t)getpid()), number;
	struct rusage before, after;
	char command[PATH_MAX + 128], path[64];

	snprintf(path, sizeof(path), "%s/holes", self->dir);
	snprintf(command, sizeof(command), "cp %s %s", self->program, path);
	ASSERT_EQ(0, system(command));
	ASSERT_TRUE(blow_up(path, 1UL << 30));
	ASSERT_TRUE(add_file(self, path, &number));
	getrusage(RUSAGE_SELF, &before);
	EXPECT_TRUE(mp_unwind_keeps_frame(&self->unwind, &self->merge, process,
					  number, 0x1000));
	getrusage(RUSAGE_SELF, &after);
	EXPECT_GT(before.ru_maxrss + (100 << 10), after.ru_maxrss);
	/* is named, and counted once */
	mp_unwind_keeps_frame(&self->unwind, &self->merge, number_of(self, 4000001),
			      number, 0x1000);
	EXPECT_EQ(1, self->unwind.nr_refused);
	snprintf(command, sizeof(command),
		 "%s: its call frame information is too large: stacks are cut there",
		 path);
	EXPECT_STREQ(command, self->unwind.why[0]);
}

/* Writes a section of call frame information: a CIE, and an FDE with @instructions. */
static size_t make_section(uint8_t *to, const void *instructions, size_t size)
{
	static const uint8_t cie[] = {
		16, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b,
		0, 0, 0,
	};
	uint32_t id = sizeof(cie) + 4, length = 13 + (uint32_t)size;

	memcpy(to, cie, sizeof(cie));
	to += sizeof(cie);
	memset(to, 0, 17);
	memcpy(to, &length, 4);
	memcpy(to + 4, &id, 4);
	memcpy(to + 17, instructions, size);
	memset(to + 17 + size, 0, 4);
	return sizeof(cie) + 17 + size + 4;
}

static const char *check_section(struct mp_frame_section *section,
				 const void *instructions, size_t size)
{
	static uint8_t data[256];

	*section = (struct mp_frame_section){
		.data = data, .size = make_section(data, instructions, size),
		.address = 0x1000,
	};
	return mp_frame_check(section);
}

TEST(call_frame_information_that_costs_too_much_is_refused)
{
	static const uint8_t usual[] = { DW_CFA_def_cfa, 7, 8,
		DW_CFA_remember_state, DW_CFA_restore_state };
	/* register 2^27 - 1 */
	static const uint8_t large[] = { DW_CFA_undefined, 0xff, 0xff, 0xff, 0x3f };
	static const uint8_t unknown[] = { 0x3f };
	static const uint8_t cut[] = { DW_CFA_def_cfa_expression, 9, 1 };
	uint8_t many[MP_FRAME_SAVED + 1];
	struct mp_frame_section section;

	EXPECT_EQ(NULL, check_section(&section, usual, sizeof(usual)));
	EXPECT_EQ(1, section.nr_starts);
	EXPECT_EQ(20, section.starts[0]);
	EXPECT_EQ(section.size - 4, section.used);
	free(section.starts);
	EXPECT_NE(NULL, check_section(&section, large, sizeof(large)));
	free(section.starts);
	EXPECT_NE(NULL, check_section(&section, unknown, sizeof(unknown)));
	free(section.starts);
	EXPECT_NE(NULL, check_section(&section, cut, sizeof(cut)));
	free(section.starts);
	memset(many, DW_CFA_remember_state, sizeof(many));
	EXPECT_EQ(NULL, check_section(&section, many, MP_FRAME_SAVED));
	free(section.starts);
	EXPECT_NE(NULL, check_section(&section, many, sizeof(many)));
	free(section.starts);
}

/* libdw does not free its stack where it meets an operation that it does not know. */
TEST(an_expression_that_libdw_gives_up_on_is_refused)
{
	/* a PLT stub, as the linker writes it */
	static const uint8_t plt[] = { DW_CFA_def_cfa_expression, 11,
		DW_OP_breg7, 8, DW_OP_breg16, 0, DW_OP_lit15, DW_OP_and,
		DW_OP_lit11, DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus };
	static const uint8_t unknown[] = { DW_CFA_def_cfa_expression, 3,
		DW_OP_breg7, 8, DW_OP_xderef };
	static const uint8_t loop[] = { DW_CFA_def_cfa_expression, 5,
		DW_OP_breg7, 8, DW_OP_skip, 0xfd, 0xff };
	static const uint8_t cut[] = { DW_CFA_expression, 6, 2, DW_OP_const4u, 1 };
	struct mp_frame_section section;

	EXPECT_EQ(NULL, check_section(&section, plt, sizeof(plt)));
	free(section.starts);
	EXPECT_NE(NULL, check_section(&section, unknown, sizeof(unknown)));
	free(section.starts);
	EXPECT_NE(NULL, check_section(&section, loop, sizeof(loop)));
	free(section.starts);
	EXPECT_NE(NULL, check_section(&section, cut, sizeof(cut)));
	free(section.starts);
}

TEST(a_table_leads_to_functions_only)
{
	uint8_t table[20] = { 1, 0x1b, 3, 0x3b, 0, 0, 0, 0, 1 };
	struct mp_frame_section section;
	int32_t distance;

	EXPECT_EQ(NULL, check_section(&section, "", 0));
	for (distance = 15; distance < 25; distance++) {
		memcpy(table + 16, &distance, sizeof(distance));
		EXPECT_EQ(distance == 20,
			  mp_frame_check_table(table, sizeof(table), 0x1000,
					       &section));
	}
	distance = 20;
	memcpy(table + 16, &distance, sizeof(distance));
	/* more entries than there are */
	table[8] = 2;
	EXPECT_FALSE(mp_frame_check_table(table, sizeof(table), 0x1000, &section));
	free(section.starts);
	/* entries, but no functions */
	section.starts = NULL;
	section.nr_starts = 0;
	table[8] = 1;
	EXPECT_FALSE(mp_frame_check_table(table, sizeof(table), 0x1000, &section));
}

TEST(a_reference_to_no_common_part_is_refused)
{
	uint8_t data[64];
	struct mp_frame_section section = { .data = data };

	section.size = make_section(data, "", 0);
	data[24]--;
	EXPECT_NE(NULL, mp_frame_check(&section));
	free(section.starts);
}

/* The registers of this process, in the order of perf's register numbers. */
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

/*
 * A function whose frame is found by an expression, for which there is no rule: libdwfl
 * has to unwind what it called.
 */
void no_rule(void);
__asm__(".text\n"
	".type no_rule, @function\n"
	"no_rule:\n"
	"	.cfi_startproc\n"
	"	.cfi_escape 0x0f, 2, 0x77, 8\n"
	"	nop\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size no_rule, .-no_rule\n");

/* As if this function had called no_rule(). @stack has room for another word. */
static void call_no_rule(uint64_t *regs, uint8_t *stack, size_t size)
{
	memmove(stack + 8, stack, size - 8);
	memcpy(stack, &regs[8], 8);
	regs[7] -= 8;
	regs[8] = (uintptr_t)no_rule;
}

TEST_F(unwind, rules_find_what_libdwfl_finds)
{
	uint32_t process = number_of(self, (uint32_t)getpid()), i, nr = 0;
	uint64_t regs[24], frames[MP_STACKS_DEPTH], others[MP_STACKS_DEPTH];
	/* from dump_here() to the first function, whose frame is below the environment */
	const size_t all = ((uintptr_t)environ - (uintptr_t)frames + 2048) & ~7UL;
	uint8_t *stack = malloc(all + 8);
	struct mp_dump dump = { .mask = 0xff01ff, .regs = regs, .stack = stack };
	size_t rules;

	ASSERT_NE(NULL, stack);
	for (dump.size = 64; dump.size < 2 * all; dump.size *= 2) {
		if (dump.size > all)
			dump.size = all;
		dump_here(regs, stack, all);
		nr = mp_unwind_dump(&self->unwind, &self->merge, process, &dump, frames);
		EXPECT_EQ(NULL, self->unwind.spaces[0]);
		call_no_rule(regs, stack, all + 8);
		/* the same piece of the stack, and the word below it */
		dump.size += 8;
		EXPECT_EQ(nr + 1, mp_unwind_dump(&self->unwind, &self->merge, process,
						 &dump, others));
		dump.size -= 8;
		EXPECT_EQ((uintptr_t)no_rule + 1, others[0]);
		EXPECT_EQ(frames[0], others[1] + 1);
		for (i = 1; i < nr; i++)
			EXPECT_EQ(frames[i], others[i + 1]);
		EXPECT_NE(NULL, self->unwind.spaces[0]);
		mp_unwind_end(&self->unwind, process);
	}
	EXPECT_LT(4, nr);
	EXPECT_EQ(MP_STACKS_BEGIN, frames[nr - 1]);
	/* they are computed once */
	rules = self->unwind.rules.nr;
	EXPECT_LE(nr - 1, rules);
	mp_unwind_dump(&self->unwind, &self->merge, process, &dump, frames);
	EXPECT_EQ(rules, self->unwind.rules.nr);
	free(stack);
}

TEST_F(unwind, a_stack_whose_copy_is_short_is_cut)
{
	uint32_t process = number_of(self, (uint32_t)getpid()), nr;
	uint64_t regs[24], frames[MP_STACKS_DEPTH];
	uint8_t stack[72];
	const struct mp_dump dump = {
		.mask = 0xff01ff, .regs = regs, .stack = stack, .size = sizeof(stack),
	};

	dump_here(regs, stack, sizeof(stack));
	nr = mp_unwind_dump(&self->unwind, &self->merge, process, &dump, frames);
	EXPECT_EQ(MP_STACKS_CUT, frames[nr - 1]);
	call_no_rule(regs, stack, sizeof(stack));
	nr = mp_unwind_dump(&self->unwind, &self->merge, process, &dump, frames);
	EXPECT_EQ(MP_STACKS_CUT, frames[nr - 1]);
}

TEST(rules_are_bounded)
{
	const struct mp_frame_rule rule = { .kind = MP_FRAME_CALLER, .cfa = 16 };
	struct mp_frame_rules rules = { 0 };
	uint64_t i;

	for (i = 0; i < 3 * MP_FRAME_RULES; i++) {
		mp_frame_rules_add(&rules, 1, i, &rule);
		ASSERT_NE(NULL, mp_frame_rules_find(&rules, 1, i));
		ASSERT_GE(MP_FRAME_RULES, rules.nr);
	}
	EXPECT_EQ(NULL, mp_frame_rules_find(&rules, 2, i - 1));
	mp_frame_rules_free(&rules);
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
	call_no_rule(regs, stack, sizeof(stack));
	EXPECT_LT(2, mp_unwind_dump(&self->unwind, &self->merge, process, &dump,
				    frames));
	/* and what is open stays so */
	space = self->unwind.spaces[0];
	ASSERT_NE(NULL, space);
	mp_unwind_dump(&self->unwind, &self->merge, process, &dump, frames);
	EXPECT_EQ(space, self->unwind.spaces[0]);
	EXPECT_EQ(2, self->unwind.clock);
}

/* A debt that the time of this test does not pay back. */
TEST_F(unwind, without_time_to_read_a_stack_has_one_frame)
{
	uint32_t process = number_of(self, (uint32_t)getpid());
	uint64_t regs[24], frames[MP_STACKS_DEPTH];
	uint8_t stack[1024];
	const struct mp_dump dump = {
		.mask = 0xff01ff, .regs = regs, .stack = stack,
		.size = sizeof(stack),
	};

	dump_here(regs, stack, sizeof(stack));
	mp_unwind_limit(&self->unwind, 1);
	self->unwind.budget.left_ns = -1000000000000LL;
	EXPECT_EQ(2, mp_unwind_dump(&self->unwind, &self->merge, process, &dump, frames));
	EXPECT_EQ(regs[8] + 1, frames[0]);
	EXPECT_EQ(MP_STACKS_CUT, frames[1]);
	EXPECT_EQ(1, self->unwind.nr_late);
	/* with time, it has all, and later samples of the process need no more time */
	mp_unwind_limit(&self->unwind, 1);
	EXPECT_LT(2, mp_unwind_dump(&self->unwind, &self->merge, process, &dump, frames));
	self->unwind.budget.left_ns = -1000000000000LL;
	EXPECT_LT(2, mp_unwind_dump(&self->unwind, &self->merge, process, &dump, frames));
	EXPECT_EQ(1, self->unwind.nr_late);
}
#endif

TEST_F(unwind, a_file_that_cannot_be_opened_is_given_up)
{
	struct mp_merge_file file = { 0 };
	struct stat st;
	char path[PATH_MAX];
	uint32_t number, i;

	ASSERT_EQ(0, stat(self->program, &st));
	file.inode = st.st_ino;
	snprintf(path, sizeof(path), "%s/nothing", self->dir);
	ASSERT_EQ(0, mp_merge_file(&self->merge, path, &file, &number));
	for (i = 0; i < 3 * MP_UNWIND_ATTEMPTS; i++) {
		EXPECT_TRUE(mp_unwind_keeps_frame(&self->unwind, &self->merge,
						  number_of(self, 4000001 + i), number,
						  0x1000));
		/* when it appears in the end, nobody looks any more */
		if (i + 1 == 2 * MP_UNWIND_ATTEMPTS)
			ASSERT_EQ(0, symlink(self->program, path));
	}
	EXPECT_EQ(0, self->unwind.bytes);
}

TEST_HARNESS_MAIN

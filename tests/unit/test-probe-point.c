// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of probe points: which instruction of a function is probed, and how the
 * arguments of static probes are parsed.
 */
#include "examining.h"
#include "alloc-function.h"
#include "usdt.h"

#include "kselftest_harness.h"

#include <asm/perf_regs.h>
#include <glob.h>
#include <stdlib.h>
#include <signal.h>

#if defined(__x86_64__)
TEST_F(binary, points_keep_arguments_and_stack)
{
	static const struct {
		const char *body;
		unsigned int distance;
		enum mp_trap trap;
	} cases[] = {
		{ "push %rbp", 0, MP_TRAP_EMULATED },
		{ "push %r15", 0, MP_TRAP_EMULATED },
		{ "nop", 0, MP_TRAP_EMULATED },
		{ "endbr64\npush %rbx", 4, MP_TRAP_EMULATED },
		{ "test %rdi,%rdi\nje 1f\nnop\n1:", 3, MP_TRAP_EMULATED },
		{ "mov %rdi,%rax\nxor %ecx,%ecx\njmp 1f\n1:", 5,
		  MP_TRAP_EMULATED },
		{ "call 1f\n1: pop %rax", 0, MP_TRAP_EMULATED },
		/* not needed by malloc */
		{ "mov %rdi,%rsi\npush %rbp", 3, MP_TRAP_EMULATED },
		/* the size is gone, or its register is */
		{ "add $8,%rdi\npush %rbp", 0, MP_TRAP_STEPPED },
		{ "mov %esi,%edi\npush %rbp", 0, MP_TRAP_STEPPED },
		/* the return address is no longer on top */
		{ "sub $8,%rsp\npush %rbp", 0, MP_TRAP_STEPPED },
		{ "mov %rax,(%rsp)\npush %rbp", 0, MP_TRAP_STEPPED },
		{ "pop %rax\npush %rax", 0, MP_TRAP_STEPPED },
		/* writes memory, somewhere */
		{ "mov %rax,(%rdx)\npush %rbp", 0, MP_TRAP_STEPPED },
		{ "lock incl (%rdx)\npush %rbp", 0, MP_TRAP_STEPPED },
		/* unknown instruction, indirect jump */
		{ "cpuid\npush %rbp", 0, MP_TRAP_STEPPED },
		{ "jmp *%rax\npush %rbp", 0, MP_TRAP_STEPPED },
		/* loops back to the push, and to what is in front of it */
		{ "mov %rdi,%rax\n1: push %rbp\npop %rbp\ndec %rax\njne 1b",
		  0, MP_TRAP_STEPPED },
		{ "xor %eax,%eax\n1: xor %ecx,%ecx\npush %rbp\npop %rbp\n"
		  "jne 1b", 0, MP_TRAP_STEPPED },
		/* loops behind it */
		{ "xor %eax,%eax\npush %rbp\n1: dec %rax\njne 1b", 2,
		  MP_TRAP_EMULATED },
	};
	const struct mp_point *one;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		one = assemble(self, cases[i].body);
		ASSERT_NE(NULL, one) {
			TH_LOG("%s: %s", cases[i].body, self->why);
		}
		EXPECT_EQ(cases[i].distance, one->distance) {
			TH_LOG("%s", cases[i].body);
		}
		EXPECT_EQ(cases[i].trap, one->trap) {
			TH_LOG("%s", cases[i].body);
		}
	}
}

TEST_F(binary, static_probes_are_found)
{
	write_file("a.s",
		   ".text\n.globl main\nmain: nop\nnop\nret\n"
		   ".section .probes,\"aw\",@progbits\n.byte 0,0\nsem: .short 0\n"
		   ".macro PROBE at sem provider name args\n"
		   ".pushsection .note.stapsdt,\"\",@note\n.balign 4\n"
		   ".4byte 8, 2f-1f, 3\n.asciz \"stapsdt\"\n"
		   "1: .8byte \\at, _base, \\sem\n.asciz \"\\provider\"\n"
		   ".asciz \"\\name\"\n.asciz \"\\args\"\n2: .balign 4\n"
		   ".popsection\n.endm\n"
		   ".section .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"
		   "_base: .space 1\n.text\n"
		   "PROBE main, sem, otel_memory, alloc, \"8@%rdi -8@16(%rbp) 8@$64\"\n"
		   "PROBE main+1, 0, ddheap, free, \"8@(%r10)\"\n"
		   "PROBE main+1, 0, python, alloc, \"8@%rdi\"\n"
		   "PROBE main+1, 0, ddheap, alloc, \"4@%edi 8@%rsi 8@%rdx\"\n");
	if (system("gcc -no-pie -o a a.s 2>log"))
		SKIP(return, "gcc does not work");
	examine(self, "a");
	ASSERT_TRUE(self->examined);
	ASSERT_EQ(2, self->scan.nr_points);
	EXPECT_EQ(MEMPROF_FUNC_USDT_ALLOC, self->scan.points[0].func);
	EXPECT_EQ(MP_TRAP_EMULATED, self->scan.points[0].trap);
	EXPECT_NE(0, self->scan.points[0].ref_ctr_offset);
	EXPECT_EQ(2, self->scan.points[0].args[1].kind);
	EXPECT_EQ(PERF_REG_X86_BP, self->scan.points[0].args[1].reg);
	EXPECT_EQ(16, self->scan.points[0].args[1].value);
	EXPECT_EQ(MEMPROF_FUNC_USDT_FREE, self->scan.points[1].func);
	EXPECT_EQ(PERF_REG_X86_R10, self->scan.points[1].args[0].reg);
	EXPECT_EQ(self->scan.points[0].offset + 1,
		  self->scan.points[1].offset);
	EXPECT_TRUE(remarks(self, true, "4@%edi"));
}

TEST(probe_arguments_are_parsed)
{
	static const char * const bad[] = {
		"8@", "8", "@%rdi", "8@%xmm0", "8@%rdix", "4@%edi", "8@8(%rip)",
		"8@(%rax,%rbx,8)", "8@%rdi,8@%rsi", "8@$", "x@%rdi", "8@-(%rax)",
		"8@%rdi 8@%rsi 8@%rdx 8@%rcx", "8@sym(%rip)", "8@(%rax",
		"8@99999999999999999999(%rax)",
	};
	struct memprof_probe_arg args[3];
	size_t i;

	EXPECT_EQ(0, mp_usdt_parse_args("", args));
	EXPECT_EQ(3, mp_usdt_parse_args("8@%r9 -8@-0x10(%rsp) -4@$-5", args));
	EXPECT_EQ(1, args[0].kind);
	EXPECT_EQ(PERF_REG_X86_R9, args[0].reg);
	EXPECT_EQ(2, args[1].kind);
	EXPECT_EQ(-16, args[1].value);
	EXPECT_EQ(0, args[2].kind);
	EXPECT_EQ(-5, args[2].value);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		EXPECT_EQ(-1, mp_usdt_parse_args(bad[i], args));
}
#endif

TEST_F(binary, user_functions_come_first)
{
	struct mp_user_functions user = {
		.list = { { "pool_get", MEMPROF_FUNC_CALLOC } }, .nr = 1,
	};

	write_file("a.c", "void *pool_get(int n, int size) { return &size + n; }\n");
	if (system("gcc -shared -fPIC -o a.so a.c 2>log"))
		SKIP(return, "gcc does not work");
	examine_with(self, "a.so", &user);
	ASSERT_EQ(1, self->scan.nr_points);
	EXPECT_EQ(MEMPROF_FUNC_CALLOC, self->scan.points[0].func);
	EXPECT_EQ(MP_LAYER_USER, self->scan.points[0].layer);
}

TEST_HARNESS_MAIN

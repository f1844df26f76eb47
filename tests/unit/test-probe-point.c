// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of probe points: which instruction of a function is probed, and how the
 * arguments of static probes are parsed.
 */
#include "examining.h"
#include "alloc-function.h"
#include "probe-point.h"
#include "usdt-args.h"

#include "kselftest_harness.h"

#include <asm/perf_regs.h>
#include <elf.h>
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
		/* free of jemalloc 5.3.0 in Debian 13 */
		{ "endbr64\nmov %rdi,%rax\nmov 8(%rip),%rcx\n"
		  "mov %rdi,%rdx\nshr $23,%rax\nand $-0x8000000,%rdx\n"
		  "and $0xf0,%eax\nadd %fs:0,%rax\nadd %rcx,%rax\n"
		  "cmp 0x1b0(%rax),%rdx\njne 1f\n.fill 200,1,0x90\n1:", 52,
		  MP_TRAP_EMULATED },
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
#endif

/* Assembles @body for arm64. Returns the number of bytes, or 0 without an assembler. */
static size_t assemble_arm64(const char *body, uint8_t *code, size_t room)
{
	char text[1024];
	FILE *file;
	size_t nr;

	snprintf(text, sizeof(text), ".text\n%s\nret\n", body);
	write_file("a.s", text);
	if (system("aarch64-linux-gnu-gcc -c -march=armv8.5-a -o a.o a.s && "
		   "aarch64-linux-gnu-objcopy -O binary a.o a.bin"))
		return 0;
	file = fopen("a.bin", "r");
	nr = file ? fread(code, 1, room, file) : 0;
	if (file)
		fclose(file);
	return nr;
}

TEST_F(binary, points_on_arm64_keep_arguments_stack_and_return_address)
{
	static const struct {
		const char *body;
		uint32_t func;
		unsigned int distance;
		enum mp_trap trap;
	} cases[] = {
		{ "cbz x0, 1f\n1: nop", MEMPROF_FUNC_FREE, 0, MP_TRAP_EMULATED },
		{ "b 1f\n1: nop", MEMPROF_FUNC_MALLOC, 0, MP_TRAP_EMULATED },
		{ "bl 1f\n1: nop", MEMPROF_FUNC_MALLOC, 0, MP_TRAP_EMULATED },
		{ "tbnz x0, 63, 1f\n1: nop", MEMPROF_FUNC_MALLOC, 0,
		  MP_TRAP_EMULATED },
		{ "ret", MEMPROF_FUNC_FREE, 0, MP_TRAP_EMULATED },
		{ "br x16", MEMPROF_FUNC_MALLOC, 0, MP_TRAP_EMULATED },
		{ "adrp x16, .", MEMPROF_FUNC_MALLOC, 0, MP_TRAP_EMULATED },
		{ "bti c\ncbz x0, 1f\n1: nop", MEMPROF_FUNC_FREE, 4,
		  MP_TRAP_EMULATED },
		{ "nop\ncmp x0, 16\nb.hi 1f\n1: nop", MEMPROF_FUNC_MALLOC, 8,
		  MP_TRAP_EMULATED },
		{ "mrs x4, tpidr_el0\nldr x5, [x4, 8]\nldrb w6, [x5, 1]\n"
		  "cbnz x5, 1f\n1: nop", MEMPROF_FUNC_MALLOC, 12,
		  MP_TRAP_EMULATED },
		{ "mov x19, x0\nand x9, x0, 15\ntst x9, x9\nb.eq 1f\n1: nop",
		  MEMPROF_FUNC_MALLOC, 12, MP_TRAP_EMULATED },
		/* the third argument is not needed by calloc, but by reallocarray */
		{ "umulh x2, x0, x1\ncbnz x2, 1f\n1: nop", MEMPROF_FUNC_CALLOC,
		  4, MP_TRAP_EMULATED },
		{ "umulh x2, x0, x1\ncbnz x2, 1f\n1: nop",
		  MEMPROF_FUNC_REALLOCARRAY, 0, MP_TRAP_STEPPED },
		/* the size is gone */
		{ "add x0, x0, 8\nb 1f\n1: nop", MEMPROF_FUNC_MALLOC, 0,
		  MP_TRAP_STEPPED },
		/* so is the return address, its place, or the only copy of it */
		{ "stp x29, x30, [sp, -16]!\nb 1f\n1: nop", MEMPROF_FUNC_MALLOC,
		  0, MP_TRAP_STEPPED },
		{ "sub sp, sp, 16\nb 1f\n1: nop", MEMPROF_FUNC_MALLOC, 0,
		  MP_TRAP_STEPPED },
		{ "mov x9, x30\nbl 1f\n1: nop", MEMPROF_FUNC_MALLOC, 0,
		  MP_TRAP_STEPPED },
		{ "mov x30, x9\nb 1f\n1: nop", MEMPROF_FUNC_MALLOC, 0,
		  MP_TRAP_STEPPED },
		{ "add x9, x9, x30\nb 1f\n1: nop", MEMPROF_FUNC_MALLOC, 0,
		  MP_TRAP_STEPPED },
		{ "paciasp\nb 1f\n1: nop", MEMPROF_FUNC_MALLOC, 0,
		  MP_TRAP_STEPPED },
		/* writes memory, or more than one register */
		{ "str x9, [x10]\nb 1f\n1: nop", MEMPROF_FUNC_MALLOC, 0,
		  MP_TRAP_STEPPED },
		{ "ldp x9, x0, [x10]\nb 1f\n1: nop", MEMPROF_FUNC_MALLOC, 0,
		  MP_TRAP_STEPPED },
		{ "ldr x9, [x0], 8\nb 1f\n1: nop", MEMPROF_FUNC_MALLOC, 0,
		  MP_TRAP_STEPPED },
		/* calls the kernel */
		{ "svc 0\nb 1f\n1: nop", MEMPROF_FUNC_MALLOC, 0,
		  MP_TRAP_STEPPED },
		/* loops back to the branch, and to what is in front of it */
		{ "mov x9, x0\n1: cbz x9, 2f\nsub x9, x9, 1\nb 1b\n2: nop",
		  MEMPROF_FUNC_MALLOC, 0, MP_TRAP_STEPPED },
		{ "mov x9, x0\n1: sub x9, x9, 1\ncbz x9, 2f\nb 1b\n2: nop",
		  MEMPROF_FUNC_MALLOC, 0, MP_TRAP_STEPPED },
		/* loops behind it */
		{ "cmp x0, 1\nb.eq 2f\n1: sub x9, x9, 1\ncbnz x9, 1b\n2: nop",
		  MEMPROF_FUNC_MALLOC, 4, MP_TRAP_EMULATED },
	};
	struct mp_chooser chooser;
	struct mp_point one;
	uint8_t code[256];
	size_t i, size;

	if (system("aarch64-linux-gnu-gcc --version >log 2>&1"))
		SKIP(return, "no compiler for arm64");
	ASSERT_TRUE(mp_chooser_open(&chooser, EM_AARCH64));
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size = assemble_arm64(cases[i].body, code, sizeof(code));
		ASSERT_NE(0, size) {
			TH_LOG("%s", cases[i].body);
		}
		one = (struct mp_point){ .func = cases[i].func, .offset = 1000 };
		ASSERT_TRUE(mp_chooser_code(&chooser, code, size, 0x1000, &one));
		EXPECT_EQ(cases[i].distance, one.distance) {
			TH_LOG("%s", cases[i].body);
		}
		EXPECT_EQ(cases[i].trap, one.trap) {
			TH_LOG("%s", cases[i].body);
		}
		EXPECT_EQ(1000 + cases[i].distance, one.offset);
	}
	mp_chooser_close(&chooser);
}

TEST(probe_arguments_of_x86_are_parsed)
{
	static const char * const bad[] = {
		"8@", "8", "@%rdi", "8@%xmm0", "8@%rdix", "4@%edi", "8@8(%rip)",
		"8@(%rax,%rbx,8)", "8@%rdi,8@%rsi", "8@$", "x@%rdi", "8@-(%rax)",
		"8@%rdi 8@%rsi 8@%rdx 8@%rcx 8@%r8 8@%r9 8@%rax", "8@sym(%rip)", "8@(%rax",
		"8@99999999999999999999(%rax)",
	};
	struct memprof_probe_arg args[MP_POINT_MAX_ARGS];
	size_t i;

	EXPECT_EQ(0, mp_usdt_parse_args(EM_X86_64, "", args));
	EXPECT_EQ(3, mp_usdt_parse_args(EM_X86_64, "8@%r9 -8@-0x10(%rsp) -4@$-5", args));
	EXPECT_EQ(1, args[0].kind);
	EXPECT_EQ(17, args[0].reg);
	EXPECT_EQ(2, args[1].kind);
	EXPECT_EQ(-16, args[1].value);
	EXPECT_EQ(0, args[2].kind);
	EXPECT_EQ(-5, args[2].value);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		EXPECT_EQ(-1, mp_usdt_parse_args(EM_X86_64, bad[i], args));
}
TEST(probe_arguments_of_arm64_are_parsed)
{
	static const char * const bad[] = {
		"8@w0", "8@x31", "8@xzr", "4@w1", "8@[x0", "8@[x0, x1]",
		"8@[x0, 8], 8", "8@[x0],8", "8@[w0]", "8@q0", "8@[sp, 8]!",
		"8@[]", "4@[x0]", "8@x0, 8@x1", "8@-", "8@#",
		"8@x0 8@x1 8@x2 8@x3 8@x4 8@x5 8@x6", "8@[x0, 99999999999999999999]",
	};
	struct memprof_probe_arg args[MP_POINT_MAX_ARGS];
	size_t i;

	EXPECT_EQ(0, mp_usdt_parse_args(EM_AARCH64, "", args));
	EXPECT_EQ(3, mp_usdt_parse_args(EM_AARCH64, "8@x20 -8@[sp, 104] 4@-5", args));
	EXPECT_EQ(1, args[0].kind);
	EXPECT_EQ(20, args[0].reg);
	EXPECT_EQ(2, args[1].kind);
	EXPECT_EQ(31, args[1].reg);
	EXPECT_EQ(104, args[1].value);
	EXPECT_EQ(0, args[2].kind);
	EXPECT_EQ(-5, args[2].value);
	EXPECT_EQ(3, mp_usdt_parse_args(EM_AARCH64, "8@[x1] 8@[x29,#-16] 8@#64",
					args));
	EXPECT_EQ(1, args[0].reg);
	EXPECT_EQ(0, args[0].value);
	EXPECT_EQ(29, args[1].reg);
	EXPECT_EQ(-16, args[1].value);
	EXPECT_EQ(64, args[2].value);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		EXPECT_EQ(-1, mp_usdt_parse_args(EM_AARCH64, bad[i], args));
}

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

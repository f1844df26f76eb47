// SPDX-License-Identifier: GPL-2.0-only
/*
 * Processes that are given no library: what decides it, with texts of /proc as kernels
 * write them. The machine that runs this may have no such process.
 */
#include "kselftest_harness.h"

#include "refusal.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

/* The end of a status file of Linux 6.12, and what comes before it. */
#define HEAD(state, tracer)						\
	"Name:\tapp\nUmask:\t0022\nState:\t" state "\nTgid:\t812\n"	\
	"Ngid:\t0\nPid:\t812\nPPid:\t1\nTracerPid:\t" tracer "\n"	\
	"Uid:\t1000\t1000\t1000\t1000\nGroups:\t27 1000 \n"
#define MEMORY "VmPeak:\t    5680 kB\nVmSize:\t    5680 kB\nVmLck:\t       0 kB\n"
#define TAIL(seccomp, features)						\
	"NoNewPrivs:\t0\nSeccomp:\t" seccomp "\nSeccomp_filters:\t0\n"	\
	"Speculation_Store_Bypass:\tthread vulnerable\n"		\
	"x86_Thread_features:\t" features "\n"				\
	"x86_Thread_features_locked:\tshstk wrss \nCpus_allowed:\t3\n"

static int judge(const char *status, struct mp_diag *diag)
{
	*diag = (struct mp_diag){ 0 };
	return mp_refuse_status(812, status, diag);
}

TEST(an_ordinary_process_is_not_refused)
{
	struct mp_diag diag;

	EXPECT_EQ(0, judge(HEAD("S (sleeping)", "0") MEMORY TAIL("0", ""), &diag));
	/* a kernel without shadow stacks has no such lines */
	EXPECT_EQ(0, judge(HEAD("R (running)", "0") MEMORY "Seccomp:\t0\n", &diag));
}

TEST(shadow_stacks_are_refused)
{
	struct mp_diag diag;

	EXPECT_NE(0, judge(HEAD("S (sleeping)", "0") MEMORY TAIL("0", "shstk "), &diag));
	EXPECT_NE(NULL, strstr(diag.text, "process 812 has shadow stacks"));
	EXPECT_NE(0, judge(HEAD("S (sleeping)", "0") MEMORY TAIL("0", "shstk wrss "), &diag));
	EXPECT_NE(NULL, strstr(diag.hint, "GLIBC_TUNABLES"));
}

TEST(filters_of_system_calls_are_refused)
{
	struct mp_diag diag;

	EXPECT_NE(0, judge(HEAD("S (sleeping)", "0") MEMORY TAIL("2", ""), &diag));
	EXPECT_NE(NULL, strstr(diag.text, "system call filter"));
	EXPECT_NE(0, judge(HEAD("S (sleeping)", "0") MEMORY TAIL("1", ""), &diag));
}

TEST(states_are_refused)
{
	struct mp_diag diag;

	EXPECT_EQ(-ESRCH, judge("", &diag));
	EXPECT_EQ(-ESRCH, judge(HEAD("Z (zombie)", "0"), &diag));
	EXPECT_EQ(-ESRCH, judge(HEAD("X (dead)", "0"), &diag));
	EXPECT_NE(0, judge(HEAD("T (stopped)", "0") MEMORY TAIL("0", ""), &diag));
	EXPECT_NE(NULL, strstr(diag.hint, "kill -CONT"));
	EXPECT_EQ(-EBUSY, judge(HEAD("S (sleeping)", "1") MEMORY TAIL("0", ""), &diag));
	EXPECT_NE(NULL, strstr(diag.text, "traced by process 1 "));
	EXPECT_EQ(-ESRCH, judge(HEAD("S (sleeping)", "0") TAIL("0", ""), &diag));
	EXPECT_NE(NULL, strstr(diag.text, "thread of the kernel"));
}

TEST(programs_of_32_bits_are_refused)
{
	unsigned char head[MP_REFUSE_HEAD] = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB };
	struct mp_diag diag = { 0 };

	head[18] = EM_X86_64;
	EXPECT_EQ(0, mp_refuse_head(812, head, &diag));
	head[EI_CLASS] = ELFCLASS32;
	EXPECT_NE(0, mp_refuse_head(812, head, &diag));
	EXPECT_NE(NULL, strstr(diag.text, "is a x32 program"));
	diag = (struct mp_diag){ 0 };
	head[18] = EM_386;
	EXPECT_NE(0, mp_refuse_head(812, head, &diag));
	EXPECT_NE(NULL, strstr(diag.text, "is a 32-bit program"));
}

/* Whether the hint of a machine names @what. */
static bool hints_at(char yama, char selinux, bool has_apparmor, bool is_root, const char *what)
{
	const struct mp_refuse_machine machine = { yama, selinux, has_apparmor, is_root };

	return strstr(mp_refuse_hint(&machine), what);
}

TEST(what_forbids_it_is_named)
{
	EXPECT_TRUE(hints_at('1', '0', false, false, "kernel.yama.ptrace_scope"));
	EXPECT_TRUE(hints_at('3', '1', true, true, "kernel.yama.ptrace_scope"));
	EXPECT_TRUE(hints_at('0', '1', false, true, "SELinux"));
	EXPECT_TRUE(hints_at('0', '0', true, true, "AppArmor"));
	EXPECT_TRUE(hints_at('0', '0', false, true, "CAP_SYS_PTRACE"));
	/* another user's process: the usual rule is the reason, whatever else is there */
	EXPECT_TRUE(hints_at('0', '1', true, false, "only root, or the user"));
}

TEST_HARNESS_MAIN

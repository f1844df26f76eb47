// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finding allocators in real files: this machine's libraries, and programs
 * that the compilers here make on the spot.
 */
#include "isolate.h"
#include "binary-file.h"
#include "examine.h"
#include "file-set.h"
#include "finder.h"
#include "alloc-function.h"
#include "exec-mapping.h"
#include "regular-file.h"
#include "usdt.h"

#include "kselftest_harness.h"

#include <arpa/inet.h>
#include <asm/perf_regs.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <sched.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

FIXTURE(binary)
{
	char dir[32];
	struct mp_scan scan;
	char why[MP_REMARK_SIZE];
	bool examined;
};

FIXTURE_SETUP(binary)
{
	strcpy(self->dir, "/tmp/memprof-binary-XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	ASSERT_EQ(0, chdir(self->dir));
}

FIXTURE_TEARDOWN(binary)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", self->dir);
	EXPECT_EQ(0, system(command));
}

static void examine_with(FIXTURE_DATA(binary) *self, const char *path,
			 const struct mp_user_functions *user)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	self->examined = mp_examine_isolated(user, fd, path, &self->scan,
					  self->why);
	close(fd);
}

static void examine(FIXTURE_DATA(binary) *self, const char *path)
{
	examine_with(self, path, NULL);
}

static const struct mp_point *point(const FIXTURE_DATA(binary) *self,
				    const char *name)
{
	uint32_t i;

	for (i = 0; i < self->scan.nr_points; i++)
		if (!strcmp(self->scan.points[i].name, name))
			return &self->scan.points[i];
	return NULL;
}

static bool remarks(const FIXTURE_DATA(binary) *self, bool warning,
		    const char *text)
{
	uint32_t i;

	for (i = 0; i < self->scan.nr_remarks; i++)
		if (self->scan.remarks[i].warning == warning &&
		    strstr(self->scan.remarks[i].text, text))
			return true;
	return false;
}

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	fputs(text, file);
	fclose(file);
}

static const char *find_library(const char *pattern, char *path, size_t size)
{
	glob_t found;
	bool any = !glob(pattern, 0, NULL, &found);

	if (any)
		snprintf(path, size, "%s", found.gl_pathv[0]);
	globfree(&found);
	return any ? path : NULL;
}

TEST_F(binary, c_library_defines_its_allocator)
{
	const struct mp_point *one;
	char path[256];

	if (!find_library("/lib/*-linux-gnu/libc.so.6", path, sizeof(path)))
		SKIP(return, "no glibc in the usual place");
	examine(self, path);
	ASSERT_TRUE(self->examined);
	one = point(self, "malloc");
	ASSERT_NE(NULL, one);
	EXPECT_EQ(MEMPROF_FUNC_MALLOC, one->func);
	EXPECT_EQ(MP_TRAP_EMULATED, one->trap);
	one = point(self, "free");
	ASSERT_NE(NULL, one);
	EXPECT_EQ(MEMPROF_FUNC_FREE, one->func);
	EXPECT_EQ(MP_TRAP_EMULATED, one->trap);
	EXPECT_NE(NULL, point(self, "calloc"));
	EXPECT_NE(NULL, point(self, "realloc"));
	EXPECT_NE(NULL, point(self, "posix_memalign"));
	/* one function with two names */
	EXPECT_NE(NULL, point(self, "aligned_alloc"));
	EXPECT_EQ(NULL, point(self, "memalign"));
	EXPECT_EQ(NULL, point(self, "cfree"));
}

TEST_F(binary, jemalloc_is_probed_behind_its_first_compare)
{
	const struct mp_point *one;
	char path[256];

	if (!find_library("/usr/lib/*-linux-gnu/libjemalloc.so.2", path,
			  sizeof(path)))
		SKIP(return, "no jemalloc (libjemalloc2 brings it)");
	examine(self, path);
	ASSERT_TRUE(self->examined);
	one = point(self, "malloc");
	ASSERT_NE(NULL, one);
	EXPECT_EQ(MP_TRAP_EMULATED, one->trap);
	EXPECT_LT(0, one->distance);
	one = point(self, "free");
	ASSERT_NE(NULL, one);
	EXPECT_EQ(MP_TRAP_EMULATED, one->trap);
	/* it defines malloc and new, and new does not call malloc */
	EXPECT_NE(NULL, point(self, "_Znwm"));
	EXPECT_NE(NULL, point(self, "_ZdlPv"));
	EXPECT_NE(NULL, point(self, "calloc"));
	EXPECT_NE(NULL, point(self, "realloc"));
	EXPECT_NE(NULL, point(self, "posix_memalign"));
	EXPECT_NE(NULL, point(self, "aligned_alloc"));
	EXPECT_NE(NULL, point(self, "memalign"));
}

/* One function of a library, and how it can be probed there. */
struct expected {
	const char *name;
	uint32_t func;
	enum mp_trap trap;
};

static void expect_points(struct __test_metadata *_metadata,
			  FIXTURE_DATA(binary) *self,
			  const struct expected *one)
{
	const struct mp_point *found;

	for (; one->name; one++) {
		found = point(self, one->name);
		ASSERT_NE(NULL, found) {
			TH_LOG("%s is not found", one->name);
		}
		EXPECT_EQ(one->func, found->func) {
			TH_LOG("%s", one->name);
		}
		/* elsewhere nobody knows */
		if (found->trap == MP_TRAP_UNKNOWN)
			continue;
		EXPECT_EQ(one->trap, found->trap) {
			TH_LOG("%s: %s", one->name, found->insn);
		}
	}
}

TEST_F(binary, musl_is_probed_at_its_jumps)
{
	/* valloc swaps its arguments in front of its jump */
	static const struct expected all[] = {
		{ "malloc", MEMPROF_FUNC_MALLOC, MP_TRAP_EMULATED },
		{ "calloc", MEMPROF_FUNC_CALLOC, MP_TRAP_EMULATED },
		{ "realloc", MEMPROF_FUNC_REALLOC, MP_TRAP_EMULATED },
		{ "reallocarray", MEMPROF_FUNC_REALLOCARRAY,
		  MP_TRAP_EMULATED },
		{ "free", MEMPROF_FUNC_FREE, MP_TRAP_EMULATED },
		{ "posix_memalign", MEMPROF_FUNC_POSIX_MEMALIGN,
		  MP_TRAP_EMULATED },
		{ "aligned_alloc", MEMPROF_FUNC_MEMALIGN, MP_TRAP_EMULATED },
		{ "memalign", MEMPROF_FUNC_MEMALIGN, MP_TRAP_EMULATED },
		{ "valloc", MEMPROF_FUNC_MALLOC, MP_TRAP_STEPPED },
		{ 0 },
	};
	char path[256];

	if (!find_library("/lib/ld-musl-*.so.1", path, sizeof(path)))
		SKIP(return, "no musl (musl-tools brings it)");
	examine(self, path);
	ASSERT_TRUE(self->examined);
	expect_points(_metadata, self, all);
	EXPECT_EQ(1U << MP_LAYER_MALLOC, mp_scan_layers(&self->scan));
	EXPECT_EQ(0, self->scan.nr_remarks);
}

TEST_F(binary, static_musl_programs_hold_what_they_call)
{
	static const struct expected all[] = {
		{ "malloc", MEMPROF_FUNC_MALLOC, MP_TRAP_EMULATED },
		{ "calloc", MEMPROF_FUNC_CALLOC, MP_TRAP_EMULATED },
		{ "realloc", MEMPROF_FUNC_REALLOC, MP_TRAP_EMULATED },
		{ "free", MEMPROF_FUNC_FREE, MP_TRAP_EMULATED },
		{ 0 },
	};

	write_file("a.c", "#include <stdlib.h>\n"
		   "int main(int c, char **v)\n"
		   "{ free(realloc(c > 1 ? malloc(c) : calloc(c, 2), 3)); }\n");
	if (system("musl-gcc -static -O1 -o a a.c 2>log"))
		SKIP(return, "no musl-gcc (musl-tools brings it)");
	examine(self, "a");
	ASSERT_TRUE(self->examined);
	expect_points(_metadata, self, all);
	EXPECT_EQ(NULL, point(self, "posix_memalign"));
	ASSERT_EQ(0, system("strip a"));
	examine(self, "a");
	ASSERT_TRUE(self->examined);
	EXPECT_EQ(0, self->scan.nr_points);
	EXPECT_TRUE(remarks(self, true, "without symbols"));
}

TEST_F(binary, tcmalloc_is_probed_behind_its_look_at_hooks)
{
	static const struct expected all[] = {
		{ "malloc", MEMPROF_FUNC_MALLOC, MP_TRAP_EMULATED },
		{ "calloc", MEMPROF_FUNC_CALLOC, MP_TRAP_EMULATED },
		{ "realloc", MEMPROF_FUNC_REALLOC, MP_TRAP_EMULATED },
		{ "free", MEMPROF_FUNC_FREE, MP_TRAP_EMULATED },
		{ "posix_memalign", MEMPROF_FUNC_POSIX_MEMALIGN,
		  MP_TRAP_EMULATED },
		{ "aligned_alloc", MEMPROF_FUNC_MEMALIGN, MP_TRAP_EMULATED },
		{ "valloc", MEMPROF_FUNC_MALLOC, MP_TRAP_EMULATED },
		{ "pvalloc", MEMPROF_FUNC_MALLOC, MP_TRAP_EMULATED },
		/* new is a function of its own, delete is free */
		{ "_Znwm", MEMPROF_FUNC_MALLOC, MP_TRAP_EMULATED },
		{ "_ZnwmSt11align_val_t", MEMPROF_FUNC_MALLOC,
		  MP_TRAP_EMULATED },
		{ "_ZdlPvm", MEMPROF_FUNC_FREE, MP_TRAP_EMULATED },
		{ 0 },
	};
	char path[256];

	if (!find_library("/usr/lib/*-linux-gnu/libtcmalloc_minimal.so.4",
			  path, sizeof(path)))
		SKIP(return, "no tcmalloc (libtcmalloc-minimal4 brings it)");
	examine(self, path);
	ASSERT_TRUE(self->examined);
	expect_points(_metadata, self, all);
	EXPECT_LT(0, point(self, "malloc")->distance);
	/* other names of what is there already */
	EXPECT_EQ(NULL, point(self, "tc_malloc"));
	EXPECT_EQ(NULL, point(self, "_ZdlPv"));
	EXPECT_EQ(NULL, point(self, "memalign"));
}

TEST_F(binary, mimalloc_moves_its_arguments_first)
{
	/* the heap, from TLS, takes the place of the first argument */
	static const struct expected all[] = {
		{ "malloc", MEMPROF_FUNC_MALLOC, MP_TRAP_STEPPED },
		{ "calloc", MEMPROF_FUNC_CALLOC, MP_TRAP_STEPPED },
		{ "realloc", MEMPROF_FUNC_REALLOC, MP_TRAP_STEPPED },
		{ "free", MEMPROF_FUNC_FREE, MP_TRAP_EMULATED },
		{ "posix_memalign", MEMPROF_FUNC_POSIX_MEMALIGN,
		  MP_TRAP_EMULATED },
		{ "aligned_alloc", MEMPROF_FUNC_MEMALIGN, MP_TRAP_EMULATED },
		{ "memalign", MEMPROF_FUNC_MEMALIGN, MP_TRAP_EMULATED },
		{ "reallocarray", MEMPROF_FUNC_REALLOCARRAY,
		  MP_TRAP_EMULATED },
		{ "valloc", MEMPROF_FUNC_MALLOC, MP_TRAP_EMULATED },
		{ "pvalloc", MEMPROF_FUNC_MALLOC, MP_TRAP_EMULATED },
		{ "mi_malloc_aligned", MEMPROF_FUNC_MALLOC, MP_TRAP_STEPPED },
		{ "mi_zalloc", MEMPROF_FUNC_MALLOC, MP_TRAP_STEPPED },
		{ "_Znwm", MEMPROF_FUNC_MALLOC, MP_TRAP_EMULATED },
		{ "_ZdlPvm", MEMPROF_FUNC_FREE, MP_TRAP_EMULATED },
		{ 0 },
	};
	char path[256];

	if (!find_library("/usr/lib/*-linux-gnu/libmimalloc.so.2", path,
			  sizeof(path)))
		SKIP(return, "no mimalloc (libmimalloc2.0 brings it)");
	examine(self, path);
	ASSERT_TRUE(self->examined);
	expect_points(_metadata, self, all);
	EXPECT_EQ(NULL, point(self, "mi_malloc"));
	EXPECT_EQ(NULL, point(self, "mi_free"));
}

TEST_F(binary, imports_are_not_definitions)
{
	write_file("a.c", "#include <stdlib.h>\n"
		   "int main(int c, char **v) { free(malloc(c)); return 0; }\n");
	if (system("gcc -O1 -o a a.c 2>log"))
		SKIP(return, "gcc does not work");
	examine(self, "a");
	EXPECT_TRUE(self->examined);
	EXPECT_EQ(0, self->scan.nr_points);
	EXPECT_EQ(0, self->scan.nr_remarks);
}

TEST_F(binary, static_programs_are_found_out)
{
	write_file("a.c", "#include <stdlib.h>\n"
		   "int main(int c, char **v) { free(malloc(c)); return 0; }\n");
	if (system("gcc -static -O1 -o a a.c 2>log"))
		SKIP(return, "no static C library");
	examine(self, "a");
	ASSERT_TRUE(self->examined);
	EXPECT_NE(NULL, point(self, "malloc"));
	EXPECT_NE(NULL, point(self, "free"));
	ASSERT_EQ(0, system("strip a"));
	examine(self, "a");
	ASSERT_TRUE(self->examined);
	EXPECT_EQ(0, self->scan.nr_points);
	EXPECT_TRUE(remarks(self, true, "without symbols"));
}

TEST_F(binary, separate_debug_files_tell_names)
{
	write_file("a.c", "#include <stdlib.h>\n"
		   "int main(int c, char **v) { free(malloc(c)); return 0; }\n");
	if (system("gcc -static -O1 -o a a.c 2>log && "
		   "objcopy --only-keep-debug a a.debug && strip a && "
		   "objcopy --add-gnu-debuglink=a.debug a"))
		SKIP(return, "no static C library, or no objcopy");
	examine(self, "a");
	ASSERT_TRUE(self->examined);
	EXPECT_NE(NULL, point(self, "malloc"));
}

/* A static program "a" without symbols that names a debug file a.debug. */
static bool build_stripped(void)
{
	write_file("a.c", "#include <stdlib.h>\n"
		   "int main(int c, char **v) { free(malloc(c)); return 0; }\n");
	return !system("gcc -static -O1 -o a a.c 2>log && "
		       "objcopy --only-keep-debug a a.debug && strip a && "
		       "objcopy --add-gnu-debuglink=a.debug a");
}

TEST_F(binary, debug_files_in_their_own_folder_are_found)
{
	if (!build_stripped())
		SKIP(return, "no static C library, or no objcopy");
	ASSERT_EQ(0, system("mkdir .debug && mv a.debug .debug"));
	examine(self, "a");
	ASSERT_TRUE(self->examined);
	EXPECT_NE(NULL, point(self, "malloc"));
}

TEST_F(binary, debug_files_of_another_build_are_not_used)
{
	if (!build_stripped())
		SKIP(return, "no static C library, or no objcopy");
	/* the same symbols, another checksum */
	ASSERT_EQ(0, system("echo >>a.debug"));
	examine(self, "a");
	ASSERT_TRUE(self->examined);
	EXPECT_EQ(NULL, point(self, "malloc"));
}

TEST_F(binary, debug_links_lead_nowhere_else)
{
	char path[64];

	if (!build_stripped())
		SKIP(return, "no static C library, or no objcopy");
	/* a path of 24 bytes, in front of the checksum that fits */
	snprintf(path, sizeof(path), "%s", "sub/../sub/..//sub/a.dbg");
	write_file("name", path);
	ASSERT_EQ(0, system("objcopy -O binary --only-section=.gnu_debuglink "
			    "--set-section-flags .gnu_debuglink=alloc a link && "
			    "(cat name; printf '\\0\\0\\0\\0'; tail -c 4 link) >new && "
			    "objcopy --update-section .gnu_debuglink=new a && "
			    "mkdir sub && mv a.debug sub/a.dbg"));
	examine(self, "a");
	ASSERT_TRUE(self->examined);
	EXPECT_EQ(NULL, point(self, "malloc"));
	/* its last part counts */
	ASSERT_EQ(0, system("mv sub/a.dbg ."));
	examine(self, "a");
	EXPECT_NE(NULL, point(self, "malloc"));
}

TEST_F(binary, debug_links_to_fifos_are_not_followed)
{
	if (!build_stripped())
		SKIP(return, "no static C library, or no objcopy");
	ASSERT_EQ(0, system("rm a.debug && mkfifo a.debug && "
			    "mkdir .debug && mkfifo .debug/a.debug"));
	examine(self, "a");
	ASSERT_TRUE(self->examined);
	EXPECT_EQ(NULL, point(self, "malloc"));
}

TEST_F(binary, debug_servers_are_not_asked)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	socklen_t len = sizeof(address);
	char url[64];

	ASSERT_EQ(0, bind(fd, (struct sockaddr *)&address, len));
	ASSERT_EQ(0, listen(fd, 8));
	getsockname(fd, (struct sockaddr *)&address, &len);
	snprintf(url, sizeof(url), "http://127.0.0.1:%d",
		 ntohs(address.sin_port));
	setenv("DEBUGINFOD_URLS", url, 1);
	setenv("DEBUGINFOD_CACHE_PATH", self->dir, 1);
	setenv("DEBUGINFOD_TIMEOUT", "1", 1);
	write_file("a.c", "int main(void) { return 0; }\n");
	if (system("gcc -static -Wl,--build-id -o a a.c 2>log && strip a"))
		SKIP(return, "no static C library");
	examine(self, "a");
	ASSERT_TRUE(self->examined);
	EXPECT_EQ(-1, accept(fd, NULL, NULL));
	close(fd);
}

static void work_never(void *context, void *result)
{
	(void)context;
	(void)result;
	for (;;)
		sched_yield();
}

TEST(work_that_never_ends_is_ended)
{
	struct mp_isolate isolate = {
		.work = work_never, .fd = -1, .patience_ms = 300,
	};
	char why[MP_ISOLATE_WHY_SIZE] = "";
	int result = 7;
	sigset_t all, before;

	isolate.result = &result;
	isolate.size = sizeof(result);
	/* as in a collector, which takes its signals from a file */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	EXPECT_FALSE(mp_isolate_run(&isolate, why));
	sigprocmask(SIG_SETMASK, &before, NULL);
	EXPECT_STREQ("it was not read within 0.3 s", why);
	EXPECT_EQ(7, result);
}

/* A filter of system calls, and no capabilities but those to read files. */
static bool has_few_rights(void)
{
	const uint64_t kept = 1 << CAP_DAC_READ_SEARCH | 1 << CAP_SYS_PTRACE;
	FILE *file = fopen("/proc/self/status", "re");
	char line[256];
	int mode = 0, privileges = 1;
	uint64_t caps = ~0ULL;

	while (file && fgets(line, sizeof(line), file)) {
		sscanf(line, "Seccomp: %d", &mode);
		sscanf(line, "NoNewPrivs: %d", &privileges);
		sscanf(line, "CapPrm: %" SCNx64, &caps);
	}
	if (file)
		fclose(file);
	return mode == 2 && privileges == 1 && !(caps & ~kept);
}

/* What a child has that it should not, in bits. */
static void work_confined(void *context, void *result)
{
	int *spool = context, *found = result;
	struct rlimit size;
	sigset_t blocked;
	int fd, nr = 0;

	for (fd = 3; fd < 100; fd++)
		nr += fcntl(fd, F_GETFD) >= 0;
	/* the file, and the pipe */
	*found = nr != 2 || fcntl(*spool, F_GETFD) < 0;
	/* the kernel takes a filter with no_new_privs only */
	*found |= !has_few_rights() << 1;
	getrlimit(RLIMIT_FSIZE, &size);
	*found |= (size.rlim_max != 0) << 2;
	sigprocmask(SIG_SETMASK, NULL, &blocked);
	*found |= sigismember(&blocked, SIGTERM) << 3;
	*found |= !!getenv("DEBUGINFOD_URLS") << 4;
	/* nothing is written, run, signalled, connected or made executable */
	*found |= (open("/dev/null", O_WRONLY) >= 0) << 5;
	*found |= (socket(AF_UNIX, SOCK_STREAM, 0) >= 0) << 6;
	*found |= (fork() >= 0) << 7;
	*found |= !kill(getppid(), 0) << 8;
	*found |= (write(STDERR_FILENO, "", 0) >= 0) << 9;
	*found |= (mmap(NULL, 4096, PROT_READ | PROT_EXEC,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED) << 10;
	*found |= (execl("/bin/true", "true", NULL) >= 0) << 11;
}

TEST(work_has_one_file_and_few_rights)
{
	struct mp_isolate isolate = { .work = work_confined };
	char why[MP_ISOLATE_WHY_SIZE] = "";
	int fds[3], result = -1;
	size_t i;
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	setenv("DEBUGINFOD_URLS", "http://localhost", 1);
	for (i = 0; i < 3; i++)
		fds[i] = open("/dev/null", O_RDONLY);
	isolate.fd = fds[1];
	isolate.context = &fds[1];
	isolate.result = &result;
	isolate.size = sizeof(result);
	ASSERT_TRUE(mp_isolate_run(&isolate, why)) {
		TH_LOG("%s", why);
	}
	EXPECT_EQ(0, result);
	for (i = 0; i < 3; i++)
		close(fds[i]);
}

static void make_scan(struct mp_scan *scan)
{
	struct mp_point point = {
		.func = MEMPROF_FUNC_MALLOC, .offset = 16, .name = "malloc",
	};

	memset(scan, 0, sizeof(*scan));
	mp_scan_point(scan, &point);
	mp_scan_warn(scan, "not all of it");
}

TEST(what_frees_finds_room)
{
	struct mp_point point = { .func = MEMPROF_FUNC_MALLOC, .name = "new" };
	struct mp_scan scan = { 0 };
	int i, nr = 0;

	for (i = 1; i <= MP_SCAN_MAX_POINTS; i++) {
		point.offset = i;
		mp_scan_point(&scan, &point);
	}
	EXPECT_EQ(0, scan.nr_left_out);
	point.offset = i++;
	mp_scan_point(&scan, &point);
	EXPECT_EQ(1, scan.nr_left_out);
	point.func = MEMPROF_FUNC_FREE;
	for (; i <= 3 * MP_SCAN_MAX_POINTS; i++) {
		point.offset = i;
		mp_scan_point(&scan, &point);
	}
	EXPECT_EQ(MP_SCAN_MAX_POINTS, scan.nr_points);
	for (i = 0; i < MP_SCAN_MAX_POINTS; i++)
		nr += mp_point_frees(&scan.points[i]);
	EXPECT_EQ(MP_SCAN_MAX_POINTS, nr);
	EXPECT_EQ(2 * MP_SCAN_MAX_POINTS, scan.nr_left_out);
}

TEST(scans_from_elsewhere_are_checked)
{
	struct mp_scan scan;

	make_scan(&scan);
	EXPECT_TRUE(mp_scan_is_sound(&scan));
	scan.nr_points = MP_SCAN_MAX_POINTS + 1;
	EXPECT_FALSE(mp_scan_is_sound(&scan));
	make_scan(&scan);
	scan.nr_sections = MP_SCAN_MAX_SECTIONS + 1;
	EXPECT_FALSE(mp_scan_is_sound(&scan));
	make_scan(&scan);
	scan.nr_remarks = UINT32_MAX;
	EXPECT_FALSE(mp_scan_is_sound(&scan));
	make_scan(&scan);
	scan.points[0].func = MEMPROF_FUNC_USDT_FREE + 1;
	EXPECT_FALSE(mp_scan_is_sound(&scan));
	make_scan(&scan);
	scan.points[0].func = 0;
	EXPECT_FALSE(mp_scan_is_sound(&scan));
	make_scan(&scan);
	scan.points[0].layer = MP_NR_LAYERS;
	EXPECT_FALSE(mp_scan_is_sound(&scan));
	make_scan(&scan);
	scan.points[0].trap = (enum mp_trap)-1;
	EXPECT_FALSE(mp_scan_is_sound(&scan));
	make_scan(&scan);
	memset(scan.points[0].name, 'x', sizeof(scan.points[0].name));
	EXPECT_FALSE(mp_scan_is_sound(&scan));
	make_scan(&scan);
	strcpy(scan.points[0].insn, "\033[2J");
	EXPECT_FALSE(mp_scan_is_sound(&scan));
	make_scan(&scan);
	memset(&scan.remarks[0].warning, 2, 1);
	EXPECT_FALSE(mp_scan_is_sound(&scan));
	make_scan(&scan);
	memset(scan.remarks[0].text, 'x', sizeof(scan.remarks[0].text));
	EXPECT_FALSE(mp_scan_is_sound(&scan));
}

static void count_skipped(void *context, const char *path, const char *why)
{
	(void)path;
	*(unsigned int *)context += !strcmp(why, "not a regular file");
}

TEST_F(binary, what_is_no_regular_file_is_never_opened)
{
	unsigned int nr = 0;
	struct mp_finder finder = { .skipped = count_skipped, .context = &nr };
	int watch = inotify_init1(IN_NONBLOCK);
	char event[512];

	ASSERT_EQ(0, mkfifo("fifo", 0600));
	ASSERT_EQ(0, symlink("fifo", "link"));
	ASSERT_LE(0, inotify_add_watch(watch, "fifo", IN_OPEN));
	EXPECT_EQ(0, mp_finder_file(&finder, "link"));
	EXPECT_EQ(1, nr);
	EXPECT_EQ(0, mp_finder_file(&finder, "/dev/null"));
	EXPECT_EQ(2, nr);
	EXPECT_EQ(-1, read(watch, event, sizeof(event)));
	close(watch);
	mp_finder_free(&finder);
}

TEST_F(binary, files_are_opened_if_they_are_the_same)
{
	struct mp_identity identity = { 0 };
	struct stat st;
	int fd;

	write_file("a", "a");
	ASSERT_EQ(0, symlink("a", "link"));
	ASSERT_EQ(0, stat("a", &st));
	identity.inode = st.st_ino;
	fd = mp_regular_open("link", &identity);
	EXPECT_LE(0, fd);
	close(fd);
	/* numbers without a major part are not compared */
	identity.dev = makedev(0, 12345);
	fd = mp_regular_open("link", &identity);
	EXPECT_LE(0, fd);
	close(fd);
	identity.dev = makedev(4095, 12345);
	fd = mp_regular_open("a", &identity);
	EXPECT_EQ(major(st.st_dev) ? -ESTALE : fd, fd);
	identity = (struct mp_identity){ .inode = st.st_ino + 1 };
	EXPECT_EQ(-ESTALE, mp_regular_open("a", &identity));
	EXPECT_EQ(-ENOENT, mp_regular_open("gone", &identity));
	EXPECT_EQ(-EINVAL, mp_regular_open("/", NULL));
}

TEST_F(binary, programs_that_were_replaced_are_what_runs)
{
	struct mp_binary binary = { .build_id_size = 1 };
	char path[MP_BINARY_FILE_PATH];
	struct stat before, st;
	pid_t pid;
	int fd;

	ASSERT_EQ(0, system("cp /bin/sleep program"));
	ASSERT_EQ(0, stat("program", &before));
	ASSERT_NE(NULL, realpath("program", binary.path));
	pid = fork();
	if (!pid) {
		execl("program", "program", "100", NULL);
		_exit(1);
	}
	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	while (stat(path, &st) || st.st_ino != before.st_ino)
		usleep(10000);
	binary.pid = (uint32_t)pid;
	ASSERT_EQ(0, system("cp /bin/true new && mv new program"));
	fd = mp_binary_file_open(&binary, path, sizeof(path));
	EXPECT_EQ(0, fstat(fd, &st));
	EXPECT_EQ(before.st_ino, st.st_ino);
	close(fd);
	/* as it is found once it was replaced */
	strcat(binary.path, " (deleted)");
	fd = mp_binary_file_open(&binary, path, sizeof(path));
	EXPECT_EQ(0, fstat(fd, &st));
	EXPECT_EQ(before.st_ino, st.st_ino);
	close(fd);
	/* another's */
	strcpy(binary.path, "/bin/true");
	fd = mp_binary_file_open(&binary, path, sizeof(path));
	EXPECT_EQ(0, fstat(fd, &st));
	EXPECT_NE(before.st_ino, st.st_ino);
	close(fd);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

TEST_F(binary, operator_new_over_malloc_is_noted_and_not_probed)
{
	write_file("a.cc", "int main(int c, char **v) "
		   "{ int *p = new int[c]; *p = c; delete[] p; return 0; }\n");
	if (system("g++ -static -O0 -o a a.cc 2>log"))
		SKIP(return, "no g++, or no static C++ library");
	examine(self, "a");
	ASSERT_TRUE(self->examined);
	EXPECT_NE(NULL, point(self, "malloc"));
	EXPECT_EQ(NULL, point(self, "_Znwm"));
	EXPECT_TRUE(remarks(self, false, "operator new calls malloc"));
}

/* A function that a test writes in assembler, and its point. */
static const struct mp_point *assemble(FIXTURE_DATA(binary) *self,
				       const char *body)
{
	char text[1024];

	snprintf(text, sizeof(text), ".text\n.globl malloc\n"
		 ".type malloc,@function\nmalloc:\n%s\nret\n"
		 ".size malloc,.-malloc\n", body);
	write_file("a.s", text);
	if (system("gcc -shared -nostdlib -o a.so a.s 2>log"))
		return NULL;
	examine(self, "a.so");
	return point(self, "malloc");
}

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

static bool has_rustc(void)
{
	return !system("rustc --version >log 2>&1");
}

TEST_F(binary, rust_has_four_functions_or_a_warning)
{
	write_file("a.rs", "fn main() { let mut v: Vec<usize> = "
		   "std::env::args().map(|s| s.len()).collect(); v.push(1); "
		   "println!(\"{:?} {:?}\", v, vec![0u8; v.len()]); }\n");
	if (!has_rustc())
		SKIP(return, "no rustc here");
	ASSERT_EQ(0, system("rustc -o debug a.rs 2>log"));
	examine(self, "debug");
	ASSERT_TRUE(self->examined);
	EXPECT_EQ(4, self->scan.nr_points);
	EXPECT_EQ(1U << MP_LAYER_RUST, mp_scan_layers(&self->scan));
	ASSERT_EQ(0, system("rustc -C opt-level=3 -C lto=fat -C codegen-units=1 -o lto a.rs 2>log"));
	examine(self, "lto");
	ASSERT_TRUE(self->examined);
	if (self->scan.nr_points != 4) {
		EXPECT_EQ(0, self->scan.nr_points);
		EXPECT_TRUE(remarks(self, true, "LTO"));
	}
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

TEST_F(binary, what_is_no_binary_has_a_reason)
{
	write_file("text", "just words, more than sixty-four of them, to fill a header....");
	examine(self, "text");
	EXPECT_FALSE(self->examined);
	EXPECT_STREQ("not an ELF file", self->why);
	write_file("empty", "");
	examine(self, "empty");
	EXPECT_STREQ("not an ELF file", self->why);
	examine(self, self->dir);
	EXPECT_STREQ("not a regular file", self->why);
}

/* The same damage every time: a linear congruential generator. */
static uint32_t next(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

static void put(const char *path, const char *data, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (write(fd, data, size) != (ssize_t)size)
		abort();
	close(fd);
}

TEST_F(binary, corrupt_files_are_survived)
{
	static char good[65536], bad[65536];
	uint32_t state = 1;
	size_t size, i, j;
	FILE *file;

	ASSERT_NE(NULL, assemble(self, "push %rbp\npop %rbp"));
	file = fopen("a.so", "r");
	size = fread(good, 1, sizeof(good), file);
	fclose(file);
	for (i = 0; i < 400; i++) {
		memcpy(bad, good, size);
		/* most of it in the headers and tables, at both ends */
		for (j = 0; j < 1 + i % 8; j++)
			bad[i % 2 ? next(&state) % size :
			    i % 4 ? next(&state) % 512 :
				    size - 1 - next(&state) % 2048] =
				next(&state);
		put("bad", bad, i % 5 ? size : next(&state) % size);
		examine(self, "bad");
		/* found, or nothing there, or why not; never a broken result */
		if (!self->examined)
			EXPECT_NE('\0', self->why[0]);
		ASSERT_LE(self->scan.nr_points, MP_SCAN_MAX_POINTS);
		ASSERT_LE(self->scan.nr_remarks, MP_SCAN_MAX_REMARKS);
	}
}

TEST(names_stand_for_functions)
{
	static const struct {
		const char *name;
		uint32_t func;
		enum mp_layer layer;
	} good[] = {
		{ "malloc", MEMPROF_FUNC_MALLOC, MP_LAYER_MALLOC },
		{ "malloc@@GLIBC_2.2.5", MEMPROF_FUNC_MALLOC, MP_LAYER_MALLOC },
		{ "aligned_alloc", MEMPROF_FUNC_MEMALIGN, MP_LAYER_MALLOC },
		{ "je_calloc", MEMPROF_FUNC_CALLOC, MP_LAYER_JEMALLOC },
		{ "_rjem_sdallocx", MEMPROF_FUNC_FREE, MP_LAYER_JEMALLOC },
		{ "_rjem_malloc", MEMPROF_FUNC_MALLOC, MP_LAYER_JEMALLOC },
		{ "tc_deletearray_sized", MEMPROF_FUNC_FREE,
		  MP_LAYER_TCMALLOC },
		{ "mi_reallocn", MEMPROF_FUNC_REALLOCARRAY,
		  MP_LAYER_MIMALLOC },
		{ "_ZnwmSt11align_val_t", MEMPROF_FUNC_MALLOC, MP_LAYER_CXX },
		{ "__rust_realloc", MEMPROF_FUNC_RUST_REALLOC, MP_LAYER_RUST },
		{ "_RNvCs5QKde7ScR4H_7___rustc12___rust_alloc",
		  MEMPROF_FUNC_MALLOC, MP_LAYER_RUST },
		{ "_RNvCs5QKde7ScR4H_7___rustc14___rust_dealloc",
		  MEMPROF_FUNC_FREE, MP_LAYER_RUST },
		{ "_RNvCs5QKde7ScR4H_7___rustc14___rust_realloc",
		  MEMPROF_FUNC_RUST_REALLOC, MP_LAYER_RUST },
		{ "_RNvCs5QKde7ScR4H_7___rustc19___rust_alloc_zeroed.llvm.123",
		  MEMPROF_FUNC_MALLOC, MP_LAYER_RUST },
	};
	static const char * const bad[] = {
		"", "@", "mallocs", "mallo", "xmalloc", "__libc_malloc", "je_",
		"_ZnwmPv", "malloc_usable_size", "_RNvC", "_RNvCs_7___rustc",
		"_RNvCs_7___rustc12", "_RNvCs_7___rustc11___rdl_alloc",
		"_RNvCs_5_other12___rust_alloc", ".llvm.1",
	};
	struct mp_function function;
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		ASSERT_TRUE(mp_function_find(NULL, good[i].name, &function)) {
			TH_LOG("%s", good[i].name);
		}
		EXPECT_EQ(good[i].func, function.func);
		EXPECT_EQ(good[i].layer, function.layer);
	}
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		EXPECT_FALSE(mp_function_find(NULL, bad[i], &function));
	EXPECT_TRUE(mp_function_hints_rust("_RNvCs_7___rustc11___rdl_alloc"));
	EXPECT_FALSE(mp_function_hints_rust("malloc"));
}

static bool parse(const char *text, struct mp_exec_mapping *mapping)
{
	struct mp_map_line line;

	return mp_map_line_parse(text, &line) &&
	       mp_exec_mapping_of(&line, mapping);
}

TEST(executable_mappings_of_files_are_told_from_others)
{
	struct mp_exec_mapping mapping;

	ASSERT_TRUE(parse("55d0-55f0 r-xp 00002000 fe:01 1234      "
			  "/usr/bin/a b (deleted)", &mapping));
	EXPECT_EQ(0x55d0, mapping.start);
	EXPECT_EQ(0x55f0, mapping.end);
	EXPECT_EQ(0x2000, mapping.offset);
	EXPECT_EQ(1234, mapping.inode);
	EXPECT_EQ(makedev(0xfe, 1), mapping.dev);
	EXPECT_STREQ("/usr/bin/a b (deleted)", mapping.path);
	EXPECT_FALSE(parse("1-2 r--p 0 fe:01 12 /usr/bin/a", &mapping));
	EXPECT_FALSE(parse("1-2 r-xp 0 00:00 0 [vdso]", &mapping));
	EXPECT_FALSE(parse("1-2 r-xp 0 00:00 0", &mapping));
	EXPECT_FALSE(parse("1-2 r-xp 0 fe:01 12 relative", &mapping));
	EXPECT_FALSE(parse("", &mapping));
	EXPECT_FALSE(parse("nonsense", &mapping));
}

TEST(file_set_is_bounded)
{
	struct mp_file_set set = { 0 };
	uint64_t i;

	EXPECT_EQ(1, mp_file_set_add(&set, 1, 7));
	EXPECT_EQ(0, mp_file_set_add(&set, 1, 7));
	EXPECT_EQ(1, mp_file_set_add(&set, 2, 7));
	for (i = 1; set.files.nr < MP_FILE_SET_MAX; i++)
		ASSERT_EQ(1, mp_file_set_add(&set, 3, i));
	EXPECT_EQ(-ENOSPC, mp_file_set_add(&set, 4, 1));
	EXPECT_EQ(0, mp_file_set_add(&set, 1, 7));
	EXPECT_EQ(1, set.nr_refused);
	mp_file_set_free(&set);
}

static void count_found(void *context, const struct mp_found *found)
{
	*(unsigned int *)context += found->scan->nr_points;
}

TEST(processes_are_examined_once_a_file)
{
	unsigned int nr = 0, first;
	struct mp_finder finder = { .found = count_found, .context = &nr };

	ASSERT_EQ(0, mp_finder_process(&finder, getpid()));
	/* our own C library */
	EXPECT_LT(0, nr);
	first = nr;
	ASSERT_EQ(0, mp_finder_process(&finder, getpid()));
	EXPECT_EQ(first, nr);
	EXPECT_GT(0, mp_finder_process(&finder, 1 << 29));
	EXPECT_EQ(-ENOENT, mp_finder_file(&finder, "/no/such/file"));
	mp_finder_free(&finder);
}

TEST_HARNESS_MAIN

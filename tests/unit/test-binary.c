// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the search for allocators in real files: the libraries of this machine,
 * and programs that the test compiles.
 */
#include "binary-file.h"
#include "examining.h"
#include "alloc-function.h"
#include "regular-file.h"

#include "kselftest_harness.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

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
	EXPECT_NE(NULL, point(self, "aligned_alloc"));
	/* one function with two names, or since glibc 2.41 at the latest, two */
	EXPECT_EQ(dlsym(RTLD_DEFAULT, "aligned_alloc") !=
		  dlsym(RTLD_DEFAULT, "memalign"),
		  !!point(self, "memalign"));
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

/* A function that a library must have, and how it can be probed. */
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
		SKIP(return, "no mimalloc 2 (libmimalloc2.0 brings it)");
	examine(self, path);
	ASSERT_TRUE(self->examined);
	expect_points(_metadata, self, all);
	EXPECT_EQ(NULL, point(self, "mi_malloc"));
	EXPECT_EQ(NULL, point(self, "mi_free"));
}

TEST_F(binary, mimalloc_3_moves_the_block_in_free_too)
{
	static const struct expected all[] = {
		{ "malloc", MEMPROF_FUNC_MALLOC, MP_TRAP_STEPPED },
		{ "calloc", MEMPROF_FUNC_CALLOC, MP_TRAP_STEPPED },
		{ "realloc", MEMPROF_FUNC_REALLOC, MP_TRAP_STEPPED },
		{ "free", MEMPROF_FUNC_FREE, MP_TRAP_STEPPED },
		{ "posix_memalign", MEMPROF_FUNC_POSIX_MEMALIGN,
		  MP_TRAP_EMULATED },
		{ "aligned_alloc", MEMPROF_FUNC_MEMALIGN, MP_TRAP_EMULATED },
		{ "reallocarray", MEMPROF_FUNC_REALLOCARRAY,
		  MP_TRAP_EMULATED },
		{ "_Znwm", MEMPROF_FUNC_MALLOC, MP_TRAP_STEPPED },
		{ "_ZdlPvm", MEMPROF_FUNC_FREE, MP_TRAP_EMULATED },
		{ 0 },
	};
	char path[256];

	if (!find_library("/usr/lib/*-linux-gnu/libmimalloc.so.3", path,
			  sizeof(path)))
		SKIP(return, "no mimalloc 3 (libmimalloc3 brings it)");
	examine(self, path);
	ASSERT_TRUE(self->examined);
	expect_points(_metadata, self, all);
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

/* Builds a static program "a" without symbols, which refers to a debug file a.debug. */
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
	const struct mp_user_functions callers = { .operator_new = true };

	write_file("a.cc", "int main(int c, char **v) "
		   "{ int *p = new int[c]; *p = c; delete[] p; return 0; }\n");
	if (system("g++ -static -O0 -o a a.cc 2>log"))
		SKIP(return, "no g++, or no static C++ library");
	examine(self, "a");
	ASSERT_TRUE(self->examined);
	EXPECT_NE(NULL, point(self, "malloc"));
	EXPECT_EQ(NULL, point(self, "_Znwm"));
	EXPECT_TRUE(remarks(self, false, "operator new calls malloc"));
	/* unless its callers are wanted; operator delete calls free all the same */
	examine_with(self, "a", &callers);
	ASSERT_TRUE(self->examined);
	EXPECT_NE(NULL, point(self, "malloc"));
	EXPECT_NE(NULL, point(self, "_Znwm"));
	EXPECT_EQ(NULL, point(self, "_ZdlPv"));
}

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

/* A linear congruential generator: each run damages the same bytes. */
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

TEST_HARNESS_MAIN

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions and lines of real programs, made by the compilers here on the spot.
 * Each tells itself where it called: a line for each call of where(), with the
 * offset in its file that the call returns to.
 */
#include "isolate.h"
#include "debug-file.h"
#include "elf-file.h"
#include "kallsyms.h"
#include "known-wrappers.h"
#include "perf-map.h"
#include "symbol-answer.h"
#include "demangle.h"
#include "symbolise.h"
#include "wrappers.h"

#include "kselftest_harness.h"

#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define MAX_SPOTS	16

FIXTURE(symbols)
{
	char dir[32];
	struct mp_symbols symbols;
	struct mp_spot spots[MAX_SPOTS];
	struct mp_binary binary;
	size_t nr;
};

/* Without a name, and hardly to be inlined, where() returns to its caller. */
static const char where_source[] =
	"#include <stdio.h>\n"
	"void where(void)\n"
	"{\n"
	"	unsigned long at = (unsigned long)__builtin_return_address(0);\n"
	"	unsigned long from, to, offset;\n"
	"	FILE *maps = fopen(\"/proc/self/maps\", \"r\");\n"
	"	char line[512];\n"
	"	while (fgets(line, sizeof(line), maps))\n"
	"		if (sscanf(line, \"%lx-%lx %*s %lx\", &from, &to,\n"
	"			   &offset) == 3 && at >= from && at < to)\n"
	"			printf(\"%lx\\n\", at - from + offset);\n"
	"	fclose(maps);\n"
	"	fflush(stdout);\n"
	"}\n";

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	fputs(text, file);
	fclose(file);
}

FIXTURE_SETUP(symbols)
{
	strcpy(self->dir, "/tmp/memprof-symbols-XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	ASSERT_EQ(0, chdir(self->dir));
	setenv("MEMPROF_SYMBOL_CACHE", "off", 1);
	write_file("where.c", where_source);
	ASSERT_EQ(0, system("gcc -O1 -c where.c"));
}

FIXTURE_TEARDOWN(symbols)
{
	char command[64];

	mp_symbols_free(&self->symbols);
	snprintf(command, sizeof(command), "rm -rf %s", self->dir);
	EXPECT_EQ(0, system(command));
}

/* Runs @command, which prints offsets. */
static bool run(FIXTURE_DATA(symbols) *self, const char *command)
{
	FILE *out = popen(command, "r");
	unsigned long offset;

	self->nr = 0;
	while (self->nr < MAX_SPOTS && fscanf(out, "%lx", &offset) == 1)
		self->spots[self->nr++] = (struct mp_spot){ .offset = offset };
	return !pclose(out) && self->nr;
}

/* The build-id that the linker was told, of 4 bytes. */
static void expect_build(FIXTURE_DATA(symbols) *self, uint32_t id)
{
	uint32_t i;

	for (i = 0; i < 4; i++)
		self->binary.build_id[i] = id >> (24 - 8 * i);
	self->binary.build_id_size = 4;
}

static bool symbolise_with(FIXTURE_DATA(symbols) *self,
			   const struct mp_symbolise_options *options,
			   const char *path)
{
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	bool done;

	mp_symbols_free(&self->symbols);
	done = mp_symbolise(options, fd, path ? path : "/gone/a", &self->binary,
			    self->spots, self->nr, &self->symbols);
	if (fd >= 0)
		close(fd);
	return done;
}

static bool symbolise(FIXTURE_DATA(symbols) *self, const char *path)
{
	return symbolise_with(self, NULL, path);
}

/* "function file:line", the file without its folder, or "" behind the last. */
static const char *line(FIXTURE_DATA(symbols) *self, size_t spot, uint32_t i)
{
	static char text[2 * MP_SYMBOL_TEXT_SIZE];
	const struct mp_line *one;
	const char *function, *file, *slash;

	if (i >= self->spots[spot].nr)
		return "";
	one = &self->symbols.lines[self->spots[spot].first + i];
	function = mp_symbols_text(&self->symbols, one->function);
	file = mp_symbols_text(&self->symbols, one->file);
	slash = file ? strrchr(file, '/') : NULL;
	snprintf(text, sizeof(text), "%s %s:%u", function ? function : "?",
		 slash ? slash + 1 : file ? file : "?", one->line);
	return text;
}

static uint64_t distance(FIXTURE_DATA(symbols) *self, size_t spot)
{
	return self->symbols.lines[self->spots[spot].first +
				   self->spots[spot].nr - 1].distance;
}

/* Calls from an inlined function, from two in each other, and from a plain one. */
static const char inlined_source[] =
	"extern \"C\" void where(void);\n"
	"#define END asm volatile(\"\" ::: \"memory\")\n"
	"namespace deep {\n"
	"inline __attribute__((always_inline)) void inl2(int n)\n"
	"{\n"
	"	where(); END;\n"				/* 6 */
	"}\n"
	"inline __attribute__((always_inline)) void inl1(int n)\n"
	"{\n"
	"	END;\n"
	"	inl2(n + 1);\n"					/* 11 */
	"	END;\n"
	"}\n"
	"struct Tree {\n"
	"	template <typename T> __attribute__((noinline)) int add(T n)\n"
	"	{\n"
	"		inl1(n);\n"				/* 17 */
	"		where(); END;\n"			/* 18 */
	"		return 0;\n"
	"	}\n"
	"};\n"
	"}\n"
	"int main(int c, char **v)\n"
	"{\n"
	"	deep::Tree tree;\n"
	"	auto local = [&](int n) __attribute__((noinline)) {\n"
	"		deep::inl2(n); END;\n"			/* 27 */
	"	};\n"
	"	tree.add(c);\n"
	"	local(c);\n"
	"	where(); END;\n"				/* 31 */
	"	return 0;\n"
	"}\n";

static void expect_inlined(struct __test_metadata *_metadata,
			   FIXTURE_DATA(symbols) *self)
{
	ASSERT_EQ(4, self->nr);
	EXPECT_STREQ("deep::inl2(int) a.cc:6", line(self, 0, 0));
	EXPECT_STREQ("deep::inl1(int) a.cc:11", line(self, 0, 1));
	EXPECT_STREQ("int deep::Tree::add<int>(int) a.cc:17", line(self, 0, 2));
	EXPECT_STREQ("", line(self, 0, 3));
	EXPECT_STREQ("int deep::Tree::add<int>(int) a.cc:18", line(self, 1, 0));
	EXPECT_STREQ("", line(self, 1, 1));
	EXPECT_LT(distance(self, 0), distance(self, 1));
	EXPECT_GT(64, distance(self, 1));
	EXPECT_STREQ("deep::inl2(int) a.cc:6", line(self, 2, 0));
	EXPECT_NE(NULL, strstr(line(self, 2, 1), "main::"));
	EXPECT_NE(NULL, strstr(line(self, 2, 1), " a.cc:27"));
	EXPECT_STREQ("main a.cc:31", line(self, 3, 0));
	EXPECT_STREQ("", line(self, 3, 1));
}

/* Return: whether @compiler made "a" from it and that ran. */
static bool build_inlined(FIXTURE_DATA(symbols) *self, const char *compiler)
{
	char command[256];

	write_file("a.cc", inlined_source);
	snprintf(command, sizeof(command),
		 "%s -Wl,--build-id=0x0badcafe -o a a.cc where.o 2>log",
		 compiler);
	return !system(command) && run(self, "./a");
}

TEST_F(symbols, inlined_functions_have_lines_of_their_own)
{
	static const char * const compilers[] = {
		"g++ -O2 -gdwarf-4", "g++ -O2 -gdwarf-5", "g++ -O0 -g",
		"g++ -O2 -g -gz", "g++ -O2 -g -flto", "g++ -O2 -g -no-pie",
		"g++ -O2 -g -fno-omit-frame-pointer -ffunction-sections",
		"clang++ -O2 -gdwarf-4", "clang++ -O2 -gdwarf-5",
		"clang++ -O0 -g",
	};
	size_t i, nr = 0;

	for (i = 0; i < sizeof(compilers) / sizeof(compilers[0]); i++) {
		if (!build_inlined(self, compilers[i]))
			continue;
		nr++;
		TH_LOG("%s", compilers[i]);
		ASSERT_TRUE(symbolise(self, "a"));
		expect_inlined(_metadata, self);
	}
	if (!nr)
		SKIP(return, "no C++ compiler works");
}

TEST_F(symbols, c_functions_have_their_plain_names)
{
	write_file("a.c", "void where(void);\n"
		   "static inline void inner(void)\n"
		   "{ where(); __asm__ volatile(\"\"); }\n"
		   "__attribute__((noinline)) static void outer(int n)\n"
		   "{ if (n) inner(); __asm__ volatile(\"\"); }\n"
		   "void __attribute__((noinline)) __odd(void)\n"
		   "{ where(); __asm__ volatile(\"\"); }\n"
		   "void even(void) __attribute__((alias(\"__odd\")));\n"
		   "int main(int c, char **v) { outer(1); __odd(); return 0; }\n");
	ASSERT_EQ(0, system("gcc -O2 -g -o a a.c where.o"));
	ASSERT_TRUE(run(self, "./a"));
	ASSERT_TRUE(symbolise(self, "a"));
	EXPECT_STREQ("inner a.c:3", line(self, 0, 0));
	/* not outer.constprop.0 */
	EXPECT_STREQ("outer a.c:5", line(self, 0, 1));
	EXPECT_STREQ("even a.c:7", line(self, 1, 0));
}

TEST_F(symbols, split_debug_information_is_found)
{
	static const char * const compilers[] = {
		"g++ -O2 -gdwarf-4 -gsplit-dwarf",
		"g++ -O2 -gdwarf-5 -gsplit-dwarf",
		"clang++ -O2 -gdwarf-5 -gsplit-dwarf",
		"clang++ -O2 -gdwarf-4 -gsplit-dwarf",
	};
	size_t i;

	for (i = 0; i < sizeof(compilers) / sizeof(compilers[0]); i++) {
		if (!build_inlined(self, compilers[i]))
			continue;
		TH_LOG("%s", compilers[i]);
		ASSERT_TRUE(symbolise(self, "a"));
		expect_inlined(_metadata, self);
		/* never opened; and the line table is in the program */
		ASSERT_EQ(0, system("f=`ls *.dwo` && rm $f && mkfifo $f"));
		ASSERT_TRUE(symbolise(self, "a"));
		EXPECT_STREQ("main a.cc:31", line(self, 3, 0));
		ASSERT_EQ(0, system("rm *.dwo"));
		ASSERT_TRUE(symbolise(self, "a"));
		EXPECT_STREQ("main a.cc:31", line(self, 3, 0));
		EXPECT_STREQ("", line(self, 0, 1));
	}
}

TEST_F(symbols, cold_parts_belong_to_their_function)
{
	write_file("a.cc", "extern \"C\" __attribute__((cold)) void where();\n"
		   "volatile int never;\n"
		   "__attribute__((noinline)) int work(int n)\n"
		   "{\n"
		   "	if (__builtin_expect(n > 0, 0)) {\n"
		   "		where();\n"
		   "		__builtin_abort();\n"
		   "	}\n"
		   "	return never;\n"
		   "}\n"
		   "int main(int c, char **v) { return work(c); }\n");
	ASSERT_EQ(0, system("g++ -O2 -g -o a a.cc where.o"));
	run(self, "./a 2>/dev/null");
	ASSERT_EQ(1, self->nr);
	if (system("nm a | grep -q 'work.*cold'"))
		SKIP(return, "g++ splits nothing");
	ASSERT_TRUE(symbolise(self, "a"));
	EXPECT_STREQ("work(int) a.cc:6", line(self, 0, 0));
	EXPECT_GT(64, distance(self, 0));
	ASSERT_EQ(0, system("strip -g a"));
	ASSERT_TRUE(symbolise(self, "a"));
	EXPECT_STREQ("work(int) [clone .cold] ?:0", line(self, 0, 0));
}

static const char rust_source[] =
	"extern \"C\" { fn where_(); }\n"
	"pub mod deep {\n"
	"    pub struct Tree<T> { pub n: T }\n"
	"    #[inline(always)]\n"
	"    fn inl(n: usize) {\n"
	"        unsafe { super::where_() };\n"			/* 6 */
	"        std::hint::black_box(n);\n"
	"    }\n"
	"    impl<T: Copy + Into<usize>> Tree<T> {\n"
	"        #[inline(never)]\n"
	"        pub fn add(&self) {\n"
	"            inl(self.n.into());\n"			/* 12 */
	"            std::hint::black_box(0);\n"
	"        }\n"
	"    }\n"
	"}\n"
	"fn main() {\n"
	"    let tree = deep::Tree { n: 1usize };\n"
	"    tree.add();\n"
	"    std::hint::black_box(0);\n"
	"}\n";

TEST_F(symbols, rust_is_named_in_both_manglings)
{
	static const char * const flags[] = {
		"-g", "-g -O", "-g -O -C symbol-mangling-version=v0",
		"-g -C symbol-mangling-version=v0",
		"-g -O -Z unstable-options -C symbol-mangling-version=legacy",
	};
	char command[256];
	size_t i, nr = 0;

	write_file("a.rs", rust_source);
	/* an identifier of Rust's own, otherwise */
	ASSERT_EQ(0, system("objcopy --redefine-sym where=where_ where.o"));
	setenv("RUSTC_BOOTSTRAP", "1", 1);
	for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		snprintf(command, sizeof(command),
			 "rustc %s -C link-arg=where.o -o a a.rs 2>log",
			 flags[i]);
		if (system(command) || !run(self, "./a"))
			continue;
		nr++;
		TH_LOG("%s", flags[i]);
		ASSERT_TRUE(symbolise(self, "a"));
		EXPECT_STREQ("a::deep::inl a.rs:6", line(self, 0, 0));
		EXPECT_EQ(line(self, 0, 1), strstr(line(self, 0, 1), "<a::") ?:
			  strstr(line(self, 0, 1), "a::deep::Tree<"));
		EXPECT_NE(NULL, strstr(line(self, 0, 1), "::add a.rs:12"));
		EXPECT_STREQ("", line(self, 0, 2));
	}
	if (!nr)
		SKIP(return, "no rustc");
}

TEST_F(symbols, stripped_files_have_no_names)
{
	if (!build_inlined(self, "g++ -O2 -g"))
		SKIP(return, "no g++");
	ASSERT_EQ(0, system("strip a"));
	EXPECT_TRUE(symbolise(self, "a"));
	EXPECT_EQ(0, self->spots[0].nr);
	EXPECT_EQ(0, self->symbols.nr_lines);
}

TEST_F(symbols, symbols_alone_tell_functions)
{
	if (!build_inlined(self, "g++ -O2 -g"))
		SKIP(return, "no g++");
	ASSERT_EQ(0, system("strip -g a"));
	ASSERT_TRUE(symbolise(self, "a"));
	/* [clone .isra.0], for only DWARF knows better */
	EXPECT_EQ(line(self, 0, 0), strstr(line(self, 0, 0),
					   "int deep::Tree::add<int>(int) "));
	EXPECT_NE(NULL, strstr(line(self, 0, 0), " ?:0"));
	EXPECT_STREQ("", line(self, 0, 1));
	EXPECT_LT(0, distance(self, 0));
	EXPECT_EQ(MP_NAMES_NONE, self->symbols.lines[0].file);
}

#define STRIP	"objcopy --only-keep-debug a a.debug && strip a"

TEST_F(symbols, debug_links_are_followed)
{
	if (!build_inlined(self, "g++ -O2 -g"))
		SKIP(return, "no g++");
	ASSERT_EQ(0, system(STRIP " && "
			    "objcopy --add-gnu-debuglink=a.debug a"));
	ASSERT_TRUE(symbolise(self, "a"));
	expect_inlined(_metadata, self);
}

/* An empty /usr/lib/debug of this test's own. Return: whether there is one. */
static bool own_debug_dir(void)
{
	return !unshare(CLONE_NEWNS) &&
	       !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
	       !mount("none", MP_DEBUG_DIR, "tmpfs", 0, NULL);
}

#define INSTALL	"mkdir -p " MP_DEBUG_DIR "/.build-id/0b && cp a.debug " \
		MP_DEBUG_DIR "/.build-id/0b/adcafe.debug"

TEST_F(symbols, debug_files_are_found_by_build_id)
{
	if (!own_debug_dir())
		SKIP(return, "needs root, and " MP_DEBUG_DIR);
	if (!build_inlined(self, "g++ -O2 -g"))
		SKIP(return, "no g++");
	ASSERT_EQ(0, system(STRIP " && " INSTALL));
	ASSERT_TRUE(symbolise(self, "a"));
	expect_inlined(_metadata, self);
}

TEST_F(symbols, debug_files_stand_in_for_files_that_are_gone)
{
	static const char * const compilers[] = {
		"g++ -O2 -g", "g++ -O2 -g -no-pie",
		"g++ -O2 -g -Wl,-z,noseparate-code",
		"g++ -O2 -g -Wl,-z,max-page-size=0x200000",
		"g++ -O2 -g -fuse-ld=gold", "clang++ -O2 -g -fuse-ld=lld",
		"clang++ -O2 -g -fuse-ld=lld -Wl,-z,separate-code",
	};
	size_t i;

	if (!own_debug_dir())
		SKIP(return, "needs root, and " MP_DEBUG_DIR);
	for (i = 0; i < sizeof(compilers) / sizeof(compilers[0]); i++) {
		if (!build_inlined(self, compilers[i]))
			continue;
		TH_LOG("%s", compilers[i]);
		ASSERT_EQ(0, system(STRIP " && " INSTALL));
		expect_build(self, 0x0badcafe);
		ASSERT_TRUE(symbolise(self, NULL));
		expect_inlined(_metadata, self);
		/* another file in its place */
		ASSERT_TRUE(symbolise(self, "/bin/true"));
		expect_inlined(_metadata, self);
	}
}

TEST_F(symbols, replaced_files_give_no_names)
{
	if (!build_inlined(self, "g++ -O2 -g"))
		SKIP(return, "no g++");
	expect_build(self, 0x0badcafe);
	EXPECT_TRUE(symbolise(self, "a"));
	EXPECT_LT(0, self->spots[0].nr);
	expect_build(self, 0x0badcaff);
	EXPECT_FALSE(symbolise(self, "a"));
	EXPECT_EQ(0, self->spots[0].nr);
	EXPECT_FALSE(symbolise(self, NULL));
	EXPECT_EQ(0, self->spots[0].nr);
}

TEST_F(symbols, minidebuginfo_tells_functions)
{
	write_file("a.c", "void where(void);\n"
		   "static __attribute__((noinline)) void hidden(void)\n"
		   "{ where(); __asm__ volatile(\"\"); }\n"
		   "int main(void) { hidden(); return 0; }\n");
	/* as Fedora makes it: symbols that .dynsym lacks, compressed */
	if (system("gcc -O2 -o a a.c where.o && "
		   "objcopy --only-keep-debug a mini && "
		   "strip --strip-debug mini && xz -c mini >mini.xz && "
		   "strip a && "
		   "objcopy --add-section .gnu_debugdata=mini.xz a"))
		SKIP(return, "no xz");
	ASSERT_TRUE(run(self, "./a"));
	ASSERT_TRUE(symbolise(self, "a"));
	EXPECT_STREQ("hidden ?:0", line(self, 0, 0));
}

TEST_F(symbols, dwz_changes_nothing)
{
	if (!build_inlined(self, "g++ -O2 -g"))
		SKIP(return, "no g++");
	if (system("command -v dwz >/dev/null"))
		SKIP(return, "no dwz");
	ASSERT_EQ(0, system("cp a b && cp a c && dwz b && "
			    "dwz -m common.debug a c 2>log"));
	ASSERT_TRUE(symbolise(self, "b"));
	expect_inlined(_metadata, self);
	if (system("readelf -S a | grep -q gnu_debugaltlink"))
		SKIP(return, "dwz finds nothing in common");
	ASSERT_TRUE(symbolise(self, "a"));
	expect_inlined(_metadata, self);
	/* what it refers to is not there, or no file */
	ASSERT_EQ(0, unlink("common.debug"));
	ASSERT_TRUE(symbolise(self, "a"));
	EXPECT_STREQ("main ?:0", line(self, 3, 0));
	ASSERT_EQ(0, mkfifo("common.debug", 0600));
	ASSERT_TRUE(symbolise(self, "a"));
	EXPECT_STREQ("main ?:0", line(self, 3, 0));
}

/* Serves this folder over HTTP, and sets $DEBUGINFOD_URLS. Return: its output. */
static FILE *serve(void)
{
	FILE *out = popen("python3 -c 'import http.server as h\n"
			  "s = h.HTTPServer((\"127.0.0.1\", 0), "
			  "h.SimpleHTTPRequestHandler)\n"
			  "print(s.server_port, flush=True)\n"
			  "s.timeout = 5\n"
			  "s.handle_request()\n' 2>asked", "r");
	char url[64];
	int port;

	if (fscanf(out, "%d", &port) != 1)
		return NULL;
	snprintf(url, sizeof(url), "http://127.0.0.1:%d", port);
	setenv("DEBUGINFOD_URLS", url, 1);
	setenv("DEBUGINFOD_CACHE_PATH", "fetched", 1);
	return out;
}

TEST_F(symbols, debug_servers_are_asked_on_demand_only)
{
	const struct mp_symbolise_options options = { .debuginfod = true };
	FILE *server;

	if (access("/usr/lib/x86_64-linux-gnu/libdebuginfod.so.1", F_OK))
		SKIP(return, "no libdebuginfod");
	if (!build_inlined(self, "g++ -O2 -g"))
		SKIP(return, "no g++");
	server = serve();
	if (!server)
		SKIP(return, "no python3");
	ASSERT_EQ(0, system(STRIP " && mkdir -p buildid/0badcafe && "
			    "mv a.debug buildid/0badcafe/debuginfo"));
	expect_build(self, 0x0badcafe);
	EXPECT_TRUE(symbolise(self, "a"));
	EXPECT_EQ(0, self->spots[0].nr);
	EXPECT_EQ(0, system("test ! -s asked"));
	ASSERT_TRUE(symbolise_with(self, &options, "a"));
	expect_inlined(_metadata, self);
	pclose(server);
	/* the library has it now */
	ASSERT_TRUE(symbolise_with(self, &options, NULL));
	expect_inlined(_metadata, self);
}

TEST_F(symbols, spots_keep_their_order_and_may_be_twice)
{
	struct mp_spot first;

	if (!build_inlined(self, "g++ -O2 -g"))
		SKIP(return, "no g++");
	first = self->spots[0];
	self->spots[0] = self->spots[3];
	self->spots[3] = first;
	self->spots[4] = first;
	self->spots[5] = (struct mp_spot){ .offset = 0 };
	self->spots[6] = (struct mp_spot){ .offset = UINT64_MAX };
	self->nr = 7;
	ASSERT_TRUE(symbolise(self, "a"));
	EXPECT_STREQ("main a.cc:31", line(self, 0, 0));
	EXPECT_STREQ("deep::inl1(int) a.cc:11", line(self, 3, 1));
	EXPECT_STREQ("deep::inl1(int) a.cc:11", line(self, 4, 1));
	EXPECT_EQ(0, self->spots[5].nr);
	EXPECT_EQ(0, self->spots[6].nr);
}

/* The bytes of a file, and a file of some bytes. */
static size_t load(const char *path, char **data)
{
	FILE *file = fopen(path, "r");
	struct stat st;
	size_t size;

	fstat(fileno(file), &st);
	*data = malloc(st.st_size);
	size = fread(*data, 1, st.st_size, file);
	fclose(file);
	return size;
}

static void save(const char *path, const char *data, size_t size)
{
	FILE *file = fopen(path, "w");

	fwrite(data, 1, size, file);
	fclose(file);
}

TEST_F_TIMEOUT(symbols, corrupt_files_end_no_caller, 240)
{
	unsigned int seed = 1;
	char *good, *bad;
	size_t size;
	int i, flip;

	if (!build_inlined(self, "g++ -O2 -g"))
		SKIP(return, "no g++");
	size = load("a", &good);
	bad = malloc(size);
	for (i = 0; i < 200; i++) {
		memcpy(bad, good, size);
		for (flip = 0; i >= 50 && flip < 1 << i % 10; flip++)
			bad[rand_r(&seed) % size] ^= 1 << rand_r(&seed) % 8;
		save("bad", bad, i < 50 ? size * i / 50 : size);
		symbolise(self, "bad");
	}
	free(bad);
	free(good);
}

TEST(answers_from_anyone_are_checked)
{
	struct mp_symbol_answer answer = { 0 }, other;
	struct mp_spot spots[2] = { { 16, 0, 1 }, { 32, 1, 1 } };
	struct mp_line line = { .file = MP_NAMES_NONE };
	unsigned int seed = 1;
	char *data = NULL, *copy;
	size_t size, i;
	FILE *to;

	answer.spots = spots;
	answer.nr = 2;
	line.function = mp_names_add(&answer.symbols.names, "one");
	mp_symbols_add(&answer.symbols, &line);
	line.file = mp_names_add(&answer.symbols.names, "two.c");
	mp_symbols_add(&answer.symbols, &line);
	mp_names_add(&answer.watched, "/three");
	to = open_memstream(&data, &size);
	ASSERT_TRUE(mp_symbol_answer_write(&answer, to));
	fclose(to);
	ASSERT_TRUE(mp_symbol_answer_parse(&other, data, size));
	EXPECT_EQ(2, other.nr);
	EXPECT_STREQ("two.c", mp_symbols_text(&other.symbols,
					      other.symbols.lines[1].file));
	EXPECT_STREQ("/three", other.watched.list[0]);
	mp_symbol_answer_free(&other);
	copy = malloc(size);
	for (i = 0; i < size; i++) {
		memcpy(copy, data, i);
		EXPECT_FALSE(mp_symbol_answer_parse(&other, copy, i));
	}
	for (i = 0; i < 100000; i++) {
		memcpy(copy, data, size);
		copy[rand_r(&seed) % size] = rand_r(&seed);
		copy[rand_r(&seed) % size] ^= 1 << rand_r(&seed) % 8;
		if (mp_symbol_answer_parse(&other, copy, size))
			mp_symbol_answer_free(&other);
	}
	/* names that a terminal would obey */
	copy[size - 3] = '\033';
	EXPECT_FALSE(mp_symbol_answer_parse(&other, copy, size));
	free(copy);
	free(data);
	mp_symbols_free(&answer.symbols);
	mp_names_free(&answer.watched);
}

static bool send_much(void *context, FILE *to)
{
	size_t i, *nr = context;

	for (i = 0; i < *nr; i++)
		fputc('x', to);
	return true;
}

TEST(streams_from_children_are_bounded)
{
	size_t nr = 1 << 20;
	struct mp_isolate_stream stream = {
		.isolate = { .context = &nr, .fd = -1 },
		.send = send_much,
		.max = (1 << 20) + 1,
	};
	struct mp_isolate_answer answer;
	char why[MP_ISOLATE_WHY_SIZE];

	ASSERT_TRUE(mp_isolate_stream(&stream, &answer, why));
	EXPECT_EQ(1 << 20, answer.size);
	free(answer.data);
	stream.max = 1 << 20;
	EXPECT_FALSE(mp_isolate_stream(&stream, &answer, why));
	EXPECT_STREQ("its result is too large", why);
	EXPECT_EQ(NULL, answer.data);
	nr = 0;
	EXPECT_TRUE(mp_isolate_stream(&stream, &answer, why));
	EXPECT_EQ(0, answer.size);
	free(answer.data);
}

/* A cache in the test's own folder. */
static void use_cache(FIXTURE_DATA(symbols) *self)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/cache", self->dir);
	setenv("MEMPROF_SYMBOL_CACHE", path, 1);
}

TEST_F(symbols, second_time_only_the_cache_is_read)
{
	struct stat st;

	if (!build_inlined(self, "g++ -O2 -g"))
		SKIP(return, "no g++");
	use_cache(self);
	expect_build(self, 0x0badcafe);
	ASSERT_TRUE(symbolise(self, "a"));
	ASSERT_EQ(0, stat("cache", &st));
	EXPECT_EQ(0700, st.st_mode & 07777);
	ASSERT_EQ(0, stat("cache/0badcafe", &st));
	EXPECT_EQ(0600, st.st_mode & 07777);
	/* the file is gone */
	ASSERT_TRUE(symbolise(self, NULL));
	expect_inlined(_metadata, self);
	/* and is there, with nothing in it */
	ASSERT_EQ(0, system("cp a b && truncate -s 0 a && "
			    "truncate -r b a"));
	ASSERT_TRUE(symbolise(self, "a"));
	expect_inlined(_metadata, self);
	setenv("MEMPROF_SYMBOL_CACHE", "off", 1);
	EXPECT_FALSE(symbolise(self, "a"));
}

TEST_F(symbols, what_the_cache_lacks_is_added)
{
	size_t nr;

	if (!build_inlined(self, "g++ -O2 -g"))
		SKIP(return, "no g++");
	use_cache(self);
	expect_build(self, 0x0badcafe);
	nr = self->nr;
	self->nr = 2;
	ASSERT_TRUE(symbolise(self, "a"));
	self->nr = nr;
	ASSERT_TRUE(symbolise(self, "a"));
	expect_inlined(_metadata, self);
	ASSERT_TRUE(symbolise(self, NULL));
	expect_inlined(_metadata, self);
}

TEST_F(symbols, files_without_build_id_are_told_apart)
{
	if (!build_inlined(self, "g++ -O2 -g"))
		SKIP(return, "no g++");
	use_cache(self);
	ASSERT_TRUE(symbolise(self, "a"));
	EXPECT_EQ(0, system("test `ls cache/file-* | wc -l` = 1"));
	/* another file at the same path */
	ASSERT_EQ(0, system("rm a && cp where.o a"));
	EXPECT_FALSE(symbolise(self, "a"));
	EXPECT_EQ(0, self->spots[0].nr);
}

TEST_F(symbols, corrupt_cache_files_are_made_again)
{
	unsigned int seed = 1;
	char *good, *bad;
	size_t size;
	int i;

	if (!build_inlined(self, "g++ -O2 -g"))
		SKIP(return, "no g++");
	use_cache(self);
	expect_build(self, 0x0badcafe);
	ASSERT_TRUE(symbolise(self, "a"));
	size = load("cache/0badcafe", &good);
	bad = malloc(size);
	for (i = 0; i < 60; i++) {
		memcpy(bad, good, size);
		bad[rand_r(&seed) % size] ^= 1 << rand_r(&seed) % 8;
		save("cache/0badcafe", bad, i < 20 ? size * i / 20 : size);
		EXPECT_FALSE(symbolise(self, NULL));
	}
	ASSERT_TRUE(symbolise(self, "a"));
	expect_inlined(_metadata, self);
	ASSERT_TRUE(symbolise(self, NULL));
	expect_inlined(_metadata, self);
	free(bad);
	free(good);
}

TEST_F(symbols, caches_that_others_can_write_are_not_used)
{
	if (!build_inlined(self, "g++ -O2 -g"))
		SKIP(return, "no g++");
	use_cache(self);
	expect_build(self, 0x0badcafe);
	ASSERT_EQ(0, mkdir("cache", 0700));
	ASSERT_EQ(0, chmod("cache", 0777));
	ASSERT_TRUE(symbolise(self, "a"));
	EXPECT_FALSE(symbolise(self, NULL));
	ASSERT_EQ(0, chmod("cache", 0700));
	ASSERT_EQ(0, system("mkdir there && mv cache there/cache && "
			    "ln -s there/cache cache"));
	ASSERT_TRUE(symbolise(self, "a"));
	EXPECT_FALSE(symbolise(self, NULL));
	/* a FIFO, and a link, in place of a file */
	ASSERT_EQ(0, system("rm cache && mkdir -m 700 cache && "
			    "mkfifo cache/0badcafe"));
	EXPECT_FALSE(symbolise(self, NULL));
	ASSERT_TRUE(symbolise(self, "a"));
	ASSERT_TRUE(symbolise(self, NULL));
	expect_inlined(_metadata, self);
}

TEST_F(symbols, debug_files_that_come_later_are_not_hidden)
{
	if (!build_inlined(self, "g++ -O2 -g"))
		SKIP(return, "no g++");
	use_cache(self);
	expect_build(self, 0x0badcafe);
	ASSERT_EQ(0, system(STRIP " && mv a.debug later && "
			    "objcopy --add-gnu-debuglink=later a"
			    " && mv later b"));
	ASSERT_TRUE(symbolise(self, "a"));
	EXPECT_EQ(0, self->spots[0].nr);
	ASSERT_TRUE(symbolise(self, NULL));
	ASSERT_EQ(0, system("mkdir .debug && mv b .debug/later"));
	ASSERT_TRUE(symbolise(self, "a"));
	expect_inlined(_metadata, self);
	/* it is gone again, and what it told still right */
	ASSERT_EQ(0, system("rm .debug/later"));
	ASSERT_TRUE(symbolise(self, "a"));
	expect_inlined(_metadata, self);
}

TEST_F(symbols, cache_has_a_bound)
{
	char command[128];
	int i;

	if (!build_inlined(self, "g++ -O2 -g"))
		SKIP(return, "no g++");
	use_cache(self);
	ASSERT_EQ(0, mkdir("cache", 0700));
	for (i = 0; i < 5; i++) {
		snprintf(command, sizeof(command),
			 "truncate -s 60M cache/%016d && "
			 "touch -d 2000-01-0%d cache/%016d", i, i + 1, i);
		ASSERT_EQ(0, system(command));
	}
	ASSERT_EQ(0, system("truncate -s 300M cache/notes && "
			    "touch -d 1990-01-01 cache/notes"));
	expect_build(self, 0x0badcafe);
	ASSERT_TRUE(symbolise(self, "a"));
	/* the oldest only, and only what is the cache's */
	EXPECT_NE(0, access("cache/0000000000000000", F_OK));
	EXPECT_EQ(0, access("cache/0000000000000001", F_OK));
	EXPECT_EQ(0, access("cache/notes", F_OK));
	EXPECT_EQ(0, access("cache/0badcafe", F_OK));
}

TEST_F(symbols, jit_names_come_from_perf_maps)
{
	struct mp_spot spots[] = {
		{ .offset = 0x1010 }, { .offset = 0x7f0000000040 },
		{ .offset = 0x1100 }, { .offset = 0x1101 }, { .offset = 0x500 },
	};
	char path[64];

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	write_file(path, "junk\n\n1000 100 LazyCompile:~old a.js:1\n"
		   "-1 10 minus\nzz 10 no\n2000 0 empty\n"
		   "ffffffffffffffff ffffffffffffffff wraps\n"
		   "7f0000000000 100 py::f\033[2J:/x y.py\n"
		   "1000 100 LazyCompile:*fib a.js:7");
	EXPECT_EQ(0, mp_symbolise_jit(getpid(), spots, 5, &self->symbols));
	/* sorted */
	EXPECT_EQ(0x500, spots[0].offset);
	EXPECT_EQ(0, spots[0].nr);
	ASSERT_EQ(1, spots[1].nr);
	EXPECT_STREQ("LazyCompile:*fib a.js:7",
		     mp_symbols_text(&self->symbols, self->symbols.lines[
				     spots[1].first].function));
	EXPECT_EQ(0x10, self->symbols.lines[spots[1].first].distance);
	/* a call at its very end returns behind it */
	EXPECT_EQ(1, spots[2].nr);
	EXPECT_EQ(0, spots[3].nr);
	ASSERT_EQ(1, spots[4].nr);
	EXPECT_STREQ("py::f\\x1b[2J:/x y.py",
		     mp_symbols_text(&self->symbols, self->symbols.lines[
				     spots[4].first].function));
	ASSERT_EQ(0, unlink(path));
	/* not what anyone else left there */
	ASSERT_EQ(0, symlink("/etc/passwd", path));
	EXPECT_GT(0, mp_symbolise_jit(getpid(), spots, 5, &self->symbols));
	ASSERT_EQ(0, unlink(path));
	ASSERT_EQ(0, mkfifo(path, 0600));
	EXPECT_EQ(-EINVAL,
		  mp_symbolise_jit(getpid(), spots, 5, &self->symbols));
	ASSERT_EQ(0, unlink(path));
	write_file(path, "1000 100 f\n");
	if (!geteuid()) {
		ASSERT_EQ(0, chown(path, 12345, 12345));
		EXPECT_EQ(-EPERM, mp_symbolise_jit(getpid(), spots, 5,
						   &self->symbols));
	}
	ASSERT_EQ(0, unlink(path));
}

/* As the first process of a container, with a /tmp of its own. */
static void contain(int to)
{
	bool done = !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
		    !mount("none", "/tmp", "tmpfs", 0, NULL);

	if (done)
		write_file("/tmp/perf-1.map", "1000 100 inside\n");
	if (write(to, done ? "y" : "n", 1) == 1)
		pause();
}

TEST_F(symbols, jit_names_come_from_containers)
{
	struct mp_spot spot = { .offset = 0x1010 };
	char done = 'n';
	int ends[2];
	pid_t pid;

	ASSERT_EQ(0, pipe(ends));
	pid = (pid_t)syscall(SYS_clone, CLONE_NEWPID | CLONE_NEWNS | SIGCHLD, 0,
			     0, 0, 0);
	if (!pid) {
		contain(ends[1]);
		_exit(1);
	}
	if (pid < 0)
		SKIP(return, "needs root");
	close(ends[1]);
	if (read(ends[0], &done, 1) == 1 && done == 'y') {
		EXPECT_EQ(0, mp_symbolise_jit(pid, &spot, 1, &self->symbols));
		ASSERT_EQ(1, spot.nr);
		EXPECT_STREQ("inside",
			     mp_symbols_text(&self->symbols,
					     self->symbols.lines[0].function));
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	if (done != 'y')
		SKIP(return, "mounting is not allowed");
}

TEST_F(symbols, kernel_addresses_have_names_and_modules)
{
	struct mp_spot spots[] = {
		{ .offset = 0xffffffffc0000010 },
		{ .offset = 0xffffffff81000020 },
		{ .offset = 0x401000 },
	};
	uint64_t text[] = { 0xffffffff81000000, 0xffffffff82000000 };

	write_file("syms", "0000000000000000 A fixed\n"
		   "ffffffff81000000 T _stext\n"
		   "ffffffff81000010 t do_work\n"
		   "ffffffff81000018 d data\n"
		   "ffffffff81000020 T next\n"
		   "ffffffffc0000000 t mod_init\t[memprof]\n");
	ASSERT_EQ(0, mp_symbolise_kernel("syms", NULL, spots, 3, &self->symbols));
	ASSERT_EQ(1, spots[0].nr);
	EXPECT_STREQ("mod_init [memprof]",
		     mp_symbols_text(&self->symbols, self->symbols.lines[
				     spots[0].first].function));
	ASSERT_EQ(1, spots[1].nr);
	/* a call that do_work ends with */
	EXPECT_STREQ("do_work",
		     mp_symbols_text(&self->symbols, self->symbols.lines[
				     spots[1].first].function));
	EXPECT_EQ(0x10, self->symbols.lines[spots[1].first].distance);
	EXPECT_EQ(0, spots[2].nr);
	/* of another boot */
	write_file("syms", "ffffffff81000000 T _text\n"
		   "ffffffff81000010 t do_work\n"
		   "ffffffff82000000 T _etext\n");
	ASSERT_EQ(0, mp_symbolise_kernel("syms", text, spots, 3,
					 &self->symbols));
	EXPECT_EQ(1, spots[1].nr);
	text[0] += 0x200000;
	text[1] += 0x200000;
	ASSERT_EQ(-ESTALE, mp_symbolise_kernel("syms", text, spots, 3,
					       &self->symbols));
	EXPECT_EQ(0, spots[1].nr);
	/* kptr_restrict */
	write_file("syms", "0000000000000000 T _stext\n"
		   "0000000000000000 t do_work\n");
	ASSERT_EQ(0, mp_symbolise_kernel("syms", NULL, spots, 3, &self->symbols));
	EXPECT_EQ(0, spots[0].nr);
	EXPECT_EQ(-ENOENT,
		  mp_symbolise_kernel("none", NULL, spots, 3, &self->symbols));
}

TEST(wrappers_are_known)
{
	static const char * const all[] = {
		"malloc", "calloc", "posix_memalign", "strdup", "xmalloc",
		"xrealloc.cold", "malloc(unsigned long)", "g_malloc0_n",
		"g_strdup_printf", "g_slice_alloc", "zmalloc",
		"ztrymalloc_usable_internal", "zcalloc_num", "PyMem_RawMalloc",
		"_PyMem_DebugRawAlloc", "PyObject_Malloc", "_PyObject_Realloc",
		"sqlite3MallocZero", "sqlite3MemMalloc",
		"sqlite3DbMallocRawNN", "sqlite3Malloc", "__rust_alloc",
		"__rg_alloc", "__rdl_alloc_zeroed", "__rustc::__rust_alloc",
		"operator new(unsigned long)",
		"operator new[](unsigned long, std::nothrow_t const&)",
		"std::vector<int, std::allocator<int> >::push_back(int const&)",
		"void std::vector<a::B>::_M_realloc_insert<a::B>(int)",
		"std::__cxx11::basic_string<char>::_M_create(unsigned long&, "
		"unsigned long)",
		"__gnu_cxx::new_allocator<int>::allocate(unsigned long)",
		"alloc::raw_vec::RawVec<T,A>::grow_one",
		"alloc::vec::Vec<T,A>::push", "core::ops::function::FnOnce::call",
		"<alloc::vec::Vec<T> as core::clone::Clone>::clone",
		"<T as alloc::string::ToString>::to_string",
		"<a::B as alloc::string::ToString>::to_string",
		"<str as alloc::borrow::ToOwned>::to_owned",
		"<[u8]>::to_vec", "<&T as core::fmt::Debug>::fmt",
		"<alloc::vec::Vec<u8>>::push",
		"hashbrown::raw::RawTable<T,A>::reserve_rehash",
		"std::collections::hash::map::HashMap<K,V,S>::insert",
	};
	static const char * const none[] = {
		"main", "mallocate", "my_malloc", "xmallocate", "g_hash_insert",
		"PyObject_Call", "operator newish", "zap", "strdupe",
		"stdlib::make()", "std_make(int)", "Core::run()",
		"core::run(int)", "alloc::Pool::get(unsigned long)",
		"std::vector<int> a::make<int>(int)",
		"a::std::f(int)", "a::B::operator()(std::string const&)",
		"int a::f(std::vector<int>&)", "a::alloc::f",
		"<a::B as core::fmt::Display>::fmt",
		"<a::B as core::iter::traits::iterator::Iterator>::next",
		"<a::B>::new", "<T as a::Make>::make", "", "<", "(", "operator",
		"void (anonymous namespace)::f<std::string>(int)",
	};
	struct mp_wrappers wrappers = { 0 };
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		EXPECT_TRUE(mp_wrappers_match(&wrappers, all[i])) {
			TH_LOG("%s", all[i]);
		}
	}
	for (i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		EXPECT_FALSE(mp_wrappers_match(&wrappers, none[i])) {
			TH_LOG("%s", none[i]);
		}
	}
}

/* Return: names of @command's that were judged another way when demangled. */
static int count_misjudged(struct __test_metadata *_metadata,
			   const char *command, int *nr)
{
	char name[4096], text[MP_SYMBOL_TEXT_SIZE];
	FILE *names = popen(command, "r");
	enum mp_verdict verdict;
	int nr_wrong = 0;

	while (fscanf(names, "%4095s", name) == 1) {
		verdict = mp_known_wrapper_symbol(name);
		mp_demangle(text, sizeof(text), name);
		++*nr;
		/* what cannot be demangled is not known */
		if (verdict == MP_VERDICT_OPEN || !strcmp(text, name) ||
		    strlen(text) > MP_SYMBOL_TEXT_SIZE - 8 ||
		    mp_known_wrapper(text) == (verdict == MP_VERDICT_YES))
			continue;
		nr_wrong++;
		TH_LOG("%s %s", name, text);
	}
	pclose(names);
	return nr_wrong;
}

TEST_F(symbols, wrappers_are_known_before_they_are_demangled)
{
	int nr = 0;

	EXPECT_EQ(0, count_misjudged(_metadata, "nm -D --defined-only "
		"/usr/lib/x86_64-linux-gnu/libstdc++.so.6 2>log | "
		"awk '$2 ~ /[TtWw]/ { sub(\"@.*\", \"\", $3); print $3 }'",
		&nr));
	write_file("a.rs", "fn main() { println!(\"{:?}\", "
		   "std::env::args().collect::<Vec<_>>()); }\n");
	if (!system("rustc -o a a.rs 2>log"))
		EXPECT_EQ(0, count_misjudged(_metadata,
			"nm a | awk '$2 ~ /[TtWw]/ { print $3 }'", &nr));
	if (!nr)
		SKIP(return, "no libstdc++ and no rustc");
	EXPECT_LT(100, nr);
}

TEST(users_add_wrappers)
{
	struct mp_wrappers wrappers = { 0 };
	char why[MP_WRAPPERS_WHY_SIZE] = "";

	ASSERT_TRUE(mp_wrappers_add(&wrappers, "^(my|your)_alloc", why));
	ASSERT_TRUE(mp_wrappers_add(&wrappers, "Pool::get", why));
	EXPECT_TRUE(mp_wrappers_match(&wrappers, "your_alloc_big"));
	EXPECT_TRUE(mp_wrappers_match(&wrappers, "a::Pool::get(int)"));
	EXPECT_TRUE(mp_wrappers_match(&wrappers, "malloc"));
	EXPECT_FALSE(mp_wrappers_match(&wrappers, "a::Pool::put(int)"));
	EXPECT_FALSE(mp_wrappers_add(&wrappers, "my_(alloc", why));
	EXPECT_NE('\0', why[0]);
	EXPECT_EQ(2, wrappers.nr);
	mp_wrappers_free(&wrappers);
}

TEST(allocators_are_whole_files)
{
	EXPECT_TRUE(mp_wrappers_match_file("/lib/x86_64-linux-gnu/libc.so.6"));
	EXPECT_TRUE(mp_wrappers_match_file("/lib/libc-2.31.so"));
	EXPECT_TRUE(mp_wrappers_match_file("ld-linux-x86-64.so.2"));
	EXPECT_TRUE(mp_wrappers_match_file("/lib/ld-musl-x86_64.so.1"));
	EXPECT_TRUE(mp_wrappers_match_file("/usr/lib/libstdc++.so.6.0.30"));
	EXPECT_TRUE(mp_wrappers_match_file("/usr/lib/libjemalloc.so.2"));
	EXPECT_TRUE(mp_wrappers_match_file("libtcmalloc_minimal.so.4"));
	EXPECT_FALSE(mp_wrappers_match_file("/usr/lib/libcrypto.so.3"));
	EXPECT_FALSE(mp_wrappers_match_file("/libc.so.6/redis-server"));
	EXPECT_FALSE(mp_wrappers_match_file("/usr/lib/libcurl.so.4"));
}

TEST_F(symbols, wrappers_have_ranges)
{
	struct mp_wrappers wrappers = { 0 };
	struct mp_wrapper_range *ranges;
	char why[MP_WRAPPERS_WHY_SIZE];
	size_t nr;
	int fd;

	write_file("a.cc", "#include <vector>\n"
		   "extern \"C\" void where(void);\n"
		   "#define END asm volatile(\"\" ::: \"memory\")\n"
		   "extern \"C\" __attribute__((noinline)) void xmalloc()\n"
		   "{ where(); END; }\n"
		   "namespace std { __attribute__((noinline)) void made()\n"
		   "{ where(); END; } }\n"
		   "namespace pool { __attribute__((noinline)) void get()\n"
		   "{ where(); END; } }\n"
		   "int main() { xmalloc(); std::made(); pool::get();\n"
		   "where(); END; }\n");
	ASSERT_EQ(0, system("g++ -O2 -Wl,--build-id=0x0badcafe -o a a.cc "
			    "where.o"));
	ASSERT_TRUE(run(self, "./a"));
	expect_build(self, 0x0badcafe);
	fd = open("a", O_RDONLY | O_CLOEXEC);
	ASSERT_TRUE(mp_wrappers_ranges_isolated(fd, "a", &self->binary, &wrappers,
					     &ranges, &nr));
	EXPECT_TRUE(mp_ranges_have(ranges, nr, self->spots[0].offset - 1));
	EXPECT_TRUE(mp_ranges_have(ranges, nr, self->spots[1].offset - 1));
	EXPECT_FALSE(mp_ranges_have(ranges, nr, self->spots[2].offset - 1));
	EXPECT_FALSE(mp_ranges_have(ranges, nr, self->spots[3].offset - 1));
	free(ranges);
	ASSERT_TRUE(mp_wrappers_add(&wrappers, "^pool::", why));
	ASSERT_TRUE(mp_wrappers_ranges_isolated(fd, "a", &self->binary, &wrappers,
					     &ranges, &nr));
	EXPECT_TRUE(mp_ranges_have(ranges, nr, self->spots[1].offset - 1));
	EXPECT_TRUE(mp_ranges_have(ranges, nr, self->spots[2].offset - 1));
	EXPECT_FALSE(mp_ranges_have(ranges, nr, self->spots[3].offset - 1));
	free(ranges);
	mp_wrappers_free(&wrappers);
	ASSERT_TRUE(mp_wrappers_ranges_isolated(fd, "/x/libc.so.6", &self->binary,
					     &wrappers, &ranges, &nr));
	EXPECT_TRUE(mp_ranges_have(ranges, nr, self->spots[3].offset));
	free(ranges);
	expect_build(self, 1);
	EXPECT_FALSE(mp_wrappers_ranges_isolated(fd, "a", &self->binary, &wrappers,
					      &ranges, &nr));
	EXPECT_EQ(NULL, ranges);
	close(fd);
}

TEST_HARNESS_MAIN

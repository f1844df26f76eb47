// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of symbols: functions and lines of programs that the test compiles.
 */
#include "isolate.h"
#include "debug-file.h"
#include "kallsyms.h"
#include "kernel-names.h"
#include "symbol-answer.h"
#include "symbolising.h"

#include "kselftest_harness.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <sys/mount.h>
#include <sys/stat.h>

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

TEST_F(symbols, debug_links_are_followed)
{
	if (!build_inlined(self, "g++ -O2 -g"))
		SKIP(return, "no g++");
	ASSERT_EQ(0, system(STRIP " && "
			    "objcopy --add-gnu-debuglink=a.debug a"));
	ASSERT_TRUE(symbolise(self, "a"));
	expect_inlined(_metadata, self);
}

/* Mounts an empty /usr/lib/debug for this test only. Returns false if that fails. */
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

/* Serves this folder by HTTP and sets $DEBUGINFOD_URLS. Returns the server's output. */
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

/* The address of a function of the running kernel; 0: the kernel hides it. */
static uint64_t kernel_address(const char *name)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	char line[512], found[128];
	uint64_t address = 0, at;

	while (file && !address && fgets(line, sizeof(line), file))
		if (sscanf(line, "%" SCNx64 " %*c %127s", &at, found) == 2 &&
		    !strcmp(found, name))
			address = at;
	if (file)
		fclose(file);
	return address;
}

/* The second time comes from memory, and is the same; with a new address, too. */
TEST_F(symbols, names_of_the_kernel_are_kept)
{
	const uint64_t address = kernel_address("schedule");
	struct mp_spot spots[3] = { 0 };
	int i;

	if (!address)
		SKIP(return, "the kernel hides its addresses");
	for (i = 0; i < 4; i++) {
		/* an address that is the kernel's, and in no function */
		spots[0].offset = 0xffff800000000000;
		spots[1].offset = 0x401000;
		spots[2].offset = address + 4 + (uint64_t)i / 2;
		ASSERT_EQ(0, mp_kernel_names_find(NULL, spots, 3, &self->symbols));
		EXPECT_EQ(0, spots[0].nr);
		EXPECT_EQ(0, spots[1].nr);
		ASSERT_EQ(1, spots[2].nr);
		EXPECT_STREQ("schedule",
			     mp_symbols_text(&self->symbols, self->symbols.lines[
					     spots[2].first].function));
		EXPECT_EQ(4 + (uint64_t)i / 2, self->symbols.lines[spots[2].first].distance);
	}
}

#define A_MINUTE	60000000000LL

/* Adds a compressed section that libdw reads; it is 1000 times larger than its data. */
#define BOMB(megabytes)							\
	"head -c " megabytes "M /dev/zero >zeros && "			\
	"objcopy --add-section .debug_macinfo=zeros a && rm zeros && "	\
	"objcopy --set-section-flags "					\
	".debug_macinfo=debug,readonly,contents "			\
	"--compress-debug-sections=zlib a"

/* Returns the peak memory of a search in "a", in KB. The caller has no other children. */
static long search_size_kb(FIXTURE_DATA(symbols) *self)
{
	struct rusage usage;
	int status;
	pid_t pid = fork();

	if (!pid) {
		symbolise(self, "a");
		getrusage(RUSAGE_CHILDREN, &usage);
		/* in megabytes, up to 254 */
		_exit(usage.ru_maxrss >> 10 < 254 ? (int)(usage.ru_maxrss >> 10) :
						    254);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status) * 1024L;
}

TEST_F(symbols, sections_that_become_too_large_are_not_decompressed)
{
	struct mp_symbolise_budget budget = { .left_ns = A_MINUTE };
	const struct mp_symbolise_options options = { .budget = &budget };

	if (!build_inlined(self, "g++ -O2 -g"))
		SKIP(return, "no g++");
	ASSERT_EQ(0, system(BOMB("250")));
	EXPECT_GT(150 << 10, search_size_kb(self));
	EXPECT_TRUE(symbolise_with(self, &options, "a"));
	EXPECT_EQ(1, budget.nr_packed);
	EXPECT_GT(A_MINUTE, budget.left_ns);
	/* symbols are there nevertheless */
	EXPECT_STREQ("main ?:0", line(self, 3, 0));
	/* so are they of a stripped file, whose debug file is of that kind */
	ASSERT_EQ(0, system("cp a a.debug && strip --strip-debug a && "
			    "objcopy --add-gnu-debuglink=a.debug a"));
	EXPECT_GT(150 << 10, search_size_kb(self));
	EXPECT_TRUE(symbolise_with(self, &options, "a"));
	EXPECT_EQ(2, budget.nr_packed);
	EXPECT_STREQ("main ?:0", line(self, 3, 0));
}

TEST_F(symbols, sections_that_become_a_little_larger_are_read)
{
	struct mp_symbolise_budget budget = { .left_ns = A_MINUTE };
	const struct mp_symbolise_options options = { .budget = &budget };

	if (!build_inlined(self, "g++ -O2 -g"))
		SKIP(return, "no g++");
	ASSERT_EQ(0, system(BOMB("40")));
	EXPECT_TRUE(symbolise_with(self, &options, "a"));
	EXPECT_EQ(0, budget.nr_packed);
	expect_inlined(_metadata, self);
}

TEST_F(symbols, without_time_nothing_is_searched)
{
	struct mp_symbolise_budget budget = { 0 };
	const struct mp_symbolise_options options = { .budget = &budget };

	if (!build_inlined(self, "g++ -O2 -g"))
		SKIP(return, "no g++");
	EXPECT_FALSE(symbolise_with(self, &options, "a"));
	EXPECT_EQ(1, budget.nr_late);
	EXPECT_EQ(0, self->spots[0].nr);
	/* nor is a failure of another kind counted */
	budget.left_ns = A_MINUTE;
	expect_build(self, 0x12345678);
	EXPECT_FALSE(symbolise_with(self, &options, "a"));
	EXPECT_EQ(0, budget.nr_failed);
	EXPECT_EQ(1, budget.nr_late);
}

TEST_HARNESS_MAIN

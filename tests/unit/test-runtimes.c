// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of runtimes: what is said of callsites that name no function of a program.
 */
#include "runtimes.h"
#include "interpreted.h"
#include "sites.h"

#include "kselftest_harness.h"

#include <stdlib.h>
#include <string.h>

FIXTURE(runtimes) {
	struct mp_profile profile;
	struct mp_obscurity found;
};

FIXTURE_SETUP(runtimes)
{
	memset(&self->profile, 0, sizeof(self->profile));
}

FIXTURE_TEARDOWN(runtimes)
{
	mp_profile_free(&self->profile);
}

/* Adds a callsite. @path: NULL: code in no file. @function: NULL if it has no name. */
static void add(struct mp_profile *profile, const char *path, const char *function,
		uint64_t live)
{
	struct mp_binary binary = { .inode = profile->nr_binaries + 1 };
	struct mp_row row = { .kind = MP_ROW_SITE, .pid = 10 };
	struct mp_line line = { .file = MP_NAMES_NONE };
	uint64_t frame = MP_FRAMES_FIRST;
	uint32_t number, stack;

	snprintf(binary.path, sizeof(binary.path), "%s", path ?: "");
	row.value[MP_INUSE_SPACE] = live;
	if (path && mp_sites_binary(profile, &binary, &row.location.binary))
		abort();
	number = mp_frames_append(&profile->frames, row.location.binary, 0, live);
	if (function) {
		profile->frames.list[number].first = (uint32_t)profile->symbols.nr_lines;
		profile->frames.list[number].nr = 1;
		line.function = mp_names_add(&profile->symbols.names, function);
		if (mp_symbols_add(&profile->symbols, &line))
			abort();
	}
	frame += number;
	stack = mp_stacks_add(&profile->frames.stacks, &frame, 1);
	row.location.stack = stack + 1;
	if (mp_profile_add(profile, &row))
		abort();
}

TEST_F(runtimes, functions_of_a_program_need_no_word)
{
	EXPECT_FALSE(mp_runtimes_obscure(&self->profile, MP_INUSE_SPACE, &self->found));
	add(&self->profile, "/usr/bin/app", "main", 100);
	add(&self->profile, "/usr/bin/node", "v8::f()", 40);
	EXPECT_FALSE(mp_runtimes_obscure(&self->profile, MP_INUSE_SPACE, &self->found));
}

TEST_F(runtimes, the_largest_one_is_named)
{
	add(&self->profile, "/usr/bin/app", "main", 30);
	add(&self->profile, "/usr/lib/jvm/lib/server/libjvm.so", "os::malloc", 60);
	add(&self->profile, "/usr/bin/node", "v8::f()", 40);
	add(&self->profile, "/usr/bin/node", "v8::g()", 30);
	ASSERT_TRUE(mp_runtimes_obscure(&self->profile, MP_INUSE_SPACE, &self->found));
	EXPECT_STREQ("node", self->found.runtime);
	EXPECT_NE(NULL, strstr(self->found.remedy, "--perf-basic-prof"));
	EXPECT_EQ(43, (int)self->found.percent);
	EXPECT_EQ(NULL, self->found.binary);
}

/* Each runtime by its file, with what makes its functions callsites. */
TEST(each_runtime_has_a_remedy)
{
	static const struct {
		const char *file, *name, *remedy;
	} all[] = {
		{ "/usr/bin/node", "node", "--interpreted-frames-native-stack" },
		{ "/usr/lib/x86_64-linux-gnu/libnode.so.108", "node", "--perf-basic-prof" },
		{ "/usr/bin/python3.12", "Python", "-X perf" },
		{ "/usr/lib/libpython3.11.so.1.0", "Python", "--inject" },
		{ "/opt/jdk/lib/server/libjvm.so", "Java", "Compiler.perfmap" },
		{ "/usr/share/dotnet/shared/libcoreclr.so", ".NET", "DOTNET_PerfMapEnabled=1" },
		{ "/usr/sbin/php-fpm8.2", "PHP", "opcache.jit_debug=16" },
		{ "/usr/lib/apache2/modules/libphp8.2.so", "PHP", "opcache.jit_debug=16" },
		{ "/usr/bin/ruby3.1", "Ruby", "--yjit-perf" },
		{ "/usr/lib/libruby-3.1.so.3.1", "Ruby", "--yjit-perf" },
	};
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(*all); i++) {
		struct mp_profile profile = { 0 };
		struct mp_obscurity found;

		add(&profile, all[i].file, "its_malloc", 100);
		ASSERT_TRUE(mp_runtimes_obscure(&profile, MP_INUSE_SPACE, &found)) {
			TH_LOG("%s", all[i].file);
		}
		EXPECT_STREQ(all[i].name, found.runtime);
		EXPECT_NE(NULL, strstr(found.remedy, all[i].remedy));
		mp_profile_free(&profile);
	}
}

/* Data that a function of node allocates for others is told by what it is. */
TEST_F(runtimes, buffers_are_told)
{
	add(&self->profile, "/usr/bin/node", "v8::f()", 40);
	add(&self->profile, "/usr/bin/node", "node::NodeArrayBufferAllocator::Allocate(...)", 30);
	ASSERT_TRUE(mp_runtimes_obscure(&self->profile, MP_INUSE_SPACE, &self->found));
	EXPECT_EQ(NULL, self->found.data);
	add(&self->profile, "/usr/bin/node", "node::NodeArrayBufferAllocator::Reallocate(...)", 30);
	ASSERT_TRUE(mp_runtimes_obscure(&self->profile, MP_INUSE_SPACE, &self->found));
	EXPECT_NE(NULL, strstr(self->found.data, "Buffers: memprofctl help node | sh -s PID "));
	/* another runtime has none */
	add(&self->profile, "/usr/lib/jvm/lib/server/libjvm.so", "os::malloc", 200);
	ASSERT_TRUE(mp_runtimes_obscure(&self->profile, MP_INUSE_SPACE, &self->found));
	EXPECT_EQ(NULL, self->found.data);
	EXPECT_EQ(self->found.heap, strstr(self->found.heap, "memprofctl help java | sh -s PID shows "));
}

/* A program that ends at once has touched little beside what the library did. */
TEST_F(runtimes, the_librarys_own_functions_need_no_names)
{
	add(&self->profile, "/usr/lib/libmemprof.so", NULL, 90);
	EXPECT_FALSE(mp_runtimes_obscure(&self->profile, MP_INUSE_SPACE, &self->found));
	add(&self->profile, "/usr/bin/stripped", NULL, 90);
	EXPECT_TRUE(mp_runtimes_obscure(&self->profile, MP_INUSE_SPACE, &self->found));
}

/* Its options were given: its own heap is what is left. */
TEST_F(runtimes, what_was_done_is_not_advised)
{
	add(&self->profile, "/usr/bin/node", "v8::f()", 90);
	ASSERT_TRUE(mp_runtimes_obscure(&self->profile, MP_INUSE_SPACE, &self->found));
	EXPECT_NE(NULL, self->found.remedy);
	add(&self->profile, NULL, "JS:work", 10);
	ASSERT_TRUE(mp_runtimes_obscure(&self->profile, MP_INUSE_SPACE, &self->found));
	EXPECT_EQ(NULL, self->found.remedy);
	EXPECT_EQ(self->found.heap, strstr(self->found.heap, "memprofctl help node | sh -s PID shows "));
}

/* Functions of a program stand at addresses of an interpreter, or in files of their own. */
TEST_F(runtimes, functions_that_it_runs_are_no_functions_of_it)
{
	add(&self->profile, "py::work:/srv/app.py", "py::work", 60);
	add(&self->profile, "/usr/bin/node", "JS:work", 60);
	add(&self->profile, "/usr/lib/libjvm.so", "java::a.B.work()", 60);
	add(&self->profile, "/usr/bin/python3.11", "PyObject_Call", 80);
	EXPECT_FALSE(mp_runtimes_obscure(&self->profile, MP_INUSE_SPACE, &self->found));
	add(&self->profile, "/usr/lib/libpython3.11.so.1.0", NULL, 80);
	ASSERT_TRUE(mp_runtimes_obscure(&self->profile, MP_INUSE_SPACE, &self->found));
	EXPECT_STREQ("Python", self->found.runtime);
	/* samples would not help: these are samples */
	self->profile.meta.alloc.rate = 65536;
	EXPECT_FALSE(mp_runtimes_obscure(&self->profile, MP_INUSE_SPACE, &self->found));
	self->profile.meta.alloc.rate = 0;
	ASSERT_TRUE(mp_runtimes_obscure(&self->profile, MP_INUSE_SPACE, &self->found));
}

TEST_F(runtimes, go_is_known_by_its_functions)
{
	add(&self->profile, "/srv/server", "runtime.sysMapOS", 60);
	ASSERT_TRUE(mp_runtimes_obscure(&self->profile, MP_INUSE_SPACE, &self->found));
	EXPECT_STREQ("Go", self->found.runtime);
	EXPECT_EQ(NULL, self->found.remedy);
	EXPECT_NE(NULL, strstr(self->found.heap, "/debug/pprof/heap"));
}

/* A function in no file is one that a runtime has compiled. */
TEST_F(runtimes, compiled_code_is_the_runtimes)
{
	add(&self->profile, "/usr/bin/app", "main", 50);
	add(&self->profile, "/usr/bin/node", "v8::f()", 20);
	add(&self->profile, NULL, NULL, 30);
	ASSERT_TRUE(mp_runtimes_obscure(&self->profile, MP_INUSE_SPACE, &self->found));
	EXPECT_STREQ("node", self->found.runtime);
	EXPECT_EQ(50, (int)self->found.percent);
}

TEST_F(runtimes, compiled_code_of_nobody_is_told)
{
	add(&self->profile, NULL, NULL, 30);
	ASSERT_TRUE(mp_runtimes_obscure(&self->profile, MP_INUSE_SPACE, &self->found));
	EXPECT_STREQ("code that is in no file", self->found.runtime);
	EXPECT_EQ(NULL, self->found.heap);
}

TEST_F(runtimes, files_without_symbols_are_named)
{
	add(&self->profile, "/usr/bin/app", "main", 50);
	add(&self->profile, "/usr/lib/stripped.so", NULL, 50);
	ASSERT_TRUE(mp_runtimes_obscure(&self->profile, MP_INUSE_SPACE, &self->found));
	EXPECT_EQ(NULL, self->found.runtime);
	EXPECT_STREQ("/usr/lib/stripped.so", self->found.binary->path);
	EXPECT_EQ(50, (int)self->found.percent);
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of known-wrappers: which functions are wrappers of an allocator, by their names
 * and in real files.
 */
#include "known-wrappers.h"
#include "demangle.h"
#include "symbolising.h"
#include "wrappers.h"

#include "kselftest_harness.h"

#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>

TEST(wrappers_are_known)
{
	static const char * const all[] = {
		"malloc", "calloc", "posix_memalign", "strdup", "xmalloc",
		"xrealloc.cold", "malloc(unsigned long)", "g_malloc0_n",
		"g_strdup_printf", "g_slice_alloc", "zmalloc",
		"ztrymalloc_usable_internal", "zcalloc_num", "PyMem_RawMalloc",
		"_PyMem_DebugRawAlloc", "PyObject_Malloc", "_PyObject_Realloc",
		"sqlite3MallocZero", "sqlite3MemMalloc", "free", "_int_free_chunk",
		"__GI___sbrk", "__glibc_morecore", "munmap_chunk", "bzero",
		"__strcpy_avx2", "__memcmp_evex_movbe", "copyObjectImpl", "lappend",
		"list_copy_deep", "bms_add_member", "cstring_to_text_with_len",
		"sqlite3DbMallocRawNN", "sqlite3Malloc", "__rust_alloc",
		"__rg_alloc", "__rdl_alloc_zeroed", "__rustc::__rust_alloc",
		"operator new(unsigned long)",
		"operator new[](unsigned long, std::nothrow_t const&)",
		"std::vector<int, std::allocator<int> >::push_back(int const&)",
		"void std::vector<a::B>::_M_realloc_insert<a::B>(int)",
		"std::__cxx11::basic_string<char>::_M_create(unsigned long&, "
		"unsigned long)",
		"__gnu_cxx::new_allocator<int>::allocate(unsigned long)",
		"void std::_Rb_tree<std::pair<a const, b>, std::less<a>, std::all",
		"alloc::raw_vec::RawVec<T,A>::grow_one",
		"alloc::vec::Vec<T,A>::push", "core::ops::function::FnOnce::call",
		"<alloc::vec::Vec<T> as core::clone::Clone>::clone",
		"<T as alloc::string::ToString>::to_string",
		"<a::B as alloc::string::ToString>::to_string",
		"<str as alloc::borrow::ToOwned>::to_owned",
		"<a::B as core::clone::Clone>::clone",
		"<u8 as <[_]>::to_vec_in::ConvertVec>::to_vec::<alloc::alloc::Global>",
		"<[u8]>::to_vec", "<&T as core::fmt::Debug>::fmt",
		"<alloc::vec::Vec<u8>>::push",
		"hashbrown::raw::RawTable<T,A>::reserve_rehash",
		"std::collections::hash::map::HashMap<K,V,S>::insert",
		"Req::Req(Req const&)", "a::B::B(a::B&&)", "A::operator=(A const&)",
		"a::B<int, c::D>::B(a::B<int, c::D> const&)",
		"A<void (*)(int)>::operator=(A<void (*)(int)>&&)",
	};
	static const char * const none[] = {
		"main", "mallocate", "my_malloc", "xmallocate", "g_hash_insert",
		"PyObject_Call", "operator newish", "zap", "strdupe",
		"freestyle", "free_list", "strcpy_all", "strbuf_grow",
		"stdlib::make()", "std_make(int)", "Core::run()",
		"core::run(int)", "alloc::Pool::get(unsigned long)",
		"std::vector<int> a::make<int>(int)",
		"a::std::f(int)", "a::B::operator()(std::string const&)",
		"int a::f(std::vector<int>&)", "a::alloc::f",
		"<a::B as core::fmt::Display>::fmt",
		"<a::B as core::iter::traits::iterator::Iterator>::next",
		"A::A(B const&)", "A::B(A const&)", "A::A(int)", "A::A()", "A::A(A&)",
		"A(A const&)", "A::copy(A const&)", "A const&)", "(&&)", "::( const&)",
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

/* Returns how many names of @command's output get another result when demangled. */
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
	EXPECT_TRUE(mp_wrappers_match_file("/usr/lib/libmemprof.so.0"));
	EXPECT_TRUE(mp_wrappers_match_file("/memfd:libmemprof.so (deleted)"));
	EXPECT_FALSE(mp_wrappers_match_file("/usr/lib/libmemprof-sections.so.0"));
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
	EXPECT_EQ(MP_CODE_WRAPPER, mp_ranges_kind(ranges, nr, self->spots[0].offset - 1));
	EXPECT_EQ(MP_CODE_WRAPPER, mp_ranges_kind(ranges, nr, self->spots[1].offset - 1));
	EXPECT_EQ(MP_CODE_FUNCTION, mp_ranges_kind(ranges, nr, self->spots[2].offset - 1));
	EXPECT_EQ(MP_CODE_FUNCTION, mp_ranges_kind(ranges, nr, self->spots[3].offset - 1));
	free(ranges);
	ASSERT_TRUE(mp_wrappers_add(&wrappers, "^pool::", why));
	ASSERT_TRUE(mp_wrappers_ranges_isolated(fd, "a", &self->binary, &wrappers,
					     &ranges, &nr));
	EXPECT_EQ(MP_CODE_WRAPPER, mp_ranges_kind(ranges, nr, self->spots[1].offset - 1));
	EXPECT_EQ(MP_CODE_WRAPPER, mp_ranges_kind(ranges, nr, self->spots[2].offset - 1));
	EXPECT_EQ(MP_CODE_FUNCTION, mp_ranges_kind(ranges, nr, self->spots[3].offset - 1));
	free(ranges);
	mp_wrappers_free(&wrappers);
	ASSERT_TRUE(mp_wrappers_ranges_isolated(fd, "/x/libc.so.6", &self->binary,
					     &wrappers, &ranges, &nr));
	EXPECT_EQ(MP_CODE_WRAPPER, mp_ranges_kind(ranges, nr, self->spots[3].offset));
	free(ranges);
	/* without its symbols, only what is exported has a name */
	ASSERT_EQ(0, system("g++ -O2 -rdynamic -Wl,--build-id=0x0badcafe -o b a.cc where.o && "
			    "objcopy --keep-global-symbol=_Z7xmallocv b && strip b"));
	ASSERT_EQ(fd, dup3(open("b", O_RDONLY | O_CLOEXEC), fd, O_CLOEXEC));
	ASSERT_TRUE(mp_wrappers_ranges_isolated(fd, "b", &self->binary, &wrappers,
						&ranges, &nr));
	EXPECT_EQ(MP_CODE_NAMELESS, mp_ranges_kind(ranges, nr, 1));
	free(ranges);
	expect_build(self, 1);
	EXPECT_FALSE(mp_wrappers_ranges_isolated(fd, "a", &self->binary, &wrappers,
					      &ranges, &nr));
	EXPECT_EQ(NULL, ranges);
	close(fd);
}

TEST_HARNESS_MAIN

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# On the host: programs that name sections, linked in every way; who follows them
# needs no module.
. "$(dirname "$0")/lib.sh"
lib=$build/user/libsections both=$build/user/libmemprof
expected="CU log:  1 inner consumed    500 CU (net    500 CU)
HEAP :   200 heap (net   200 heap) remaining  1400
CU log:  2 outer consumed   1500 CU (net   1000 CU)
HEAP :   600 heap (net   400 heap) remaining  1600
CU log:  3 A consumed    300 CU (net    300 CU)
CU log:  4 in b consumed     50 CU (net     50 CU)
CU log:  5 B consumed    400 CU (net    350 CU)"

# works COMMAND...: the example comes out of it
works()
{
	is_same <(echo example | "$@") <(echo "$expected")
}

# build NAME LINK...: a program with sections
build()
{
	gcc -O2 -Wall -Werror -Iinclude -pthread -o "$fix/$1" \
		"$programs/sections.c" "${@:2}"
}

make_shared()
{
	build shared -L"$lib" -lmemprof-sections -Wl,-rpath,"$lib"
}

make_archive()
{
	build archive "$lib/libmemprof-sections.a"
}

make_static()
{
	build static -static "$lib/libmemprof-sections.a"
}

make_sampled()
{
	build sampled -L"$both" -lmemprof -Wl,-rpath,"$both"
}

# linked HOW: a program that is linked so writes the example
linked()
{
	needs "$1" && works "$fix/$1"
}

with_the_sampler()
{
	needs sampled shared &&
	works env MEMPROF_OUT="$work/region" "$fix/sampled" &&
	works env LD_PRELOAD="$both/libmemprof.so" MEMPROF_RATE=1 \
		MEMPROF_OUT="$work/region" "$fix/shared"
}

# It has no malloc of its own.
leaves_malloc_alone()
{
	! nm -D --defined-only "$lib/libmemprof-sections.so" |
		grep -vE ' T memprof_section_[a-z_]*$'
}

cxx()
{
	cat >"$work/guard.cc" <<-'END'
	#include <memprof/memprof.h>
	#include <stdexcept>

	static void thrower()
	{
		MEMPROF_SECTION("thrower");
		throw std::runtime_error("out");
	}

	int main()
	{
		try {
			MEMPROF_SECTION("caller");
			thrower();
		} catch (const std::exception &) {
		}
		return memprof_section_flush(1) != 2;
	}
	END
	g++ -Wall -Wextra -Werror -Iinclude -o "$work/guard" "$work/guard.cc" \
		"$lib/libmemprof-sections.a" &&
	"$work/guard" | grep -q '1 thrower consumed' &&
	"$work/guard" | grep -q '2 caller consumed'
}

# Loaded late, used in threads that end, and let go of.
late()
{
	cat >"$work/late.c" <<-'END'
	#include <dlfcn.h>
	#include <pthread.h>

	static int (*start)(const char *, unsigned long, unsigned long);

	static void *thread(void *arg)
	{
		return start("a", 1, 0) ? arg : 0;
	}

	int main(int argc, char **argv)
	{
		void *handle = dlopen(argv[1], RTLD_NOW), *bad;
		pthread_t t;

		if (!handle)
			return 1;
		start = dlsym(handle, "memprof_section_start");
		pthread_create(&t, 0, thread, &t);
		dlclose(handle);
		pthread_join(t, &bad);
		return bad != 0;
	}
	END
	gcc -w -o "$work/late" "$work/late.c" -pthread &&
	"$work/late" "$lib/libmemprof-sections.so"
}

# follows PROGRAM: a flush shows at memprofctl sections
follows()
{
	needs "$1" && mkfifo "$work/do" || return
	"$fix/$1" <"$work/do" >/dev/null &
	local pid=$!
	exec 7>"$work/do"
	listening sections -p $pid >"$work/out" 2>"$work/err" &&
	echo example >&7 && end_of $recorder || {
		note "$work/err"
		return 1
	}
	is_same <(tail -n +2 "$work/out") <(echo "$expected")
}

# recorded PROGRAM [OPTION]...: what it keeps itself is in a recording
recorded()
{
	needs "$1" || return
	echo example | memprofctl record -q -f --source perf -o "$work/data" \
		"${@:2}" -- "$fix/$1" >"$work/out" 2>"$work/err" || {
		note "$work/err"
		return 1
	}
	is_same <(memprofctl sections -i "$work/data" | tail -n +2) \
		<(echo "$expected") &&
	report -i "$work/data" | rows holds 'pid > 0' where type=process
}

ready_descriptors_are_checked()
{
	complains 2 "--ready-fd takes a file descriptor" \
		memprofctl sections --ready-fd 8 8<&- &&
	complains 2 "--ready-fd takes a file descriptor" \
		memprofctl sections --ready-fd 8 8</dev/null &&
	complains 2 "not for a recording" \
		memprofctl sections --ready-fd 8 -i x 8>/dev/null
}

check "a program linked with the library" linked shared
check "a program linked with the archive" linked archive
check "a program linked with nothing else" linked static
check "a program linked with the sampler, which has sections too" with_the_sampler
check "the library takes nothing's place" leaves_malloc_alone
check "C++, and exceptions" cxx
check "a library that is loaded late" late
check "--ready-fd is checked" ready_descriptors_are_checked
why=$([ "$(id -u)" = 0 ] && with_tracing || echo "not root")
check_unless "$why" "flushes are followed without the module" follows shared
check_unless "$why" "flushes of a static program are followed" follows static
check_unless "$why" "flushes are in a recording" recorded shared
check_unless "$why" "flushes of a static program are in a recording" \
	recorded static
check_unless "$why" "flushes are in a recording without allocations" \
	recorded shared --alloc off
plan

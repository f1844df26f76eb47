#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# On the host: programs that name sections, linked in every way; who follows them
# needs no module.
cd "$(dirname "$0")/.." || exit 1
O=${O:-$PWD/build}
. tests/guest/tap.sh
PATH=$O/user/memprofctl:$PATH
work=$(mktemp -d)
lib=$O/user/libsections both=$O/user/libmemprof
pid=''
trap '[ -z "$pid" ] || kill $pid; rm -rf "$work"' EXIT
expected="CU log:  1 inner consumed    500 CU (net    500 CU)
HEAP :   200 heap (net   200 heap) remaining  1400
CU log:  2 outer consumed   1500 CU (net   1000 CU)
HEAP :   600 heap (net   400 heap) remaining  1600
CU log:  3 A consumed    300 CU (net    300 CU)
CU log:  4 in b consumed     50 CU (net     50 CU)
CU log:  5 B consumed    400 CU (net    350 CU)"

# works NAME COMMAND...: the example comes out of it
works()
{
	diff <(echo "$expected") <(echo example | "$@") >&2
}

# build NAME LINK...
build()
{
	local to=$work/$1
	shift
	gcc -O2 -Wall -Werror -Iinclude -pthread -o "$to" \
		tests/programs/sections.c "$@"
}

shared()
{
	build shared -L"$lib" -lmemprof-sections -Wl,-rpath,"$lib" &&
	works "$work/shared"
}

archive()
{
	build archive "$lib/libmemprof-sections.a" && works "$work/archive"
}

all_static()
{
	build static -static "$lib/libmemprof-sections.a" &&
	works "$work/static"
}

with_the_sampler()
{
	build sampled -L"$both" -lmemprof -Wl,-rpath,"$both" &&
	works env MEMPROF_OUT="$work/region" "$work/sampled" &&
	works env LD_PRELOAD="$both/libmemprof.so" MEMPROF_RATE=1 \
		MEMPROF_OUT="$work/region" "$work/shared"
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
	mkfifo "$work/do"
	"$work/$1" <"$work/do" >/dev/null &
	pid=$!
	exec 7>"$work/do"
	memprofctl sections -p $pid >"$work/out" 2>"$work/err" &
	local listener=$!
	watches $listener && echo example >&7
	for _ in $(seq 200); do
		kill -0 $listener 2>/dev/null || break
		sleep 0.1
	done
	kill $listener 2>/dev/null
	wait $listener
	local status=$?
	exec 7>&-
	wait $pid
	pid=''
	rm "$work/do"
	[ $status = 0 ] || sed 's/^/# /' "$work/err"
	diff <(echo "$expected") <(tail -n +2 "$work/out") >&2
}

# recorded PROGRAM [OPTION]...: what it keeps itself is in a recording
recorded()
{
	echo example | memprofctl record -q -f --source perf -o "$work/data" \
		"${@:2}" -- "$work/$1" >"$work/out" 2>"$work/err" ||
		{ sed 's/^/# /' "$work/err"; return 1; }
	diff <(echo "$expected") <(memprofctl sections -i "$work/data" |
				   tail -n +2) >&2 &&
	memprofctl report -i "$work/data" --json | grep -q '"type":"process"'
}

check "a program linked with the library" shared
check "with its archive" archive
check "and with nothing else" all_static
check "with the sampler, which has them too" with_the_sampler
check "the library takes nothing's place" leaves_malloc_alone
check "C++, and exceptions" cxx
check "a library that is loaded late" late
if [ "$(id -u)" = 0 ] && [ -w /sys/kernel/tracing/uprobe_events ]; then
	check "its flushes are followed without the module" follows shared
	check "and those of a static program" follows static
	check "they are in a recording of it" recorded shared
	check "and in one of a static program" recorded static
	check "and in one without allocations" recorded shared --alloc off
else
	skip "its flushes are followed without the module" "not root"
	skip "and those of a static program" "not root"
	skip "they are in a recording of it" "not root"
	skip "and in one of a static program" "not root"
	skip "and in one without allocations" "not root"
fi
plan

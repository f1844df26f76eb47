#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# On the host: programs open libmemprof.so while they run, and attach and detach it.
. "$(dirname "$0")/lib.sh"
LIB=$build/user/libmemprof/libmemprof.so
export ATTACH_CYCLES=${ATTACH_CYCLES:-${TEST_SLOW_KERNEL:+50}}
ATTACH_CYCLES=${ATTACH_CYCLES:-1000}

make_attach()
{
	# calls that the program makes must stay calls
	gcc -std=gnu11 -D_GNU_SOURCE -O1 -g -Wall -fno-builtin -Iinclude -pthread \
		"${@:2}" -o "$fix/${1:-attach}" "$programs/attach.c" \
		-Wl,--no-as-needed -lstdc++
}

make_later()
{
	gcc -O2 -shared -fPIC -nostdlib -o "$fix/later.so" "$programs/later.c" &&
		cp "$fix/later.so" "$fix/named.so"
}

make_slow()
{
	gcc -O2 -shared -fPIC -nostdlib -Wl,-z,relro,-z,now -DWORDS=2000 \
		-o "$fix/slow.so" "$programs/later.c"
}

# Unbound slots, a program at a fixed address, calls without the PLT
make_lazy() { make_attach lazy -Wl,-z,lazy; }
make_fixed() { make_attach fixed -no-pie -Wl,-z,lazy; }
make_direct() { make_attach direct -fno-plt; }

# gcc's functions for atomic operations on arm64 need glibc
make_musl()
{
	local atomics=
	[ "$(uname -m)" != aarch64 ] || atomics=-mno-outline-atomics
	musl-gcc -std=gnu11 -D_GNU_SOURCE -O1 -Wall -fno-builtin $atomics -Iinclude \
		-idirafter /usr/include -o "$fix/musl" "$programs/attach.c" &&
		readelf -l "$fix/musl" | grep -q ld-musl
}

make_operators()
{
	g++ -O1 -fno-builtin -pthread -o "$fix/operators" "$programs/operators.cc"
}

# does KIND [PROGRAM]: attach.c says that all is as it should be
does()
{
	local library=later
	# a pass over the slots that does not wait for the dynamic linker ends this one
	[ "$1" != loading ] || library=slow
	needs "${2:-attach}" && needs later && needs $library &&
	[ "$(LD_LIBRARY_PATH=$fix timeout 300 "$fix/${2:-attach}" "$1" "$LIB" \
		"$work/region" "$fix/$library.so" | tee -a /dev/stderr)" = "$1 done" ]
}

# with_allocators COMMAND...: with each allocator that is installed
with_allocators()
{
	local so nr=0
	for so in "$ALLOCATORS"/lib{jemalloc,tcmalloc_minimal,mimalloc}.so.[0-9]; do
		[ -e "$so" ] || continue
		nr=$((nr + 1))
		rm -f "$work"/region*
		so=$so "$@" || { echo "# $so"; return 1; }
	done
	[ $nr -ge 3 ]
}

bound() { LD_BIND_NOW=1 does "$@"; }
preloaded() { LD_PRELOAD=$so bound "$@"; }

# under_preload [own]: operators are counted once, if the library was there from the start,
# or jemalloc's own functions are
under_preload()
{
	needs operators && needs region &&
	LD_PRELOAD="$LIB $so" MEMPROF_RATE=1 MEMPROF_OUT=$work/region \
		"$fix/operators" "$@" >"$work/said" &&
	[ "$(cat "$work/said")" = "operators done" ] &&
	"$fix/region" "$work/region" >"$work/facts" &&
	! grep heap_map_stale "$work/facts" &&
	# besides those of the C and C++ library at start and end
	awk '$1 == "total" { n = $3 } END { exit n < 4000 || n > 4010 }' "$work/facts"
}

make_region()
{
	gcc -std=gnu11 -D_GNU_SOURCE -O2 -Iinclude -o "$fix/region" "$programs/region.c"
}

no_musl=$(command -v musl-gcc >/dev/null || echo "musl-gcc is not installed")

check "known allocations are counted exactly, slots are restored" bound exact
check "the same with unbound slots" does cycles lazy
check "the same in a program at a fixed address" bound exact fixed
check "the same with unbound slots, at a fixed address" does cycles fixed
check "the same with calls through the offset table" bound exact direct
check "$ATTACH_CYCLES cycles while 4 threads allocate" does cycles
check "cycles while libraries are opened, and threads end" does loading
check "children of an attached process" does children
check "jemalloc, tcmalloc, mimalloc: exactly, also operators" \
	with_allocators preloaded exact
check "jemalloc, tcmalloc, mimalloc: $ATTACH_CYCLES cycles" with_allocators preloaded cycles
check "jemalloc, tcmalloc, mimalloc: libraries are opened" \
	with_allocators preloaded loading
check "their operators are counted once under LD_PRELOAD" \
	with_allocators under_preload
so='' check "those of the C++ library are counted once, too" under_preload
so=$(echo "$ALLOCATORS"/libjemalloc.so.[0-9]) check \
	"so are the functions that only jemalloc has" under_preload own
check_unless "$no_musl" "musl: exactly" does exact musl
check_unless "$no_musl" "musl: $ATTACH_CYCLES cycles" does cycles musl
check_unless "$no_musl" "musl: libraries are opened" does loading musl
plan

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Real allocators, used by programs with known numbers, which the exact mode
# must count exactly. All programs run at once, each with its own name.
. "$(dirname "$0")/../lib.sh"
. "$top/tests/guest/stopped.sh"
out=$build/tests/guest
n=300

# See programs/blocks.c and programs/kinds.c for these numbers: allocations,
# bytes, frees and peak; then the blocks and bytes that are left at the second
# stop.
blocks="$((n + 1)) $((n * 136 + 8)) $((n / 2)) $((n * 136 + 8))"
blocks_left="$((n / 2 + 1)) $((n * 72 + 8))"
kinds="$((n * 9 + 1)) $((n * 1602 + 8)) $((n * 8)) $((n * 108 + 8 + 1134))"
kinds_left="$((n + 1)) $((n * 108 + 8))"

# Debian 12 has version 2 of it, Debian 13 has version 3, whose own strdup() calls no
# function that is probed: kinds calls strdup()
mimalloc=$(ls /usr/lib/*-linux-gnu/libmimalloc.so.[23] 2>/dev/null | head -n 1)
mimalloc=${mimalloc##*/}
mimalloc=${mimalloc:-libmimalloc.so.2}
cases='blocks-glibc	blocks-c
blocks-static	blocks-static
blocks-musl	blocks-musl
blocks-mstatic	blocks-musl-static
blocks-tcmalloc	blocks-c	libtcmalloc_minimal.so.4
blocks-mimalloc	blocks-c	'$mimalloc'
blocks-jemalloc	blocks-c	libjemalloc.so.2
blocks-tc-cxx	blocks-cxx	libtcmalloc_minimal.so.4
blocks-mi-cxx	blocks-cxx	'$mimalloc'
blocks-je-cxx	blocks-cxx	libjemalloc.so.2
kinds-glibc	kinds-c
kinds-static	kinds-static
kinds-musl	kinds-musl
kinds-mstatic	kinds-musl-static
kinds-tcmalloc	kinds-c		libtcmalloc_minimal.so.4
kinds-mimalloc	kinds-c		libmimalloc.so.2
kinds-jemalloc	kinds-c		libjemalloc.so.2'

# file_of LIBRARY: prints the file name of a library that is preloaded
file_of()
{
	realpath -e "$(ls /usr/lib/*-linux-gnu/"$1" 2>/dev/null)" 2>/dev/null
}

# is_there PROGRAM [LIBRARY]: whether this machine has both
is_there()
{
	[ -x "$out/$1" ] && { [ -z "${2:-}" ] || file_of "$2" >/dev/null; }
}

# run COMM PROGRAM [WORD]: runs a program in the cgroup with the name COMM; sets
# pid
run()
{
	ln -s "$out/$2" "$work/$1" || return
	(inside "$cgroup" "$work/$1" $n ${3:+"$3"}) &
	pid=$!
}

# exact_session: starts a session of the cgroup in exact mode
exact_session()
{
	memprofctl start -G "$group" --alloc exact --faults off -q
}

# Runs all cases; keeps their numbers at the second stop and at the end, and
# their mappings.
make_cases()
{
	local comm program library pids=()
	make_cgroup || return
	while read -r comm program library; do
		is_there "$program" "$library" || continue
		LD_PRELOAD=$library run "$comm" "$program" stop
		pids+=($pid)
	done <<<"$cases"
	each_stop "${pids[@]}" && exact_session || return
	for pid in "${pids[@]}"; do
		cp "/proc/$pid/maps" "$fix/$(<"/proc/$pid/comm").maps"
	done
	kill -CONT "${pids[@]}"
	each_stop "${pids[@]}" || return
	numbers >"$fix/stopped"
	kill -CONT "${pids[@]}"
	wait "${pids[@]}"
	numbers >"$fix/ended"
}

# exact COMM [LIBRARY]: whether the numbers at the second stop and at the end
# are exact. The loader may ignore LD_PRELOAD, so the library must be mapped.
exact()
{
	local -n all=${1%%-*} left=${1%%-*}_left
	needs cases || return
	[ -z "${2:-}" ] || grep -q "r-xp.*$(file_of "$2")" "$fix/$1.maps" &&
	said "$fix/stopped" "$1 $all $left 0 0" &&
	said "$fix/ended" "$1 $all 0 0 0 0"
}

nothing_is_odd()
{
	needs cases && ! grep ^odd "$fix/ended"
}

# The interpreter of the program is its C library, which no process has mapped
# before.
found_at_start()
{
	make_cgroup && exact_session && run blocks-late blocks-musl || return
	wait $pid
	numbers >"$work/late"
	said "$work/late" "blocks-late $blocks 0 0 0 0"
}

while read -r comm program library; do
	check_unless "$(is_there "$program" "$library" ||
			echo "no such compiler or library on this machine")" \
		"$comm: allocations, bytes, frees, live and peak are exact" \
		exact "$comm" "$library"
done <<<"$cases"
check "no call was left open or lost" nothing_is_odd
check_unless "$(is_there blocks-musl || echo "no musl-gcc on this machine")" \
	"musl is found when a program that uses it starts" found_at_start
plan

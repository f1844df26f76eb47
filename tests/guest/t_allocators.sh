#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Real allocators under programs with known answers: exact mode counts exactly
# those. All run at once, each under a name of its own.
cd "$(dirname "$0")" || exit 1
. ./tap.sh
. ./stopped.sh
out=$(realpath "${O:-../../build}/tests/guest")
work=$(mktemp -d)
cgroup=/sys/fs/cgroup/t_allocators
mkdir -p $cgroup
n=300

# programs/blocks.c and programs/kinds.c say why: allocations, bytes, frees and
# peak; then blocks and bytes that are left at the second stop
blocks="$((n + 1)) $((n * 136 + 8)) $((n / 2)) $((n * 136 + 8))"
blocks_left="$((n / 2 + 1)) $((n * 72 + 8))"
kinds="$((n * 9 + 1)) $((n * 1602 + 8)) $((n * 8)) $((n * 108 + 8 + 1134))"
kinds_left="$((n + 1)) $((n * 108 + 8))"

declare -A pids libraries

# run COMM PROGRAM [WORD]: in the cgroup, under that name; sets pid
run()
{
	ln -s "$out/$2" "$work/$1" || return
	(echo $BASHPID >$cgroup/cgroup.procs
	 exec "$work/$1" $n ${3:+"$3"}) &
	pid=$!
}

# launch COMM PROGRAM [LIBRARY TO PRELOAD]: to its stop, if all of it is there
launch()
{
	local library pid=
	[ -x "$out/$2" ] || return
	if [ -n "${3:-}" ]; then
		library=$(ls /usr/lib/*-linux-gnu/"$3" 2>/dev/null) || return
		libraries[$1]=$(realpath "$library")
	fi
	LD_PRELOAD=${3:-} run "$1" "$2" stop
	pids[$1]=$pid
}

# LD_PRELOAD is only a wish.
is_mapped()
{
	local library=${libraries[$1]:-}
	[ -z "$library" ] || grep -q "r-xp.*$library" "/proc/${pids[$1]}/maps"
}

# exact COMM: at its second stop, and when it has ended
exact()
{
	local -n all=${1%%-*} left=${1%%-*}_left
	said "$work/stopped" "$1 $all $left 0 0" &&
	said "$work/ended" "$1 $all 0 0 0 0"
}

cases=()
while read -r comm program library; do
	cases+=("$comm")
	launch "$comm" "$program" "$library"
done <<'END'
blocks-glibc	blocks-c
blocks-static	blocks-static
blocks-musl	blocks-musl
blocks-mstatic	blocks-musl-static
blocks-tcmalloc	blocks-c	libtcmalloc_minimal.so.4
blocks-mimalloc	blocks-c	libmimalloc.so.2
blocks-jemalloc	blocks-c	libjemalloc.so.2
blocks-tc-cxx	blocks-cxx	libtcmalloc_minimal.so.4
blocks-mi-cxx	blocks-cxx	libmimalloc.so.2
blocks-je-cxx	blocks-cxx	libjemalloc.so.2
kinds-glibc	kinds-c
kinds-static	kinds-static
kinds-musl	kinds-musl
kinds-mstatic	kinds-musl-static
kinds-tcmalloc	kinds-c		libtcmalloc_minimal.so.4
kinds-mimalloc	kinds-c		libmimalloc.so.2
kinds-jemalloc	kinds-c		libjemalloc.so.2
END

check "programs come to their first stop" each_stop "${pids[@]}"
memprofctl start -G t_allocators --alloc exact --faults off -q
kill -CONT "${pids[@]}"
check "and to their second" each_stop "${pids[@]}"
numbers >"$work/stopped"
for comm in "${!libraries[@]}"; do
	is_mapped "$comm" || check "$comm: its library is preloaded" false
done
kill -CONT "${pids[@]}"
wait "${pids[@]}"
numbers >"$work/ended"
memprofctl stop -q
for comm in "${cases[@]}"; do
	name="$comm: allocations, bytes, frees, live and peak are exact"
	if [ -n "${pids[$comm]:-}" ]; then
		check "$name" exact "$comm"
	else
		skip "$name" "no such compiler or library on this machine"
	fi
done
check "no call was left open or lost" eval '! grep ^odd "$work/ended"'

# Its C library is its interpreter, and nobody has run it yet.
found_at_start()
{
	local pid
	memprofctl start -G t_allocators --alloc exact --faults off -q ||
		return
	run blocks-late blocks-musl
	wait $pid
	numbers >"$work/late"
	memprofctl stop -q
	said "$work/late" "blocks-late $blocks 0 0 0 0"
}

name="musl is found when a program that uses it starts"
if [ -x "$out/blocks-musl" ]; then
	check "$name" found_at_start
else
	skip "$name" "no musl-gcc on this machine"
fi
rmdir $cgroup
rm -rf "$work"
plan

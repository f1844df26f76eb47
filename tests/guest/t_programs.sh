#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Programs in C, C++ and Rust with known answers: with 1000 blocks more, exact
# mode counts exactly those more.
cd "$(dirname "$0")" || exit 1
. ./tap.sh
out=${O:-../../build}/tests/guest
cgroup=/sys/fs/cgroup/t_programs
mkdir -p $cgroup

# counted PROGRAM N: objects, bytes, frees, peak, and what is not as it should be
counted()
{
	memprofctl start -G t_programs --alloc exact --faults off -q || return 1
	(echo $BASHPID >$cgroup/cgroup.procs; exec "$out/$1" "$2")
	memprofctl report --json -n 0 | python3 -c '
import json, sys
rows = [json.loads(line) for line in sys.stdin]
r = [r for r in rows if r["type"] == "process" and
     r["comm"] == sys.argv[1][:15]][0]
print(r["alloc_objects"], r["alloc_space"], r["free_objects"],
      r["peak_space"], r["inuse_objects"], r["failed_allocs"])' "$1"
	memprofctl stop -q
}

exact()
{
	local n=1000 none=() many=()
	read -ra none <<<"$(counted "$1" 0000)"
	read -ra many <<<"$(counted "$1" $n)"
	echo "# $1: ${none[*]}; with $n: ${many[*]}"
	[ ${#many[@]} = 6 ] &&
	[ $((many[0] - none[0])) = $n ] &&
	[ $((many[1] - none[1])) = $((n * 136)) ] &&
	[ $((many[2] - none[2])) = $((n / 2)) ] &&
	[ $((many[3] - none[3])) -le $((n * 136)) ] &&
	[ "${many[3]}" -ge $((n * 136)) ] &&
	[ "${many[4]}" = 0 ] && [ "${many[5]}" = 0 ]
}

for p in c static cxx rust-debug rust-release rust-lto; do
	name="blocks-$p: allocations, bytes, frees and peak are exact"
	if [ -x "$out/blocks-$p" ]; then
		check "$name" exact blocks-$p
	else
		skip "$name" "no compiler for it on this machine"
	fi
done
rmdir $cgroup
plan

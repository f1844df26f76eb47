#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Programs in C, C++ and Rust with known numbers: with 1000 more blocks, the
# exact mode must count exactly those in addition.
. "$(dirname "$0")/../lib.sh"
out=$build/tests/guest

# counted PROGRAM N: prints objects, bytes, frees and peak, and counters that
# are not 0 but should be
counted()
{
	memprofctl start -G "$group" --alloc exact --faults off -q || return
	(inside "$cgroup" "$out/$1" "$2")
	report | rows value alloc_objects alloc_space free_objects peak_space \
		inuse_objects failed_allocs where type=process "comm=${1:0:15}"
	memprofctl stop -q
}

exact()
{
	local n=1000 none=() many=()
	make_cgroup || return
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
	check_unless "$([ -x "$out/blocks-$p" ] ||
			echo "no compiler for it on this machine")" \
		"blocks-$p: allocations, bytes, frees and peak are exact" \
		exact blocks-$p
done
plan

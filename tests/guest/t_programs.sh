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

# A program in which each allocator call is a chain of jumps: __rust_alloc, malloc.
chain=blocks-rust-debug

# nested N: prints the session's calls that were a part of another call, after
# one more run of the program
nested()
{
	(inside "$cgroup" "$out/$chain" "$1")
	report | rows sum counters.alloc_nested where type=summary
}

# No call is sampled. The first run is there for the probes: they are placed
# while it runs, and may miss the calls of its start.
unsampled_chain()
{
	local before none many
	make_cgroup || return
	memprofctl start -G "$group" --alloc 1024G --faults off -q || return
	before=$(nested 0000)
	none=$(($(nested 0000) - before))
	many=$(($(nested 1000) - before - none))
	memprofctl stop -q
	echo "# $none calls inside another one; with 1000 blocks: $many"
	# 1000 calls of malloc, 500 of free
	[ $((many - none)) = 1500 ]
}

sampled_chain()
{
	local space
	make_cgroup && memprofctl start -G "$group" --alloc 4K --faults off -q &&
	(inside "$cgroup" "$out/$chain" 20000) &&
	space=$(report | rows value alloc_space where type=process \
		"comm=${chain:0:15}") &&
	# 660 samples: five standard deviations are 20 %
	is_within $((20000 * 136 / 5)) "$space" $((20000 * 136))
}

# It frees all but 300000 bytes. The module's own sums have what lived at the peak.
the_peak_is_known()
{
	make_cgroup && memprofctl start -G "$group" --alloc exact --faults off -q &&
	(inside "$cgroup" "$out/peak-c") && report --by callsite >"$work/sites" &&
	report >"$work/processes" && memprofctl report --by callsite >"$work/table" &&
	memprofctl export --format folded >"$work/folded" &&
	memprofctl stop -q || return
	rows list at_peak_space at_exit_space where type=site function=first \
		<"$work/sites" >"$work/first" &&
	rows list at_peak_space at_exit_space where type=site function=late \
		<"$work/sites" >"$work/late" &&
	[ "$(cat "$work/first")" = "5000000 0" ] &&
	[ "$(cat "$work/late")" = "0 300000" ] &&
	rows holds 'at_peak_space == peak_space and at_peak_space >= 6000000 and
		300000 <= at_exit_space < 310000 and inuse_space == 0' \
		where type=process comm=peak-c <"$work/processes" &&
	grep -q '^ *AT-PEAK *AT-EXIT' "$work/table" &&
	grep -qE '^ *4\.8M +0 .* first' "$work/table" &&
	grep -q 'first 5000000$' "$work/folded" && return
	note "$work/sites" "$work/table"
	return 1
}

# Without stacks: operator new of the C++ library calls malloc, and has no frame pointer.
who_calls_new()
{
	make_cgroup && memprofctl start -G "$group" --alloc exact --faults off -q &&
	(inside "$cgroup" "$out/blocks-cxx" 1000) && report --by callsite >"$work/sites" &&
	memprofctl stop -q || return
	rows list function where type=site comm=blocks-cxx alloc_objects=1000 \
		<"$work/sites" >"$work/new" &&
	[ "$(sort -u "$work/new")" = main ] && return
	note "$work/sites" "$work/new"
	return 1
}

# without PROGRAM: prints why a program cannot be run
without()
{
	[ -x "$out/$1" ] || echo "no compiler for it on this machine"
}

for p in c static cxx rust-debug rust-release rust-lto; do
	check_unless "$(without blocks-$p)" \
		"blocks-$p: allocations, bytes, frees and peak are exact" \
		exact blocks-$p
done
check "a program that frees all is seen at its peak" the_peak_is_known
check_unless "$(without blocks-cxx)" "the callsite in C++ is who calls operator new" \
	who_calls_new
check_unless "$(without $chain)" "a call that leads on by jumps is one call" \
	unsampled_chain
check_unless "$(without $chain)" "and is sampled once" sampled_chain
plan

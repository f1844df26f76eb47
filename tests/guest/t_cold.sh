#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# report --cold, where the kernel's DAMON is free, and what NUMA nodes pages are on.
. "$(dirname "$0")/../lib.sh"
. tests/resident.sh
. tests/cold.sh

# The module's blocks, and a session whose collector reads what the report has watched
sessions_know_cold_memory()
{
	needs cold && mkfifo "$work/in" || return
	(exec "$fix/cold" <"$work/in" >"$work/out") & pid=$!
	exec {sink}>"$work/in"
	memprofctl start -q -p $pid --source "$1" --faults off --alloc exact && echo go >&"$sink" &&
	wait_for ready "$work/out" && report --cold 2 --by callsite >"$work/sites" &&
	halves_differ && report --cold 1 --by process >"$work/process" &&
	process 'cold_space >= 4 * MIB' && is_free && end_cold
}

taken_damon_is_left_alone()
{
	echo 1 >$kdamonds/nr_kdamonds && at_end "echo 0 >$kdamonds/nr_kdamonds" &&
	others_keep_damon
}

# kernel_says NODE: bytes on a node of the mappings that the blocks lie in
kernel_says()
{
	awk -v key="N$1=" '/ anon=/ && !/stack|file=/ { for (i = 2; i <= NF; i++)
		if (index($i, key) == 1)
			sum += substr($i, length(key) + 1) }
		END { print sum * 4096 }' "/proc/$pid/numa_maps"
}

# Each page is on one node. The second half of the memory is bound to the second one
nodes_add_up()
{
	local one
	run_cold far && report -i "$work/region" --view resident --by callsite >"$work/sites" &&
	memprofctl report -i "$work/region" --view resident >"$work/resident" || return
	note "$work/resident"
	one=$(kernel_says 1) && echo "# the kernel: $one bytes are on node 1" &&
	[ "$one" -ge $((8 << 20)) ] &&
	grep -q 'PINNED  *N0  *N1  ' "$work/resident" &&
	rows holds 'near(node_1_space, 8, 0.1) and
		block_resident_space - node_1_space <= 8192' \
		where type=site function=unused inuse_space!=0 <"$work/sites" &&
	rows holds 'near(node_0_space, 8, 0.1)' \
		where type=site function=used inuse_space!=0 <"$work/sites" && end_cold
}

one_node_is_not_shown()
{
	run_cold && report -i "$work/region" --view resident --by callsite >"$work/sites" &&
	memprofctl report -i "$work/region" --view resident >"$work/resident" &&
	! grep -q node_ "$work/sites" && ! grep -qw N0 "$work/resident" && end_cold
}

# DAMON_STAT of 7.x runs from the boot on, and DAMON cannot be shared with it
modules_keep_damon()
{
	run_cold &&
	! memprofctl report -i "$work/region" --cold 1 >"$work/resident" 2>"$work/error" &&
	grep -q 'DAMON is in use by a module of the kernel' "$work/error" && is_free &&
	grep -q Y $statistics && end_cold && return
	note "$work/error"
	return 1
}

kernels_without_damon_are_told()
{
	run_cold &&
	! memprofctl report -i "$work/region" --cold 1 >"$work/resident" 2>"$work/error" &&
	grep -q 'it has neither DAMON (.*) nor page_idle (' "$work/error" && end_cold && return
	note "$work/error"
	return 1
}

# A kernel that tells of each page whether it was referenced
idle_pages_are_cold()
{
	run_cold && report -i "$work/region" --cold 2 --by callsite >"$work/sites" &&
	halves_differ &&
	tail -n 1 "$work/sites" | rows holds 'cold["way"] == "page_idle" and
		cold["watched_processes"] == 1 and cold["watched_ns"] > 2000000000' &&
	memprofctl report -i "$work/region" --cold 1 >"$work/resident" || return
	note "$work/resident"
	grep -q '^cold:   COLD: of RESIDENT, not referenced for 1 s; of each page, by page_idle' \
		"$work/resident" && end_cold
}

statistics=/sys/module/damon_stat/parameters/enabled
if grep -qs Y $statistics; then
	check "DAMON that a module of the kernel uses is left alone" modules_keep_damon
	echo N >$statistics
fi
idle=/sys/kernel/mm/page_idle/bitmap
if [ -e $idle ]; then
	[ -e $kdamonds ] || check "without DAMON, page_idle tells what is COLD" idle_pages_are_cold
elif [ ! -e $kdamonds ]; then
	check "a kernel without DAMON is told" kernels_without_damon_are_told
fi
why=$(cold_obstacle)
check_unless "$why" "memory that is not used any more is COLD" unused_memory_is_cold
check_unless "$why" "so it is in a session of the module" sessions_know_cold_memory kmod
check_unless "$why" "and in one of perf's events" sessions_know_cold_memory perf
check_unless "$why" "DAMON of somebody else is left alone" taken_damon_is_left_alone
check_unless "$why" "signals leave DAMON as it was" signals_restore_damon
check_unless "$why" "a process that ends meanwhile is counted" ended_processes_are_told
check "recordings are refused" recordings_are_not_watched
if [ -e /sys/devices/system/node/node1 ]; then
	check "RESIDENT is divided by NUMA node" nodes_add_up
else
	check "a machine with one node shows none" one_node_is_not_shown
	skip "RESIDENT is divided by NUMA node" "there is one (scripts/vm/run --nodes 2)"
fi
plan

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The parts of RSS with the module, which hands out its living blocks, and whose blocks
# keep the pages of a program that knows them. And the sums of a cgroup compared with the
# kernel's charge.
. "$(dirname "$0")/../lib.sh"
. tests/resident.sh

# a file larger than its mapped part, on a disk
file=$(gcc -print-prog-name=cc1)

# begin: starts a session, and a program in $cgroup/inner that has its memory;
# sets pid
begin()
{
	local mount
	make_cgroup && mount=${cgroup%"$group"} &&
	echo +memory >"$mount/cgroup.subtree_control" &&
	echo +memory >"$cgroup/cgroup.subtree_control" &&
	mkfifo "$work/in" &&
	memprofctl start -G "$group" --alloc exact --faults off -q || return
	(ulimit -S -s 9216
	 inside "$cgroup/inner" parts-c "$file" <"$work/in" >"$work/out") &
	pid=$!
	exec 9>"$work/in"
	echo go >&9
	wait_for ready "$work/out"
}

parts_add_up()
{
	begin && memprofctl report --view rss --json |
		rows holds 'near(allocator_space, 127, 2) and
			near(stack_resident_space, 8, 0.2) and
			near(shmem_mapped_space, 16, 0.1) and
			near(file_mapped_space, 16, 4) and
			near(unattributed_space, 0, 1) and
			parts == resident_space and
			split and not live_touched_bound and
			near(live_touched_space, 64, 1) and
			allocator_held_space == allocator_space - live_touched_space' \
		where type=process exited= &&
	! memprofctl report --view rss | grep 'LIVE-RSS is an upper bound'
}

# row CONDITION EXPRESSION: checks rows of cgroups
row()
{
	rows holds "$2" where type=cgroup "$1" <"$work/json"
}

cgroups()
{
	local rss current
	begin || return
	memprofctl report --by cgroup --recursive --top 2 --view rss -n 0 |
		head -n 8 | note
	report --by cgroup --recursive --top 2 >"$work/json" &&
	read -r rss current < <(rows value resident_space \
		cgroup_current_space where "cgroup=$group" <"$work/json") &&
	row "cgroup=$group/inner" "top and in_ancestor and
		resident_space == $rss and
		cgroup_current_space > 150 * MIB and
		cgroup_peak_space >= cgroup_current_space and
		abs(cgroup_anon_space - resident_anon) < 2 * MIB and
		cgroup_kernel_space > 0 and
		cgroup_rest_space == cgroup_current_space - proportional_space" &&
	row type=cgroup 'parts == resident_space' &&
	row cgroup=/ "resident_space == \
		$(rows total resident_space <"$work/json")" &&
	[ "$(rows total cgroup_current_space <"$work/json")" = "$current" ]
}

# pages OPTION...: a session of the module follows the program before it has its memory
pages()
{
	mkfifo "$work/in" || return
	(exec pages-c <"$work/in" >"$work/out") & pid=$!
	exec 9>"$work/in"
	memprofctl start -q -p $pid --source kmod --faults off "$@" && echo go >&9 &&
	wait_for ready "$work/out"
}

module_knows_pages()
{
	pages --alloc exact && look && each_number_is_known && all_adds_up
}

module_estimates_pages()
{
	pages --alloc 16K --call-graph no && look &&
	site halves 'abs(block_resident_space - 8 * MIB) < MIB and
		blame_space == block_resident_space' &&
	process 'allocator_space == blame_space + held_page_space and pinned_space == 0'
}

# with_swap: swaps to compressed memory while the check runs
with_swap()
{
	local kernels=${XDG_CACHE_HOME:-$HOME/.cache}/memprof/kernels module
	module=$(find "$kernels" -path "*/$(uname -r)/*" -name 'zram.ko*' | head -n 1)
	[ -n "$module" ] && modprobe -d "${module%/lib/modules/*}" zram &&
	echo 64M >/sys/block/zram0/disksize && mkswap /dev/zram0 >"$work/mkswap" &&
	swapon /dev/zram0 && at_end 'swapoff /dev/zram0; echo 1 >/sys/block/zram0/reset'
}

# What was touched is in memory or in swap; what MADV_FREE gave up is neither
module_knows_swap()
{
	local mount swap
	with_swap && make_cgroup && mount=${cgroup%"$group"} &&
	echo +memory >"$mount/cgroup.subtree_control" && mkfifo "$work/in" || return
	(inside "$cgroup" pages-c <"$work/in" >"$work/out") & pid=$!
	exec 9>"$work/in"
	wait_until grep -qs pages-c "/proc/$pid/comm" &&
	memprofctl start -q -p $pid --source kmod --alloc exact --faults off &&
	echo go >&9 && wait_for ready "$work/out" || return
	# the kernel may give back less than it was asked for
	echo 24M >"$cgroup/memory.reclaim"
	look || return
	swap=$(awk '/^Swap:/ { print $2 * 1024 }' "/proc/$pid/smaps_rollup")
	echo "# $swap bytes are in swap"
	process "swapped_space == $swap >= block_swapped_space >= 4 * MIB and
		inuse_space == block_resident_space + block_swapped_space +
			block_untouched_space" &&
	site halves 'near(block_resident_space + block_swapped_space, 8, 0.0625) and
		block_untouched_space == inuse_space - block_resident_space -
			block_swapped_space' &&
	site returns 'near(block_resident_space + block_swapped_space, 4, 0.02)' &&
	process 'allocator_space == blame_space + held_page_space'
}

module_shows_pages()
{
	pages --alloc exact && memprofctl report --view resident >"$work/resident" &&
	grep -Eq '^ *4\.0M +112K +112K +0 +0 +3\.9M .*survives' "$work/resident" && return
	note "$work/resident"
	return 1
}

ended()
{
	begin || return
	exec 9>&-
	wait $pid
	memprofctl report --view rss --json |
		rows holds 'exited and resident_space > 150 * MIB and
			unattributed_space == resident_space' where type=process
}

check "a process's parts add up, and what lives in them is known" parts_add_up
check "the module's blocks tell whose pages are resident" module_knows_pages
check "sampled blocks estimate it" module_estimates_pages
check "what is in swap is told from what was never touched" module_knows_swap
check "report --view resident shows the module's pages" module_shows_pages
check "a cgroup's sums stand beside what it is charged with" cgroups
check "of a process that ended RSS is known" ended
plan

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The parts of RSS with the module, and the sums of a cgroup compared with the kernel's charge.
. "$(dirname "$0")/../lib.sh"

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
check "a cgroup's sums stand beside what it is charged with" cgroups
check "of a process that ended RSS is known" ended
plan

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Whose blocks keep the pages of a program that knows them: by the module, which hands out its
# living blocks, and with PAGES_WAYS also by perf's events and by the library.
. "$(dirname "$0")/../lib.sh"
. tests/resident.sh
ways=${PAGES_WAYS:-kmod}

# follow WAY PROGRAM [OPTION...]: kmod, perf or the library follows a program before it has its
# memory; sets pid. It is in $place, a cgroup, if that is set.
place=
follow()
{
	local way=$1 program=$2 preload=()
	shift 2
	mkfifo "$work/in" || return
	[ "$way" != library ] || preload=(LD_PRELOAD="$build/user/libmemprof/libmemprof.so"
		MEMPROF_RATE=1 MEMPROF_OUT="$work/region")
	(
		[ -z "$place" ] || inside "$place" env "${preload[@]}" "$program"
		exec env "${preload[@]}" "$program"
	) <"$work/in" >"$work/out" & pid=$!
	exec 9>"$work/in"
	wait_until grep -qs "$program" "/proc/$pid/comm" || return
	[ "$way" = library ] ||
		memprofctl start -q -p $pid --source "$way" --faults off "$@" || return
	echo go >&9 && wait_for ready "$work/out"
}

# look_by WAY: rows of what the module, perf's events or the library know
look_by()
{
	if [ "$1" = library ]; then
		look -i "$work/region"
	else
		look
	fi
}

module_knows_pages()
{
	follow kmod pages-c --alloc exact && look && each_number_is_known && all_adds_up
}

module_estimates_pages()
{
	follow kmod pages-c --alloc 16K --call-graph no && look &&
	site halves 'abs(block_resident_space - 8 * MIB) < MIB and
		blame_space == block_resident_space' &&
	process 'allocator_space == blame_space + held_page_space and pinned_space == 0'
}

huge_pages_are_known()
{
	local huge mode thp=/sys/kernel/mm/transparent_hugepage
	local pause=$thp/khugepaged/scan_sleep_millisecs
	# it makes huge pages of small ones, at any time
	at_end "echo $(<$pause) >$pause" && echo 3600000 >$pause || return
	# with "always", the page before a block, with malloc's header, may be huge, too
	mode=$(sed 's/.*\[\(.*\)\].*/\1/' $thp/enabled) &&
	at_end "echo $mode >$thp/enabled" && echo madvise >$thp/enabled &&
	follow "$1" huge-c --alloc exact && look_by "$1" || return
	huge=$(bytes_of AnonHugePages)
	echo "# $huge bytes are in huge pages"
	[ "$huge" -gt 0 ] || return 0
	process "block_huge_space == $huge == 16 * MIB" &&
	rows holds 'inuse_space == 32 * MIB and
		block_resident_space == block_huge_space == blame_space == 16 * MIB and
		block_untouched_space == 16 * MIB' where type=site function=large <"$work/sites" &&
	rows holds 'block_huge_space == 0 and block_resident_space >= 8 * MIB' \
		where type=site function=small <"$work/sites"
}

# The child writes to a part of what it shares: the parent's numbers are what they were
a_fork_changes_nothing()
{
	follow "$1" pages-c --alloc exact && echo fork >&9 && wait_for forked "$work/out" &&
	look_by "$1" && each_number_is_known && pkill -P $pid
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

# bytes_of KEY: of the program, in smaps_rollup
bytes_of() { awk -v key="$1:" '$1 == key { print $2 * 1024 }' "/proc/$pid/smaps_rollup"; }

# Without the library's samples: their file is in memory, goes to swap too, and comes back
# when it is read
much_is_in_swap()
{
	local swap
	echo 12M >"$cgroup/memory.reclaim"
	swap=$(awk -v samples="$work/region" '
		/^[0-9a-f]+-/ { is_own = $NF != samples }
		/^Swap:/ && is_own { sum += $2 * 1024 }
		END { print sum + 0 }' "/proc/$pid/smaps")
	[ "$swap" -ge $((12 << 20)) ]
}

# What was touched is in memory or in swap; what MADV_FREE gave up is neither
swap_is_known()
{
	local mount swap
	with_swap && make_cgroup && mount=${cgroup%"$group"} &&
	echo +memory >"$mount/cgroup.subtree_control" &&
	place=$cgroup follow "$1" pages-c --alloc exact || return
	# the kernel gives back what it likes, pages of files first
	wait_until much_is_in_swap && look_by "$1" || return
	swap=$(bytes_of Swap)
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
	follow kmod pages-c --alloc exact && memprofctl report --view resident >"$work/resident" &&
	grep -Eq '^ *4\.0M +112K +112K +0 +0 +3\.9M .*survives' "$work/resident" && return
	note "$work/resident"
	return 1
}

check "the module's blocks tell whose pages are resident" module_knows_pages
check "sampled blocks estimate it" module_estimates_pages
for way in $ways; do
	check "what is in swap is told from what was never touched ($way)" swap_is_known $way
	check "huge pages are told from small ones ($way)" huge_pages_are_known $way
	check "a fork changes no number of its parent ($way)" a_fork_changes_nothing $way
done
check "report --view resident shows the module's pages" module_shows_pages
plan
